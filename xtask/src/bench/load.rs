//! Threads that keep every processor busy.

use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// As long as it lives.
pub(super) struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    pub(super) fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let cores = thread::available_parallelism().map_or(1, Into::into);
        let spin = || {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                // Ordering: Relaxed; only a sign to stop.
                while !over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            })
        };
        Self { threads: (0..cores).map(|_| spin()).collect(), over }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // Ordering: Relaxed; only a sign to stop.
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
