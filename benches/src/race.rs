use serde::Serialize;

use crate::{Batch, Contender, Scene, Spread, Suite};

/// How contenders are measured: all of a suite in turn, one short batch each, again and again. Whatever slows the machine
/// down for longer than a round slows them all down, and batches of one round are compared with one another.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// How often each contender has its turn.
    pub rounds: usize,
    /// Calls of one turn.
    pub calls: u32,
}

/// How a contender came out.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Of which suite it is.
    pub policy: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What happened to its calls.
    #[serde(flatten)]
    pub scene: Scene,
    /// Nanoseconds per call of a thread: median and quartiles.
    pub nanos: Spread,
    /// Beside the references of its suite.
    pub ratios: Vec<Ratio>,
    /// How evenly the threads got on: 1 is fair.
    pub fairness: f64,
    /// Rounds in which nothing disturbed it.
    pub rounds: usize,
}

/// A time as a multiple of a reference's in the same round: median and 95 % confidence interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ratio {
    /// The reference.
    pub to: &'static str,
    /// How many times its time.
    pub times: Spread,
}

/// How often a disturbed batch is repeated before its round goes without.
const REPEATS: usize = 20;

/// Of fewer rounds nothing is said.
const ENOUGH: usize = 15;

/// The batches of one contender, by round.
#[derive(Default)]
struct Track(Vec<Option<Batch>>);

impl Race {
    /// Measures them all. Who was disturbed in nearly all rounds is left out.
    pub fn run(&self, suite: &Suite) -> Vec<Standing> {
        let contenders = &suite.contenders;
        let mut tracks: Vec<Track> = contenders.iter().map(|_| Track::default()).collect();
        for contender in contenders {
            contender.run(self.calls); // warms up
        }
        for round in 0..self.rounds {
            for turn in 0..contenders.len() {
                // Nobody always follows the same one.
                let at = (turn + round) % contenders.len();
                tracks[at].add(&contenders[at], self.calls);
            }
        }
        let all: Vec<_> = contenders.iter().zip(&tracks).collect();
        let standing = |(contender, track): &(&Contender, &Track)| {
            let find = |name: &str| all.iter().find(|(it, _)| it.name == name && contender.scene.meets(it.scene));
            let ratio = |to: &&'static str| Some(Ratio { to, times: track.times(find(to)?.1)? });
            track.standing(suite.policy, contender, suite.references.iter().filter_map(ratio).collect())
        };
        all.iter().filter_map(standing).collect()
    }
}

impl Track {
    fn add(&mut self, contender: &Contender, calls: u32) {
        let mut tries = (0..REPEATS).map(|_| contender.run(calls));
        self.0.push(tries.find(|batch| !batch.disturbed));
    }

    /// How many times the other's time, over the rounds in which nothing disturbed either.
    fn times(&self, other: &Self) -> Option<Spread> {
        let rounds = self.0.iter().zip(&other.0);
        let times = rounds.filter_map(|(own, other)| Some(own.as_ref()?.nanos / other.as_ref()?.nanos));
        let times: Vec<f64> = times.collect();
        (times.len() >= ENOUGH).then(|| Spread::confidence(&times))?
    }

    fn standing(&self, policy: &'static str, contender: &Contender, ratios: Vec<Ratio>) -> Option<Standing> {
        let good: Vec<Batch> = self.0.iter().copied().flatten().collect();
        let each = |value: fn(&Batch) -> f64| -> Vec<f64> { good.iter().map(value).collect() };
        (good.len() >= ENOUGH).then_some(())?;
        Some(Standing {
            policy,
            name: contender.name,
            scene: contender.scene,
            nanos: Spread::quartiles(&each(|batch| batch.nanos))?,
            ratios,
            fairness: Spread::quartiles(&each(|batch| batch.fairness))?.median,
            rounds: good.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Race;
    use crate::{Contender, Scene, Suite};

    fn busy(steps: u64) -> impl Fn() -> bool + Sync {
        move || (0..steps).fold(0, |sum: u64, step| std::hint::black_box(sum ^ step)) < u64::MAX
    }

    #[test]
    fn everybody_is_compared_with_the_references_of_the_scene_and_with_the_floors() {
        let (scene, other) = (Scene::alone("admitted"), Scene::alone("rejected"));
        let contenders = vec![
            Contender::new("short", scene, busy(10)),
            Contender::new("long", scene, busy(1000)),
            Contender::new("elsewhere", other, busy(10)),
            Contender::new("step", Scene::alone(Scene::FLOOR), busy(10)),
            Contender::new("step", Scene::shared(Scene::FLOOR), busy(100_000)),
        ];
        let suite = Suite { policy: "retry", references: &["short", "step"], contenders };
        let standings = Race { rounds: 30, calls: 64 }.run(&suite);
        let find = |name: &str| standings.iter().find(|it| it.name == name).unwrap();
        let to = |name: &str| find(name).ratios.iter().map(|ratio| ratio.to).collect::<Vec<_>>();
        assert_eq!((to("short"), to("long")), (vec!["short", "step"], vec!["short", "step"]));
        assert_eq!((to("elsewhere"), to("step")), (vec!["step"], vec!["step"]));
        let times = |name: &str| find(name).ratios[0].times.median;
        assert!((times("short") - 1.0).abs() < 1e-9);
        assert!(times("long") > 2.0, "{}", times("long"));
    }
}
