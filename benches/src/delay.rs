use std::{fs, time::Duration};

/// How long this thread was ready and had no processor, since it started. Zero where the system does not tell (it is
/// Linux that does): then nothing counts as disturbed.
pub(crate) fn delay() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|told| told.split_whitespace().nth(1)?.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}
