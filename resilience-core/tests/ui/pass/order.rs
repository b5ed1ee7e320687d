include!("../prelude.rs");

use resilience_core::{Call, Pipeline, Registry};

fn main() {
    let stack = (Breaker, (Adaptive, (Timeout, Call)));
    Pipeline::ordered(&Registry::new(), "p", stack).unwrap();
}
