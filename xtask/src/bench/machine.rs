//! What a result was measured on.

use std::{env::consts, thread};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use xshell::{Shell, cmd};

/// A kind of machine. What cannot be found out here is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Machine {
    pub(super) cpu: String,
    pub(super) cores: usize,
    pub(super) arch: String,
    pub(super) os: String,
    /// What the kernel reads the time from.
    pub(super) clock_source: Option<String>,
    /// How the kernel chooses the frequency.
    pub(super) frequency: Option<String>,
    /// Under which hypervisor it runs.
    pub(super) hypervisor: Option<String>,
}

impl Machine {
    pub(super) fn here(sh: &Shell) -> Self {
        let lscpu = read(sh, "lscpu").unwrap_or_default();
        Self {
            cpu: cpu(sh, &lscpu).unwrap_or_else(|| "unknown".to_owned()),
            cores: thread::available_parallelism().map_or(1, Into::into),
            arch: consts::ARCH.to_owned(),
            os: os(sh).unwrap_or_else(|| consts::OS.to_owned()),
            clock_source: line(sh, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            frequency: line(sh, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            hypervisor: field(&lscpu, "Hypervisor vendor"),
        }
    }

    /// A name for its file: letters, digits and single dashes.
    pub(super) fn slug(&self) -> String {
        let words = format!("{} {} cores {} {}", self.cpu, self.cores, self.arch, self.os);
        let words = words.to_lowercase().replace('_', "");
        let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}

/// The compiler's version, as in `rustc 1.95.0 (..)`.
pub(super) fn rustc(sh: &Shell) -> Result<String> {
    let said = cmd!(sh, "rustc --version").quiet().read()?;
    Ok(said.split_whitespace().nth(1).unwrap_or(&said).to_owned())
}

/// The model; numbered where the name tells little.
fn cpu(sh: &Shell, lscpu: &str) -> Option<String> {
    if consts::OS == "macos" {
        return cmd!(sh, "sysctl -n machdep.cpu.brand_string").quiet().read().ok();
    }
    let Some(name) = field(lscpu, "Model name") else {
        return sh.var("PROCESSOR_IDENTIFIER").ok(); // Windows
    };
    match (field(lscpu, "CPU family"), field(lscpu, "Model")) {
        (Some(family), Some(model)) => Some(format!("{name} (family {family}, model {model})")),
        _ => Some(name),
    }
}

fn os(sh: &Shell) -> Option<String> {
    if consts::OS == "macos" {
        return Some(format!("macOS {}", cmd!(sh, "sw_vers -productVersion").quiet().read().ok()?));
    }
    let release = sh.read_file("/etc/os-release").ok()?;
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

/// The value of `name: value`.
fn field(text: &str, name: &str) -> Option<String> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == name)?;
    Some(value.trim().to_owned())
}

fn line(sh: &Shell, path: &str) -> Option<String> {
    Some(sh.read_file(path).ok()?.trim().to_owned())
}

fn read(sh: &Shell, program: &str) -> Option<String> {
    cmd!(sh, "{program}").env("LC_ALL", "C").quiet().ignore_stderr().read().ok()
}

#[cfg(test)]
mod tests {
    use super::{Machine, field};

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let lscpu = "Model name:   AMD EPYC\n  Model:  17\nL1d cache: 64 KiB";
        assert_eq!(field(lscpu, "Model").as_deref(), Some("17"));
        assert_eq!(field(lscpu, "Model name").as_deref(), Some("AMD EPYC"));
        assert_eq!(field(lscpu, "name"), None);
    }

    #[test]
    fn a_slug_is_a_file_name() {
        let machine = Machine {
            cpu: "AMD EPYC (family 25, model 17)".to_owned(),
            cores: 2,
            arch: "x86_64".to_owned(),
            os: "Debian GNU/Linux 12 (bookworm)".to_owned(),
            clock_source: None,
            frequency: None,
            hypervisor: None,
        };
        assert_eq!(machine.slug(), "amd-epyc-family-25-model-17-2-cores-x8664-debian-gnu-linux-12-bookworm");
    }
}
