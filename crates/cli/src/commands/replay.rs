//! `lab2048 replay`: shows, verifies or steps through a recorded game, and imports other formats.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lab2048::files::write_whole;
use lab2048::game::replay::{Checked, Position, ReplayError, ReplayFault, VerseError};
use lab2048::game::{IdleMove, Replay, StartTiles};
use lab2048_draw::still;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome, warn};
use crate::keyboard::{self, Typed};
use crate::numbers::whole_as;
use crate::place;
use crate::replay_file::SaveFile;
use crate::tui::{self, Opening};
use crate::{out, replay_file, show};

#[derive(Args, Debug)]
#[command(
    after_help = "In a terminal, a screen shows the game move by move; press g there to review it. --plain prints a summary instead.\n\nExamples:\n  lab2048 replay game.2048\n  lab2048 replay game.2048 --verify\n  lab2048 replay game.2048 --at 100\n  lab2048 replay game.2048 --at 100 --svg board.svg\n  lab2048 replay game.txt --import 2048verse -o game.2048"
)]
pub(crate) struct Arguments {
    /// Replay file
    file: PathBuf,
    /// Only verify the replay: every move, every new tile, score and ending. Exit code 1 if the
    /// game is not valid, 2 if the file cannot be read, is damaged or is not a replay
    #[arg(long, group = "view")]
    verify: bool,
    /// Show the position after N moves
    #[arg(long, value_name = "N", value_parser = whole_as::<usize>(0, u64::MAX), group = "view")]
    at: Option<usize>,
    /// List the moves
    #[arg(long, group = "view")]
    moves: bool,
    /// Step through the game: Enter or n for the next move, p for the previous one, a number to
    /// jump to that move, q to quit
    #[arg(long, group = "view", conflicts_with = "json")]
    step: bool,
    /// Draw the position at --at, by default the last one, as SVG; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "moves", "step", "json"])]
    svg: Option<PathBuf>,
    /// Print JSON (with --moves, one object per line)
    #[arg(long)]
    json: bool,
    /// Import FILE from this format
    #[arg(long, value_name = "FORMAT")]
    import: Option<Foreign>,
    /// Write the replay to this file. Existing files are never overwritten: if game.2048 exists,
    /// the replay is saved as game-2.2048, then game-3.2048, and so on
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Formats of other programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Foreign {
    /// Replay text of 2048verse.com
    #[value(name = "2048verse")]
    Verse,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let named = |failure| match failure {
        Failure::Failed(reason) => Failure::Failed(format!("{}: {reason}", arguments.file.display())),
        other => other,
    };
    let bytes = replay_file::read_bytes(&arguments.file)?;
    let read = match arguments.import {
        None => Replay::read_any(&bytes),
        Some(Foreign::Verse) => Replay::from_verse(&bytes).map_err(ReplayError::from),
    };
    let replay = match read {
        Ok(replay) => replay,
        // This text is played while it is read.
        Err(ReplayError::Verse(VerseError::Impossible(fault))) if arguments.verify => {
            return show_checked(Err(fault), arguments.json).map_err(named);
        }
        Err(error) => return Err(replay_file::no_replay(&arguments.file, &error)),
    };
    if let Some(output) = &arguments.output {
        let saved = format!("saved as {}", SaveFile::new(output)?.write(&replay)?.display());
        // The standard output is only for the JSON or the picture.
        if arguments.json || arguments.svg.is_some() {
            warn(&saved);
        } else {
            out::print(&format!("{saved}\n"))?;
        }
    }
    if let Some(picture) = &arguments.svg {
        return draw(&replay, arguments.at, picture);
    }
    let asked = arguments.verify || arguments.moves || arguments.step || arguments.at.is_some();
    let as_text = asked || arguments.json || arguments.output.is_some();
    // An invalid replay is shown as text, which says what is wrong.
    if !as_text && tui::is_wanted() && replay.verify().is_ok() {
        return tui::open(Opening::Replay(replay));
    }
    let result = match arguments.at {
        Some(number) => show_position(&replay, number, arguments.json),
        None if arguments.moves => list_moves(&replay, arguments.json),
        None if arguments.step => step_through(&replay),
        None if arguments.verify => show_checked(replay.verify(), arguments.json),
        None => show_whole(&replay, arguments.json),
    };
    result.map_err(named)
}

fn not_valid(fault: &ReplayFault) -> Failure {
    Failure::Failed(format!("the replay is not valid: {fault}"))
}

fn show_checked(checked: Result<Checked, ReplayFault>, json: bool) -> Outcome<()> {
    if json {
        out::print_json(&check_json(&checked))?;
    }
    let checked = checked.map_err(|fault| not_valid(&fault))?;
    if json { Ok(()) } else { out::print(&format!("{}\n", check_text(&checked))) }
}

fn check_text(checked: &Checked) -> String {
    let tiles =
        if checked.seeded { "every new tile comes from the seed" } else { "every new tile is possible" };
    format!(
        "the replay is valid: {}, every move is legal, {tiles}, score and ending agree",
        show::count(checked.turns, "turn")
    )
}

fn check_json(checked: &Result<Checked, ReplayFault>) -> Value {
    json!({
        "holds": checked.is_ok(),
        "seeded": checked.as_ref().ok().map(|checked| checked.seeded),
        "seeded_start": checked.as_ref().ok().map(|checked| checked.seeded_start),
        "fault": checked.as_ref().err().map(ToString::to_string),
    })
}

fn show_whole(replay: &Replay, json: bool) -> Outcome<()> {
    let checked = replay.verify();
    // The positions stop before the first impossible step.
    let last = replay.positions().map_while(Result::ok).last();
    let header = replay.header();
    if json {
        return out::print_json(&json!({
            "header": header,
            "turns": replay.steps().len(),
            "board": last.as_ref().map(|position| &position.board),
            "largest": last.as_ref().map(|position| position.board.largest()),
            "check": check_json(&checked),
        }));
    }
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<9}{value}");
    };
    line("rules", &rules_text(replay));
    line(
        "seed",
        &header
            .seed
            .map_or_else(|| "none: the tiles are not from a seed".to_owned(), |seed| seed.to_string()),
    );
    line("player", header.player.as_deref().unwrap_or("unknown"));
    for (name, value) in [("network", &header.network), ("note", &header.note)] {
        if let Some(value) = value {
            line(name, value);
        }
    }
    if checked.as_ref().is_ok_and(|checked| checked.seeded && !checked.seeded_start) {
        line("start", "a custom board");
    }
    line("turns", &replay.steps().len().to_string());
    line("score", &header.score.to_string());
    line("ending", &header.ending.map_or_else(|| "unfinished".to_owned(), |ending| ending.to_string()));
    if let Some(position) = &last {
        line("largest", &position.board.largest().to_string());
        let _ = writeln!(text, "\n{}\n", position.board);
    }
    match &checked {
        Ok(checked) => text.push_str(&check_text(checked)),
        Err(fault) => text.push_str(&not_valid(fault).to_string()),
    }
    text.push('\n');
    out::print(&printable(&text))
}

