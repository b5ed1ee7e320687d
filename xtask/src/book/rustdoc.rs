//! A page of a crate's documentation as a page of the book: the same text, in the form that a book needs.

use std::fmt::Write;

use super::items::Items;
use super::markdown::{Part, heading, parts};

/// `scope` is the module that has the page. Names that do not resolve are returned beside the text, with their line.
pub(super) fn render(page: &str, items: &Items, scope: &str) -> (String, Vec<(usize, String)>) {
    let (mut text, mut unknown) = (String::new(), Vec::new());
    let (mut rust, mut titled) = (false, false);
    for (number, part, line) in parts(page) {
        let line = match part {
            Part::Opens => {
                let info = line.trim_start().trim_start_matches('`');
                let shown = language(info);
                rust = shown.starts_with("rust");
                line.replace(&format!("```{info}"), &format!("```{shown}"))
            }
            Part::Code if rust && is_hidden(line) => continue,
            Part::Code if rust => line.replacen("##", "#", usize::from(line.starts_with("##"))),
            // In a crate's documentation, the title is above the sections; in a book, it is one of them.
            Part::Prose => match heading(line) {
                Some(_) if titled => format!("#{line}"),
                Some(_) => {
                    titled = true;
                    line.to_owned()
                }
                None => linked(line, |path| {
                    let url = items.url(path, scope);
                    if url.is_none() {
                        unknown.push((number, path.to_owned()));
                    }
                    url
                }),
            },
            Part::Code | Part::Closes => line.to_owned(),
        };
        let _ = writeln!(text, "{line}");
    }
    (text, unknown)
}

/// What rustdoc takes for Rust is called so.
fn language(info: &str) -> String {
    match info.split(',').next() {
        None | Some("") => "rust".to_owned(),
        Some("no_run" | "should_panic" | "compile_fail" | "ignore") => format!("rust,{info}"),
        Some(_) => info.to_owned(),
    }
}

/// Whether rustdoc runs a line and does not show it.
fn is_hidden(line: &str) -> bool {
    let line = line.trim_start();
    line == "#" || line.starts_with("# ")
}

/// Names of items become links: `[`a`]` and `[text](a)`, where `a` is a path of Rust.
fn linked(line: &str, mut url: impl FnMut(&str) -> Option<String>) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once('[') {
        let Some((shown, after)) = after.split_once(']') else { break };
        let target = after.strip_prefix('(').and_then(|it| it.split_once(')'));
        let path = target.map_or_else(|| code(shown), |(path, _)| is_path(path).then_some(path));
        text += before;
        match path.map(&mut url) {
            Some(Some(url)) => text.extend(["[", shown, "](", &url, ")"]),
            Some(None) => text += shown,
            None => text.extend(["[", shown, "]"]),
        }
        // A target that is no path stays where it is.
        rest = if path.is_some() { target.map_or(after, |(_, after)| after) } else { after };
    }
    text + rest
}

fn code(shown: &str) -> Option<&str> {
    shown.strip_prefix('`')?.strip_suffix('`').filter(|it| is_path(it))
}

fn is_path(target: &str) -> bool {
    let word = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    target.split("::").all(word)
}

#[cfg(test)]
mod tests {
    use super::{linked, render};
    use crate::book::items::Items;
    use crate::tree::Tree;

    fn rendered(page: &str) -> (String, Vec<(usize, String)>) {
        let tree = Tree::of(&[("a-b/src/c.rs", "pub struct C;\n")]);
        render(page, &Items::new(&tree, "a-b"), "")
    }

    #[test]
    fn sections_go_below_the_title() {
        assert_eq!(rendered("# A\n\n# B\n## C\n").0, "# A\n\n## B\n### C\n");
    }

    #[test]
    fn hidden_lines_are_left_out_and_other_languages_kept() {
        let page = "```\nlet a = 1;\n# Ok::<(), ()>(())\n#\n#[x]\n```\n```sh\n# a\n```\n```no_run\n```\n";
        let text = "```rust\nlet a = 1;\n#[x]\n```\n```sh\n# a\n```\n```rust,no_run\n```\n";
        assert_eq!(rendered(page).0, text);
    }

    #[test]
    fn names_of_items_become_links_and_other_brackets_stay() {
        let line = |line: &str| linked(line, |path| (path == "C").then(|| "url".to_owned()));
        assert_eq!(line("a [`C`] b [see](C)."), "a [`C`](url) b [see](url).");
        assert_eq!(line("a [page](b.md#c) and [0, 1] and [`x y`]"), "a [page](b.md#c) and [0, 1] and [`x y`]");
        assert_eq!(line("[`D`], [it](D::e)"), "`D`, it");
    }

    #[test]
    fn a_name_that_does_not_exist_is_told() {
        assert_eq!(rendered("\n[`C`] [`D`]\n").1, [(2, "D".to_owned())]);
    }
}
