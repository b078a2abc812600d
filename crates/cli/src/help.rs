//! How the help pages are laid out: what stands first, what `-h` leaves out, and the list of all
//! commands by what people want from them.
//!
//! Only help, manual pages and completions need this. Parsing does not, so it costs a command
//! nothing.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

/// The commands by what people want from them.
const GROUPS: &[(&str, &[&str])] = &[
    ("Play", &["play", "practice", "serve", "browser", "statistics"]),
    ("Watch and ask", &["watch", "best", "tree", "players"]),
    ("Study a recorded game", &["replay", "review", "gif"]),
    ("Measure", &["arena", "report", "grade", "bench"]),
    ("Train and solve", &["train", "tune", "evolve", "solve"]),
    ("Files", &["page", "import", "completions", "man"]),
];

/// The most common options of the commands with many: the first ones of `--help` and the only ones
/// of `-h`.
const COMMON: &[(&str, &[&str])] = &[
    ("play", &["size", "seed", "board", "hint", "save"]),
    ("watch", &["seed", "size", "delay", "games", "save"]),
    ("replay", &["step", "at", "verify", "svg", "import"]),
    ("gif", &["output", "player", "seed", "every", "delay"]),
    ("practice", &["tile", "from", "to", "games", "mistakes"]),
    ("best", &["player", "size", "seed", "batch", "json"]),
    ("tree", &["output", "player", "depth", "top"]),
    ("browser", &["player", "games", "hint", "browser", "save"]),
    ("solve", &["tile", "start", "compare", "list", "json"]),
    ("arena", &["games", "size", "seed", "output", "format"]),
    ("report", &["output", "plot", "format", "power", "json"]),
    ("grade", &["compare", "games", "output", "jobs", "seed"]),
    ("train", &["minutes", "patterns", "size", "from", "threads"]),
    ("tune", &["games", "generations", "weights", "threads", "output"]),
    ("evolve", &["generations", "runs", "genome", "output", "curve"]),
    ("evolve sweep", &["grid", "generations", "runs", "genome", "markdown"]),
    ("evolve reproduce", &["populations", "generations", "again", "threads", "markdown"]),
];

/// The heading of the other options that have none of their own.
const MORE: &str = "More options";

/// How much a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// `-h`: the most common options and the examples.
    Brief,
    /// `--help` and `help COMMAND`.
    Full,
}

/// The help page that these arguments ask for, after the program's name.
pub(crate) fn page(command: Command, arguments: &[OsString]) -> String {
    let is_brief = arguments.iter().any(|argument| argument == "-h");
    let mut arranged = arrange(command, if is_brief { Extent::Brief } else { Extent::Full });
    arranged.build();
    let mut chosen = &mut arranged;
    for word in command_words(arguments) {
        if chosen.get_subcommands().any(|inner| inner.get_name() == word) {
            chosen = chosen.find_subcommand_mut(word).expect("it is among the commands");
        }
    }
    let notes = chosen.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let (examples, others) = divided(&notes);
    // clap would break long lines, and a broken example cannot be pasted.
    let marked = [vec![EXAMPLES], others].concat().join("\n\n");
    // The short form has a line for each option. The long one would take three.
    let page = chosen.clone().after_help(marked).render_help().to_string();
    tidy(&page.replace(EXAMPLES, &examples.join("\n\n")))
}

/// The words that may select a command: those before the first option, whose value may be the name
/// of a command too.
fn command_words(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    let words = arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
    // These take no value, and `help` selects nothing itself.
    let words = words.filter(|word| !["--plain", "-h", "--help", "help"].contains(word));
    words.take_while(|word| !word.starts_with('-'))
}

/// The page of the whole program.
pub(crate) fn overview(command: Command) -> String {
    tidy(&arrange(command, Extent::Full).render_help().to_string())
}

/// Stands for the examples while clap writes a page.
const EXAMPLES: &str = "{EXAMPLES}";

