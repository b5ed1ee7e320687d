//! Sources that nobody wrote with care: what would be taken in silence is told, and in the same order each time.

use resilience::{
    Code,
    config::{Format, Preview, Sources},
    prelude::*,
};

use crate::{configured, limiter, permits, problems, registry, toml};

fn told(sources: Sources) -> Vec<String> {
    problems(registry().configure(sources))
}

fn text(format: Format, text: &str) -> Sources {
    Sources::new().text("f", format, text)
}

/// The last one would hold, and a whole table would be gone.
#[test]
fn a_key_that_stands_twice_is_refused_in_every_format() {
    for (format, twice) in [
        (Format::Toml, "[instances.a.retry]\nmax_attempts = 1\nmax_attempts = 2\n"),
        (Format::Toml, "[instances.a.retry]\nmax_attempts = 1\n[instances.a.retry]\ndelay = '1s'\n"),
        (Format::Yaml, "instances:\n  a: {retry: {max_attempts: 1}}\n  a: {rate_limiter: {permits: 2}}\n"),
        (Format::Json, "{\"instances\": {\"a\": {\"retry\": {\"max_attempts\": 1}},\n\"a\": {\"rate_limiter\": {}}}}"),
        (Format::Json, "{\"instances\": {\"a\": {\"retry\": {\"delay\": \"1s\",\n\"\\u0064elay\": \"2s\"}}}}"),
    ] {
        let told = told(text(format, twice));
        assert!(told.len() == 1 && told[0].contains("R4C-CFG-003") && told[0].contains("duplicate"), "{told:?}");
        assert!(told[0].contains("line "), "{told:?}");
    }
}

/// A file that a crash left full of them would be an empty one in YAML, and all would fall back to the defaults.
#[test]
fn a_text_with_a_nul_is_refused_in_every_format() {
    for format in [Format::Toml, Format::Yaml, Format::Json] {
        for nul in ["\0\0\0", "defaults: {retry: {max_attempts: 1}}\n\0"] {
            let told = told(text(format, nul));
            assert!(told.len() == 1 && told[0].contains("a NUL character at line"), "{told:?}");
        }
    }
}

#[test]
fn problems_are_told_in_the_order_of_the_lines() {
    let keys = (0..50).map(|n| format!("key{n} = 1\n")).collect::<Vec<_>>().concat();
    let problems = told(toml(&format!("[defaults.retry]\n{keys}")));
    let places: Vec<_> = problems.iter().map(|it| it.split(": ").next().unwrap().to_owned()).collect();
    let lines: Vec<_> = (2..52).map(|line| format!("app.toml:{line}")).collect();
    assert_eq!(places, lines);
    let variables = ["B", "A", "C"].map(|key| (format!("RESILIENCE__DEFAULTS__RETRY__{key}"), "1"));
    let told = told(Sources::new().variables(variables));
    assert!(told.is_sorted() && told.len() == 3, "{told:?}");
}

/// Where a line was looked for from the beginning for each key, this took minutes, and so did a long chain of bases.
#[test]
fn a_large_configuration_is_read_in_a_time_that_grows_as_it_does() {
    let many = 5_000;
    let tables: Vec<_> = (0..many).map(|n| format!("[configs.c{n}.retry]\nbase = 'c{}'\n", n + 1)).collect();
    let end = format!("[configs.c{many}.retry]\nmax_attempts = 9\n[instances.a.retry]\nconfig = 'c0'\n");
    let registry = configured(toml(&(tables.concat() + &end)));
    Pipeline::builder(&registry, "a").retry(|it| it).build().unwrap();
    assert_eq!(registry.retry("a").unwrap().config().max_attempts, 9);

    let instance = |n: u32| format!("\"i{n}\": {{\"retry\": {{\"max_attempt\": 3}}}}");
    let all: Vec<_> = (0..many).map(instance).collect();
    for format in [Format::Json, Format::Yaml] {
        let told = told(text(format, &format!("{{\"instances\": {{{}}}}}", all.join(",\n"))));
        assert!(told.len() == 5_000 && told[4_999].starts_with("f:5000: "), "{}", told[4_999]);
    }
}

