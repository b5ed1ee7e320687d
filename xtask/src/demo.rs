//! `cargo xtask demo`: everything at once, for people and for Prometheus. The storefront's shop stays open, with buttons that
//! break what it depends on, the dashboard, and its numbers.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Result;
use xshell::{Shell, cmd};

/// The first is none that Prometheus and its exporters are known to use.
const PORTS: [u16; 2] = [9898, 9899];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where `/metrics` is served; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORTS[0])))]
    metrics: SocketAddr,
    /// Where the shop and its dashboard are served; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORTS[1])))]
    address: SocketAddr,
}

/// The shop prints its addresses once they are served.
pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let (address, metrics) = (args.address.to_string(), args.metrics.to_string());
    cmd!(sh, "cargo run --release --package resilience --example storefront --")
        .args(["shop", "--address", &address, "--metrics", &metrics])
        .run()?;
    Ok(())
}
