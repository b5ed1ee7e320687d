//! A configuration file: read before the policies are built, and again whenever somebody changes it.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use clap::Args;
use resilience::{
    Nanos,
    config::{self, Sources, Watch},
    event::{Event, Subscription},
    prelude::*,
};

use crate::{
    Trouble,
    screen::{Ink, Screen},
    timeline::lock,
};

#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// With the policies: a file (TOML, YAML, JSON) to edit while it runs
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The file is watched as long as this is kept; by default there is none.
#[derive(Default)]
pub(crate) struct Configuration {
    news: Arc<Mutex<Vec<News>>>,
    _watching: Option<(Watch, Subscription)>,
}

/// When what happened, and whether it was good.
type News = (Nanos, Ink, String);

impl ConfigFile {
    /// What the introduction says of it.
    pub(crate) fn introduce(&self, screen: &Screen) -> io::Result<()> {
        let Some(file) = &self.config else { return Ok(()) };
        screen.line(format_args!("\nWhat {} says beats these numbers. Edit it while this runs.", file.display()))
    }

    /// Reads the file, if there is one, into the registry.
    pub(crate) fn read(&self, registry: &Registry) -> Result<Configuration, Trouble> {
        let Some(file) = &self.config else { return Ok(Configuration::default()) };
        registry.configure(Sources::new().file(file).environment())?;
        let news = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&news);
        let listening = registry.events().subscribe(move |event: &Event<'_>| match event.payload() {
            Some(config::Event::Applied(reload)) => {
                let changes = reload.changes.iter().map(|change| (event.at, Ink::Strong, change.to_string()));
                lock(&list).extend(changes);
            }
            Some(config::Event::Refused(error)) => lock(&list).push((event.at, Ink::Bad, error.to_string())),
            _ => {}
        });
        Ok(Configuration { news, _watching: Some((registry.watch()?, listening)) })
    }
}

impl Configuration {
    /// Shows what happened since the last time.
    pub(crate) fn show(&self, screen: &Screen, start: Nanos) -> io::Result<()> {
        let news = std::mem::take(&mut *lock(&self.news));
        news.into_iter().try_for_each(|(at, ink, text)| {
            let at = at.since(start).as_secs_f64();
            let text = text.replace('\n', "\n        ");
            screen.line(screen.paint(ink, format_args!("{at:>6.1} s  {text}")))
        })
    }
}
