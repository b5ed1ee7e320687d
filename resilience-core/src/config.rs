//! Configuration from files and the environment, and changing it live: feature `config`.
//!
//! ```
//! use resilience_core::{Registry, config::{Format, Sources}};
//!
//! let registry = Registry::new();
//! let file = "[instances.search.rate_limiter]\npermits = 20\n";
//! registry.configure(Sources::new().text("app.toml", Format::Toml, file).environment())?;
//! # Ok::<(), resilience_core::config::ReloadError>(())
//! ```
//!
//! Key by key holds, weakest first: the key's default, `defaults.<policy>`, the named config that the instance builds on
//! (the nearest of its `base`s first), what code wrote, `instances.<id>.<policy>`. Files count in the order given, then
//! the environment.

mod effective;
mod environment;
mod file;
mod lines;
mod merge;
mod preview;
mod reload;
mod sources;
mod tree;
mod watch;
mod yaml;

use crate::{Code, Problem};

pub use effective::{Effective, Entry, Origin};
pub use file::Format;
pub(crate) use merge::{Loaded, Merged};
pub use preview::Preview;
pub use reload::{Change, Event, Override, Reload, ReloadError, Reloads};
pub(crate) use reload::{Reloading, Turn};
pub(crate) use sources::Contents;
pub use sources::Sources;
pub(crate) use tree::section;
pub use watch::Watch;
pub(crate) use watch::{Bell, Watcher};

/// An id in the sources that no instance has.
fn unused(name: &str, place: &tree::Place) -> Problem {
    place.mark(Problem::new(Code::UnknownInstance, format!("instances.{name}"), "", "an id that an instance has"))
}

/// Whether one of these tells the same of the same line; `new` does not know yet whose it is.
pub(crate) fn is_told(known: &[Problem], new: &Problem) -> bool {
    let about = |it: &Problem| (it.code, it.value.clone(), it.allowed.clone(), it.place.clone());
    known.iter().any(|known| {
        let key = known.path.strip_suffix(new.path.as_str());
        key.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            && (new.place.is_some() || known.path == new.path)
            && about(known) == about(new)
    })
}

/// A named config is asked for, and no source was read.
pub(crate) fn nothing_loaded(base: &str) -> Problem {
    Problem::new(Code::UnknownNamedConfig, "config", base, "a config of a source: none was read")
}
