//! What sources may look like.

use std::{ffi::OsString, time::Duration};

use resilience::{
    Code,
    config::{Format, Sources},
    prelude::*,
};

use crate::{configured, limiter, permits, problems, registry, toml};

#[test]
fn ids_are_opaque() {
    let ids = ["a.b", "api::get(x, y)", "with space", "ñandú", "UPPER", "defaults", "1"];
    let text = ids.map(|id| format!("[instances.\"{id}\".rate_limiter]\npermits = 3\n")).concat();
    let registry = configured(toml(&text));
    for id in ids {
        limiter(&registry, id, |it| it);
        assert_eq!(permits(&registry, id), 3, "{id}");
    }
    assert!(registry.verify().is_empty());
}

#[test]
fn a_circle_of_bases_is_an_error_and_told_once() {
    let text = "[configs.a.retry]\nbase = 'b'\n[configs.b.retry]\nbase = 'c'\n[configs.c.retry]\nbase = 'a'\n\
                [instances.x.retry]\nconfig = 'a'\n";
    let problems = problems(registry().configure(toml(text)));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("->") && problems[0].contains("R4C-CFG-006"), "{problems:?}");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_matters_only_if_it_is_ours() {
    use std::os::unix::ffi::OsStringExt;

    let broken = || OsString::from_vec(vec![b'1', 0xff]);
    let foreign = Sources::new().variables([(OsString::from("PATH"), broken())]);
    assert!(registry().configure(foreign).is_ok());
    let ours = Sources::new().variables([(OsString::from("RESILIENCE__DEFAULTS__TIMEOUT__TIMEOUT"), broken())]);
    assert!(problems(registry().configure(ours))[0].contains("R4C-CFG-005"));
}

#[test]
fn a_variable_that_cannot_be_mapped_is_told_the_nearest_one() {
    let cases = [
        ("RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMIT", "RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS"),
        ("RESILIENCE__DEFAULTS__RATE_LIMITR__PERMITS", "RESILIENCE__DEFAULTS__RATE_LIMITER__PERMITS"),
    ];
    for (wrong, right) in cases {
        let error = registry().configure(Sources::new().variables([(wrong, "1")])).unwrap_err();
        let problem = &error.problems()[0];
        assert_eq!((problem.code, problem.nearest.as_deref()), (Code::BadVariable, Some(right)));
    }
    assert!(registry().configure(Sources::new().variables([("RESILIENCE__PERMITS", "1")])).is_err());
}

#[test]
fn the_three_formats_say_the_same_and_their_lines_are_told() {
    let texts = [
        (Format::Toml, "[instances.\"a b\".rate_limiter]\npermits = 3\nmax_wait = '1 s'\n", 3),
        (Format::Yaml, "instances:\n  a b:\n    rate_limiter:\n      permits: 3\n      max_wait: 1 s\n", 5),
        (Format::Json, "{\"instances\": {\"a b\": {\"rate_limiter\": {\n\"permits\": 3,\n\"max_wait\": \"1 s\"}}}}", 3),
    ];
    for (format, text, line) in texts {
        let problems = problems(registry().configure(Sources::new().text("f", format, text)));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(&format!("f:{line}: `instances.a b.rate_limiter.max_wait")), "{problems:?}");
        let registry = configured(Sources::new().text("f", format, text.replace("1 s", "1s")));
        limiter(&registry, "a b", |it| it);
        assert_eq!(permits(&registry, "a b"), 3);
    }
}

/// A file of one kilobyte could end the process otherwise, by its depth or by what its aliases stand for.
#[test]
fn a_text_that_is_larger_than_it_looks_is_refused() {
    let deep = 100_000;
    let block = "a:\n".to_owned() + &(1..3_000).map(|at| " ".repeat(at) + "a:\n").collect::<Vec<_>>().concat();
    let level = |at: usize| format!("a{}: &a{} [*a{at}, *a{at}]\n", at + 1, at + 1);
    let doubled = "a0: &a0 x\n".to_owned() + &(0..60).map(level).collect::<Vec<_>>().concat();
    let texts = [
        (Format::Toml, "a = ".to_owned() + &"[".repeat(deep)),
        (Format::Json, "[".repeat(deep)),
        (Format::Yaml, "[".repeat(deep)),
        (Format::Yaml, "- ".repeat(deep)),
        (Format::Yaml, "? ".repeat(deep)),
        (Format::Yaml, block),
        (Format::Yaml, doubled),
    ];
    for (format, text) in texts {
        let problems = problems(registry().configure(Sources::new().text("f", format, text)));
        assert!(problems.len() == 1 && problems[0].contains("R4C-CFG-003"), "{problems:?}");
    }
}

#[test]
fn a_byte_order_mark_carriage_returns_and_nothing_at_all_are_fine() {
    let text = "\u{feff}[instances.a.rate_limiter]\r\npermits = 3\r\n";
    let registry = configured(toml(text));
    limiter(&registry, "a", |it| it);
    assert_eq!(permits(&registry, "a"), 3);
    for format in [Format::Toml, Format::Yaml, Format::Json] {
        for text in ["", "\n", "  \n\n"] {
            assert!(registry.configure(Sources::new().text("empty", format, text)).is_ok(), "{format:?} {text:?}");
        }
    }
    assert_eq!(permits(&registry, "a"), 50);
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let error = registry().configure(Sources::new().file("no/such/file.toml").file("what.ini")).unwrap_err();
    let codes: Vec<_> = error.problems().iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [Code::UnreadableSource; 2]);
}

