//! A price service with a quota, without a rate limiter in the client and with one.

mod intro;
mod options;
mod pipeline;
mod run;
mod service;
mod shopper;
mod summary;
mod table;
mod tally;
mod windows;

pub(crate) use options::Options;

use crate::{
    Trouble,
    quota::{run::Run, summary::Summary},
    screen::Screen,
};

/// Whether the limiter kept its promise. Both runs are made before either starts, so bad options are told before
/// anything happens.
pub(crate) async fn play(screen: &Screen, options: &Options) -> Result<bool, Trouble> {
    let [without, with] = [Run::new(options, false)?, Run::new(options, true)?];
    intro::show(screen, options)?;
    let without = without.play(screen, options).await?;
    let with = with.play(screen, options).await?;
    let summary = Summary::new(options, without, with);
    summary.show(screen)?;
    Ok(summary.is_good())
}
