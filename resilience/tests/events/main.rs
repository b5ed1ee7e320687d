//! What is told of calls: as listeners hear it, as JSON, and through tracing.

mod collect;
mod json;
mod lifetime;
mod spans;
mod tracing_events;
