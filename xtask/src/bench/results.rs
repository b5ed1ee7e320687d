//! The results of one machine, in a file of its own.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use xshell::Shell;

pub(super) use super::record::{Alone, Binary, Caches, Compiled, Count, Crowd, Latency, MILLION, Spread, Standing};
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
    /// Of ours by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alone: Option<Measured<Alone>>,
    /// Of limiters that calls wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency: Option<Measured<Latency>>,
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

impl Results {
    /// Nothing is known of the machine yet.
    pub(super) fn none(machine: Machine) -> Self {
        Self {
            machine,
            instructions: None,
            peers: None,
            keys: None,
            binaries: None,
            compiled: None,
            alone: None,
            latency: None,
        }
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
        self.alone = run.alone.or(self.alone.take());
        self.latency = run.latency.or(self.latency.take());
    }

    /// Whether anything was measured.
    pub(super) fn has_some(&self) -> bool {
        let Self { machine: _, instructions, peers, keys, binaries, compiled, alone, latency } = self;
        let built = binaries.is_some() || compiled.is_some();
        built || instructions.is_some() || peers.is_some() || keys.is_some() || alone.is_some() || latency.is_some()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Measured, Spread, Standing};

    fn measured(calls: &[(&str, &str)]) -> Measured<Standing> {
        let standing = |(policy, name): &(&str, &str)| Standing {
            policy: (*policy).to_owned(),
            name: (*name).to_owned(),
            case: "admitted".to_owned(),
            threads: 1,
            nanos: Spread { median: 1.0, low: 1.0, high: 1.0 },
            ratios: Vec::new(),
            fairness: 1.0,
            rounds: 7,
            blocks: None,
        };
        Measured { command: String::new(), versions: BTreeMap::new(), calls: calls.iter().map(standing).collect() }
    }

    #[test]
    fn a_run_of_one_suite_keeps_the_others_and_nothing_of_its_own() {
        let known = measured(&[("retry", "backon"), ("breaker", "gone"), ("breaker", "recloser")]);
        let now = measured(&[("breaker", "recloser")]).and(Some(&known));
        let names: Vec<_> = now.calls.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["backon", "recloser"]);
    }
}
