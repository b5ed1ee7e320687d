//! The results of one machine, in a file of its own.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use xshell::Shell;

use super::{
    lock,
    machine::{self, Machine},
};

const FOLDER: &str = "benches/results";

/// The crates that ours are measured beside.
const PEERS: [&str; 3] = ["governor", "ratelimit", "leaky-bucket"];

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Results {
    pub(super) machine: Machine,
    pub(super) instructions: Option<Counting>,
    pub(super) peers: Option<Measured<Standing>>,
}

/// Whether instructions could be counted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Counting {
    Done(Measured<Count>),
    /// Why not.
    Impossible(String),
}

/// What was measured, and with which versions of what.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Measured<T> {
    pub(super) versions: BTreeMap<String, String>,
    pub(super) calls: Vec<T>,
}

/// One call's instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    /// Which policy's suite: `ratelimiter`.
    pub(super) suite: String,
    /// Whether the call is one of ours.
    pub(super) ours: bool,
    /// `try_acquire`.
    pub(super) call: String,
    /// `admitted`.
    pub(super) case: String,
    pub(super) instructions: u64,
    pub(super) blocks: u64,
}

/// How long a call took, as the suite `peers` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    pub(super) name: String,
    /// `admitted`, `rejected` or `floor`.
    pub(super) way: String,
    pub(super) threads: usize,
    /// Nanoseconds per call of a thread: median and quartiles.
    pub(super) nanos: Spread,
    /// As a multiple of governor's in the same round: median and 95 % confidence interval.
    pub(super) ratio: Option<Spread>,
    /// The calls of the slowest thread, in parts of its fair share.
    pub(super) fairness: f64,
    /// How many rounds nothing disturbed.
    pub(super) rounds: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Results {
    /// What is known of this machine so far.
    pub(super) fn here(sh: &Shell) -> Result<Self> {
        let machine = Machine::here(sh);
        let known = all(sh)?.into_iter().find(|known| known.machine.slug() == machine.slug());
        let (instructions, peers) = known.map_or((None, None), |known| (known.instructions, known.peers));
        Ok(Self { machine, instructions, peers })
    }

    pub(super) fn save(&self, sh: &Shell) -> Result<()> {
        let path = format!("{FOLDER}/{}.json", self.machine.slug());
        sh.write_file(path, serde_json::to_string_pretty(self)? + "\n")?;
        Ok(())
    }
}

impl<T> Measured<T> {
    /// With the versions in use here.
    pub(super) fn here(sh: &Shell, calls: Vec<T>) -> Result<Self> {
        let mut versions = BTreeMap::from([("rustc".to_owned(), machine::rustc(sh)?)]);
        for peer in PEERS {
            versions.insert(peer.to_owned(), lock::version(sh, peer)?);
        }
        Ok(Self { versions, calls })
    }
}

/// Of every machine, by name.
pub(super) fn all(sh: &Shell) -> Result<Vec<Results>> {
    if !sh.path_exists(FOLDER) {
        return Ok(Vec::new());
    }
    let files = sh.read_dir(FOLDER)?;
    let read = |path: std::path::PathBuf| {
        let text = sh.read_file(&path)?;
        serde_json::from_str(&text).with_context(|| format!("{} is no result", path.display()))
    };
    files.into_iter().map(read).collect()
}
