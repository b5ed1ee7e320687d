//! The tables against the specification, and every check at, below and above its bounds.

mod checks;
mod codes;
mod durations;
mod parsing;
mod problems;
mod schema;
mod table;