fn rules_text(replay: &Replay) -> String {
    let rules = &replay.header().rules;
    let start = match rules.start {
        StartTiles::TwoSpawns => "two random tiles",
        StartTiles::TwoTwos => "two 2-tiles",
    };
    let idle = match rules.idle {
        IdleMove::Refused => "refused",
        IdleMove::Spawns => "a pass",
    };
    format!("{}, chance of a 4 {}, start with {start}, an idle move is {idle}", rules.size, rules.four)
}

/// Replaces control characters, because names and notes come from a file and could steer the
/// terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter })
        .collect()
}

/// The position after `number` steps. A number that is too large is bad input.
fn position(replay: &Replay, number: usize) -> Outcome<Position> {
    let most = replay.steps().len();
    let found = replay.position(number);
    let found = found.ok_or_else(|| {
        Failure::BadInput(format!("there is no position {number}: the replay has {most} moves"))
    })?;
    found.map_err(|fault| not_valid(&fault))
}

fn show_position(replay: &Replay, number: usize, json: bool) -> Outcome<()> {
    let position = position(replay, number)?;
    if json {
        out::print_json(&position_json(&position))
    } else {
        out::print(&position_text(replay, &position))
    }
}

/// Draws a position as SVG: the board, and below it the number of the move.
fn draw(replay: &Replay, number: Option<usize>, path: &Path) -> Outcome<()> {
    let to_stdout = path.as_os_str() == "-";
    if !to_stdout {
        place::check(path, &place::SVG)?;
    }
    let most = replay.steps().len();
    let position = position(replay, number.unwrap_or(most))?;
    let picture = still::draw(&position, most);
    if to_stdout {
        return out::print(&picture);
    }
    write_whole(path, |file| file.write_all(picture.as_bytes())).map_err(Failure::failed)?;
    out::print(&format!("{}: move {} of {most}, score {}\n", path.display(), position.number, position.score))
}

