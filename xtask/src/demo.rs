//! `cargo xtask demo`: the storefront with its numbers on an address, for people and for Prometheus.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Result;
use xshell::{Shell, cmd};

/// Which is none that Prometheus and its exporters are known to use.
const PORT: u16 = 9898;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where `/metrics` is served; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    metrics: SocketAddr,
    /// Length of a step of the outage in seconds, 1 to 60; there are six, twice.
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    seconds: u16,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let (address, seconds) = (args.metrics.to_string(), args.seconds.to_string());
    println!("metrics: http://{address}/metrics, once the shop has its policies; the dashboard is in docs/dashboards");
    cmd!(sh, "cargo run --release --package resilience --example storefront --")
        .args(["outage", "--seconds", &seconds, "--metrics", &address])
        .run()?;
    Ok(())
}
