//! `lab2048 evolve`: evolves programs that play, shows them, and repeats the experiments of Long
//! and Zamurovic.

mod champion;
mod drawing;
mod file;
mod live;
mod options;
mod picture;
mod reproduce;
mod run;
mod show;
mod sweep;
mod trial;
mod work;

use clap::{Args, Subcommand};

use crate::failure::Outcome;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  lab2048 evolve --generations 60 -o best.gp --curve curve.svg\n  \
    lab2048 evolve --genome directions --runs 25 --json\n  lab2048 evolve show best.gp --board \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\"\n  \
    lab2048 evolve sweep --genome directions --grid mutation=0,0.35,1 --grid max-depth=4,7\n  lab2048 evolve reproduce\n  \
    lab2048 arena program:file=best.gp program:file=best.gp,depth=3 --games 50\n\n\
    After the last generation, the champion of each run plays fresh games with the seeds 1, 2, 3 and so on. The players random \
    and greedy play the same games for comparison."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    run: run::RunOptions,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show a program as a tree, with the value of every node on a board
    Show(show::Arguments),
    /// Run a grid of settings and tabulate the results
    Sweep(Box<sweep::Arguments>),
    /// Repeat the experiments of "A Genetic 2048 Player" (Long and Zamurovic) and show its figures
    /// for comparison
    Reproduce(reproduce::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    match arguments.what {
        None => run::run(&arguments.run),
        Some(What::Show(arguments)) => show::run(&arguments),
        Some(What::Sweep(arguments)) => sweep::run(&arguments),
        Some(What::Reproduce(arguments)) => reproduce::run(&arguments),
    }
}
