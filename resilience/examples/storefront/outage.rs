//! A price service that slows down, fails, hangs and recovers: without policies in the shop, and with the whole stack.

mod customer;
mod findings;
mod intro;
mod journal;
mod options;
mod policies;
mod run;
mod script;
mod second;
mod summary;
mod table;
mod upstream;
mod watch;

pub(crate) use options::Options;

use crate::{
    Trouble,
    outage::{run::Run, summary::Summary},
    screen::Screen,
};

/// Whether the policies kept their promises. Both runs are made before either starts, so bad options are told before
/// anything happens.
pub(crate) async fn play(screen: &Screen, options: &Options) -> Result<bool, Trouble> {
    let [without, with] = [Run::without(), Run::with(options)?];
    intro::show(screen, options)?;
    let without = without.play(screen, options).await?;
    let numbers = options.numbers.serve(screen, with.registry()).await?;
    let with = with.play(screen, options).await?;
    let summary = Summary::new(options, without, with);
    summary.show(screen)?;
    numbers.linger(screen).await?;
    Ok(summary.is_good())
}
