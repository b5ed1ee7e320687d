use std::fmt;

use crate::any::AsAny;

/// What an [`Event`](super::Event) tells: a type of the policy it comes from.
pub trait Payload: AsAny + fmt::Debug + fmt::Display + Send + Sync {
    /// The name of the event, in the form `rejected`.
    fn name(&self) -> &'static str;
}
