//! Instructions and heap blocks of a call through all five policies, as `#[resilient]` writes it beside the same by hand.
//! The clock stands still, and what became of the call is checked after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::task::Poll;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience_benches::{
    AtOnce, ByHand, Guarded, Service, ServiceResilient, by_macro,
    iai::{blocks, leak, must_be_admitted, must_be_admitted_at_once, still_clock},
    poll_once,
};

fn wrapped() -> &'static ServiceResilient<AtOnce> {
    let service = leak(by_macro(&still_clock()));
    service.call().and(service.call_or()).expect("it is open");
    service
}

fn written() -> &'static ByHand {
    let service = leak(ByHand::new(&still_clock()));
    service.call().and(service.call_or()).expect("it is open");
    service
}

#[library_benchmark]
#[bench::thread(setup = wrapped, teardown = must_be_admitted)]
fn call(service: &ServiceResilient<AtOnce>) -> Guarded {
    service.call()
}

#[library_benchmark]
#[bench::thread(setup = written, teardown = must_be_admitted)]
fn hand_call(service: &ByHand) -> Guarded {
    service.call()
}

#[library_benchmark]
#[bench::fallback(setup = wrapped, teardown = must_be_admitted)]
fn call_or(service: &ServiceResilient<AtOnce>) -> Guarded {
    service.call_or()
}

#[library_benchmark]
#[bench::fallback(setup = written, teardown = must_be_admitted)]
fn hand_call_or(service: &ByHand) -> Guarded {
    service.call_or()
}

#[library_benchmark]
#[bench::future(setup = wrapped, teardown = must_be_admitted_at_once)]
fn call_async(service: &ServiceResilient<AtOnce>) -> Poll<Guarded> {
    poll_once(service.call_async())
}

#[library_benchmark]
#[bench::future(setup = written, teardown = must_be_admitted_at_once)]
fn hand_call_async(service: &ByHand) -> Poll<Guarded> {
    poll_once(service.call_async())
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = call, call_or, call_async
);

library_benchmark_group!(
    name = peers;
    config = blocks(0);
    benchmarks = hand_call, hand_call_or, hand_call_async
);

main!(library_benchmark_groups = ours, peers);
