use std::{fmt, io, time::Duration};

use crate::{Code, Id, Kind, Layer, Nanos, event::Fields};

/// A call that a policy did not let through (or cut short): who, which policy, which code, and when to come back.
///
/// `Copy`, three words, made without allocation. Of a policy that pipelines share it names the policy, not the pipeline: who
/// called knows that, and the span of the call (`Pipeline::traced`, with the feature `tracing`) says it.
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
    what: What,
}

/// Code, kind, layer and whether the result came too late, in one word. As fields of a byte or two they would be written
/// one by one and read together when a result is moved, and the processor would wait for each of these reads: 10 ns a
/// call, also for calls that pass, since the compiler would put the tag of `Result<T, Error<E>>` into one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct What(u64);

const KIND: u32 = 8;
const LAYER: u32 = 16;
const LATE: u64 = 1 << 32;

impl What {
    const fn new(code: Code, kind: Kind, layer: Layer) -> Self {
        Self(code as u64 | (kind.number() as u64) << KIND | (layer.number() as u64) << LAYER)
    }
}

impl Rejection {
    /// A rejection by the policy `instance` at `layer`.
    #[inline]
    pub const fn new(code: Code, kind: Kind, instance: Id, layer: Layer) -> Self {
        Self { instance, retry_after: Nanos::NEVER, what: What::new(code, kind, layer) }
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
        self.what.0 |= LATE;
        self
    }

    /// The instance that rejected.
    pub const fn instance(&self) -> Id {
        self.instance
    }

    /// The layer that rejected.
    pub const fn layer(&self) -> Layer {
        Layer::of((self.what.0 >> LAYER) as u16)
    }

    /// The kind, as lists in the configuration name it.
    #[inline]
    pub const fn kind(&self) -> Kind {
        Kind::of((self.what.0 >> KIND) as u8)
    }

    /// The stable code.
    pub const fn code(&self) -> Code {
        Code::ALL[(self.what.0 & 0xff) as usize]
    }

    /// The least time after which the same call would not be rejected, if the policy can say so.
    pub fn retry_after(&self) -> Option<Duration> {
        (!self.retry_after.is_never()).then(|| self.retry_after.into())
    }

    /// Whether the call ran to its end, but after its deadline; its result was dropped.
    pub const fn is_late(&self) -> bool {
        self.what.0 & LATE != 0
    }

    /// What an event says of it: `code`, `reason` (the kind), `retry_after` and `late`.
    pub fn fields(&self) -> Fields<'static> {
        vec![
            ("code", self.code().into()),
            ("reason", self.kind().into()),
            ("retry_after", self.retry_after().into()),
            ("late", self.is_late().into()),
        ]
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, layer, instance) = (self.code(), self.layer(), self.instance);
        write!(f, "{code}: {} ({layer} `{}`", code.summary(), instance.escaped())?;
        if let Some(after) = self.retry_after() {
            write!(f, ", retry after {after:?}")?;
        }
        if self.is_late() {
            f.write_str(", result came too late")?;
        }
        f.write_str(")")
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "`what` is shown as the four things that it holds")]
impl fmt::Debug for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rejection")
            .field("code", &format_args!("{}", self.code()))
            .field("kind", &self.kind())
            .field("layer", &self.layer())
            .field("instance", &self.instance)
            .field("retry_after", &self.retry_after())
            .field("late", &self.is_late())
            .finish()
    }
}

impl std::error::Error for Rejection {}

/// For calls that return an `io::Result`: their error is foreign, so nobody else could say where a rejection goes. It is the
/// inner error; [`io::ErrorKind::TimedOut`] tells a timeout, `Other` the rest.
///
/// ```
/// use resilience_core::{Id, Layer, Rejection};
/// use std::io;
///
/// let error = io::Error::from(Rejection::timed_out(Id::new("disk"), Layer::TIMEOUT));
/// assert_eq!(error.kind(), io::ErrorKind::TimedOut);
/// assert!(error.get_ref().is_some_and(|inner| inner.is::<Rejection>()));
/// ```
impl From<Rejection> for io::Error {
    fn from(rejection: Rejection) -> Self {
        let kind = if rejection.code() == Code::TimedOut { io::ErrorKind::TimedOut } else { io::ErrorKind::Other };
        Self::new(kind, rejection)
    }
}
