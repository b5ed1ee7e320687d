include!("../prelude.rs");

use resilience_core::{Call, Pipeline, Registry};

fn main() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (Retry, Call)).unwrap();
    let text = String::from("moved");
    pipeline.execute_once(move || Ok::<_, ()>(text)).unwrap();
}
