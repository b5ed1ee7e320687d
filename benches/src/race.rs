use serde::Serialize;

use crate::{Batch, Contender, Scene, Spread};

/// How contenders are measured: all in turn, one short batch each, again and again. Whatever slows the machine down
/// for longer than a round slows them all down, and batches of one round are compared with one another.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// How often each contender has its turn.
    pub rounds: usize,
    /// Calls of one turn.
    pub calls: u32,
    /// Whom the others of its scene are compared with.
    pub reference: &'static str,
}

/// How a contender came out.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub name: &'static str,
    /// What happened to its calls.
    #[serde(flatten)]
    pub scene: Scene,
    /// Nanoseconds per call of a thread: median and quartiles.
    pub nanos: Spread,
    /// Its time as a multiple of the reference's in the same round: median and 95 % confidence interval.
    pub ratio: Option<Spread>,
    /// How evenly the threads got on: 1 is fair.
    pub fairness: f64,
    /// Rounds in which nothing disturbed it.
    pub rounds: usize,
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
    pub fn run(&self, contenders: &[Contender]) -> Vec<Standing> {
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
        let standings = contenders.iter().zip(&tracks);
        standings
            .filter_map(|(contender, track)| {
                let scene = contender.scene;
                let mut others = contenders.iter().zip(&tracks);
                let reference = others.find(|(it, _)| it.scene == scene && it.name == self.reference);
                track.standing(contender, reference.map(|(_, track)| track))
            })
            .collect()
    }
}

impl Track {
    fn add(&mut self, contender: &Contender, calls: u32) {
        let mut tries = (0..REPEATS).map(|_| contender.run(calls));
        self.0.push(tries.find(|batch| !batch.disturbed));
    }

    fn standing(&self, contender: &Contender, reference: Option<&Self>) -> Option<Standing> {
        let good: Vec<Batch> = self.0.iter().copied().flatten().collect();
        let each = |value: fn(&Batch) -> f64| -> Vec<f64> { good.iter().map(value).collect() };
        let ratios = |reference: &Self| -> Vec<f64> {
            let rounds = self.0.iter().zip(&reference.0);
            rounds.filter_map(|(own, other)| Some(own.as_ref()?.nanos / other.as_ref()?.nanos)).collect()
        };
        let ratios = reference.map(ratios).filter(|ratios| ratios.len() >= ENOUGH);
        (good.len() >= ENOUGH).then_some(())?;
        Some(Standing {
            name: contender.name,
            scene: contender.scene,
            nanos: Spread::quartiles(&each(|batch| batch.nanos))?,
            ratio: ratios.and_then(|ratios| Spread::confidence(&ratios)),
            fairness: Spread::quartiles(&each(|batch| batch.fairness))?.median,
            rounds: good.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Race;
    use crate::{Contender, Scene, Way};

    const SCENE: Scene = Scene { way: Way::Admitted, threads: 1 };

    fn busy(steps: u64) -> impl Fn() -> bool + Sync {
        move || (0..steps).fold(0, |sum: u64, step| std::hint::black_box(sum ^ step)) < u64::MAX
    }

    #[test]
    fn everybody_is_compared_with_the_reference_of_the_scene() {
        let contenders = [
            Contender::new("short", SCENE, busy(10)),
            Contender::new("long", SCENE, busy(1000)),
            Contender::new("elsewhere", Scene { way: Way::Rejected, ..SCENE }, busy(10)),
        ];
        let race = Race { rounds: 30, calls: 64, reference: "short" };
        let standings = race.run(&contenders);
        assert_eq!(standings.len(), 3);
        let ratios = standings.iter().map(|it| it.ratio.map(|ratio| ratio.median));
        let ratios: Vec<_> = ratios.collect();
        assert_eq!(ratios[0], Some(1.0));
        assert!(ratios[1].is_some_and(|ratio| ratio > 2.0), "{ratios:?}");
        assert_eq!(ratios[2], None);
    }
}
