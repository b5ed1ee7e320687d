//! As much of Markdown as the checks need: fenced blocks, headings with their anchors, links.

use std::path::Path;

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// What follows the fence: `rust,no_run`.
    pub(crate) info: String,
    pub(crate) text: String,
    /// Of the fence, from 1.
    pub(crate) line: usize,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Prose,
    /// Opens a block; what follows the fence is in the line.
    Opens,
    Code,
    Closes,
}

/// Every line with its number from 1.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (usize, Part, &str)> {
    let mut inside = false;
    text.lines().zip(1..).map(move |(line, number)| {
        let fence = line.trim_start().starts_with("```");
        let part = match (fence, inside) {
            (false, false) => Part::Prose,
            (false, true) => Part::Code,
            (true, false) => Part::Opens,
            (true, true) => Part::Closes,
        };
        inside ^= fence;
        (number, part, line)
    })
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (line, part, text) in parts(text) {
        match (part, blocks.last_mut()) {
            (Part::Opens, _) => {
                let info = text.trim_start().trim_start_matches('`').trim().to_owned();
                blocks.push(Block { info, text: String::new(), line });
            }
            (Part::Code, Some(block)) => block.text.extend([text, "\n"]),
            _ => {}
        }
    }
    blocks
}

/// Whether the file is a page.
pub(super) fn is_page(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "md")
}

/// The level and text of a heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (level > 0).then(|| text.strip_prefix(' ')).flatten().map(|text| (level, text.trim()))
}

pub(super) fn headings(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let prose = parts(text).filter(|(_, part, _)| *part == Part::Prose);
    prose.filter_map(|(number, _, line)| heading(line).map(|(level, text)| (number, level, text)))
}

/// The anchors of a page, as GitHub and mdBook make them: a heading that comes again gets a number.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, _, heading) in headings(text) {
        let plain = anchor(heading);
        let again = anchors.iter().filter(|it| it.strip_prefix(&plain).is_some_and(is_number)).count();
        anchors.push(if again == 0 { plain } else { format!("{plain}-{again}") });
    }
    anchors
}

/// What is added to an anchor that comes again, or nothing.
fn is_number(end: &str) -> bool {
    end.is_empty() || end.strip_prefix('-').is_some_and(|it| it.parse::<u16>().is_ok())
}

fn anchor(heading: &str) -> String {
    // Of a link, its text.
    let shown = heading.split("](").next().unwrap_or(heading);
    let kept = shown.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of links in prose, with the line of each.
pub(super) fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (number, _, line) in parts(text).filter(|(_, part, _)| *part == Part::Prose) {
        // What follows an odd number of backticks is code.
        for (at, _) in line.match_indices("](") {
            if line[..at].matches('`').count() % 2 == 0 {
                links.push((number, line[at + 2..].split(')').next().unwrap_or_default()));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::{anchors, blocks, links};

    #[test]
    fn blocks_are_found_with_their_line_and_language() {
        let found = blocks("a\n```rust,no_run\nlet a;\n```\n\n- b\n  ```\n  c\n  ```\n");
        let found: Vec<_> = found.iter().map(|it| (it.line, it.info.as_str(), it.text.as_str())).collect();
        assert_eq!(found, [(2, "rust,no_run", "let a;\n"), (7, "", "  c\n")]);
    }

    #[test]
    fn anchors_are_those_of_the_headings_and_not_of_comments_in_code() {
        let text = "# Qué `es` esto\n```sh\n# no\n```\n## R4C-RT-001\n## a\n## a\n";
        assert_eq!(anchors(text), ["qué-es-esto", "r4c-rt-001", "a", "a-1"]);
    }

    #[test]
    fn links_are_found_in_prose_only() {
        assert_eq!(links("see [a](b.md#c), `x[0](1)`\n```\n[d](e)\n```\n"), [(1, "b.md#c")]);
    }
}
