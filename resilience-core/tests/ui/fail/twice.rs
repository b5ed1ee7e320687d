include!("../prelude.rs");

use resilience_core::{Pipeline, Registry};

fn main() {
    let builder = Pipeline::builder(&Registry::new(), "p").policy(Timeout);
    builder.policy(Timeout).build().unwrap();
}
