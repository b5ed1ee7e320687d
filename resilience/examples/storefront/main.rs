//! A shop that asks a price service over HTTP, without policies and with them:
//!
//! ```text
//! cargo run --release --example storefront            # an outage: the whole stack
//! cargo run --release --example storefront quota      # a quota: the rate limiter alone
//! cargo run --release --example storefront shop       # the dashboard
//! cargo run --release --example storefront -- --help
//! cargo run --release --example storefront -- outage --config resilience/examples/storefront/storefront.toml
//! ```
//!
//! Everything is real and on this machine: an HTTP server, and customers whose calls go through a pipeline. Each file
//! has one concept. The two to read first are `outage/policies` and `outage/customer`:
//!
//! | file | concept |
//! | --- | --- |
//! | `outage/script`, `outage/upstream` | a price service that slows down, fails, hangs and recovers |
//! | `outage/policies` | **the pipeline**: what stands between the customers and the service |
//! | `outage/customer` | what a customer calls, and does with each answer |
//! | `outage/second`, `outage/journal`, `outage/watch` | what happened, second by second: results, events and snapshots |
//! | `outage/run`, `outage/findings` | one run of all of this, and what it showed |
//! | `quota/windows`, `quota/service` | a price service that counts, and how |
//! | `quota/pipeline`, `quota/shopper`, `quota/tally`, `quota/run` | the same for a rate limiter |
//! | `shop`, `shop/desk`, `shop/goods`, `shop/stack`, `shop/visitor` | a shop that stays open, with the dashboard and buttons to break what it depends on |
//! | `*/options`, `*/intro`, `*/table`, `*/summary`, `screen` | what you say, and what you see |
//! | `configuration`, `storefront.toml` | a file that is watched: change it while the example runs |
//! | `numbers` | `/metrics` for Prometheus: `-- shop --metrics 127.0.0.1:9898` |
//! | `server`, `prices`, `timeline` | an HTTP server, its client, and counts by the second |

mod configuration;
mod numbers;
mod options;
mod outage;
mod prices;
mod quota;
mod screen;
mod server;
mod shop;
mod timeline;

use std::{
    io::{self, ErrorKind},
    process::ExitCode,
};

use resilience::{RegistryError, config::ReloadError};

use crate::{
    options::{Options, Scenario},
    screen::Screen,
};

/// Why there is nothing to judge.
enum Trouble {
    Options(RegistryError),
    Configuration(ReloadError),
    Io(io::Error),
}

#[tokio::main]
async fn main() -> ExitCode {
    let screen = Screen::new();
    let kept = match Options::read() {
        Scenario::Outage(options) => outage::play(&screen, &options).await,
        Scenario::Quota(options) => quota::play(&screen, &options).await,
        Scenario::Shop(options) => shop::play(&screen, &options).await,
    };
    match kept {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Trouble::Options(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
        Err(Trouble::Configuration(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
        // Whoever closed the pipe has seen enough: `storefront | head`.
        Err(Trouble::Io(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(Trouble::Io(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

impl From<RegistryError> for Trouble {
    fn from(error: RegistryError) -> Self {
        Self::Options(error)
    }
}

impl From<ReloadError> for Trouble {
    fn from(error: ReloadError) -> Self {
        Self::Configuration(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
