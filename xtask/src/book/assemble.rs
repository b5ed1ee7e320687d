//! What mdBook is given: the pages of one language, the pages that both share, and what a book can have beyond a repository.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use xshell::Shell;

use super::markdown::{Part, heading, is_page, parts};
use super::summary;
use crate::pages::Language;
use crate::tree::{Tree, target_dir};

/// English only, and in the book of either language.
const SHARED: [(&str, &str); 2] = [("ARCHITECTURE.md", "architecture.md"), ("benchmarks.md", "benchmarks.md")];
const CODES: &str = "error-codes";

/// Writes the book's folder and returns it.
pub(super) fn write(sh: &Shell, tree: &Tree, language: Language) -> Result<PathBuf> {
    let name = language.pick("en", "es");
    let book = target_dir("book").join(name);
    sh.remove_path(&book)?;
    let theme = book.join("theme");
    sh.create_dir(&theme)?;
    sh.copy_file(format!("docs/book/{name}.toml"), book.join("book.toml"))?;
    for file in sh.read_dir("docs/book/theme")? {
        sh.copy_file(file, &theme)?;
    }
    let folder = format!("docs/{name}/");
    for file in &tree.files {
        if let Some(page) = file.path.strip_prefix(&folder).filter(|it| is_page(it)) {
            sh.write_file(book.join("src").join(page), text(tree, page, &file.text)?)?;
        }
    }
    for path in tree.binaries.iter().filter_map(|path| path.strip_prefix("docs/images/")) {
        sh.copy_file(format!("docs/images/{path}"), sh.create_dir(book.join("src/images"))?)?;
    }
    for (file, page) in SHARED {
        let text = &tree.file(&format!("docs/{file}")).context("a shared page is missing")?.text;
        sh.write_file(book.join("src").join(page), text)?;
    }
    Ok(book)
}

fn text(tree: &Tree, page: &str, text: &str) -> Result<String> {
    let mut shown = String::new();
    for (_, part, line) in parts(text) {
        let mut line = line.to_owned();
        if part == Part::Prose {
            for (file, page) in SHARED {
                line = line.replace(&format!("](../{file}"), &format!("]({page}"));
            }
            line = line.replace("](../images/", "](images/");
            if let Some(path) = picture(&line) {
                ensure!(shown.ends_with("\n\n"), "{page}: {path} is in a paragraph, which a drawing would break");
                let path = format!("docs/{path}");
                line =
                    inlined(&tree.file(&path).with_context(|| format!("{page} shows {path}, which is missing"))?.text);
            } else if line.contains("](../plots/") {
                bail!("{page}: a drawing is a line of its own: {line}");
            } else if heading(&line).is_none()
                && page != format!("{CODES}.md")
                && page != format!("{}.md", summary::NAME)
            {
                line = with_codes(&line);
            }
        }
        shown += &line;
        shown.push('\n');
    }
    Ok(shown)
}

/// The drawing that a line consists of, as seen from `docs`.
fn picture(line: &str) -> Option<&str> {
    let path = line.strip_prefix("![")?.split_once("](../")?.1.strip_suffix(')')?;
    Path::new(path).extension().is_some_and(|it| it == "svg").then_some(path)
}

/// A drawing in the page itself takes the colours of the reader's theme.
fn inlined(svg: &str) -> String {
    let lines = svg.lines().filter(|line| !line.starts_with("<?xml") && !line.trim().is_empty());
    format!("<figure>{}</figure>\n", lines.collect::<Vec<_>>().join("\n"))
}

/// Codes become links to what is said of them.
fn with_codes(line: &str) -> String {
    let (mut shown, mut rest) = (String::new(), line);
    while let Some(at) = rest.find("R4C-") {
        let (before, from) = rest.split_at(at);
        let code: String = from.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        shown += before;
        // In code, in the text of a link, and in a group of codes such as R4C-RT it stays as it is.
        let plain = shown.matches('`').count() % 2 == 0 && !shown.ends_with('[');
        let whole = code.rsplit('-').next().is_some_and(|number| number.len() == 3 && number.parse::<u16>().is_ok());
        if plain && whole {
            shown.extend(["[", &code, "](", CODES, ".md#", &code.to_lowercase(), ")"]);
        } else {
            shown += &code;
        }
        rest = &from[code.len()..];
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::{inlined, picture, with_codes};

    #[test]
    fn codes_become_links_where_they_are_words() {
        let link = "[R4C-RT-001](error-codes.md#r4c-rt-001)";
        assert_eq!(
            with_codes("is R4C-RT-001, or `R4C-RT-002`; R4C-RT-"),
            format!("is {link}, or `R4C-RT-002`; R4C-RT-")
        );
        assert_eq!(with_codes(link), link);
    }

    #[test]
    fn a_drawing_is_put_into_the_page() {
        assert_eq!(picture("![a](../plots/en/b.svg)"), Some("plots/en/b.svg"));
        assert_eq!(picture("see ![a](../plots/en/b.svg)"), None);
        assert_eq!(inlined("<?xml?>\n<svg>\n\n</svg>\n"), "<figure><svg>\n</svg></figure>\n");
    }
}
