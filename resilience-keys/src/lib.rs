//! The contract of the resilience policies as data.
//!
//! Three tables: the configuration keys of every policy ([`SECTIONS`]), the error codes ([`Code`])
//! and the metrics ([`metric`]). Builders, attributes, configuration files, environment variables, the generated
//! documentation and the JSON [`schema`] all read them, so a value is checked by the same code, and
//! refused with the same words, wherever it was written.
//!
//! You need this crate only to write such a reader; to protect calls, use a policy crate.
//!
//! ```
//! use resilience_keys::{Code, RATE_LIMITER};
//!
//! let permits = RATE_LIMITER.key("permits").expect("the table has it");
//! assert_eq!(permits.check_count(10), Ok(10));
//!
//! let problem = permits.check_count(0).unwrap_err().at("instances.geocoding.rate_limiter");
//! assert_eq!(problem.code, Code::CountBelowOne);
//! assert_eq!(
//!     problem.to_string(),
//!     "`instances.geocoding.rate_limiter.permits = 0`: a count below 1; \
//!      allowed: 1 to 1_000_000_000 (R4C-ATR-003)"
//! );
//! ```

mod code;
mod contradictions;
mod duration;
mod key;
mod kinds;
pub mod metric;
mod nearest;
mod parse;
mod problem;
mod schema;
mod section;
mod sections;
mod value;
mod value_kind;

pub use code::{Code, ParseCodeError};
pub use duration::{BadDuration, format_duration, parse_duration};
pub use key::{Default, Key};
pub use kinds::KINDS;
pub use nearest::nearest;
pub use problem::Problem;
pub use schema::schema;
pub use section::Section;
pub use sections::{BULKHEAD, CIRCUIT_BREAKER, RATE_LIMITER, RETRY, SECTIONS, TIMEOUT};
pub use value::Value;
pub use value_kind::ValueKind;
