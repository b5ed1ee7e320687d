//! What calls cost.
//!
//! | suite | measures | run by |
//! | --- | --- | --- |
//! | `iai_*`, one per policy | instructions and heap blocks of one call, on a clock that stands still | `cargo xtask bench iai` |
//! | `peers`, a file per policy | time, ours beside other crates in one process | `cargo xtask bench peers`; `cargo bench --bench peers` for criterion's report |
//! | `iai_metrics`, `metrics` | the same, and time, with all features compiled in, and while metrics count | `cargo xtask bench iai`; `cargo bench --features full --bench metrics` |
//! | `iai_dashboard` | the same of calls beside a dashboard, with and without an open page | `cargo xtask bench iai` |
//! | `blocks` | heap blocks of the calls of `peers` | `cargo xtask bench peers` |
//! | `time` | time, ours alone: on one instance and on one per thread, with up to eight threads | `cargo xtask bench time` |
//! | `latency` | how long calls wait for a limiter below, at and above its rate, and how punctual it is | `cargo xtask bench latency` |
//! | `keys` | calls of a limiter with one, ten thousand and a million keys, the slowest of them at its bound, and bytes per key | `cargo xtask bench keys` |
//! | `examples/fifty_*` | what a trait of fifty methods takes to compile, behind the macro and by hand | `cargo xtask bench compile` |
//! | `examples/size_*` | how much a binary grows by a call through all five policies | `cargo xtask bench size` |
//!
//! Instructions are the same in every run, so they have hard limits: `limits.toml`. Time is not, least of all on a
//! machine that is shared; [`Race`] measures the contenders in turn, in short batches, and compares what was measured
//! side by side.
//!
//! Every benchmark says which way its call goes (admitted, rejected, reserved) and fails if it goes another.

mod answer;
mod batch;
mod book;
mod contender;
mod delay;
mod fifty;
pub mod iai;
mod pace;
mod poll;
mod quota;
mod race;
mod schedule;
mod site;
mod spread;
mod tail;
mod wrapped;

pub use answer::{Failure, answer, failure, ready_answer};
pub use batch::Batch;
pub use contender::{Contender, Scene, Suite};
pub use pace::pace;
pub use poll::poll_once;
pub use quota::{Full, Limited, Quota};
pub use race::{Race, Ratio, Standing};
pub use schedule::{Punctuality, Start};
pub use site::Site;
pub use spread::Spread;
pub use tail::Tail;
pub use wrapped::{AtOnce, ByHand, Guarded, Refused, Service, ServiceResilient, by_macro};
