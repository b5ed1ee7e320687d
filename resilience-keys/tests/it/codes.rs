use std::collections::HashSet;

use resilience_keys::{Code, ParseCodeError};

/// The specification's list, written out: a code that changes must change here too.
const SPECIFIED: &str = "
    R4C-ATR-001 R4C-ATR-002 R4C-ATR-003 R4C-ATR-004 R4C-ATR-005 R4C-ATR-006 R4C-ATR-007
    R4C-ATR-008 R4C-ATR-009 R4C-ATR-010 R4C-ATR-011
    R4C-MAC-001 R4C-MAC-002
    R4C-CFG-001 R4C-CFG-002 R4C-CFG-003 R4C-CFG-004 R4C-CFG-005 R4C-CFG-006 R4C-CFG-014
    R4C-REG-001 R4C-REG-003 R4C-REG-004 R4C-REG-008 R4C-REG-009
    R4C-ORD-001
    R4C-RT-001 R4C-RT-002 R4C-RT-003 R4C-RT-004 R4C-RT-005 R4C-RT-006 R4C-RT-018 R4C-RT-019
    R4C-HDG-001 R4C-HDG-002
";

#[test]
fn the_codes_are_those_of_the_specification() {
    let texts: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(texts, SPECIFIED.split_whitespace().collect::<Vec<_>>());
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len());
    assert!(Code::ALL.is_sorted());
}

#[test]
fn names_stand_for_the_meaning_the_specification_gives() {
    for (code, text) in [
        (Code::InvalidDuration, "R4C-ATR-001"),
        (Code::CountBelowOne, "R4C-ATR-003"),
        (Code::BadBudget, "R4C-ATR-007"),
        (Code::UnknownWord, "R4C-ATR-011"),
        (Code::UnknownKey, "R4C-CFG-001"),
        (Code::OverrideIgnored, "R4C-CFG-014"),
        (Code::InvalidMergedConfig, "R4C-REG-003"),
        (Code::UnknownInstance, "R4C-REG-009"),
        (Code::DuplicateLayer, "R4C-ORD-001"),
        (Code::RateLimitExceeded, "R4C-RT-001"),
        (Code::TooManyPermits, "R4C-RT-006"),
    ] {
        assert_eq!(code.to_string(), text);
    }
}

#[test]
fn every_code_parses_back_and_has_an_anchor_and_a_summary() {
    for code in Code::ALL {
        assert_eq!(code.as_str().parse(), Ok(*code));
        assert_eq!(code.anchor(), code.as_str().to_lowercase());
        assert!(!code.summary().is_empty() && !code.summary().contains('\n'));
        assert!(!code.summary().ends_with('.'), "{code}");
    }
    for text in ["", "R4C-RT-999", "r4c-rt-001", " R4C-RT-001"] {
        assert_eq!(text.parse::<Code>(), Err(ParseCodeError), "{text}");
    }
}

#[test]
fn five_codes_are_reserved_and_say_so() {
    let reserved: Vec<_> = Code::ALL.iter().filter(|code| code.is_reserved()).collect();
    assert_eq!(reserved.len(), 5);
    for code in Code::ALL {
        assert_eq!(code.is_reserved(), code.summary().starts_with("reserved"), "{code}");
    }
}
