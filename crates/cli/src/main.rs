//! The `lab2048` command: a shell around the engine. It parses arguments, prints results and asks
//! questions. The engine does the rest.

mod answer;
mod args;
mod browser;
mod commands;
mod exact;
mod failure;
mod game_options;
mod help;
mod interrupt;
mod interruptible;
mod keyboard;
mod keys;
mod numbers;
mod out;
mod place;
mod players;
mod practice;
mod progress;
mod questions;
mod replay_file;
mod report;
mod serve;
mod show;
mod store;
mod subgame_options;
mod tui;
mod version;

fn main() -> std::process::ExitCode {
    let outcome = args::parse().and_then(commands::run);
    // A player that was stopped while thinking may have left its program running.
    lab2048_exec::end_all();
    failure::exit_code(outcome)
}
