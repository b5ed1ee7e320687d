//! Configuration from files and the environment, for all policies.

mod cases;
mod effective;
mod hostile;
mod live;
mod precedence;
mod sources;
mod watch;

use resilience::{
    Problem,
    config::{Format, Reload, ReloadError, Sources},
    prelude::*,
};

/// One TOML text.
fn toml(text: &str) -> Sources {
    Sources::new().text("app.toml", Format::Toml, text)
}

fn configured(sources: Sources) -> Registry {
    let registry = registry();
    registry.configure(sources).expect("valid sources");
    registry
}

fn registry() -> Registry {
    Registry::builder().clock(ManualClock::new()).build()
}

/// A pipeline with a rate limiter, as code writes it.
fn limiter(
    registry: &Registry,
    id: &str,
    set: fn(resilience::ratelimiter::Builder) -> resilience::ratelimiter::Builder,
) {
    Pipeline::builder(registry, id).rate_limiter(set).build().expect("a valid limiter");
}

fn permits(registry: &Registry, id: &str) -> u32 {
    registry.rate_limiter(id).expect("it is there").config().permits
}

/// What is wrong, one line each.
fn problems(result: Result<Reload, ReloadError>) -> Vec<String> {
    result.expect_err("it is refused").problems().iter().map(Problem::to_string).collect()
}
