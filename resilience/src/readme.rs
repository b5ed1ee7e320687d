//! The README's example is a test.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
