//! A binary with one call: `cargo xtask bench size` compares it with the one with more.

use resilience::Clock;
use resilience_benches::{Quota, Site};

fn main() {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    Site::of::<1>(&pipeline).visit();
}
