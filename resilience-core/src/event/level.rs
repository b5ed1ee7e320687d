/// How much an event matters; what tracing calls a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Somebody should look: a breaker that opened, a reload that was refused.
    Warn,
    /// The state of an instance changed for good: its configuration, a breaker that closed.
    Info,
    /// A call was rejected, cut off or tried again.
    Debug,
    /// A call did something ordinary: it waits, it was recorded.
    Trace,
}
