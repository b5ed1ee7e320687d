//! The tables against the specification, and every check at, below and above its bounds.

mod checks;
mod codes;
mod problems;
mod table;
