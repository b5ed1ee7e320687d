//! The example `opentelemetry`: what arrives at a collector.

use std::{
    env::{self, consts::EXE_SUFFIX},
    process::Command,
};

#[test]
fn spans_and_numbers_arrive_at_a_collector() {
    let me = env::current_exe().expect("a test knows where it is");
    let profile = me.ancestors().nth(2).expect("tests are in a folder of their profile");
    let mut command = Command::new(profile.join("examples").join(format!("opentelemetry{EXE_SUFFIX}")));
    let output = command.env("no_proxy", "127.0.0.1").output().expect("`cargo test` builds the example");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    for line in [
        "resilience.call search: success 4",
        "resilience.call search: failure 4",
        "resilience.call search: rejected 2",
        "resilience_calls_total instance=search kind=circuit_breaker outcome=success: 4",
        "resilience_calls_total instance=search kind=circuit_breaker outcome=failure: 4",
        "resilience_calls_total instance=search kind=circuit_breaker outcome=rejected: 2",
        "resilience_rejections_total code=R4C-RT-002 instance=search kind=circuit_breaker: 2",
        "resilience_circuit_breaker_state instance=search: 2",
        "resilience_circuit_breaker_failure_rate instance=search: 0.5",
        "resilience_circuit_breaker_transitions_total from=closed instance=search to=open: 1",
    ] {
        assert!(lines.contains(&line), "no `{line}` in\n{text}");
    }
}
