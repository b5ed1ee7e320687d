//! What calls cost.
//!
//! | suite | measures | run by |
//! | --- | --- | --- |
//! | `iai_*`, one per policy | instructions and heap blocks of one call, on a clock that stands still | `cargo xtask bench iai` |
//! | `peers`, a file per policy | time, ours beside other crates in one process | `cargo xtask bench peers`; `cargo bench --bench peers` for criterion's report |
//!
//! Instructions are the same in every run, so they have hard limits: `limits.toml`. Time is not, least of all on a
//! machine that is shared; [`Race`] measures the contenders in turn, in short batches, and compares what was measured
//! side by side.
//!
//! Every benchmark says which way its call goes (admitted, rejected, reserved) and fails if it goes another.

mod batch;
mod contender;
mod delay;
mod poll;
mod quota;
mod race;
mod spread;

pub use batch::Batch;
pub use contender::{Contender, Scene, Way};
pub use poll::poll_once;
pub use quota::{Limited, Quota};
pub use race::{Race, Standing};
pub use spread::Spread;
