use std::{fmt, time::Duration};

use crate::{Code, Id, Kind, Layer, Nanos};

/// A call that a policy did not let through (or cut short): who, which policy, which code, and when to come back.
///
/// `Copy`, three words, made without allocation.
///
/// ```
/// use resilience_core::{Code, Id, Kind, Layer, Rejection};
/// use std::time::Duration;
///
/// let rejection = Rejection::new(Code::RateLimitExceeded, Kind::RATE_LIMIT_EXCEEDED, Id::new("search"), Layer::RATE_LIMITER)
///     .with_retry_after(Duration::from_millis(100));
/// assert_eq!(
///     rejection.to_string(),
///     "R4C-RT-001: rate limit exceeded (rate_limiter `search`, retry after 100ms)"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Rejection {
    instance: Id,
    /// `NEVER`: not known.
    retry_after: Nanos,
    code: Code,
    kind: Kind,
    layer: Layer,
    late: bool,
}

impl Rejection {
    /// A rejection by the policy `instance` at `layer`.
    #[inline]
    pub const fn new(code: Code, kind: Kind, instance: Id, layer: Layer) -> Self {
        Self { instance, retry_after: Nanos::NEVER, code, kind, layer, late: false }
    }

    /// R4C-RT-003, a deadline that passed or would pass.
    #[inline]
    pub const fn timed_out(instance: Id, layer: Layer) -> Self {
        Self::new(Code::TimedOut, Kind::TIMED_OUT, instance, layer)
    }

    /// R4C-RT-005, interrupted while waiting.
    #[inline]
    pub const fn interrupted(instance: Id, layer: Layer) -> Self {
        Self::new(Code::Interrupted, Kind::INTERRUPTED, instance, layer)
    }

    /// Says after how long the same call would not be rejected.
    #[inline]
    pub const fn with_retry_after(mut self, duration: Duration) -> Self {
        self.retry_after = Nanos::ZERO.after(duration);
        self
    }

    /// As [`Rejection::with_retry_after`], in nanoseconds: spares the hot path its conversions. More than a clock can show
    /// is not known.
    #[inline(always)]
    pub const fn with_retry_after_nanos(mut self, nanos: u64) -> Self {
        self.retry_after = Nanos::from_clock(nanos);
        self
    }

    /// Says that the call ran to its end, but after its deadline.
    #[inline]
    pub const fn with_late(mut self) -> Self {
        self.late = true;
        self
    }

    /// The instance that rejected.
    pub const fn instance(&self) -> Id {
        self.instance
    }

    /// The layer that rejected.
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// The kind, as lists in the configuration name it.
    #[inline]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The stable code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The least time after which the same call would not be rejected, if the policy can say so.
    pub fn retry_after(&self) -> Option<Duration> {
        (!self.retry_after.is_never()).then(|| self.retry_after.into())
    }

    /// Whether the call ran to its end, but after its deadline; its result was dropped.
    pub const fn is_late(&self) -> bool {
        self.late
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, layer, instance, .. } = self;
        write!(f, "{code}: {} ({layer} `{}`", code.summary(), instance.escaped())?;
        if let Some(after) = self.retry_after() {
            write!(f, ", retry after {after:?}")?;
        }
        if self.late {
            f.write_str(", result came too late")?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rejection")
            .field("code", &format_args!("{}", self.code))
            .field("kind", &self.kind)
            .field("layer", &self.layer)
            .field("instance", &self.instance)
            .field("retry_after", &self.retry_after())
            .field("late", &self.late)
            .finish()
    }
}

impl std::error::Error for Rejection {}