#[test]
fn kinds_are_names_that_somebody_has() {
    let text = "[instances.a.retry]\nretry_on = ['timed_out', 'fialed']\n";
    let registry = configured(toml(text));
    let error = Pipeline::builder(&registry, "a").retry(|it| it).build().unwrap_err().to_string();
    assert!(
        error.contains("R4C-REG-003") && error.contains("did you mean `failed`?") && error.contains("app.toml:2"),
        "{error}"
    );
    registry.configure(toml(&text.replace("fialed", "failed"))).unwrap();
    Pipeline::builder(&registry, "a").retry(|it| it).build().unwrap();
    assert!(!registry.retry("a").unwrap().config().retry_on.contains(Kind::BULKHEAD_FULL));
}

#[test]
fn what_code_and_a_file_make_together_is_checked_together() {
    let registry = configured(toml("[instances.a.circuit_breaker]\nminimum_calls = 50\n"));
    let error = Pipeline::builder(&registry, "a").circuit_breaker(|it| it.window_size(10)).build().unwrap_err();
    let text = error.to_string();
    assert_eq!(error.code(), Code::InvalidMergedConfig);
    assert!(text.contains("app.toml:2") && text.contains("window_size = 10"), "{text}");
}

proptest::proptest! {
    /// Law 1: any text either loads or gives an error.
    #[test]
    fn no_text_panics(text in "[\\[\\]a-z_.=\"'0-9 \n:{}-]{0,200}", json in "[\\[\\]{}\":,a-z0-9 ]{0,100}") {
        for (format, text) in [(Format::Toml, &text), (Format::Yaml, &text), (Format::Json, &json)] {
            _ = registry().configure(Sources::new().text("f", format, text.as_str()));
        }
    }
}

/// The value that is wrong beside it is no line of any file: code wrote it.
#[test]
fn what_contradicts_a_value_of_code_is_told_where_it_is_written() {
    let registry = registry();
    let set = |it: resilience::retry::Builder| it.max_delay(Duration::from_secs(1));
    Pipeline::builder(&registry, "a").retry(set).build().unwrap();
    let told = problems(registry.configure(toml("[instances.a.retry]\ndelay = '1m'\n")));
    let expected = "app.toml:2: `instances.a.retry.max_delay = 1s`: two values that contradict each other; \
                    allowed: at least `delay = 1m`, which is set here (R4C-ATR-005)";
    assert_eq!(told, [expected]);
}

/// The line of the key that is in the sources, and where the other one is from.
#[test]
fn both_sides_of_a_contradiction_are_told() {
    let breaker = |text: &str| {
        let registry = registry();
        let set = |it: resilience::breaker::Builder| it.name("b").wait_in_open(Duration::from_secs(60));
        Pipeline::builder(&registry, "a").circuit_breaker(|it| it).build().unwrap();
        Pipeline::builder(&registry, "c").circuit_breaker(set).build().unwrap();
        let variable = ("RESILIENCE__CONFIGS__X__CIRCUIT_BREAKER__WINDOW_SIZE", "9");
        let x = "[configs.x.circuit_breaker]";
        problems(registry.configure(toml(text).text("x.toml", Format::Toml, x).variables([variable])))
    };
    for (text, expected) in [
        (
            "[instances.a.circuit_breaker]\nminimum_calls = 200\n",
            "app.toml:2: `instances.a.circuit_breaker.minimum_calls = 200`: two values that contradict each other; \
             allowed: at most `window_size = 100`, which is the default (R4C-ATR-005)",
        ),
        (
            "[instances.b.circuit_breaker]\nmax_wait_in_open = '50s'\n",
            "app.toml:2: `instances.b.circuit_breaker.max_wait_in_open = 50s`: two values that contradict each other; \
             allowed: at least `wait_in_open = 1m`, which is set in code (R4C-ATR-005)",
        ),
        (
            "\n[instances.a.circuit_breaker]\nconfig = 'x'\nminimum_calls = 20\n",
            "app.toml:4: `instances.a.circuit_breaker.minimum_calls = 20`: two values that contradict each other; \
             allowed: at most `window_size = 9`, which is set in environment variable \
             RESILIENCE__CONFIGS__X__CIRCUIT_BREAKER__WINDOW_SIZE (R4C-ATR-005)",
        ),
        (
            "[defaults.circuit_breaker]\nwait_in_open = '2m'\n\n[instances.a.circuit_breaker]\nmax_wait_in_open = '1m'\n",
            "app.toml:5: `instances.a.circuit_breaker.max_wait_in_open = 1m`: two values that contradict each other; \
             allowed: at least `wait_in_open = 2m`, which is set in app.toml:2 (R4C-ATR-005)",
        ),
    ] {
        assert_eq!(breaker(text), [expected]);
    }
}
