//! A trait of fifty methods behind policies: `cargo xtask bench compile` compares what it takes to compile with the same by
//! hand.

use resilience::prelude::*;
use resilience_benches::{Refused, fifty};

macro_rules! service {
    ($($name:ident)*) => {
        #[resilient]
        trait Service {
            $(
                #[retry(max_attempts = 3)]
                #[circuit_breaker(failure_rate_threshold = 50)]
                #[rate_limiter(permits = 10, period = "1s")]
                fn $name(&self, key: &str) -> Result<usize, Refused>;
            )*
        }

        impl Service for Length {
            $(
                fn $name(&self, key: &str) -> Result<usize, Refused> {
                    Ok(key.len())
                }
            )*
        }

        fn visit(service: &impl Service) -> Result<usize, Refused> {
            Ok(0 $(+ service.$name("a")?)*)
        }
    };
}

struct Length;

fifty!(service);

fn main() {
    let service = ServiceResilient::new(Length, &Registry::new()).expect("its values are valid");
    assert_eq!(visit(&service).expect("a full burst each"), 50);
}
