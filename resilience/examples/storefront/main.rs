//! A shop that asks a price service over HTTP, once without a rate limiter and once with one:
//!
//! ```text
//! cargo run --release --example storefront
//! ```
//!
//! Everything is real and on this machine: an HTTP server with a quota of its own, and shoppers whose calls go through
//! a pipeline. Each file has one concept:
//!
//! | file | concept |
//! | --- | --- |
//! | `options` | the command line |
//! | `pipeline` | the policies around each call: where further ones are added |
//! | `quota` | how the server counts |
//! | `server` | the price service |
//! | `shopper` | the client: what it calls, and what it does with each answer |
//! | `tally` | what happened, second by second |
//! | `phase` | one run of all of this |
//! | `intro`, `table`, `summary`, `screen` | what you see of it |

mod intro;
mod options;
mod phase;
mod pipeline;
mod quota;
mod screen;
mod server;
mod shopper;
mod summary;
mod table;
mod tally;

use std::{
    io::{self, ErrorKind},
    process::ExitCode,
};

use clap::Parser;
use resilience::RegistryError;

use crate::{options::Options, phase::Phase, screen::Screen, summary::Summary};

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let phases = match phases(&options) {
        Ok(phases) => phases,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match show(&options, phases).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Whoever closed the pipe has seen enough: `storefront | head`.
            if error.kind() != ErrorKind::BrokenPipe {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Both are made before either starts, so bad options are told before anything happens.
fn phases(options: &Options) -> Result<[Phase; 2], RegistryError> {
    Ok([Phase::new(options, false)?, Phase::new(options, true)?])
}

/// Whether the limiter kept its promise.
async fn show(options: &Options, [without, with]: [Phase; 2]) -> io::Result<bool> {
    let screen = Screen::new();
    intro::show(&screen, options)?;
    let without = without.run(&screen, options).await?;
    let with = with.run(&screen, options).await?;
    let summary = Summary::new(options, without, with);
    summary.show(&screen)?;
    Ok(summary.is_good())
}
