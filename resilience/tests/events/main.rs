//! What is told of calls: as listeners hear it, as JSON, and through tracing.

mod json;
