//! Retries: one call that succeeds at its first try.

use std::{future::ready, hint::black_box, task::Poll, time::Duration};

use backon::{BlockingRetryable, ExponentialBuilder, Retryable};
use layered::{Execute, Stack};
use resilience::Clock;
use resilience_benches::{Contender, Failure, Scene, Suite, answer, poll_once};
use seatbelt::{RecoveryInfo, ResilienceContext, retry::Retry};
use tower::Layer;
use tower_resilience::retry::RetryLayer;

use crate::service::{self, inside};

const BACKON: &str = "backon";

const SYNC: &str = "sync";
const ASYNC: &str = "async";

pub(crate) fn suite() -> Suite {
    let mut contenders = vec![resilience(Scene::alone(SYNC)), backon(Scene::alone(SYNC))];
    contenders.extend([resilience_async, backon_async, tower_resilience, seatbelt].map(|it| it(Scene::alone(ASYNC))));
    Suite { policy: "retry", references: &[BACKON], contenders }
}

fn ours() -> resilience::retry::Retry {
    resilience::retry::Retry::builder().clock(Clock::system()).build().expect("valid as it is")
}

fn resilience(scene: Scene) -> Contender {
    let retry = ours();
    Contender::new("resilience", scene, move || black_box(&retry.execute(answer)).is_ok())
}

fn resilience_async(scene: Scene) -> Contender {
    let retry = ours();
    Contender::new("resilience", scene, move || {
        let call = retry.execute_async(|| ready(answer()));
        matches!(black_box(&poll_once(call)), Poll::Ready(Ok(_)))
    })
}

fn backon(scene: Scene) -> Contender {
    Contender::new(BACKON, scene, || {
        let call = answer.retry(ExponentialBuilder::default().with_jitter()).call();
        black_box(&call).is_ok()
    })
}

fn backon_async(scene: Scene) -> Contender {
    Contender::new(BACKON, scene, || {
        let call = (|| ready(answer())).retry(ExponentialBuilder::default().with_jitter());
        matches!(black_box(&poll_once(call.into_future())), Poll::Ready(Ok(_)))
    })
}

fn tower_resilience(scene: Scene) -> Contender {
    let builder = RetryLayer::<u8, u8, Failure>::builder();
    let layer = builder.max_attempts(3).exponential_backoff(Duration::from_millis(100)).build();
    service::tower("tower-resilience", scene, layer.layer(inside()))
}

fn seatbelt(scene: Scene) -> Contender {
    service::seatbelt("seatbelt", scene, |clock| {
        let context = ResilienceContext::new(clock);
        let retry = Retry::layer("retry", &context).clone_input().recovery_with(|result: &Result<u8, Failure>, _| {
            if result.is_ok() { RecoveryInfo::never() } else { RecoveryInfo::retry() }
        });
        (retry, Execute::new(|_: u8| ready(answer()))).into_service()
    })
}
