//! Every schedule of a few threads on one timeout. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::time::Duration;

use loom::{sync::Arc, thread};
use resilience_core::ManualClock;
use resilience_timeout::{Config, Timeout, remaining};

const SECOND: Duration = Duration::from_secs(1);

fn timeout(clock: &ManualClock) -> Arc<Timeout> {
    Arc::new(Timeout::builder().timeout(SECOND).clock(clock).build().unwrap())
}

#[test]
fn a_call_beside_a_change_has_the_old_limit_or_the_new_one() {
    loom::model(|| {
        let timeout = timeout(&ManualClock::new());
        let call = {
            let timeout = Arc::clone(&timeout);
            thread::spawn(move || timeout.execute(|| Ok::<_, ()>(remaining())).unwrap())
        };
        timeout.reconfigure(Config { timeout: 2 * SECOND, enabled: true }).unwrap();
        assert_eq!(timeout.execute(|| Ok::<_, ()>(remaining())), Ok(Some(2 * SECOND)), "from the next call on");
        let left = call.join().unwrap();
        assert!(left == Some(SECOND) || left == Some(2 * SECOND), "{left:?}");
    });
}

#[test]
fn no_late_call_is_lost_from_the_counts() {
    loom::model(|| {
        let clock = ManualClock::new();
        let timeout = timeout(&clock);
        let late = |timeout: &Timeout, clock: &ManualClock| {
            let result = timeout.execute(|| {
                clock.advance(2 * SECOND);
                Ok::<_, ()>(())
            });
            assert!(result.is_err());
        };
        let other = {
            let (timeout, clock) = (Arc::clone(&timeout), clock.clone());
            thread::spawn(move || late(&timeout, &clock))
        };
        late(&timeout, &clock);
        let snapshot = timeout.snapshot();
        assert_eq!(snapshot.timed_out, snapshot.late);
        other.join().unwrap();
        assert_eq!((timeout.snapshot().timed_out, timeout.snapshot().late), (2, 2));
    });
}
