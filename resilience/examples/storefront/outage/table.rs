//! The table of one run: a row for each second, and a line for each change of the breaker.

use std::{fmt::Display, io, time::Duration};

use resilience::breaker::State;

use super::{
    findings::percentile,
    journal::Journal,
    options::Options,
    policies::Shop,
    script::{Health, Script},
    second::Second,
    watch::Look,
};
use crate::screen::{Ink, Screen};

pub(crate) struct Table<'a> {
    screen: &'a Screen,
    script: Script,
    patience: Duration,
    /// How many changes of the breaker were shown.
    shown: usize,
}

impl<'a> Table<'a> {
    pub(crate) fn begin(screen: &'a Screen, shop: &Shop, script: Script, options: &Options) -> io::Result<Self> {
        let heading = match shop {
            Shop::Plain => "1. Plain: without policies",
            Shop::Guarded(_) => "2. Stack: with all policies",
        };
        screen.line(format_args!("\n{}\n", screen.paint(Ink::Strong, heading)))?;
        let groups = format!("{:11} {:-^22} {:-^10} {:-^29}", "", " customers ", " wait, ms ", " policies ");
        screen.line(screen.paint(Ink::Faint, groups))?;
        let left = format!(
            "{:>3} {:<7}{:>6}{:>5}{:>6}{:>6}{:>5}{:>6}",
            "sec", "service", "calls", "ok", "stale", "error", "mid", "max"
        );
        let right = format!("{:>10}{:>6}{:>4}{:>5}{:>5}{:>5}", "breaker", "retry", "cut", "busy", "full", "sent");
        screen.line(screen.paint(Ink::Faint, left + &right))?;
        Ok(Self { screen, script, patience: options.patience, shown: 0 })
    }

    /// What the breaker did since the last time, but for letting probes in: what becomes of them says enough.
    pub(crate) fn changes(&mut self, journal: &Journal) -> io::Result<()> {
        for (at, transition) in journal.transitions(self.shown) {
            self.shown += 1;
            if transition.to != State::HalfOpen {
                let at = at.since(self.script.start()).as_secs_f64();
                let line = format!("{at:>6.1} s  {transition}");
                let again = [transition.from, transition.to] == [State::HalfOpen, State::Open];
                self.screen.line(self.screen.paint(if again { Ink::Faint } else { ink(transition.to) }, line))?;
            }
        }
        Ok(())
    }

    /// The second of this number, from 0, is over.
    pub(crate) fn row(&self, number: u16, journal: &Journal, look: Look) -> io::Result<()> {
        let mut second = journal.get(number);
        second.waits.sort_unstable();
        let waiting = journal.still_waiting(journal.second(number + 1));
        let longest = waiting.iter().chain(&second.waits).max().copied();
        let health = self.script.health(journal.second(number));

        let paint = |width, ink, value: &dyn Display| self.screen.cell(width, ink, value);
        let count = |width, ink, value: u64| paint(width, if value > 0 { ink } else { Ink::Plain }, &value);
        let millis = |width, ink, value: Option<Duration>| match value {
            Some(wait) => paint(width, ink, &wait.as_millis()),
            None => paint(width, Ink::Faint, &"-"),
        };
        let late = if longest > Some(self.patience) { Ink::Bad } else { Ink::Plain };
        let well = if health == Health::Healthy { Ink::Good } else { Ink::Warning };
        self.screen.line(format_args!(
            "{:>3} {}{}{}{}{}{}{}{}{}",
            number + 1,
            self.screen.paint(well, format_args!("{health:<7}")),
            count(6, Ink::Plain, second.calls),
            count(5, Ink::Plain, second.ok()),
            count(6, Ink::Warning, second.yesterday),
            count(6, Ink::Bad, second.errors),
            millis(5, Ink::Plain, percentile(&second.waits, 50)),
            millis(6, late, longest),
            self.policies(&second, look),
            count(5, Ink::Plain, second.arrived),
        ))
    }

    fn policies(&self, second: &Second, look: Look) -> String {
        let Look { breaker: Some(state), slots_in_use: Some(slots) } = look else {
            return [10, 6, 4, 5, 5].map(|width| self.screen.cell(width, Ink::Faint, "-")).concat();
        };
        let cell = |width, value: u64| self.screen.cell(width, Ink::Plain, value);
        [
            self.screen.cell(10, ink(state), state),
            cell(6, second.retries),
            cell(4, second.cut_off),
            cell(5, slots.into()),
            cell(5, second.full),
        ]
        .concat()
    }
}

fn ink(state: State) -> Ink {
    match state {
        State::Closed => Ink::Good,
        State::Open => Ink::Bad,
        _ => Ink::Warning,
    }
}
