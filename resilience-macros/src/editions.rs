//! Crates of older editions, as a test.

#[cfg(doctest)]
#[doc = include_str!("../tests/editions.md")]
struct Editions;
