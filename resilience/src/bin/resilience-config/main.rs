//! Checks configuration files before they are deployed: `resilience-config --help`.

mod arguments;
mod json;

use std::{
    env,
    fmt::Write as _,
    io::{self, Write},
    process::ExitCode,
};

use resilience::{
    Kind, Problem,
    breaker::CircuitBreaker,
    bulkhead::Bulkhead,
    config::{Preview, Sources},
    keys,
    ratelimiter::RateLimiter,
    retry::Retry,
    timeout::Timeout,
};

use arguments::{Command, Format, HELP, Input};

const FINE: u8 = 0;
const PROBLEMS: u8 = 1;
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let command = match arguments::parse(env::args_os().skip(1)).and_then(add_kinds) {
        Ok(command) => command,
        Err(why) => {
            eprintln!("error: {why}\n\nFor what there is, see resilience-config --help");
            return BAD_USAGE.into();
        }
    };
    let (code, text) = match command {
        Command::Help => (FINE, HELP.to_owned()),
        Command::Version => (FINE, format!("resilience-config {}\n", env!("CARGO_PKG_VERSION"))),
        Command::Schema => (FINE, keys::schema()),
        Command::Check(input) => match preview().check(&sources(&input)) {
            Ok(checked) => {
                checked.warnings.iter().for_each(|it| eprintln!("warning: {it}"));
                (FINE, report(input.format, &[]))
            }
            Err(error) => (PROBLEMS, report(input.format, error.problems())),
        },
        Command::Print(input) => match preview().config(&sources(&input)) {
            Ok(config) => (FINE, config.to_toml()),
            Err(error) => {
                eprint!("{}", report(input.format, error.problems()));
                (PROBLEMS, String::new())
            }
        },
    };
    // Whoever closed the pipe has seen enough.
    let told = io::stdout().write_all(text.as_bytes());
    if told.is_ok() { code.into() } else { ExitCode::FAILURE }
}

fn preview() -> Preview {
    let preview = Preview::new().policy::<RateLimiter>().policy::<CircuitBreaker>();
    preview.policy::<Retry>().policy::<Timeout>().policy::<Bulkhead>()
}

fn sources(input: &Input) -> Sources {
    let files = input.files.iter().fold(Sources::new(), Sources::file);
    if input.environment { files.environment() } else { files }
}

/// The problems, one line each.
fn report(format: Format, problems: &[Problem]) -> String {
    match format {
        Format::Json => json::array(problems),
        Format::Human if problems.is_empty() => "no problems\n".to_owned(),
        Format::Human => problems.iter().fold(String::new(), |mut text, problem| {
            _ = writeln!(text, "{problem}");
            text
        }),
    }
}

/// The kinds of failure that the service adds to the built-in ones.
fn add_kinds(command: Command) -> Result<Command, String> {
    if let Command::Check(input) | Command::Print(input) = &command {
        for name in &input.kinds {
            let why = |problem: &Problem| format!("--kind {name}: allowed: {}", problem.allowed);
            Kind::new(name).map_err(|error| error.problems().iter().map(why).collect::<String>())?;
        }
    }
    Ok(command)
}
