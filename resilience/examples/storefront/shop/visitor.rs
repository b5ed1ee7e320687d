//! Somebody who looks around.

use std::{convert::Infallible, sync::Arc, time::Duration};

use resilience::Random;
use tokio::time::sleep;

use super::stack::Stack;
use crate::prices::Prices;

/// How long somebody looks at an answer at most, or thinks about an error.
const THINK: u64 = 600;

pub(crate) async fn visit(number: u16, stack: Arc<Stack>, client: Prices) -> Infallible {
    let random = Random::seeded(number.into());
    loop {
        sleep(Duration::from_millis(random.next_u64() % THINK)).await;
        // Here one only looks; what came of it is on the dashboard.
        _ = stack.ask(&client).await;
    }
}
