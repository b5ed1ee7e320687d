//! The manual's page that compares with other crates: its examples are tests, of theirs and of ours.

#[cfg(doctest)]
#[doc = include_str!("../../docs/en/migrating.md")]
struct Migrating;
