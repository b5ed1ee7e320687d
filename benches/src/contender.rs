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
    /// What becomes of the call: `admitted`, `rejected`; or [`Scene::FLOOR`].
    pub case: &'static str,
    /// Threads that share what is called.
    pub threads: usize,
}

/// The contenders of one policy, who are measured in one race.
#[derive(Debug)]
pub struct Suite {
    /// `ratelimiter`, as its suite of instructions is named.
    pub policy: &'static str,
    /// Whom everybody is compared with: by name, in the same scene, or among the floors of as many threads.
    pub references: &'static [&'static str],
    /// Who takes part.
    pub contenders: Vec<Contender>,
}

impl Contender {
    /// `call` makes one call, and says whether it went the scene's way.
    pub fn new(name: &'static str, scene: Scene, call: impl Fn() -> bool + Sync + 'static) -> Self {
        Self { name, scene, batch: Box::new(move |calls| Batch::run(scene.threads, calls, &|| &call)) }
    }

    /// As `new`; each thread makes itself what it calls, before it is timed.
    pub fn each<C>(name: &'static str, scene: Scene, make: impl Fn() -> C + Sync + 'static) -> Self
    where
        C: FnMut() -> bool,
    {
        Self { name, scene, batch: Box::new(move |calls| Batch::run(scene.threads, calls, &make)) }
    }

    /// Makes at most so many calls on each thread.
    pub fn run(&self, calls: u32) -> Batch {
        (self.batch)(calls)
    }
}

impl Scene {
    /// The case of a call that does no more than steps that nobody can do without.
    pub const FLOOR: &'static str = "floor";

    /// A scene of one thread.
    pub const fn alone(case: &'static str) -> Self {
        Self { case, threads: 1 }
    }

    /// A scene of two threads that share what is called.
    pub const fn shared(case: &'static str) -> Self {
        Self { case, threads: 2 }
    }

    /// Whether a contender of `self` is compared with one of `other`.
    pub(crate) fn meets(self, other: Self) -> bool {
        self == other || other == Self { case: Self::FLOOR, ..self }
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
        write!(f, "{}, {} thread{plural}", self.case, self.threads)
    }
}
