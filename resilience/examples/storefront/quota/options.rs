//! What can be said about the quota and the limiter.

use std::{num::NonZeroU64, time::Duration};

use clap::{Args, value_parser};

use crate::{configuration, options::duration};

#[derive(Debug, Args)]
#[command(
    next_line_help = true,
    after_help = "Exit code: 0 if the server refused nothing while the limiter was on, 1 if it\n\
                  did, 2 for bad options."
)]
pub(crate) struct Options {
    /// Permits per period, and at once after a quiet time
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(crate) permits: u32,

    /// Period of the permits, and of the server's windows
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration)]
    pub(crate) period: Duration,

    /// How long a call may wait for its permit
    #[arg(long, value_name = "DURATION", default_value = "250ms", value_parser = duration)]
    pub(crate) max_wait: Duration,

    /// Calls that the server answers per window [default: twice the permits]
    #[arg(long, value_name = "COUNT")]
    quota: Option<NonZeroU64>,

    /// Shoppers who call at the same time, 1 to 200
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = value_parser!(u16).range(1..=200))]
    pub(crate) clients: u16,

    /// Length of each of the two runs, 1 to 600
    #[arg(long, value_name = "COUNT", default_value_t = 6, value_parser = value_parser!(u16).range(1..=600))]
    pub(crate) seconds: u16,

    #[command(flatten)]
    pub(crate) configuration: configuration::ConfigFile,
}

impl Options {
    pub(crate) fn quota(&self) -> u64 {
        self.quota.map_or(self.most_per_window(), NonZeroU64::get)
    }

    /// What a window can see of calls that pass the limiter: a full burst, then the steady rate.
    pub(crate) fn most_per_window(&self) -> u64 {
        2 * u64::from(self.permits)
    }
}
