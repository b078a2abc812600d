//! `lab2048 statistics`: statistics of the games that were played, and of those that were watched
//! in full-screen mode.

use clap::Args;

use crate::failure::Outcome;
use crate::tui;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  lab2048 statistics\n  lab2048 statistics --json")]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    tui::statistics(arguments.json)
}
