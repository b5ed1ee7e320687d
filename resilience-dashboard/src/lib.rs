//! The dashboard: one page that shows what every policy of a service is doing, served from the binary.
#![doc = include_str!("../docs/dashboard.md")]

mod act;
mod assets;
mod audit;
mod board;
mod builder;
mod dashboard;
mod feed;
mod frame;
mod history;
mod hub;
mod inspect;
mod recent;
mod routes;
mod shields;
mod sign_in;
mod tally;
mod tile;
mod token;

pub use audit::Acted;
pub use builder::Builder;
pub use dashboard::Dashboard;