/// All commands, with the layout of the full pages.
pub(crate) fn arranged(command: Command) -> Command {
    arrange(command, Extent::Full)
}

/// Without blanks at the ends of lines and empty lines at the end.
fn tidy(page: &str) -> String {
    let lines: Vec<&str> = page.trim_end().lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n"))
}

fn arrange(command: Command, extent: Extent) -> Command {
    let everywhere: Vec<Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let template = overview_template(&command);
    let command =
        command.mut_args(|arg| arg.global(false).help("Work line by line, for screen readers and scripts"));
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version);
    let version = version.help("Print the version; --version adds commit, networks, tables");
    let command = with_help_option(command, "Print this page").help_template(template);
    let command = command.disable_version_flag(true).arg(version.display_order(LAST + 2));
    command.mut_subcommands(|inner| {
        let name = inner.get_name().to_owned();
        arrange_one(inner, &name, &everywhere, extent)
    })
}

/// One command and those inside it. `words` selects it.
fn arrange_one(command: Command, words: &str, everywhere: &[Arg], extent: Extent) -> Command {
    let common = COMMON.iter().find(|(name, _)| *name == words).map(|(_, options)| *options);
    let is_common = |arg: &Arg| {
        arg.is_positional()
            || common.is_none_or(|common| arg.get_long().is_some_and(|long| common.contains(&long)))
    };
    let mut command = command.mut_args(|arg| {
        let place =
            common.zip(arg.get_long()).and_then(|(all, long)| all.iter().position(|one| *one == long));
        match (is_common(&arg), place) {
            (true, Some(place)) => arg.help_heading(None).display_order(place),
            (true, None) => arg,
            (false, _) if extent == Extent::Brief => arg.hide(true),
            (false, _) if arg.get_help_heading().is_none() => arg.help_heading(MORE),
            (false, _) => arg,
        }
    });
    let heading = common.map(|_| MORE);
    for arg in everywhere {
        let arg = arg.clone().global(false).help_heading(heading);
        command = command.arg(arg.hide(extent == Extent::Brief).display_order(LAST));
    }
    let help = match extent {
        Extent::Brief => "Print this page; --help lists all options",
        Extent::Full => "Print this page; -h is shorter",
    };
    command = with_help_option(command, help);
    if extent == Extent::Full {
        command = command.mut_arg("help", |arg| arg.help_heading(heading));
        let about = command.get_long_about().or(command.get_about()).cloned();
        command = command.about(about.unwrap_or_default());
    }
    let notes = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let notes = arrange_notes(&notes, extent);
    let command = command.after_help(notes).help_template(TEMPLATE);
    command.mut_subcommands(|inner| {
        let words = format!("{words} {}", inner.get_name());
        arrange_one(inner, &words, everywhere, extent)
    })
}

/// The order of the options that every command has.
const LAST: usize = 1000;

const TEMPLATE: &str = "{usage-heading} {usage}\n\n{about-with-newline}\n{all-args}{after-help}";

fn with_help_option(command: Command, help: &'static str) -> Command {
    // Without a heading, whatever the last options have.
    let option = Arg::new("help").short('h').long("help").help(help).help_heading(None::<&str>);
    command.disable_help_flag(true).arg(option.action(ArgAction::HelpShort).display_order(LAST + 1))
}

/// The paragraphs after the options: examples first. The brief page has only these.
fn arrange_notes(notes: &str, extent: Extent) -> String {
    let (examples, others) = divided(notes);
    match extent {
        Extent::Brief => examples.join("\n\n"),
        Extent::Full => [examples, others].concat().join("\n\n"),
    }
}

/// The paragraphs with examples, and the others.
pub(crate) fn divided(notes: &str) -> (Vec<&str>, Vec<&str>) {
    notes.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()).partition(|text| is_examples(text))
}

/// Whether a paragraph holds command lines to paste.
pub(crate) fn is_examples(paragraph: &str) -> bool {
    ["Example", "Recipes"].iter().any(|word| paragraph.starts_with(word))
}

