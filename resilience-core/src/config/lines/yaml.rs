//! The lines of a YAML text, as its parser tells them.

use yaml_rust2::parser::{Event, Parser};

/// Tells `found` of each key, with the way to it and the line.
pub(super) fn read(text: &str, mut found: impl FnMut(&[String], usize)) {
    let mut parser = Parser::new_from_str(text);
    // The collections that are open: of a mapping, whether a key comes next.
    let (mut open, mut path): (Vec<Option<bool>>, Vec<String>) = (Vec::new(), Vec::new());
    while let Ok((event, at)) = parser.next_token() {
        let name = match event {
            Event::StreamEnd => break,
            Event::MappingStart(..) => {
                open.push(Some(true));
                continue;
            }
            Event::SequenceStart(..) => {
                open.push(None);
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                String::new()
            }
            Event::Scalar(name, ..) => name,
            Event::Alias(_) => String::new(),
            _ => continue,
        };
        // Here a key or a value ends.
        let Some(Some(is_key)) = open.last_mut() else { continue };
        if *is_key {
            path.push(name);
            found(&path, at.line());
        } else {
            path.pop();
        }
        *is_key = !*is_key;
    }
}
