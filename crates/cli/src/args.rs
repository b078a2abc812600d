//! The command line as typed.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::commands::Command;
use crate::failure::{Failure, Outcome};
use crate::tui;

/// Play 2048, watch players play it, and measure them.
#[derive(Debug, Parser)]
#[command(name = "lab2048", version, about, max_term_width = 100)]
#[command(
    after_help = "In a terminal, lab2048 without arguments opens the menu.\n\nExamples:\n  lab2048\n  lab2048 play\n  lab2048 watch greedy --seed 7\n  lab2048 arena random greedy --games 1000"
)]
struct Cli {
    /// Work line by line even in a terminal, for screen readers and scripts
    #[arg(long, global = true)]
    plain: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Parses the command line. Prints help and version itself. An error becomes a single sentence.
pub(crate) fn parse() -> Outcome<Option<Command>> {
    let parsed = Cli::try_parse();
    if parsed.as_ref().is_ok_and(|cli| cli.plain) {
        tui::prefer_lines();
    }
    match parsed {
        Ok(Cli { command: Some(command), .. }) => Ok(Some(command)),
        Ok(Cli { command: None, plain }) if plain || tui::is_terminal() => Ok(Some(Command::Menu)),
        Ok(Cli { command: None, .. }) => {
            crate::out::print(&Cli::command().render_help().to_string())?;
            Ok(None)
        }
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            crate::out::print(&error.render().to_string())?;
            Ok(None)
        }
        Err(error) => Err(Failure::BadInput(one_sentence(&error.render().to_string()))),
    }
}

/// Parses the words of a command, without the name of the program.
pub(crate) fn command(words: &[String]) -> Outcome<Command> {
    let line = std::iter::once("lab2048").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(line) {
        Ok(Cli { command: Some(command), .. }) => Ok(command),
        Ok(_) => Err(Failure::BadInput("a command is needed".to_owned())),
        Err(error) => Err(Failure::BadInput(one_sentence(&error.render().to_string()))),
    }
}

/// The reason and the tip of clap's message, without the usage text. The tip to put the value after
/// `--` is dropped: it does not help if the option needs a number.
fn one_sentence(message: &str) -> String {
    let kept =
        message.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let kept = kept.filter(|line| !line.contains("as a value, use '--"));
    let words: Vec<&str> = kept.map(str::trim).filter(|line| !line.is_empty()).collect();
    let sentence = words.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    format!("{sentence} (see --help)")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All commands with the words that select them.
    fn commands(words: &[String], command: &clap::Command) -> Vec<(Vec<String>, clap::Command)> {
        let mut all = vec![(words.to_vec(), command.clone())];
        for inner in command.get_subcommands() {
            let words: Vec<String> = words.iter().cloned().chain([inner.get_name().to_owned()]).collect();
            all.extend(commands(&words, inner));
        }
        all
    }

    /// Whether an option accepts this value, even if other arguments are missing.
    fn takes(words: &[String], option: &str, value: &str) -> bool {
        let option = format!("--{option}={value}");
        let line = words.iter().map(String::as_str).chain([option.as_str()]);
        let error = Cli::command().try_get_matches_from(line).err();
        !error
            .is_some_and(|error| matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue))
    }

    #[test]
    fn every_count_can_be_written_in_the_same_ways() {
        // Options with a maximum below 1000 must accept 4 instead.
        let thousand = ["1000", "1_000", "1,000", "1e3"];
        let four = ["4", "0_004", "0,004", "0.4e1"];
        let mut counts = 0;
        for (words, command) in commands(&["lab2048".to_owned()], &Cli::command()) {
            for argument in command.get_arguments() {
                let name = argument.get_value_names().and_then(|names| names.first());
                let is_count =
                    name.is_some_and(|name| matches!(name.as_str(), "N" | "K" | "D" | "MIB" | "MOVES"));
                let Some(option) = argument.get_long().filter(|_| is_count) else { continue };
                let all = |values: [&str; 4]| values.iter().all(|value| takes(&words, option, value));
                assert!(all(thousand) || all(four), "{words:?} --{option}");
                counts += 1;
            }
        }
        assert!(counts > 40, "{counts}");
    }
}
