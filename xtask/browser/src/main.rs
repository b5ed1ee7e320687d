//! The dashboard in a headless Chromium: `cargo xtask browser` installs that and runs this.
//!
//! | file | concept |
//! | --- | --- |
//! | `driver`, `page` | the browser, and one page of it |
//! | `service` | what the page shows: instances, and faults in them |
//! | `checks/*` | what must be true, a file each |

mod checks;
mod driver;
mod page;
mod service;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use tokio::time::Instant;

use driver::Browser;

#[derive(Parser)]
struct Args {
    /// Where screenshots go.
    #[arg(long, value_name = "FOLDER", default_value = "target/browser")]
    screenshots: PathBuf,
    /// Run only the checks whose names have this in them.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    std::fs::create_dir_all(&args.screenshots)?;
    let browser = Browser::start(args.screenshots).await?;
    let outcome = run(&browser, &args.only).await;
    browser.stop().await;
    outcome
}

async fn run(browser: &Browser, only: &str) -> Result<()> {
    for (name, check) in checks::ALL.iter().filter(|(name, _)| name.contains(only)) {
        let start = Instant::now();
        check(browser).await.with_context(|| format!("browser: {name}"))?;
        println!("browser: {name}: ok, {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
