//! The lines of a JSON text that has been parsed, and what its parser takes without a word: a key that stands twice.

use std::collections::HashSet;

/// Tells `found` of each key, with the way to it and the line.
///
/// # Errors
///
/// The first key that an object has twice, and the line where it has it again.
pub(super) fn read(text: &str, mut found: impl FnMut(&[String], usize)) -> Result<(), (String, usize)> {
    // The collections that are open: of an object, the keys so far.
    let (mut open, mut path): (Vec<Option<HashSet<String>>>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut line, mut is_key, mut letters) = (1, false, text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => line += 1,
            '{' => {
                open.push(Some(HashSet::new()));
                is_key = true;
            }
            '[' => {
                open.push(None);
                is_key = false;
            }
            '"' => {
                let (text, rest) = string(letters.as_str());
                letters = rest.chars();
                if let (true, Some(Some(keys))) = (is_key, open.last_mut()) {
                    if !keys.insert(text.clone()) {
                        return Err((text, line));
                    }
                    path.push(text);
                    found(&path, line);
                    is_key = false;
                }
            }
            ',' if matches!(open.last(), Some(Some(_))) => {
                path.pop();
                is_key = true;
            }
            '}' | ']' => {
                if open.pop().flatten().is_some_and(|keys| !keys.is_empty()) {
                    path.pop();
                }
                is_key = false;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The text up to the closing quote, its escapes resolved, and what comes after it.
fn string(text: &str) -> (String, &str) {
    let (mut units, mut letters) = (Vec::new(), text.chars());
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '"' => break,
            '\\' => match letters.next().unwrap_or_default() {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let (digits, rest) = letters.as_str().split_at_checked(4).unwrap_or_default();
                    letters = rest.chars();
                    units.extend(u16::from_str_radix(digits, 16)); // may be half of a letter
                    continue;
                }
                other => other,
            },
            letter => letter,
        };
        units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
    }
    (String::from_utf16_lossy(&units), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Result<Vec<(String, usize)>, (String, usize)> {
        let mut keys = Vec::new();
        read(text, |path, line| keys.push((path.join(" > "), line))).map(|()| keys)
    }

    #[test]
    fn each_key_is_told_with_the_way_to_it() {
        let text = "{\"a\": {}, \"b\": [{\"c\": 1},\n{\"c\": \"d\", \"}\\\"\": {\"a\": 2}}],\n\"\\u00f1\\ud83d\\ude00\\/\": {\"a\": 3}}";
        let expected = [
            ("a", 1),
            ("b", 1),
            ("b > c", 1),
            ("b > c", 2),
            ("b > }\"", 2),
            ("b > }\" > a", 2),
            ("ñ😀/", 3),
            ("ñ😀/ > a", 3),
        ];
        assert_eq!(keys(text).unwrap(), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn a_key_that_stands_twice_is_told_however_it_is_spelled() {
        let twice = "{\"a\": {\"b\": 1},\n\"c\": {\"b\": 1,\n\"\\u0062\": 2}}";
        assert_eq!(keys(twice), Err(("b".to_owned(), 3)));
    }

    #[test]
    fn no_text_panics() {
        for text in ["", "\"", "}]", "{\"a", "{\"\\", "{\"\\u1", "{\"\\uñññ\"", ",,"] {
            _ = keys(text);
        }
    }
}
