use std::{fmt, sync::Arc};

use super::{Fields, Level};
use crate::any::AsAny;

/// What an [`Event`](super::Event) tells: a type of the policy it comes from.
pub trait Payload: AsAny + Keep + fmt::Debug + fmt::Display + Send + Sync {
    /// The name of the event, in the form `rejected`.
    fn name(&self) -> &'static str;

    /// How much it matters.
    fn level(&self) -> Level {
        Level::Debug
    }

    /// What it says beside its name, in an order that stays. Asked for only by whoever writes it down.
    fn fields(&self) -> Fields<'_> {
        Vec::new()
    }
}

/// Makes a copy that outlives the event, for whoever hears of it later. Every payload that is `Clone` has it.
pub trait Keep {
    /// The copy.
    fn keep(&self) -> Arc<dyn Payload>;
}

impl<P: Payload + Clone> Keep for P {
    fn keep(&self) -> Arc<dyn Payload> {
        Arc::new(self.clone())
    }
}
