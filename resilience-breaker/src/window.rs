//! What the rates are taken over: the last calls, or the last seconds.

mod count;
mod time;

pub(crate) use count::CountWindow;
pub(crate) use time::TimeWindow;
