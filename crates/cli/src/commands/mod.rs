//! The commands, one small file each.

mod arena;
mod bench;
mod best;
pub(crate) mod browser;
mod completions;
mod evolve;
mod gif;
mod grade;
mod import;
mod manual;
mod menu;
mod page;
mod play;
pub(crate) mod players;
mod practice;
mod replay;
mod report;
pub(crate) mod review;
mod serve;
mod solve;
mod statistics;
mod train;
mod tree;
mod tune;
mod watch;

use clap::Subcommand;

use crate::failure::Outcome;
use crate::interrupt;
use crate::tui::{self, Opening};

/// A command of the command line.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The menu: shown in a terminal if no command is given
    #[command(skip)]
    Menu,
    /// Play the game yourself
    Play(play::Arguments),
    /// Watch a player play
    Watch(watch::Arguments),
    /// Show, verify or step through a recorded game
    Replay(replay::Arguments),
    /// Grade the moves of a recorded game; list its worst mistakes
    Review(review::Arguments),
    /// Show your best scores and statistics of your games
    ///
    /// Games that you play count in full-screen mode and line by line. Games that you watch count
    /// only in full-screen mode. If state.json in the data folder is damaged, the command prints a
    /// warning, renames the file and shows empty statistics. If the statistics are not known for
    /// another reason, the exit code is 1.
    Statistics(statistics::Arguments),
    /// Make an animated GIF of a game
    Gif(gif::Arguments),
    /// Practise solved positions; every move shows its exact value
    ///
    /// The positions are those of a solved board or endgame.
    Practice(Box<practice::Arguments>),
    /// Ask a player for the best move on a board
    ///
    /// The answer has the values of all four moves.
    Best(best::Arguments),
    /// Play the game on a web page, in a real browser
    Browser(Box<browser::Arguments>),
    /// Show the page in a browser: play, watch, review and more
    ///
    /// The page uses this program's players.
    Serve(serve::Arguments),
    /// Write the page as files for any web host
    Page(page::Arguments),
    /// Solve a small board or an endgame exactly; manage tables
    ///
    /// Also compares a player with perfect play.
    Solve(Box<solve::Arguments>),
    /// Let players play the same seeded games and compare them
    Arena(arena::Arguments),
    /// Show, compare and plot the records of arenas
    Report(report::Arguments),
    /// Train a network
    Train(train::Arguments),
    /// Make a network of the weights of another program
    Import(import::Arguments),
    /// Optimise the weights of a player's evaluator
    Tune(tune::Arguments),
    /// Evolve programs that play 2048, and show them
    ///
    /// `evolve reproduce` repeats the experiments of "A Genetic 2048 Player".
    Evolve(Box<evolve::Arguments>),
    /// Draw the search tree of a player
    Tree(tree::Arguments),
    /// Grade submissions to the course assignment
    ///
    /// Grades one submission, or grades and ranks a folder of submissions.
    Grade(grade::Arguments),
    /// Replace this process by another program, inside the sandbox of the grader
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Fenced(grade::Fenced),
    /// Grade submissions for another grader
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    GradeWorker(grade::WorkerArguments),
    /// List the players and their parameters
    Players(players::Arguments),
    /// Measure the speed of the game and the search
    ///
    /// Also prints the bench signatures.
    Bench(bench::Arguments),
    /// Print the completions for your shell
    Completions(completions::Arguments),
    /// Print a manual page, or write all of them
    #[command(name = "man")]
    Manual(manual::Arguments),
}

impl Command {
    /// Whether it handles Ctrl-C. The hidden command that becomes another program does not: it must
    /// have only one thread.
    fn listens(&self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Command::Fenced(_) => false,
            _ => true,
        }
    }
}

/// Runs a command. `None` means that help or version has already been printed.
pub(crate) fn run(command: Option<Command>) -> Outcome<()> {
    if command.as_ref().is_none_or(Command::listens) {
        interrupt::listen();
    }
    act(command)
}

/// Runs a command after the handlers of signals are set.
fn act(command: Option<Command>) -> Outcome<()> {
    match command {
        None => Ok(()),
        Some(Command::Menu) if tui::is_wanted() => tui::open(Opening::Menu),
        Some(Command::Menu) => menu::run(),
        Some(Command::Play(arguments)) => play::run(arguments),
        Some(Command::Watch(arguments)) => watch::run(arguments),
        Some(Command::Replay(arguments)) => replay::run(arguments),
        Some(Command::Review(arguments)) => review::run(arguments),
        Some(Command::Statistics(arguments)) => statistics::run(arguments),
        Some(Command::Gif(arguments)) => gif::run(arguments),
        Some(Command::Practice(arguments)) => practice::run(*arguments),
        Some(Command::Best(arguments)) => best::run(arguments),
        Some(Command::Browser(arguments)) => browser::run(*arguments),
        Some(Command::Serve(arguments)) => serve::run(arguments),
        Some(Command::Page(arguments)) => page::run(arguments),
        Some(Command::Solve(arguments)) => solve::run(*arguments),
        Some(Command::Arena(arguments)) => arena::run(arguments),
        Some(Command::Report(arguments)) => report::run(arguments),
        Some(Command::Train(arguments)) => train::run(arguments),
        Some(Command::Import(arguments)) => import::run(arguments),
        Some(Command::Tune(arguments)) => tune::run(arguments),
        Some(Command::Evolve(arguments)) => evolve::run(*arguments),
        Some(Command::Tree(arguments)) => tree::run(arguments),
        Some(Command::Grade(arguments)) => grade::run(arguments),
        #[cfg(target_os = "linux")]
        Some(Command::Fenced(arguments)) => grade::run_fenced(arguments),
        #[cfg(target_os = "linux")]
        Some(Command::GradeWorker(arguments)) => grade::run_worker(arguments),
        Some(Command::Players(arguments)) => players::run(arguments),
        Some(Command::Bench(arguments)) => bench::run(arguments),
        Some(Command::Completions(arguments)) => completions::run(arguments),
        Some(Command::Manual(arguments)) => manual::run(arguments),
    }
}
