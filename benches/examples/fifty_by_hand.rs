//! A trait of fifty methods behind policies, without the macro: `cargo xtask bench compile` compares what it takes to compile.

use std::{sync::Arc, time::Duration};

use resilience::prelude::*;
use resilience_benches::{Refused, fifty};

type Guard = Pipeline<(Arc<Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, Call)))>;

macro_rules! service {
    ($($name:ident)*) => {
        trait Service {
            $(fn $name(&self, key: &str) -> Result<usize, Refused>;)*
        }

        impl Service for Length {
            $(
                fn $name(&self, key: &str) -> Result<usize, Refused> {
                    Ok(key.len())
                }
            )*
        }

        #[derive(Clone, Debug)]
        struct Guarded<D> {
            delegate: D,
            $($name: Guard,)*
        }

        impl<D> Guarded<D> {
            fn new(delegate: D, registry: &Registry) -> Result<Self, RegistryError> {
                Ok(Self {
                    delegate,
                    $(
                        $name: Pipeline::builder(registry, concat!("Service#", stringify!($name), "(&str)"))
                            .retry(|it| it.max_attempts(3))
                            .circuit_breaker(|it| it.failure_rate_threshold(50.0))
                            .rate_limiter(|it| it.permits(10).period(Duration::from_secs(1)))
                            .build()?,
                    )*
                })
            }
        }

        impl<D: Service> Service for Guarded<D> {
            $(
                fn $name(&self, key: &str) -> Result<usize, Refused> {
                    self.$name.call(|| self.delegate.$name(key))
                }
            )*
        }

        fn visit(service: &impl Service) -> Result<usize, Refused> {
            Ok(0 $(+ service.$name("a")?)*)
        }
    };
}

#[derive(Clone, Debug)]
struct Length;

fifty!(service);

fn main() {
    let service = Guarded::new(Length, &Registry::new()).expect("its values are valid");
    assert_eq!(visit(&service).expect("a full burst each"), 50);
}
