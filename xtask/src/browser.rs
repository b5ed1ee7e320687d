//! `cargo xtask browser`: the dashboard in a headless Chromium, which is installed if it is not there.

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::tree::{root, target_dir};

/// The screenshots that the documentation shows, by their names there.
const SHOWN: &[(&str, &str)] = &[("light", "dashboard"), ("dark", "dashboard-dark")];

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Run only the checks whose names have this in them.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Put today's screenshots into the documentation.
    #[arg(long)]
    refresh: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    install(sh)?;
    let (screenshots, only) = (target_dir("browser"), &args.only);
    cmd!(sh, "cargo run --package resilience-browser -- --screenshots {screenshots} --only {only}").run()?;
    println!("browser: screenshots are in {}", screenshots.strip_prefix(root()).unwrap_or(&screenshots).display());
    if args.refresh {
        for (from, to) in SHOWN {
            sh.copy_file(screenshots.join(format!("{from}.png")), format!("docs/images/{to}.png"))?;
        }
    }
    Ok(())
}

/// The browser and the driver of the same version, from the system's packages.
fn install(sh: &Shell) -> Result<()> {
    // The driver finds the browser that it was made for.
    let is_there = || cmd!(sh, "chromedriver --version").quiet().ignore_stdout().ignore_stderr().run().is_ok();
    if is_there() {
        return Ok(());
    }
    let _quiet = sh.push_env("DEBIAN_FRONTEND", "noninteractive");
    let how = "Chromium and its driver are needed, and cannot be installed here: install them by hand";
    cmd!(sh, "apt-get update --quiet").run().context(how)?;
    let packages = ["chromium", "chromium-driver", "fonts-dejavu-core"];
    cmd!(sh, "apt-get install --quiet --yes --no-install-recommends {packages...}").run().context(how)?;
    ensure!(is_there(), "{how}");
    Ok(())
}
