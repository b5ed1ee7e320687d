//! Names and numbers: kinds, ids, layers, rejections.

use std::time::Duration;

use resilience_core::{Code, Error, Id, Kind, KindSet, Layer, Rejection};

#[test]
fn the_built_in_kinds_have_the_names_that_lists_use() {
    let names = [
        (Kind::RATE_LIMIT_EXCEEDED, "rate_limit_exceeded"),
        (Kind::CALL_NOT_PERMITTED, "call_not_permitted"),
        (Kind::TIMED_OUT, "timed_out"),
        (Kind::BULKHEAD_FULL, "bulkhead_full"),
        (Kind::INTERRUPTED, "interrupted"),
        (Kind::FAILED, "failed"),
        (Kind::PANICKED, "panicked"),
    ];
    for (kind, name) in names {
        assert_eq!(kind.name(), name);
        assert_eq!(Kind::find(name), Some(kind));
        assert_eq!(Kind::new(name), Ok(kind));
    }
    assert_eq!(Kind::find("nobody_named_this"), None);
}

#[test]
fn names_of_kinds_are_checked() {
    for name in ["", "Upper", "with-hyphen", "ünicode", "two words"] {
        let error = Kind::new(name).unwrap_err();
        assert_eq!(error.code(), Code::InvalidConfig);
        assert!(error.to_string().contains("lower case letters"), "{error}");
    }
}

#[test]
fn a_set_of_kinds_holds_what_it_was_given() {
    let set = KindSet::from([Kind::FAILED, Kind::TIMED_OUT]);
    assert!(set.contains(Kind::FAILED) && set.contains(Kind::TIMED_OUT));
    assert!(!set.contains(Kind::PANICKED) && !KindSet::EMPTY.contains(Kind::FAILED));
    assert!(KindSet::ALL.contains(Kind::new("some_other").unwrap()));
    assert_eq!(format!("{set:?}"), "{timed_out, failed}");
    assert_eq!([Kind::FAILED].into_iter().collect::<KindSet>(), KindSet::from(Kind::FAILED));
}

#[test]
fn an_id_is_its_text() {
    let odd = "SearchApi#search(&str) 'ü' \"..\"";
    assert_eq!(Id::new(odd), Id::from(odd.to_string()));
    assert_eq!(Id::find(odd), Some(Id::new(odd)));
    assert_eq!(Id::find("nobody made an id of this"), None);
    assert_eq!(format!("{odd}|{:>6}|", Id::new("a")), format!("{odd}|     a|"));
    assert!(Id::new("a") < Id::new("b"));
}

#[test]
fn the_layers_have_the_documented_order() {
    let order = [
        Layer::FALLBACK,
        Layer::RETRY,
        Layer::CIRCUIT_BREAKER,
        Layer::RATE_LIMITER,
        Layer::TIMEOUT,
        Layer::BULKHEAD,
        Layer::CALL,
    ];
    assert!(order.is_sorted());
    let names = order.map(|layer| layer.to_string());
    assert_eq!(names.join(" > "), "fallback > retry > circuit_breaker > rate_limiter > timeout > bulkhead > call");
}

#[test]
fn a_rejection_is_three_words_and_says_everything() {
    assert_eq!(size_of::<Rejection>(), 24);
    let rejection = Rejection::timed_out(Id::new("db"), Layer::TIMEOUT).with_late();
    assert!(rejection.is_late());
    assert_eq!((rejection.code(), rejection.kind()), (Code::TimedOut, Kind::TIMED_OUT));
    assert_eq!(rejection.retry_after(), None);
    assert_eq!(rejection.to_string(), "R4C-RT-003: timed out (timeout `db`, result came too late)");

    let error: Error<std::fmt::Error> = rejection.with_retry_after(Duration::from_secs(1)).into();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(error.code(), Some(Code::TimedOut));
    assert!(error.failure().is_none());
    let failed = Error::Failed(std::io::Error::other("broken"));
    assert_eq!((failed.to_string(), failed.code()), ("broken".into(), None));
    let source = std::error::Error::source(&failed);
    assert!(source.is_none(), "an error is transparent: its source is that of the call's own error");
}
