//! How services of tower and of seatbelt are called: once, and the answer is there at the first poll.

use std::{
    future::{Ready, ready},
    hint::black_box,
    sync::LazyLock,
    task::{Context, Poll, Waker},
};

use layered::Service as Layered;
use resilience_benches::{Contender, Failure, Scene, answer, poll_once};
use tokio::runtime::{Builder, Runtime};
use tower::{Service, service_fn};

/// What is inside.
pub(crate) type Inside = tower::util::ServiceFn<fn(u8) -> Ready<Result<u8, Failure>>>;

/// Timers are registered here and never come.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime without workers"));

pub(crate) fn inside() -> Inside {
    service_fn(|_| ready(answer()))
}

/// Each thread calls a clone of its own, as tower's services are shared.
pub(crate) fn tower<S>(name: &'static str, scene: Scene, service: S) -> Contender
where
    S: Service<u8, Response = u8> + Clone + Sync + 'static,
{
    Contender::each(name, scene, move || {
        let (mut service, runtime) = (service.clone(), RUNTIME.enter());
        move || {
            let _ = &runtime;
            is_answered(&mut service)
        }
    })
}

fn is_answered<S: Service<u8, Response = u8>>(service: &mut S) -> bool {
    let ready = service.poll_ready(&mut Context::from_waker(Waker::noop()));
    matches!(ready, Poll::Ready(Ok(()))) && matches!(black_box(&poll_once(service.call(7))), Poll::Ready(Ok(7)))
}

pub(crate) fn seatbelt<S>(name: &'static str, scene: Scene, make: impl Fn(&tick::Clock) -> S) -> Contender
where
    S: Layered<u8, Out = Result<u8, Failure>> + 'static,
{
    let runtime = RUNTIME.enter();
    let service = make(&tick::Clock::new_tokio());
    drop(runtime);
    Contender::new(name, scene, move || *black_box(&poll_once(service.execute(7))) == Poll::Ready(Ok(7)))
}
