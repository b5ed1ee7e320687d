//! Both runs side by side, the promises, and who won.

use std::{fmt::Display, io, time::Duration};

use humantime::format_duration;

use super::{findings::Findings, options::Options};
use crate::screen::{Ink, Screen};

pub(crate) struct Summary {
    patience: Duration,
    without: Findings,
    with: Findings,
}

impl Summary {
    pub(crate) fn new(options: &Options, without: Findings, with: Findings) -> Self {
        Self { patience: options.patience, without, with }
    }

    /// Whether the policies kept their promises.
    pub(crate) fn is_good(&self) -> bool {
        self.promises().iter().all(|(kept, _)| *kept)
    }

    fn promises(&self) -> [(bool, String); 3] {
        let with = &self.with;
        [
            (with.total.errors == 0, "no customer saw an error".to_owned()),
            (
                with.worst_wait() <= self.patience,
                format!("no customer waited longer than {}", format_duration(self.patience)),
            ),
            (with.has_closed_again, "the breaker opened, and closed again".to_owned()),
        ]
    }

    pub(crate) fn show(&self, screen: &Screen) -> io::Result<()> {
        screen.line(format_args!("\n{}\n", screen.paint(Ink::Strong, "Summary")))?;
        let names = format!("  {:<44}{:>15}{:>15}", "", "1. plain", "2. stack");
        screen.line(screen.paint(Ink::Faint, names))?;
        self.customers(screen)?;
        self.service(screen)?;
        self.policies(screen)?;
        screen.line("\nPromises of the stack\n")?;
        for (kept, promise) in self.promises() {
            let verdict = if kept { screen.paint(Ink::Good, "kept  ") } else { screen.paint(Ink::Bad, "broken") };
            screen.line(format_args!("  {verdict}  {promise}"))?;
        }
        let ink = if self.is_good() { Ink::Good } else { Ink::Bad };
        screen.line(format_args!("\n{}", screen.paint(ink, self.conclusion())))
    }

    fn customers(&self, screen: &Screen) -> io::Result<()> {
        let (a, b) = (&self.without, &self.with);
        row(screen, "calls by customers", a.total.calls, b.total.calls)?;
        row(screen, "  told the price", a.total.fresh, b.total.fresh)?;
        row(screen, "  told that it is not sold (404)", a.total.not_sold, b.total.not_sold)?;
        row(screen, "  told yesterday's price", "-", b.total.yesterday)?;
        row(screen, "  shown an error", a.total.errors, b.total.errors)?;
        row(screen, "longest wait", time(a.worst_wait()), time(b.worst_wait()))?;
        row(screen, "99 of 100 waited at most", time(a.p99()), time(b.p99()))
    }

    fn service(&self, screen: &Screen) -> io::Result<()> {
        let (a, b) = (&self.without, &self.with);
        screen.line("")?;
        let back = |it: &Findings| it.back_after.map_or_else(|| "never".to_owned(), time);
        row(screen, "calls that reached the sick service", a.arrived_sick, b.arrived_sick)?;
        row(screen, "first answer after its recovery", back(a), back(b))
    }

    fn policies(&self, screen: &Screen) -> io::Result<()> {
        let it = &self.with.total;
        screen.line("")?;
        row(screen, "attempts made again by the retry", "-", it.retries)?;
        row(screen, "attempts cut off by the timeout", "-", it.cut_off)?;
        row(screen, "attempts rejected by the open breaker", "-", it.open)?;
        row(screen, "attempts rejected by the full bulkhead", "-", it.full)?;
        row(screen, "attempts rejected by the rate limiter", "-", it.limited)
    }

    fn conclusion(&self) -> String {
        let (without, with) = (&self.without, &self.with);
        let promises = self.promises();
        let broken = promises.iter().filter(|(kept, _)| !kept).count();
        let verdict = if broken == 0 {
            "The stack won".to_owned()
        } else {
            format!("The stack broke {broken} of {} promises", promises.len())
        };
        format!(
            "{verdict}: {} calls instead of {} ended in an error,\n\
             the longest wait was {} instead of {},\n\
             and {} calls instead of {} reached the sick service.",
            with.total.errors,
            without.total.errors,
            time(with.worst_wait()),
            time(without.worst_wait()),
            with.arrived_sick,
            without.arrived_sick,
        )
    }
}

fn row(screen: &Screen, what: &str, without: impl Display, with: impl Display) -> io::Result<()> {
    screen.line(format_args!("  {what:<44}{without:>15}{with:>15}"))
}

fn time(duration: Duration) -> String {
    let millis = duration.as_millis();
    if millis < 1_000 { format!("{millis} ms") } else { format!("{:.1} s", duration.as_secs_f64()) }
}
