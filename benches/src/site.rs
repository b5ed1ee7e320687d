use std::{
    fmt,
    future::poll_fn,
    hint::black_box,
    mem,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use resilience::Error;

use crate::{Failure, Full};

/// A place in a program where a call is made through all five policies: one per `N`, each with a closure and a future that
/// no other has. `cargo xtask bench size` compares binaries with more and with fewer of them.
pub struct Site<'a>(Pin<Box<dyn Future<Output = Answer> + 'a>>);

type Answer = Result<usize, Error<Failure>>;

impl<'a> Site<'a> {
    /// What is called is not ready at once, so all of the driver is in use.
    pub fn of<const N: usize>(pipeline: &'a Full) -> Self {
        Self(Box::pin(pipeline.execute_async(inside::<N>)))
    }

    /// Makes the call.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn visit(mut self) {
        let mut task = Context::from_waker(Waker::noop());
        let answer = loop {
            if let Poll::Ready(answer) = self.0.as_mut().poll(&mut task) {
                break answer;
            }
        };
        assert!(answer.is_ok(), "{answer:?}");
    }
}

/// Keeps something of its own over a wait.
async fn inside<const N: usize>() -> Result<usize, Failure> {
    let kept = black_box([1_u8; N]);
    pending_once().await;
    let sum = kept.iter().map(|it| usize::from(*it)).sum();
    if sum == N { Ok(sum) } else { Err(Failure) }
}

async fn pending_once() {
    let mut polled = false;
    poll_fn(|_| if mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl fmt::Debug for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").finish_non_exhaustive()
    }
}
