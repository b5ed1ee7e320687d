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
    /// What `Clock::system` reads the time from.
    pub(super) counter: Option<String>,
    /// What cannot be measured on it, or not well, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cannot: Vec<String>,
}

impl Machine {
    pub(super) fn here(sh: &Shell) -> Self {
        let lscpu = read(sh, "lscpu").unwrap_or_default();
        let cpuinfo = sh.read_file("/proc/cpuinfo").unwrap_or_default();
        let cores = thread::available_parallelism().map_or(1, Into::into);
        let hypervisor = hypervisor(sh, &lscpu);
        Self {
            cpu: cpu(sh, &lscpu, &cpuinfo).unwrap_or_else(|| "unknown".to_owned()),
            cores,
            arch: consts::ARCH.to_owned(),
            os: os(sh).unwrap_or_else(|| consts::OS.to_owned()),
            clock_source: line(sh, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            frequency: line(sh, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            counter: counter(consts::ARCH, consts::OS, &cpuinfo),
            cannot: cannot(consts::OS, cores, hypervisor.as_deref()),
            hypervisor,
        }
    }

    /// What it is, in a few lines.
    pub(super) fn introduction(&self) -> String {
        let facts = self.facts().into_iter().map(|fact| format!("  {fact}\n"));
        let cannot = self.cannot.iter().map(|what| format!("  not here: {what}\n"));
        format!("{}\n{}", self.name(), facts.chain(cannot).collect::<String>())
    }

    /// For people.
    pub(super) fn name(&self) -> String {
        format!("{}, {} core{}", self.cpu, self.cores, if self.cores == 1 { "" } else { "s" })
    }

    /// What is known of it beside the processor.
    pub(super) fn facts(&self) -> Vec<String> {
        let or = |known: &Option<String>, unknown: &str| known.clone().unwrap_or_else(|| unknown.to_owned());
        let hypervisor = self.hypervisor.as_ref().map(|hypervisor| format!("a virtual machine ({hypervisor})"));
        vec![
            self.arch.clone(),
            self.os.clone(),
            format!("clock source {}", or(&self.clock_source, "not told")),
            format!("our clock reads {}", or(&self.counter, "what is not told")),
            format!("frequency governor {}", or(&self.frequency, "not told")),
            or(&hypervisor, "no hypervisor seen"),
        ]
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

/// Names under which macOS tells.
const BRAND: &str = "machdep.cpu.brand_string";
const VIRTUAL: &str = "kern.hv_vmm_present";

/// As `name: value`; without the lines of names that this macOS does not know, for which it fails.
fn sysctl(sh: &Shell) -> String {
    cmd!(sh, "sysctl {BRAND} {VIRTUAL}").quiet().ignore_stderr().ignore_status().read().unwrap_or_default()
}

/// The model; numbered where the name tells little.
fn cpu(sh: &Shell, lscpu: &str, cpuinfo: &str) -> Option<String> {
    if consts::OS == "macos" {
        return field(&sysctl(sh), BRAND);
    }
    if let Some(known) = arm(cpuinfo) {
        return Some(known.to_owned());
    }
    let Some(name) = field(lscpu, "Model name") else {
        return sh.var("PROCESSOR_IDENTIFIER").ok(); // Windows
    };
    match (field(lscpu, "CPU family"), field(lscpu, "Model")) {
        (Some(family), Some(model)) => Some(format!("{name} (family {family}, model {model})")),
        _ => Some(name),
    }
}

/// Servers with a core of Arm's own, which Linux knows by the part number of the core only.
fn arm(cpuinfo: &str) -> Option<&'static str> {
    if field(cpuinfo, "CPU implementer")? != "0x41" {
        return None;
    }
    match field(cpuinfo, "CPU part")?.as_str() {
        "0xd0c" => Some("Neoverse N1 (as in Graviton2)"),
        "0xd40" => Some("Neoverse V1 (as in Graviton3)"),
        "0xd49" => Some("Neoverse N2"),
        "0xd4f" => Some("Neoverse V2 (as in Graviton4)"),
        _ => None,
    }
}

/// What core's clock, which is quanta's, takes: the same test of the processor as there. Elsewhere it is not told.
fn counter(arch: &str, os: &str, cpuinfo: &str) -> Option<String> {
    let steady = || {
        let flags = field(cpuinfo, "flags").unwrap_or_default();
        ["nonstop_tsc", "rdtscp"].iter().all(|flag| flags.split(' ').any(|it| it == *flag))
    };
    let counter = match (arch, os) {
        ("aarch64", _) => "CNTVCT_EL0",
        ("x86_64", "linux") if steady() => "the time-stamp counter",
        ("x86_64", "linux") => "Instant",
        _ => return None,
    };
    Some(counter.to_owned())
}

/// lscpu knows it on x86 only, and `systemd-detect-virt` is not everywhere.
fn hypervisor(sh: &Shell, lscpu: &str) -> Option<String> {
    if consts::OS == "macos" {
        return hypervisor_of_macos(&sysctl(sh));
    }
    let detected = || {
        let detect = cmd!(sh, "systemd-detect-virt --vm").quiet().ignore_stderr().ignore_status();
        detect.read().ok().filter(|name| !name.is_empty() && name != "none")
    };
    field(lscpu, "Hypervisor vendor").or_else(detected)
}

fn hypervisor_of_macos(sysctl: &str) -> Option<String> {
    (field(sysctl, VIRTUAL)? == "1").then(|| "of macOS".to_owned())
}

fn cannot(os: &str, cores: usize, hypervisor: Option<&str>) -> Vec<String> {
    let mut cannot = Vec::new();
    if os != "linux" {
        cannot.push(format!("instructions: valgrind, which counts them, does not run on {os}"));
        cannot
            .push("disturbed batches are not noticed: only Linux tells how long a thread had no processor".to_owned());
    }
    if cores < 8 {
        cannot.push(format!("contention of more than {cores} threads: there are no more cores"));
    }
    if let Some(hypervisor) = hypervisor {
        cannot.push(format!("nanoseconds of a quiet machine: others may run beside it ({hypervisor}); ratios hold"));
    }
    cannot
}

fn os(sh: &Shell) -> Option<String> {
    if consts::OS == "macos" {
        // The part before the first dot: each update is no other kind of machine.
        let version = cmd!(sh, "sw_vers -productVersion").quiet().read().ok()?;
        return Some(format!("macOS {}", version.split('.').next()?));
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
impl Machine {
    pub(super) fn unknown() -> Self {
        Self {
            cpu: String::new(),
            cores: 0,
            arch: "z80".to_owned(),
            os: "CP/M".to_owned(),
            clock_source: None,
            frequency: None,
            hypervisor: None,
            counter: None,
            cannot: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BRAND, Machine, arm, cannot, counter, field, hypervisor_of_macos};

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
            ..Machine::unknown()
        };
        assert_eq!(machine.slug(), "amd-epyc-family-25-model-17-2-cores-x8664-debian-gnu-linux-12-bookworm");
    }

    #[test]
    fn what_is_not_known_of_a_machine_is_said() {
        let said = Machine::unknown().introduction();
        for what in ["clock source not told", "frequency governor not told", "no hypervisor seen"] {
            assert!(said.contains(what), "{said}");
        }
    }

    #[test]
    fn a_graviton3_is_known_by_the_part_number_of_its_core() {
        let cpuinfo = |part: &str| format!("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: {part}\n");
        assert_eq!(arm(&cpuinfo("0xd40")), Some("Neoverse V1 (as in Graviton3)"));
        assert_eq!(arm(&cpuinfo("0xd4f")), Some("Neoverse V2 (as in Graviton4)"));
        assert_eq!(arm(&cpuinfo("0xd03")), None);
        assert_eq!(arm("flags\t: fpu"), None);
    }

    #[test]
    fn a_mac_tells_its_model_and_whether_it_is_virtual() {
        let hosted = "machdep.cpu.brand_string: Apple M1 (Virtual)\nkern.hv_vmm_present: 1";
        assert_eq!(field(hosted, BRAND).as_deref(), Some("Apple M1 (Virtual)"));
        assert_eq!(hypervisor_of_macos(hosted).as_deref(), Some("of macOS"));
        let own = "machdep.cpu.brand_string: Apple M1\nkern.hv_vmm_present: 0";
        assert_eq!((field(own, BRAND).as_deref(), hypervisor_of_macos(own)), (Some("Apple M1"), None));
        assert_eq!(hypervisor_of_macos("machdep.cpu.brand_string: Apple M1"), None);
    }

    #[test]
    fn our_clock_reads_a_counter_where_that_is_steady() {
        let steady = counter("x86_64", "linux", "flags : tsc rdtscp nonstop_tsc");
        assert_eq!(steady.as_deref(), Some("the time-stamp counter"));
        assert_eq!(counter("x86_64", "linux", "flags : tsc rdtscp").as_deref(), Some("Instant"));
        assert_eq!(counter("aarch64", "macos", "").as_deref(), Some("CNTVCT_EL0"));
        assert_eq!(counter("x86_64", "windows", ""), None);
    }

    #[test]
    fn a_machine_says_what_it_cannot() {
        assert!(cannot("linux", 8, None).is_empty());
        let said = cannot("macos", 2, Some("KVM")).join("\n");
        for what in ["valgrind", "disturbed", "more than 2 threads", "KVM"] {
            assert!(said.contains(what), "{said}");
        }
    }
}
