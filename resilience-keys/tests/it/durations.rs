use std::time::Duration;

use proptest::prelude::*;
use resilience_keys::{BULKHEAD, CIRCUIT_BREAKER, Code, RATE_LIMITER, TIMEOUT, Value, format_duration, parse_duration};

const SECOND: Duration = Duration::from_secs(1);
const NANO: Duration = Duration::from_nanos(1);

/// The units with their spellings and nanoseconds, largest first.
const UNITS: [(&[&str], u128); 7] = [
    (&["d"], 86_400_000_000_000),
    (&["h"], 3_600_000_000_000),
    (&["m", "min"], 60_000_000_000),
    (&["s"], 1_000_000_000),
    (&["ms"], 1_000_000),
    (&["us", "µs"], 1000),
    (&["ns"], 1),
];

/// B58.
pub(crate) const ACCEPTED: [(&str, Duration); 31] = [
    ("0", Duration::ZERO),
    ("0s", Duration::ZERO),
    ("0ns", Duration::ZERO),
    ("1s", SECOND),
    ("500ms", Duration::from_millis(500)),
    ("250us", Duration::from_micros(250)),
    ("250µs", Duration::from_micros(250)),
    ("1ns", NANO),
    ("1m", Duration::from_secs(60)),
    ("1min", Duration::from_secs(60)),
    ("1m30s", Duration::from_secs(90)),
    ("1m 30s", Duration::from_secs(90)),
    ("1min 30s", Duration::from_secs(90)),
    ("1h", Duration::from_secs(3600)),
    ("1d", Duration::from_secs(86_400)),
    ("90s", Duration::from_secs(90)),
    ("1s1500ms", Duration::from_millis(2500)),
    ("1d 1h 1m 1s 1ms 1us 1ns", Duration::new(90_061, 1_001_001)),
    ("1d1h1min1s1ms1µs1ns", Duration::new(90_061, 1_001_001)),
    ("1d 1ns", Duration::new(86_400, 1)),
    ("0h5s", Duration::from_secs(5)),
    ("007s", Duration::from_secs(7)),
    ("00000000000000000000000000000001s", SECOND),
    ("1000ms", SECOND),
    ("1000000000ns", SECOND),
    ("999ms 1000us", SECOND),
    ("18446744073709551615ns", Duration::from_nanos(u64::MAX)),
    ("18446744073709551us", Duration::from_micros(18_446_744_073_709_551)),
    ("18446744073709551615s", Duration::from_secs(u64::MAX)),
    ("18446744073709551615s 999999999ns", Duration::MAX),
    ("213503982334601d7h15s999ms999us999ns", Duration::MAX),
];

/// B58, with the byte where it goes wrong and a piece of what is said about it.
pub(crate) const REJECTED: [(&str, usize, &str); 57] = [
    ("", 0, "there is nothing"),
    (" ", 0, "a space"),
    ("5", 1, "a unit is expected"),
    ("00", 2, "a unit is expected"),
    ("0 ", 1, "a space"),
    ("-1s", 0, "no sign"),
    ("+1s", 0, "no sign"),
    ("-0", 0, "no sign"),
    ("1m -1s", 3, "no sign"),
    ("1 2s", 1, "a space"),
    ("1. 5s", 1, "whole numbers"),
    ("1e3s", 1, "no such unit"),
    ("PT1S", 0, "a number is expected"),
    ("PT", 0, "a number is expected"),
    ("P1D", 0, "a number is expected"),
    ("1M", 1, "no such unit"),
    ("1S", 1, "no such unit"),
    ("1MS", 1, "no such unit"),
    ("1w", 1, "no such unit"),
    ("1y", 1, "no such unit"),
    ("1sec", 1, "no such unit"),
    ("1mins", 1, "no such unit"),
    ("1hr", 1, "no such unit"),
    ("1days", 1, "no such unit"),
    ("1nanos", 1, "no such unit"),
    ("1sm", 1, "no such unit"),
    ("1μs", 1, "no such unit"), // the Greek letter, not the sign
    ("1ß", 1, "no such unit"),
    ("1m1m", 2, "none may stand twice"),
    ("1m 1min", 3, "none may stand twice"),
    ("1us1µs", 3, "none may stand twice"),
    ("30s1m", 3, "units must fall"),
    ("1ns 1s", 4, "units must fall"),
    ("1h2d", 2, "units must fall"),
    ("s", 0, "a number is expected"),
    ("1s,", 2, "a number is expected"),
    ("1s,1ms", 2, "a number is expected"),
    ("1m, 30s", 2, "a number is expected"),
    ("1m and 30s", 3, "a number is expected"),
    ("１s", 0, "a number is expected"),
    ("1１s", 1, "a unit is expected"),
    ("٣s", 0, "a number is expected"),
    ("0.0000000001s", 1, "whole numbers"),
    ("1,5s", 1, "whole numbers"),
    (".5s", 0, "a number is expected"),
    ("1_000ms", 1, "a unit is expected"),
    ("1 s", 1, "a space"),
    (" 1s ", 0, "a space"),
    ("1s ", 2, "a space"),
    ("1m  30s", 3, "a space"),
    ("1m\t30s", 2, "a space"),
    ("1m\u{a0}30s", 2, "a space"),
    ("1s\n", 2, "a space"),
    ("1s\0", 2, "a number is expected"),
    ("\u{feff}1s", 0, "a number is expected"),
    ("1.5s", 1, "whole numbers"),
    ("∞", 0, "a number is expected"),
];

