//! A short YAML text can nest deeper than a thread's stack is long, and with aliases stand for more than fits into memory.
//! Both would end the process, so they are looked for before the text is built.

use std::collections::HashMap;

use yaml_rust2::parser::{Event, Parser};

/// What the parsers of TOML and JSON allow is about this deep; a configuration has five levels.
const DEEPEST: usize = 100;
/// Values that aliases may repeat, all together.
const MOST_REPEATED: usize = 100_000;

/// What of this text is too large, if anything is. What else is wrong with it is for the parser to say.
pub(super) fn too_large(text: &str) -> Option<&'static str> {
    let mut parser = Parser::new_from_str(text);
    // The sizes of the values with an anchor, and the values that are open: their anchor, and the size up to them.
    let (mut anchors, mut open) = (HashMap::new(), Vec::new());
    let (mut size, mut repeated) = (0_usize, 0_usize);
    while let Ok((event, _)) = parser.next_token() {
        match event {
            Event::StreamEnd => break,
            Event::Scalar(_, _, anchor, _) => {
                size = size.saturating_add(1);
                anchors.insert(anchor, 1);
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                open.push((anchor, size));
                size = size.saturating_add(1);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                anchors.extend(open.pop().map(|(anchor, before)| (anchor, size - before)));
            }
            Event::Alias(anchor) => {
                let copy = anchors.get(&anchor).copied().unwrap_or(1);
                (size, repeated) = (size.saturating_add(copy), repeated.saturating_add(copy));
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return Some("at most 100 levels, one inside the other");
        }
        if repeated > MOST_REPEATED {
            return Some("aliases that repeat at most 100000 values");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::too_large;

    fn doubled(levels: usize) -> String {
        let level = |at: usize| format!("a{}: &a{} [*a{at}, *a{at}]\n", at + 1, at + 1);
        "a0: &a0 x\n".to_owned() + &(0..levels).map(level).collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_is_large_is_told_and_what_is_not_is_fine() {
        let nested = |count: usize| "- ".repeat(count) + "a";
        assert_eq!(too_large(&nested(100)), None);
        assert!(too_large(&nested(101)).unwrap().contains("levels"));
        assert_eq!(too_large(&doubled(10)), None);
        assert!(too_large(&doubled(30)).unwrap().contains("aliases"));
        assert_eq!(too_large("a: &a [1]\nb: *a\nc: *nobody\n"), None);
        assert_eq!(too_large("a: &a [*a]\nb: ["), None);
    }
}
