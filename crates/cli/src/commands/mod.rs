//! The commands, one small file each.

mod bench;
mod players;

use clap::Subcommand;

use crate::failure::Outcome;

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the players and their parameters
    Players(players::Arguments),
    /// Measure the speed of the game and print the signature of fixed work
    Bench(bench::Arguments),
}

/// Runs a command; none is help that has already been shown.
pub(crate) fn run(command: Option<Command>) -> Outcome<()> {
    match command {
        None => Ok(()),
        Some(Command::Players(arguments)) => players::run(arguments),
        Some(Command::Bench(arguments)) => bench::run(arguments),
    }
}
