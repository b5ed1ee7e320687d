//! The command line.

use std::time::Duration;

use clap::{Parser, Subcommand};
use resilience::Code;

use crate::{outage, quota, shop};

/// A shop asks a price service over HTTP, without policies and with them.
#[derive(Debug, Parser)]
#[command(
    name = "storefront",
    flatten_help = true,
    next_line_help = true,
    disable_help_subcommand = true,
    after_help = "Without a command, `outage` is played.\n\
                  Exit code: 0 if the policies kept their promises, 1 if not, 2 for bad options."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    scenario: Option<Scenario>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Scenario {
    /// The service slows down, fails, hangs, recovers; six policies keep the shop open
    Outage(outage::Options),

    /// The service refuses what is beyond its quota; a rate limiter stays within it
    Quota(quota::Options),

    /// A shop that stays open: the dashboard, and buttons that break services
    Shop(shop::Options),
}

impl Options {
    /// What to play. Ends the program if it was asked for help, or for something it does not know.
    pub(crate) fn read() -> Scenario {
        let said = Self::parse().scenario;
        said.or_else(|| Self::parse_from(["storefront", "outage"]).scenario).expect("`outage` is a scenario")
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let code = Code::InvalidDuration;
    humantime::parse_duration(text).map_err(|_| format!("{}, such as 250ms or 1s ({code})", code.summary()))
}