fn position_text(replay: &Replay, position: &Position) -> String {
    let turn = match &position.turn {
        Some(turn) => show::turn_text(turn, position.board.size()),
        None => "the start".to_owned(),
    };
    let next = replay.steps().get(position.number).map(|step| show::action_name(step.action()));
    let after = match (next, position.ending) {
        (Some(next), _) => format!("next {next}"),
        (None, Some(ending)) => ending.to_string(),
        (None, None) => "end of the replay".to_owned(),
    };
    let (number, most) = (position.number, replay.steps().len());
    format!("move {number} of {most}: {turn}\n{}\nscore {}, {after}\n", position.board, position.score)
}

fn position_json(position: &Position) -> Value {
    json!({
        "move": position.number,
        "turn": position.turn.map(|turn| show::turn_json(&turn, position.board.size())),
        "score": position.score,
        "board": position.board,
        "ending": position.ending,
    })
}

fn list_moves(replay: &Replay, json: bool) -> Outcome<()> {
    let mut out = out::stdout();
    for position in replay.positions() {
        let position = position.map_err(|fault| not_valid(&fault));
        // Print the moves before the fault.
        let position = match position {
            Ok(position) => position,
            Err(failure) => {
                out.flush()?;
                return Err(failure);
            }
        };
        let Some(turn) = position.turn else { continue };
        if json {
            writeln!(out, "{}", position_json(&position))?;
        } else {
            let turn = show::turn_text(&turn, position.board.size());
            writeln!(out, "{:>6}  {turn:<40}  score {}", position.number, position.score)?;
        }
    }
    Ok(out.flush()?)
}

fn step_through(replay: &Replay) -> Outcome<()> {
    let most = replay.steps().len();
    let question = if keyboard::is_terminal() { "[Enter, n, p, a number, q] " } else { "" };
    let mut number = 0;
    let mut message = position_text(replay, &position(replay, number)?);
    loop {
        out::print(&format!("{message}{question}"))?;
        let line = match keyboard::next_line() {
            Typed::Line(line) => line,
            Typed::End => return Ok(()),
            Typed::Interrupted => return Err(Failure::Interrupted(None)),
        };
        let wanted = match line.trim() {
            "" | "n" => Some(number + 1),
            "p" => number.checked_sub(1),
            "q" => return Ok(()),
            word => match word.parse() {
                Ok(number) => Some(number),
                Err(_) => {
                    message = "Enter or n for the next move, p for the previous one, a number to jump there, q to quit\n".to_owned();
                    continue;
                }
            },
        };
        message = match wanted.filter(|&wanted| wanted <= most) {
            Some(wanted) => {
                let position = position(replay, wanted)?;
                number = wanted;
                position_text(replay, &position)
            }
            None => format!("there are positions 0 to {most}\n"),
        };
    }
}
