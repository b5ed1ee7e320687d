//! Composition: our policies with one another and with those of third parties, as users of the facade see it.

mod adversity;
mod order;
mod parity;
mod spawn;
mod stack;
mod storm;
mod third_party;

use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
