//! The command line, without a library: whoever uses the crate shall not build one for it.

use std::{ffi::OsString, path::PathBuf};

pub(crate) const HELP: &str = "\
Checks configuration files of the resilience policies before they are deployed.

Usage: resilience-config check FILE.. [--env] [--kind NAME].. [--format human|json]
       resilience-config print FILE.. [--env] [--kind NAME]..
       resilience-config schema

Commands:
  check   Tell all that is wrong with the files: each value, and what each default,
          named config and instance makes of them together
  print   Print what holds for each instance in the files, with where it came from
  schema  Print the JSON Schema of configuration files, for editors

Files are TOML, YAML or JSON, as their names say. A later one wins, key by key.
What code writes is not known here: `registry.check` takes it into account.

Options:
      --env            Read the variables RESILIENCE__.. too, after the files
      --kind NAME      A kind of failure that the service adds; as often as needed
      --format FORMAT  How `check` tells problems: `human`, one per line, or `json`,
                       an array [default: human]
  -h, --help           Print this help
  -V, --version        Print the version

Exit code: 0 if all is well, 1 if something is wrong with the files, 2 for bad usage.
";

#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Version,
    Schema,
    Check(Input),
    Print(Input),
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Input {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) environment: bool,
    pub(crate) kinds: Vec<String>,
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Format {
    #[default]
    Human,
    Json,
}

/// What is asked for, or why that cannot be told.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let options = arguments.iter().take_while(|it| *it != "--");
    for option in options {
        match option.to_str() {
            Some("-h" | "--help") => return Ok(Command::Help),
            Some("-V" | "--version") => return Ok(Command::Version),
            _ => {}
        }
    }
    let Some((command, rest)) = arguments.split_first() else {
        return Err("no command: `check`, `print` or `schema`".to_owned());
    };
    match command.to_str() {
        Some("check") => input(rest).map(Command::Check),
        Some("print") => input(rest).map(Command::Print),
        Some("schema") if rest.is_empty() => Ok(Command::Schema),
        Some("schema") => Err(format!("`schema` takes nothing, not {:?}", rest[0])),
        _ => Err(format!("no such command: {command:?}; `check`, `print` or `schema`")),
    }
}

fn input(arguments: &[OsString]) -> Result<Input, String> {
    let (mut input, mut options, mut rest) = (Input::default(), true, arguments.iter());
    while let Some(argument) = rest.next() {
        let text = argument.to_str().filter(|text| options && text.starts_with('-') && text.len() > 1);
        let Some(text) = text else {
            input.files.push(argument.into());
            continue;
        };
        let (name, attached) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let mut value = || {
            let next = || rest.next().and_then(|it| it.to_str());
            attached.or_else(next).ok_or_else(|| format!("{name} needs a value"))
        };
        match name {
            "--" if attached.is_none() => options = false,
            "--env" if attached.is_none() => input.environment = true,
            "--kind" => input.kinds.push(value()?.to_owned()),
            "--format" => {
                input.format = match value()? {
                    "human" => Format::Human,
                    "json" => Format::Json,
                    other => return Err(format!("--format {other}: allowed: human, json")),
                }
            }
            _ => return Err(format!("no such option: {text}")),
        }
    }
    if input.files.is_empty() && !input.environment {
        return Err("no file".to_owned());
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_stand_anywhere_and_values_may_be_attached() {
        let expected = Input {
            files: vec!["a.toml".into(), "b.yaml".into()],
            environment: true,
            kinds: vec!["busy".to_owned(), "late".to_owned()],
            format: Format::Json,
        };
        let line = "check --kind busy a.toml --format=json b.yaml --env --kind=late";
        assert_eq!(parsed(line), Ok(Command::Check(expected)));
    }

    #[test]
    fn after_two_dashes_all_are_files() {
        let files = vec!["--help".into(), "-".into()];
        assert_eq!(parsed("print -- --help -"), Ok(Command::Print(Input { files, ..Input::default() })));
    }

    #[test]
    fn the_environment_alone_can_be_checked() {
        assert!(parsed("check --env").is_ok());
    }

    #[test]
    fn bad_usage_is_told() {
        for (line, why) in [
            ("", "no command: `check`, `print` or `schema`"),
            ("chekc a.toml", "no such command: \"chekc\"; `check`, `print` or `schema`"),
            ("check", "no file"),
            ("check a.toml --fix", "no such option: --fix"),
            ("check a.toml --env=yes", "no such option: --env=yes"),
            ("check a.toml --format", "--format needs a value"),
            ("check a.toml --format xml", "--format xml: allowed: human, json"),
            ("schema a.toml", "`schema` takes nothing, not \"a.toml\""),
        ] {
            assert_eq!(parsed(line), Err(why.to_owned()));
        }
    }
}
