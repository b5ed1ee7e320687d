use resilience_core::{Admission, Cx, Id, Outcome, Policy, SinglePass, Verdict, at};

macro_rules! policy {
    ($($name:ident at $at:ty),+) => {$(
        pub struct $name;

        impl Policy for $name {
            type At = $at;
            type Permit = ();

            fn id(&self) -> Id {
                Id::new(stringify!($name))
            }

            fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
                Admission::Go(())
            }

            fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
                Verdict::Return
            }
        }
    )+};
}

policy! {
    Breaker at at::CircuitBreaker,
    Retry at at::Retry,
    Timeout at at::Timeout,
    Adaptive at at::Inside<at::RateLimiter>
}

impl SinglePass for Breaker {}
