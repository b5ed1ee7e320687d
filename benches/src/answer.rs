use std::{
    error, fmt,
    future::{Ready, ready},
    hint::black_box,
};

/// How what is called might fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure;

/// What is called: it succeeds, which the compiler cannot know.
///
/// # Errors
///
/// Never.
#[inline(always)]
pub fn answer() -> Result<u8, Failure> {
    if black_box(true) { Ok(7) } else { Err(Failure) }
}

/// As [`answer`], as a future that is ready at once.
#[inline(always)]
pub fn ready_answer() -> Ready<Result<u8, Failure>> {
    ready(answer())
}

/// What is called: it fails.
///
/// # Errors
///
/// Always.
#[inline(always)]
pub fn failure() -> Result<u8, Failure> {
    Err(Failure)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it failed")
    }
}

impl error::Error for Failure {}
