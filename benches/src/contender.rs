use std::fmt;

use serde::Serialize;

use crate::Batch;

/// Something that is called, under a name, in a scene.
pub struct Contender {
    /// Which crate and function, or which floor.
    pub name: &'static str,
    /// What is compared with what: contenders of one scene.
    pub scene: Scene,
    batch: Box<dyn Fn(u32) -> Batch>,
}

/// What happens to the call, and how many threads make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// What becomes of the call.
    pub way: Way,
    /// Threads that share what is called.
    pub threads: usize,
}

/// Which way a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// It gets what it asks for.
    Admitted,
    /// It is turned away.
    Rejected,
    /// It does no more than a step that no limiter can do without.
    Floor,
}

impl Contender {
    /// `call` makes one call, and says whether it went the scene's way.
    pub fn new(name: &'static str, scene: Scene, call: impl Fn() -> bool + Sync + 'static) -> Self {
        Self { name, scene, batch: Box::new(move |calls| Batch::run(scene.threads, calls, &call)) }
    }

    /// Makes at most so many calls on each thread.
    pub fn run(&self, calls: u32) -> Batch {
        (self.batch)(calls)
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.scene)
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "{:?}, {} thread{plural}", self.way, self.threads)
    }
}
