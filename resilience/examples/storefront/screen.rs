//! Lines of text on the standard output: coloured on a terminal, plain in a file.

use std::{
    env,
    fmt::Display,
    io::{self, IsTerminal, Stdout, Write},
};

#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

pub(crate) struct Screen {
    out: Stdout,
    coloured: bool,
}

impl Screen {
    /// Colours are for people, unless they said that they do not want them.
    pub(crate) fn new() -> Self {
        let declined = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let out = io::stdout();
        let coloured = out.is_terminal() && !declined;
        Self { out, coloured }
    }

    /// Lines are only ever added, so a log file reads like the terminal did.
    pub(crate) fn line(&self, text: impl Display) -> io::Result<()> {
        writeln!(&self.out, "{text}")
    }

    pub(crate) fn paint(&self, ink: Ink, text: impl Display) -> String {
        let code = match ink {
            Ink::Plain => return text.to_string(),
            Ink::Strong => 1,
            Ink::Faint => 2,
            Ink::Good => 32,
            Ink::Warning => 33,
            Ink::Bad => 31,
        };
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// The value at the right of so many columns.
    pub(crate) fn cell(&self, width: usize, ink: Ink, value: impl Display) -> String {
        self.paint(ink, format_args!("{value:>width$}"))
    }
}
