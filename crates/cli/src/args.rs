//! The command line as typed.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::commands::Command;
use crate::failure::{Failure, Outcome};
use crate::{help, tui, version};

/// Play 2048, watch players play it, and measure them.
#[derive(Debug, Parser)]
#[command(name = "lab2048", version, long_version = version::LONG, about, max_term_width = 100)]
#[command(
    after_help = "Examples (lab2048 alone opens the menu; lab2048 help COMMAND has more):\n  lab2048 arena random greedy --games 1000"
)]
pub(crate) struct Cli {
    /// Work line by line even in a terminal, for screen readers and scripts
    #[arg(long, global = true)]
    plain: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Parses the command line. Prints help and version itself. An error becomes a single sentence.
pub(crate) fn parse() -> Outcome<Option<Command>> {
    let arguments = arguments();
    let parsed = Cli::try_parse_from([OsString::from("lab2048")].iter().chain(&arguments));
    if parsed.as_ref().is_ok_and(|cli| cli.plain) {
        tui::prefer_lines();
    }
    let page = match parsed {
        Ok(Cli { command: Some(command), .. }) => return Ok(Some(command)),
        Ok(Cli { command: None, plain }) if plain || tui::is_terminal() => return Ok(Some(Command::Menu)),
        Ok(Cli { command: None, .. }) => help::overview(Cli::command()),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => help::page(Cli::command(), &arguments),
            ErrorKind::DisplayVersion if error.to_string().contains(version::LONG) => version::long(),
            ErrorKind::DisplayVersion => version::SHORT.to_owned(),
            _ => return Err(Failure::BadInput(one_sentence(&error.render().to_string()))),
        },
    };
    crate::out::print(&page)?;
    Ok(None)
}

/// What was typed after the name of the program. `help --help` means `help`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "help") {
        arguments.retain(|argument| argument != "-h" && argument != "--help");
    }
    arguments
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
    let words: Vec<String> = kept.map(|line| question(line.trim())).filter(|line| !line.is_empty()).collect();
    let sentence = words.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    format!("{} (see --help)", sentence.replace(" ;", ";").replace(" found; did you", "; did you"))
}

/// A line of clap's message. `tip: a similar argument exists: '--seed'` becomes a question.
fn question(line: &str) -> String {
    let Some((tip, names)) = line.strip_prefix("tip: ").and_then(|tip| tip.split_once(": ")) else {
        return line.to_owned();
    };
    if !(tip.ends_with("exists") || tip.ends_with("exist")) {
        return line.to_owned();
    }
    // clap also names hidden commands.
    let program = Cli::command();
    let is_shown = |name: &&str| {
        let command = program.find_subcommand(name.trim_matches('\''));
        command.is_none_or(|command| !command.is_hide_set())
    };
    let mut names: Vec<&str> = names.split(", ").filter(is_shown).collect();
    // The most similar name is the last one.
    names.reverse();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
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
    fn a_tip_becomes_a_question() {
        for (line, sentence) in [
            ("benhc", "unrecognized subcommand 'benhc'; did you mean 'bench'? (see --help)"),
            ("fence", "unrecognized subcommand 'fence'; did you mean 'bench'? (see --help)"),
            ("areena", "unrecognized subcommand 'areena'; did you mean 'arena' or 'tree'? (see --help)"),
            ("watch --sed 1", "unexpected argument '--sed'; did you mean '--seed'? (see --help)"),
            ("watch --zzz", "unexpected argument '--zzz' found (see --help)"),
            ("watch --seed", "a value is required for '--seed <N>' but none was supplied (see --help)"),
            (
                "arena random --format jsn",
                "invalid value 'jsn' for '--format <FORMAT>' [possible values: table, markdown, csv, json]; \
                 did you mean 'json'? (see --help)",
            ),
        ] {
            let words = std::iter::once("lab2048").chain(line.split(' '));
            let error = Cli::try_parse_from(words).unwrap_err();
            assert_eq!(one_sentence(&error.render().to_string()), sentence);
        }
    }

    /// The words of a line for a shell, up to a pipe or a file for the output.
    fn words_of(line: &str) -> Vec<String> {
        let (mut words, mut quote, mut has_word) = (vec![String::new()], None, false);
        for letter in line.chars() {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (None, '"' | '\'') => (quote, has_word) = (Some(letter), true),
                (None, '|' | '>' | '<') => break,
                (None, ' ') if has_word => {
                    words.push(String::new());
                    has_word = false;
                }
                (None, ' ') => {}
                _ => {
                    words.last_mut().expect("there is a word").push(letter);
                    has_word = true;
                }
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    /// `tests/command_line.rs` runs most of them.
    #[test]
    fn every_example_of_the_help_can_be_parsed() {
        let mut count = 0;
        for (words, command) in commands(&["lab2048".to_owned()], &Cli::command()) {
            let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples = notes.split("\n\n").filter(|text| help::is_examples(text));
            let lines = examples.flat_map(|text| text.lines().skip(1));
            let lines = lines.filter_map(|line| line.find("lab2048 ").map(|start| &line[start..]));
            for line in lines {
                let error = Cli::try_parse_from(words_of(line)).err();
                assert!(error.is_none(), "{words:?}: {line}\n{}", error.expect("just seen"));
                count += 1;
            }
        }
        assert!(count > 50, "{count}");
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