#[test]
fn what_the_grammar_has_is_accepted() {
    for (text, duration) in ACCEPTED {
        assert_eq!(parse_duration(text), Ok(duration), "{text:?}");
    }
}

#[test]
fn everything_else_is_refused_with_the_place_and_the_reason() {
    for (text, at, reason) in REJECTED {
        let bad = parse_duration(text).expect_err(text);
        assert_eq!((bad.at(), bad.code()), (at, Code::InvalidDuration), "{text:?}");
        assert!(bad.to_string().contains(reason), "{text:?}: {bad}");
    }
}

#[test]
fn what_is_too_long_is_refused_and_never_wraps() {
    for (text, at) in [
        ("18446744073709551616s", 0),
        ("18446744073709551616ns", 0),
        ("18446744073709552us", 0),
        ("18446744073710ms", 0),
        ("213503982334602d", 0),
        ("213503982334601d 8h", 17),
        ("18446744073709551615s1000ms", 21),
        // An exact second on top of the most seconds there are: adding it must not panic.
        ("18446744073709551615s1000000000ns", 21),
        ("18446744073709551615s 999ms 1000us", 28),
        ("340282366920938463463374607431768211456ns", 0),
        ("99999999999999999999999999999999999999999999d", 0),
    ] {
        let bad = parse_duration(text).expect_err(text);
        assert_eq!(bad.at(), at, "{text}");
        assert!(bad.to_string().contains("longer than can be counted"), "{text}: {bad}");
    }
}

#[test]
fn people_are_told_the_character_and_programs_the_byte() {
    let bad = parse_duration("1µs 1s").unwrap_err();
    assert_eq!(bad.at(), 5);
    assert!(bad.to_string().starts_with("at character 5, units must fall"), "{bad}");
}

#[test]
fn a_key_refuses_with_its_own_code_and_shows_the_text_as_written() {
    let period = RATE_LIMITER.get("period");
    let problem = period.parse("1m1m").unwrap_err();
    assert_eq!((problem.code, &*problem.value), (Code::InvalidDuration, "1m1m"));
    assert_eq!(problem.cause, parse_duration("1m1m").err());
    // Where zero is refused the field says so, and the grammar does not.
    for key in [period, TIMEOUT.get("timeout"), CIRCUIT_BREAKER.get("wait_in_open")] {
        for zero in ["0", "0s", "0h 0ms"] {
            let problem = key.parse(zero).unwrap_err();
            assert_eq!((problem.code, &*problem.value, problem.cause), (Code::ZeroDuration, zero, None));
        }
    }
    for key in [RATE_LIMITER.get("max_wait"), BULKHEAD.get("max_wait")] {
        assert_eq!(key.parse("0"), Ok(Value::Duration(Duration::ZERO)));
    }
    let problem = period.parse("36525d 1ns").unwrap_err();
    assert_eq!((problem.code, &*problem.value), (Code::OutOfRange, "36525d 1ns"));
    let problem = resilience_keys::RETRY.get("budget_window").parse("1.5s").unwrap_err();
    assert_eq!(problem.code, Code::BadBudget);
    assert!(problem.cause.is_some());
}

