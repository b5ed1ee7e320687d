//! The table of one run, a row for each second.

use std::{fmt::Display, io};

use super::tally::Calls;
use crate::screen::{Ink, Screen};

pub(crate) struct Table<'a> {
    screen: &'a Screen,
    limited: bool,
}

impl<'a> Table<'a> {
    pub(crate) fn begin(screen: &'a Screen, limited: bool) -> io::Result<Self> {
        let heading = if limited {
            "2. With the limiter (enabled = true): calls in each second"
        } else {
            "1. Without the limiter (enabled = false): calls in each second"
        };
        screen.line(format_args!("\n{}\n", screen.paint(Ink::Strong, heading)))?;
        let groups = format!("{:>8}   {:-^44}   {:-^21}", "", " client ", " server ");
        screen.line(screen.paint(Ink::Faint, groups))?;
        let names = format!(
            "{:>8}{:>11}{:>9}{:>11}{:>16}{:>12}{:>12}",
            "time", "admitted", "waited", "rejected", "permits left", "answered", "refused"
        );
        screen.line(screen.paint(Ink::Faint, names))?;
        Ok(Self { screen, limited })
    }

    /// The second of this number, from 1, is over.
    pub(crate) fn row(&self, second: u16, calls: Calls, permits: u32) -> io::Result<()> {
        let rejected = if calls.rejected > 0 { Ink::Warning } else { Ink::Plain };
        let refused = if calls.refused > 0 { Ink::Bad } else { Ink::Good };
        self.screen.line(format_args!(
            "{:>6} s{}{}{}{}{}{}",
            second,
            self.screen.cell(11, Ink::Plain, calls.admitted()),
            self.limiter_cell(9, Ink::Plain, calls.waited),
            self.limiter_cell(11, rejected, calls.rejected),
            self.limiter_cell(16, Ink::Plain, permits),
            self.screen.cell(12, Ink::Plain, calls.answered),
            self.screen.cell(12, refused, calls.refused),
        ))
    }

    /// Where there is no limiter, there is nothing to show of it.
    fn limiter_cell(&self, width: usize, ink: Ink, value: impl Display) -> String {
        if self.limited { self.screen.cell(width, ink, value) } else { self.screen.cell(width, Ink::Faint, "-") }
    }
}
