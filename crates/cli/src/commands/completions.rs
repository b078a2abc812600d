//! `lab2048 completions`: scripts that complete the command line in a shell.

use clap::builder::{PossibleValue, PossibleValuesParser, Resettable, ValueParser};
use clap::{Arg, Args, Command, CommandFactory as _, ValueHint};
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Outcome;
use crate::{help, out, players};

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    lab2048 completions bash > ~/.local/share/bash-completion/completions/lab2048\n  \
    lab2048 completions zsh > ~/.zfunc/_lab2048\n  \
    lab2048 completions fish > ~/.config/fish/completions/lab2048.fish\n\n\
    The script knows commands, options, files and the names of players. Make it again after an update. For zsh, the folder \
    must be in fpath before compinit runs: fpath=(~/.zfunc $fpath)")]
pub(crate) struct Arguments {
    /// Shell that you use
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let names = player_names();
    let mut command = with_hints(without_hidden(&help::arranged(Cli::command())), &names);
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "lab2048", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if arguments.shell == Shell::Fish {
        script.push_str(&fish_players(&command, &names));
    }
    out::print(&script)
}

/// The names of the players with what they do.
fn player_names() -> Vec<PossibleValue> {
    let registry = players::registry();
    registry.entries().iter().map(|entry| PossibleValue::new(entry.name).help(entry.summary)).collect()
}

/// A hidden command is nothing to complete.
fn without_hidden(command: &Command) -> Command {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned();
    // The arguments include those for help and version.
    let bare = Command::new("lab2048")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_flag(true)
        .disable_version_flag(true);
    bare.args(command.get_arguments()).subcommands(shown)
}

/// Tells what the arguments are: players, files, folders, or something that no shell can know. Only
/// for scripts: a player can be more than a name.
fn with_hints(command: Command, names: &[PossibleValue]) -> Command {
    let command = command.mut_subcommands(|inner| with_hints(inner, names));
    command.mut_args(|arg| {
        if !takes_value(&arg) {
            return arg;
        }
        let is_known = !arg.get_possible_values().is_empty();
        match value_name(&arg).as_str() {
            "PLAYER" => {
                let parser = ValueParser::new(PossibleValuesParser::new(names.to_vec()));
                arg.value_parser(parser).default_value(Resettable::Reset)
            }
            "FILE" | "PATH" | "NETWORK" => arg.value_hint(ValueHint::FilePath),
            "DIR" | "FOLDER" => arg.value_hint(ValueHint::DirPath),
            _ if is_known || arg.get_value_hint() != ValueHint::Unknown => arg,
            _ => arg.value_hint(ValueHint::Other),
        }
    })
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// The name of the value in the help.
fn value_name(arg: &Arg) -> String {
    let named = arg.get_value_names().and_then(|names| names.first());
    named.map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string)
}

/// The generator for fish leaves out arguments without a name. Players are the ones worth adding.
fn fish_players(command: &Command, names: &[PossibleValue]) -> String {
    let takes_player = |command: &&Command| command.get_positionals().any(|arg| value_name(arg) == "PLAYER");
    let commands: Vec<&str> = command.get_subcommands().filter(takes_player).map(Command::get_name).collect();
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let lines = names.iter().map(|name| {
        let help = name.get_help().map(ToString::to_string).unwrap_or_default();
        format!(
            "complete -c lab2048 -n \"__fish_lab2048_using_subcommand {}\" -f -a {} -d '{}'\n",
            commands.join(" "),
            name.get_name(),
            quoted(&help)
        )
    });
    lines.collect()
}