/// B52
#[test]
fn a_config_that_nobody_has_is_told_once_with_its_path_however_many_lead_to_it() {
    let text = "[configs.c0.retry]\nbase = 'c1'\n[configs.c1.retry]\nbase = 'nope'\n[instances.a.retry]\nconfig = 'c0'\n\
                [instances.b.retry]\nconfig = 'c9'\n";
    let registry = registry();
    for id in ["a", "b"] {
        Pipeline::builder(&registry, id).retry(|it| it).build().unwrap();
    }
    let told = problems(registry.configure(toml(text)));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("app.toml:4: `configs.c1.retry.base = nope`: unknown named config"), "{told:?}");
    assert!(told[1].starts_with("app.toml:8: `instances.b.retry.config = c9`: "), "{told:?}");
    let preview = Preview::new().policy::<resilience::retry::Retry>().check(&toml(text));
    assert_eq!(problems(preview), told);
}

#[test]
fn circles_are_told_for_each_policy_also_if_code_leads_there() {
    let circle = |policy: &str| format!("[configs.a.{policy}]\nbase = 'b'\n[configs.b.{policy}]\nbase = 'a'\n");
    let registry = registry();
    registry.configure(toml("[configs.a.retry]\n")).unwrap();
    Pipeline::builder(&registry, "x").retry(|it| it.base("a")).build().unwrap();
    let told = problems(registry.configure(toml(&(circle("retry") + &circle("timeout")))));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("app.toml:4: `configs.b.retry.base = a -> b -> a`"), "{told:?}");
    assert!(told[1].starts_with("app.toml:8: `configs.b.timeout.base = a -> b -> a`"), "{told:?}");
}

#[test]
fn the_key_that_names_a_config_is_one_of_those_that_are_told() {
    for (text, near) in [
        ("[configs.a.retry]\nconfig = 'b'\n", "base"),
        ("[instances.a.retry]\nbase = 'b'\n", "config"),
        ("[instances.a.retry]\nconfg = 'b'\n", "config"),
        ("[configs.a.retry]\nBase = 'b'\n", "base"),
    ] {
        let error = registry().configure(toml(text)).unwrap_err();
        assert_eq!(error.problems()[0].nearest.as_deref(), Some(near), "{error}");
    }
    let told = told(toml("[defaults.retry]\nconfig = 'b'\n"));
    assert!(!told[0].contains("did you mean"), "the defaults build on nothing: {told:?}");
}

/// B49
#[test]
fn a_variable_that_can_mean_nobody_is_refused() {
    let files = "[configs.slow-api.rate_limiter]\npermits = 3\n";
    for (name, near) in [
        ("RESILIENCE__INSTANCES__a__RATE_LIMITER__PERMITS", "RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS"),
        ("RESILIENCE__INSTANCES__B-C__RATE_LIMITER__PERMITS", "RESILIENCE__INSTANCES__B_C__RATE_LIMITER__PERMITS"),
        ("RESILIENCE__INSTANCES__A__rate_limiter__PERMITS", "RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS"),
        ("RESILIENCE__CONFIGS__SLOWAPI__RATE_LIMITER__PERMITS", "SLOW_API"),
        ("RESILIENCE__INSTANCES__A__RATE_LIMITER__CONFI", "RESILIENCE__INSTANCES__A__RATE_LIMITER__CONFIG"),
    ] {
        for value in ["5", ""] {
            let result = registry().configure(toml(files).variables([(name, value)]));
            if value.is_empty() && name.contains("CONFIGS") {
                assert!(result.is_ok(), "unset");
                continue;
            }
            let error = result.unwrap_err();
            let problem = &error.problems()[0];
            assert_eq!((problem.code, problem.nearest.as_deref()), (Code::BadVariable, Some(near)), "{error}");
        }
    }
}

#[test]
fn a_variable_that_asks_for_a_config_that_nobody_has_is_told_before_the_instance_is_there() {
    let variable = ("RESILIENCE__INSTANCES__A__RATE_LIMITER__CONFIG", "slow");
    let told = told(toml("[configs.slower.rate_limiter]\n").variables([variable]));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`instances.A.rate_limiter.config = slow`: unknown named config"), "{told:?}");
    let registry = configured(toml("[configs.slow.rate_limiter]\npermits = 7\n").variables([variable]));
    limiter(&registry, "a", |it| it);
    assert_eq!(permits(&registry, "a"), 7);
}
