//! The `lab2048` command: the shell around the engine. It parses, prints and asks; the engine does the rest.

mod args;
mod commands;
mod failure;
mod game_options;
mod interrupt;
mod interruptible;
mod keyboard;
mod keys;
mod numbers;
mod out;
mod place;
mod players;
mod progress;
mod replay_file;
mod report;
mod show;
mod tui;

fn main() -> std::process::ExitCode {
    let outcome = args::parse().and_then(commands::run);
    // A player whose thought was cut short may have left its program behind.
    lab2048_exec::end_all();
    failure::exit_code(outcome)
}
