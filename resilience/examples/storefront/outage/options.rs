//! What can be said about the outage and the shop.

use std::time::Duration;

use clap::{Args, value_parser};

use super::policies::{ATTEMPTS, PAUSE};
use crate::{configuration, numbers, options::duration};

#[derive(Debug, Args)]
#[command(
    next_line_help = true,
    after_help = "Exit code: 0 if with the policies no customer saw an error or waited too long,\n\
                  and the breaker opened and closed again; 1 if not; 2 for bad options."
)]
pub(crate) struct Options {
    /// Length of a step, 1 to 60; each of the two runs has six
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = value_parser!(u16).range(1..=60))]
    pub(crate) seconds: u16,

    /// Customers who call at the same time, 1 to 200
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = value_parser!(u16).range(1..=200))]
    pub(crate) customers: u16,

    /// With the policies: how long an attempt may take
    #[arg(long, value_name = "DURATION", default_value = "200ms", value_parser = duration)]
    pub(crate) timeout: Duration,

    /// With the policies: the longest wait of any customer
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration)]
    pub(crate) patience: Duration,

    #[command(flatten)]
    pub(crate) configuration: configuration::ConfigFile,

    #[command(flatten)]
    pub(crate) numbers: numbers::NumbersAddress,
}

impl Options {
    /// The length of a step.
    pub(crate) fn step(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }

    /// How long the HTTP client waits for an answer, as the outage is short: in real life it is 30 seconds or for ever.
    pub(crate) fn client_timeout(&self) -> Duration {
        2 * self.step()
    }

    /// With the policies: a call whose attempts are all cut off.
    pub(crate) fn longest_call(&self) -> Duration {
        self.timeout.saturating_mul(ATTEMPTS).saturating_add(PAUSE * (ATTEMPTS - 1))
    }

    /// How long the breaker waits before it tries again.
    pub(crate) fn wait_in_open(&self) -> Duration {
        self.step() / 4
    }
}
