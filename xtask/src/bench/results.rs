//! The results of one machine, in a file of its own.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use xshell::Shell;

use super::{
    lock,
    machine::{self, Machine},
    policies::POLICIES,
};

const FOLDER: &str = "benches/results";

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Results {
    pub(super) machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instructions: Option<Counting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) peers: Option<Measured<Standing>>,
    /// Of limiters with a million keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keys: Option<Measured<Crowd>>,
    /// With calls through all five policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) binaries: Option<Measured<Binary>>,
    /// The macro beside the same by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) compiled: Option<Measured<Compiled>>,
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
    /// What was typed to measure it.
    #[serde(default)]
    pub(super) command: String,
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
    /// Which policy's suite: `ratelimiter`.
    pub(super) policy: String,
    pub(super) name: String,
    /// `admitted`, or another; `floor`.
    pub(super) case: String,
    pub(super) threads: usize,
    /// Nanoseconds per call of a thread: median and quartiles.
    pub(super) nanos: Spread,
    pub(super) ratios: Vec<Ratio>,
    /// The calls of the slowest thread, in parts of its fair share.
    pub(super) fairness: f64,
    /// How many rounds nothing disturbed.
    pub(super) rounds: usize,
}

/// A time as a multiple of a reference's in the same round: median and 95 % confidence interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ratio {
    pub(super) to: String,
    pub(super) times: Spread,
}

/// A limiter with a million keys, as the suite `keys` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Crowd {
    pub(super) name: String,
    /// How keys come: `uniform`.
    pub(super) draw: String,
    pub(super) tail: Tail,
    /// Kept at the end.
    pub(super) keys: u64,
    pub(super) evicted: u64,
    /// Per key that is kept, at the end.
    pub(super) bytes: f64,
}

/// Nanoseconds that so many of the calls do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tail {
    pub(super) calls: usize,
    pub(super) half: u32,
    /// 99 %.
    pub(super) most: u32,
    /// 99.9 %.
    pub(super) nearly_all: u32,
    pub(super) longest: u32,
}

/// A program that was compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Compiled {
    pub(super) name: String,
    /// How many methods it has behind policies.
    pub(super) methods: u32,
    pub(super) millis: f64,
}

/// A stripped binary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Binary {
    /// In how many places it makes a call.
    pub(super) sites: u32,
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Results {
    /// Nothing is known of the machine yet.
    pub(super) fn none(machine: Machine) -> Self {
        Self { machine, instructions: None, peers: None, keys: None, binaries: None, compiled: None }
    }

    /// What is known of this kind of machine so far.
    pub(super) fn known(sh: &Shell, machine: &Machine) -> Result<Option<Self>> {
        Ok(all(sh)?.into_iter().find(|known| known.machine.slug() == machine.slug()))
    }

    /// Takes over what a new run measured; what that left out stays as it is.
    pub(super) fn renew(&mut self, run: Self) {
        self.machine = run.machine;
        let known = self.peers.take();
        self.peers = run.peers.map(|new| new.and(known.as_ref())).or(known);
        self.instructions = run.instructions.or(self.instructions.take());
        self.keys = run.keys.or(self.keys.take());
        self.binaries = run.binaries.or(self.binaries.take());
        self.compiled = run.compiled.or(self.compiled.take());
    }

    /// Whether anything was measured.
    pub(super) fn has_some(&self) -> bool {
        let Self { machine: _, instructions, peers, keys, binaries, compiled } = self;
        let built = binaries.is_some() || compiled.is_some();
        built || instructions.is_some() || peers.is_some() || keys.is_some()
    }

    /// What was typed to measure what is known.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        let counted = match &self.instructions {
            Some(Counting::Done(counts)) => Some(&counts.command),
            _ => None,
        };
        let peers = self.peers.as_ref().map(|it| &it.command);
        let keys = self.keys.as_ref().map(|it| &it.command);
        let binaries = self.binaries.as_ref().map(|it| &it.command);
        let compiled = self.compiled.as_ref().map(|it| &it.command);
        let all = [counted, peers, keys, binaries, compiled].into_iter().flatten();
        all.map(String::as_str).filter(|command| !command.is_empty())
    }

    /// The file of this kind of machine.
    pub(super) fn path(machine: &Machine) -> String {
        format!("{FOLDER}/{}.json", machine.slug())
    }

    pub(super) fn save(&self, sh: &Shell) -> Result<()> {
        sh.write_file(Self::path(&self.machine), serde_json::to_string_pretty(self)? + "\n")?;
        Ok(())
    }
}

impl Standing {
    pub(super) fn ratio(&self, to: &str) -> Option<Spread> {
        self.ratios.iter().find(|ratio| ratio.to == to).map(|ratio| ratio.times)
    }
}

impl Binary {
    /// Bytes per further call, from the binary with the fewest to that with the most.
    pub(super) fn growth(all: &[Self]) -> Option<f64> {
        let few = all.iter().min_by_key(|it| it.sites)?;
        let many = all.iter().max_by_key(|it| it.sites)?;
        let further = many.sites.checked_sub(few.sites).filter(|further| *further > 0)?;
        Some((many.bytes as f64 - few.bytes as f64) / f64::from(further))
    }
}

impl<T> Measured<T> {
    /// With the versions in use here.
    pub(super) fn here(sh: &Shell, command: &str, calls: Vec<T>) -> Result<Self> {
        let mut versions = BTreeMap::from([("rustc".to_owned(), machine::rustc(sh)?)]);
        for peer in POLICIES.iter().flat_map(|policy| policy.peers) {
            versions.insert((*peer).to_owned(), lock::version(sh, peer)?);
        }
        Ok(Self { command: format!("cargo xtask bench {command}"), versions, calls })
    }
}

impl Measured<Standing> {
    /// With the suites that it left out, as they were known.
    fn and(mut self, known: Option<&Self>) -> Self {
        let measured = |policy: &str| self.calls.iter().any(|it| it.policy == policy);
        let known = known.iter().flat_map(|known| &known.calls);
        let kept: Vec<_> = known.filter(|call| !measured(&call.policy)).cloned().collect();
        self.calls.splice(..0, kept);
        self
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
