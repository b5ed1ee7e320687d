//! Any text as a duration: nothing panics, what is accepted is written so that it reads back, and what is refused is
//! refused at a place inside it.

#![no_main]

use std::{str, time::Duration};

use libfuzzer_sys::fuzz_target;
use resilience_keys::{Code, Default, Key, ValueKind, format_duration, parse_duration};

/// Takes any duration, so that only the grammar can refuse.
const ANY: Key = Key {
    name: "any",
    value: ValueKind::Duration { zero: true, max: Duration::MAX },
    default: Default::Unset,
    doc: "",
    code: None,
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    match parse_duration(text) {
        Ok(duration) => {
            let written = format_duration(duration).to_string();
            assert_eq!(parse_duration(&written), Ok(duration), "{text:?} is written {written:?}");
            assert_eq!(ANY.parse(text).map(|value| value.to_string()), Ok(written));
            assert!(text.starts_with(|first: char| first.is_ascii_digit()), "{text:?}");
        }
        Err(bad) => {
            assert!(text.is_char_boundary(bad.at()), "{text:?}: {bad}");
            let problem = ANY.parse(text).unwrap_err();
            assert_eq!((problem.code, problem.cause), (Code::InvalidDuration, Some(bad)));
            assert!(!problem.to_string().contains(['\n', '\u{200b}']));
        }
    }
});
