//! A binary with eleven calls: `cargo xtask bench size` compares it with the one with fewer.

use resilience::Clock;
use resilience_benches::{Quota, Site};

fn main() {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    let more = [
        Site::of::<2>(&pipeline),
        Site::of::<3>(&pipeline),
        Site::of::<4>(&pipeline),
        Site::of::<5>(&pipeline),
        Site::of::<6>(&pipeline),
        Site::of::<7>(&pipeline),
        Site::of::<8>(&pipeline),
        Site::of::<9>(&pipeline),
        Site::of::<10>(&pipeline),
        Site::of::<11>(&pipeline),
    ];
    Site::of::<1>(&pipeline).visit();
    more.into_iter().for_each(Site::visit);
}