#[test]
fn a_duration_is_written_as_a_person_would() {
    for (duration, text) in [
        (Duration::ZERO, "0s"),
        (Duration::from_millis(250), "250ms"),
        (Duration::from_millis(1500), "1s500ms"),
        (Duration::from_micros(1500), "1ms500us"),
        (NANO, "1ns"),
        (Duration::from_secs(90), "1m30s"),
        (Duration::from_secs(600), "10m"),
        (Duration::from_secs(86_400 * 400), "400d"),
        (Duration::from_secs(u64::MAX), "213503982334601d7h15s"),
        (Duration::MAX, "213503982334601d7h15s999ms999us999ns"),
    ] {
        assert_eq!(format_duration(duration).to_string(), text);
        assert_eq!(parse_duration(text), Ok(duration));
    }
}

/// Tries every way to read `text` with these units; `None` also for what is too long.
fn model(text: &str, units: &[(&[&str], u128)]) -> Option<u128> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u128 = text[..digits].parse().ok()?;
    let readings = units.iter().enumerate().flat_map(|(at, (names, nanos))| names.iter().map(move |n| (at, n, *nanos)));
    readings.into_iter().find_map(|(at, name, nanos)| {
        let part = number.checked_mul(nanos)?;
        let least = if nanos < 1_000_000_000 { u128::from(u64::MAX) } else { Duration::MAX.as_nanos() };
        let rest = text[digits..].strip_prefix(name)?;
        let rest = if rest.is_empty() { 0 } else { model(rest.strip_prefix(' ').unwrap_or(rest), &units[at + 1..])? };
        (part <= least && part + rest <= Duration::MAX.as_nanos()).then_some(part + rest)
    })
}

fn as_the_model_says(text: &str) {
    let parsed = parse_duration(text).ok();
    let expected = if text == "0" { Some(0) } else { model(text, &UNITS) };
    assert_eq!(parsed.map(|it| it.as_nanos()), expected, "{text:?}");
    if let Some(duration) = parsed {
        assert_eq!(parse_duration(&format_duration(duration).to_string()), Ok(duration), "{text:?}");
    }
}

#[test]
fn every_text_of_up_to_five_of_these_letters_is_read_as_the_model_says() {
    let letters = ["0", "7", "d", "h", "m", "s", "n", "u", " ", "."];
    let mut texts = vec![String::new()];
    for _ in 0..5 {
        let longer = texts.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}")));
        texts = longer.collect();
        for text in &texts {
            as_the_model_says(text);
        }
    }
}

proptest! {
    #[test]
    fn any_duration_is_written_so_that_it_reads_back(seconds: u64, nanos in 0..1_000_000_000_u32) {
        for duration in [Duration::new(seconds, nanos), Duration::new(seconds >> 32, nanos), Duration::new(0, nanos)] {
            prop_assert_eq!(parse_duration(&format_duration(duration).to_string()), Ok(duration));
        }
    }

    #[test]
    fn any_parts_in_falling_order_are_read_as_the_model_says(
        parts in proptest::collection::vec((proptest::option::of(any::<u64>()), 0..64_u32, 0..2_usize, "( ?)"), 7),
    ) {
        let mut text = String::new();
        for ((number, shift, spelling, space), (names, _)) in parts.into_iter().zip(UNITS) {
            if let Some(number) = number {
                let space = if text.is_empty() { "" } else { &space };
                text.extend([space, &(number >> shift).to_string(), names[spelling % names.len()]]);
            }
        }
        as_the_model_says(&text);
    }

    #[test]
    fn any_text_of_likely_letters_is_read_as_the_model_says(text in "([0-9]{1,3}(d|h|m|min|s|ms|us|µs|ns|M|)[ .]?){0,5}") {
        as_the_model_says(&text);
    }

    #[test]
    fn any_text_at_all_is_read_or_refused_inside_it(text in "\\PC*") {
        as_the_model_says(&text);
        if let Err(bad) = parse_duration(&text) {
            prop_assert!(text.is_char_boundary(bad.at()));
        }
    }
}
