use std::fmt;

use resilience_core::event::{Fields, Level, Payload};

/// The kind under which actions are told, where policies have theirs.
pub(crate) const KIND: &str = "dashboard";

/// Somebody used the page to change something, or tried to. Told as the policy `dashboard`, for the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acted {
    /// What was asked for: `force_open`, `reset`, `disable`, `reload` or `check`.
    pub action: &'static str,
    /// Whether it was done.
    pub done: bool,
    /// What the page was told.
    pub answer: String,
}

impl Payload for Acted {
    fn name(&self) -> &'static str {
        "acted"
    }

    fn level(&self) -> Level {
        if self.done { Level::Info } else { Level::Warn }
    }

    fn fields(&self) -> Fields<'_> {
        vec![("action", self.action.into()), ("done", self.done.into()), ("answer", self.answer.as_str().into())]
    }
}

impl fmt::Display for Acted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, done, answer } = self;
        write!(f, "{action}{}: {answer}", if *done { "" } else { " refused" })
    }
}
