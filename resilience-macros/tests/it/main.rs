//! `#[resilient]` in crates that have the facade under another name, or not at all.

mod renamed;
mod without_facade;