/// The page of the whole program: the commands in groups.
fn overview_template(command: &Command) -> String {
    let mut page = String::from("{usage-heading} {usage}\n{about}\n");
    let shown = || command.get_subcommands().filter(|command| !command.is_hide_set());
    let line = |command: &Command| {
        let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
        format!("  {:<12} {about}\n", command.get_name())
    };
    for (heading, names) in GROUPS {
        page.push_str(&format!("\n{heading}:\n"));
        let found = names.iter().filter_map(|name| shown().find(|command| command.get_name() == *name));
        found.for_each(|command| page.push_str(&line(command)));
    }
    let others: Vec<String> = shown().filter(|command| !is_grouped(command.get_name())).map(line).collect();
    if !others.is_empty() {
        page.push_str(&format!("\nOthers:\n{}", others.concat()));
    }
    // Without the empty lines between the groups, the page fits into a window of 40 lines.
    let page = page.replacen("\n\n", "\n\u{0}", 1).replace("\n\n", "\n").replace('\u{0}', "\n");
    page + "Options:\n{options}{after-help}"
}

fn is_grouped(name: &str) -> bool {
    GROUPS.iter().any(|(_, names)| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    /// A command with more options than this needs a line in [`COMMON`].
    const MOST_WITHOUT_ORDER: usize = 7;

    /// All commands that are shown, with the words that select them.
    fn shown(words: &str, command: &Command) -> Vec<(String, Command)> {
        let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        let all = inner.flat_map(|inner| {
            let words = format!("{words} {}", inner.get_name()).trim().to_owned();
            let mut all = vec![(words.clone(), inner.clone())];
            all.extend(shown(&words, inner));
            all
        });
        all.collect()
    }

    #[test]
    fn the_value_of_an_option_selects_no_page() {
        let page = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            page(Cli::command(), &words)
        };
        assert_ne!(page("evolve --help"), page("evolve show --help"));
        assert_eq!(page("evolve -o show --help"), page("evolve --help"));
        for line in ["--plain evolve show --help", "evolve --plain show --help", "help evolve show"] {
            assert_eq!(page(line), page("evolve show --help"), "{line}");
        }
    }

    #[test]
    fn every_command_has_a_group_and_one_only() {
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&command.get_name()));
            assert_eq!(groups.count(), 1, "{}: add it to GROUPS", command.get_name());
        }
    }

    #[test]
    fn a_command_with_many_options_says_which_are_common() {
        let all = shown("", &Cli::command());
        for (words, command) in &all {
            let options = command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
            let names: Vec<&str> = options.filter_map(|arg| arg.get_long()).collect();
            match COMMON.iter().find(|(name, _)| name == words) {
                Some((_, common)) => {
                    assert!((3..=6).contains(&common.len()), "{words}");
                    for option in *common {
                        assert!(names.contains(option), "{words} has no --{option}");
                    }
                }
                None => assert!(names.len() <= MOST_WITHOUT_ORDER, "{words}: add it to COMMON"),
            }
        }
        for (words, _) in COMMON {
            assert!(all.iter().any(|(name, _)| name == words), "there is no command {words}");
        }
    }

    #[test]
    fn required_options_are_on_the_brief_page() {
        for (words, command) in shown("", &arrange(Cli::command(), Extent::Brief)) {
            for arg in command.get_arguments().filter(|arg| arg.is_required_set()) {
                assert!(!arg.is_hide_set(), "{words}: {}", arg.get_id());
            }
        }
    }

    #[test]
    fn examples_come_first_and_the_brief_page_has_nothing_else() {
        let notes = "A word of caution.\n\nExamples:\n  lab2048 play\n\nMore words.";
        assert_eq!(arrange_notes(notes, Extent::Brief), "Examples:\n  lab2048 play");
        let full = "Examples:\n  lab2048 play\n\nA word of caution.\n\nMore words.";
        assert_eq!(arrange_notes(notes, Extent::Full), full);
    }
}
