/// The kinds of failure and rejection that are built in, as lists name them. A service can add kinds of its own.
pub const KINDS: [&str; 7] =
    ["rate_limit_exceeded", "call_not_permitted", "timed_out", "bulkhead_full", "interrupted", "failed", "panicked"];
