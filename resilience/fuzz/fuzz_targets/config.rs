//! Any text as a configuration, in each format: it loads or is refused, and what loads prints as what loads again.
//!
//! The names of instances stay in memory for good, so a very long run grows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use resilience::{
    breaker::CircuitBreaker,
    bulkhead::Bulkhead,
    config::{Effective, Format, Preview, ReloadError, Sources},
    keys::Value,
    ratelimiter::RateLimiter,
    retry::Retry,
    timeout::Timeout,
};

fuzz_target!(|text: &str| {
    for format in [Format::Toml, Format::Yaml, Format::Json] {
        match load(format, text) {
            Ok(config) => {
                let printed = config.to_toml();
                let again = load(Format::Toml, &printed).unwrap_or_else(|error| panic!("{error}\nin\n{printed}"));
                assert_eq!(values(&config), values(&again), "{printed}");
            }
            Err(error) => assert!(!error.problems().is_empty() && !error.to_string().is_empty()),
        }
    }
});

fn load(format: Format, text: &str) -> Result<Effective, ReloadError> {
    let preview = Preview::new().policy::<RateLimiter>().policy::<CircuitBreaker>();
    let preview = preview.policy::<Retry>().policy::<Timeout>().policy::<Bulkhead>();
    preview.config(&Sources::new().text("text", format, text))
}

fn values(config: &Effective) -> Vec<(&str, &str, &str, &Value)> {
    config.entries().iter().map(|it| (it.instance.as_str(), it.kind, it.key, &it.value)).collect()
}
