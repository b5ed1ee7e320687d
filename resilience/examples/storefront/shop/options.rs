//! What can be said about the shop.

use std::net::{Ipv4Addr, SocketAddr};

use clap::{Args, value_parser};

use crate::{configuration, numbers};

#[derive(Debug, Args)]
#[command(next_line_help = true)]
pub(crate) struct Options {
    /// Of the page; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 9899)))]
    pub(crate) address: SocketAddr,

    /// People who look at each kind of thing, 1 to 200
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = value_parser!(u16).range(1..=200))]
    pub(crate) visitors: u16,

    #[command(flatten)]
    pub(crate) configuration: configuration::ConfigFile,

    #[command(flatten)]
    pub(crate) numbers: numbers::NumbersAddress,
}
