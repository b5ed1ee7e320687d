//! Both runs side by side, and what follows from them.

use std::{fmt::Display, io};

use super::{options::Options, run::Findings};
use crate::screen::{Ink, Screen};

pub(crate) struct Summary {
    seconds: u16,
    quota: u64,
    most_per_window: u64,
    without: Findings,
    with: Findings,
}

impl Summary {
    pub(crate) fn new(options: &Options, without: Findings, with: Findings) -> Self {
        Self {
            seconds: options.seconds,
            quota: options.quota(),
            most_per_window: options.most_per_window(),
            without,
            with,
        }
    }

    /// Whether the server refused nothing while the limiter was on, and every call got an answer.
    pub(crate) fn is_good(&self) -> bool {
        self.with.calls.refused == 0 && self.failure().is_none()
    }

    pub(crate) fn show(&self, screen: &Screen) -> io::Result<()> {
        let (without, with) = (self.without.calls, self.with.calls);
        let row = |what: &str, without: &dyn Display, with: &dyn Display| {
            screen.line(format_args!("  {what:<38}{without:>17}{with:>17}"))
        };
        screen.line(format_args!(
            "\n{}\n",
            screen.paint(Ink::Strong, format_args!("Summary: calls in {} s", self.seconds))
        ))?;
        let names = format!("  {:<38}{:>17}{:>17}", "", "without limiter", "with limiter");
        screen.line(screen.paint(Ink::Faint, names))?;
        row("rejected in the client", &"-", &with.rejected)?;
        row("admitted: sent to the server", &without.admitted(), &with.admitted())?;
        row("  of these, waited for their permit", &"-", &with.waited)?;
        row("  of these, answered by the server", &without.answered, &with.answered)?;
        row("  of these, refused by the server (429)", &without.refused, &with.refused)?;
        let most = format!("most in one window (quota: {})", self.quota);
        row(&most, &self.without.busiest, &self.with.busiest)?;
        let ink = if self.is_good() { Ink::Good } else { Ink::Bad };
        screen.line(format_args!("\n{}", screen.paint(ink, self.conclusion())))
    }

    fn failure(&self) -> Option<&String> {
        self.without.failure.as_ref().or(self.with.failure.as_ref())
    }

    fn conclusion(&self) -> String {
        let (without, with) = (self.without.calls, self.with.calls);
        if let Some(failure) = self.failure() {
            let failed = without.failed + with.failed;
            return format!("{failed} calls got no answer, so this run shows nothing. The first one: {failure}");
        }
        if with.refused > 0 {
            let (refused, admitted, busiest) = (with.refused, with.admitted(), self.with.busiest);
            let why = if self.quota < self.most_per_window {
                format!("The quota must be at least {}.", self.most_per_window)
            } else {
                "More than twice the permits: calls were late by a period, as on a machine that stood still.".to_owned()
            };
            return format!(
                "With the limiter the server still refused {refused} of {admitted} calls: \
                 {busiest} came in one window.\n{why}"
            );
        }
        if without.refused == 0 {
            return "The server refused nothing in either run: the shoppers never asked for more than the quota.\n\
                    Try more --clients or fewer --permits."
                .to_owned();
        }
        format!(
            "With the limiter the server refused none of {} calls; without it, {} of {}.",
            with.admitted(),
            without.refused,
            without.admitted(),
        )
    }
}
