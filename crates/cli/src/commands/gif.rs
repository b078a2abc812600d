//! `lab2048 gif`: a game as a moving picture, from a replay or played for it.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use lab2048::arena::{GameLimits, play_watched};
use lab2048::board::one_line;
use lab2048::files::write_whole;
use lab2048::game::replay::Position;
use lab2048::game::{Action, Player as _, Recorder, Replay};
use lab2048::players::parse_time;

use crate::draw::film::{Film, Head};
use crate::draw::gif::GifWriter;
use crate::draw::place;
use crate::failure::{Failure, Outcome};
use crate::game_options::{GameOptions, SeededSetup};
use crate::numbers::whole;
use crate::progress::Progress;
use crate::report;
use crate::{interrupt, out, players, replay_file, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 gif game.2048 -o game.gif\n  lab2048 gif --player auto --seed 7 --every 50 --delay 80ms -o auto.gif\n  lab2048 gif --player greedy --size 5x5 --max-moves 200 --scale 0.5 -o small.gif\n\n\
    Without a replay a player plays the game. Most viewers show no picture for less than 20ms."
)]
pub(crate) struct Arguments {
    /// The replay
    #[arg(value_name = "FILE", conflicts_with_all = ["player", "size", "board", "seed", "four", "rules"])]
    file: Option<PathBuf>,
    /// The picture; - for the standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Who plays, if there is no replay
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Show every K-th move; the last one always
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    every: u64,
    /// The time from one move shown to the next, 20ms to 60s
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = delay)]
    delay: Duration,
    /// The pictures in which tiles slide, for each move shown; 0 for none [default: 4 where every move is shown, otherwise 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 60), allow_hyphen_values = true)]
    smooth: Option<u64>,
    /// The time that the last board is shown, 20ms to 60s
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = delay)]
    hold: Duration,
    /// The size of the picture, 0.125 to 8; at 1 a tile has 64 pixels
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale, allow_hyphen_values = true)]
    scale: f32,
    /// Show the game once instead of again and again
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    game: GameOptions,
}

fn delay(text: &str) -> Result<Duration, String> {
    let range = Duration::from_millis(20)..=Duration::from_secs(60);
    let time = parse_time(text).filter(|time| range.contains(time));
    time.ok_or_else(|| "a time like 200ms or 1.5s, from 20ms to 60s".to_owned())
}

fn scale(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.125..=8.0).contains(number));
    number.ok_or_else(|| "it must be a number from 0.125 to 8".to_owned())
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let to_stdout = arguments.output.as_os_str() == "-";
    if !to_stdout {
        place::check(&arguments.output, b"GIF8", "a GIF")?;
    }
    let setup = arguments.game.clone().settle()?;
    let replay = match &arguments.file {
        Some(path) => replay_file::read_playable(path)?,
        None => play(&arguments.player, &setup)?,
    };
    let shooting = Shooting {
        replay: &replay,
        limits: setup.game.limits,
        pace: Pace::of(&arguments),
        once: arguments.once,
    };
    let film = Film::new(replay.header().start.size(), arguments.scale, replay.header().rules.goal);
    let (width, height) = film.picture_size();
    let made = if to_stdout {
        shooting.write(film, &mut out::stdout())?
    } else {
        let mut made = None;
        let written = write_whole(&arguments.output, |file| {
            made = Some(shooting.write(film, file)?);
            Ok(())
        });
        written.map_err(Failure::failed)?;
        made.unwrap_or_default()
    };
    if !to_stdout {
        let bytes = std::fs::metadata(&arguments.output).map_or(0, |file| file.len());
        out::print(&format!(
            "{}: {} of {}, {width} x {height} pixels, {} KB; {}, score {}\n",
            arguments.output.display(),
            show::count(made.pictures, "picture"),
            show::count(made.moves, "move"),
            report::whole(bytes.div_ceil(1000)),
            title(&replay),
            report::whole(made.score),
        ))?;
    }
    if interrupt::raised() {
        return Err(Failure::Interrupted(
            "interrupted; the picture ends where the game had come to".to_owned(),
        ));
    }
    Ok(())
}

/// Who plays with which seed.
fn title(replay: &Replay) -> String {
    let header = replay.header();
    let player = one_line(header.player.as_deref().unwrap_or("unknown"));
    match header.seed {
        Some(seed) => format!("{player}, seed {seed}"),
        None => player,
    }
}

/// Plays a game. Ctrl-C ends it where it is.
fn play(player: &str, setup: &SeededSetup) -> Outcome<Replay> {
    let registry = players::registry();
    let spec = registry.parse(player).map_err(Failure::bad_input)?;
    let mut player = registry.build(&spec).map_err(Failure::bad_input)?;
    let mut game = setup.game.start(setup.seed_or_fresh());
    let mut recorder = Recorder::new(&game).map_err(Failure::failed)?;
    let mut progress = Progress::open_ended("moves played");
    let flow = play_watched(&mut game, &mut player, &setup.game.limits, |game, _, turn| {
        if let Err(error) = recorder.push(turn) {
            return ControlFlow::Break(Some(error));
        }
        progress.set(game.turns(), "");
        if interrupt::raised() { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
    });
    drop(progress);
    match flow.map_err(Failure::bad_input)? {
        ControlFlow::Break(Some(error)) => return Err(Failure::failed(error)),
        ControlFlow::Break(None) => {}
        ControlFlow::Continue(played) => {
            if let Some(error) = played.end.error() {
                return Err(Failure::Failed(format!("{spec}: {error}")));
            }
        }
    }
    let network = player.facts().fingerprint.on(game.board());
    Ok(replay_file::finished(recorder, &game, &spec.to_string(), network, None))
}

/// When which picture is shown, in hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    every: u64,
    /// The pictures of a move before it has come to rest, and the time of each.
    between: u16,
    step: u16,
    /// The time of the board at rest.
    rest: u16,
    hold: u16,
}

impl Pace {
    fn of(arguments: &Arguments) -> Pace {
        let hundredths = |time: Duration| u16::try_from(time.as_millis() / 10).unwrap_or(u16::MAX);
        let delay = hundredths(arguments.delay);
        let wanted = arguments.smooth.unwrap_or(if arguments.every == 1 { 4 } else { 0 }) as u16;
        // No picture is shown for less than two hundredths; the rest has as much time as a picture at least.
        let between = wanted.min(delay / 2 - 1);
        let step = delay / (between + 1);
        let rest = delay - between * step;
        Pace { every: arguments.every, between, step, rest, hold: hundredths(arguments.hold) }
    }
}

/// A replay on its way into a film.
struct Shooting<'a> {
    replay: &'a Replay,
    limits: GameLimits,
    pace: Pace,
    once: bool,
}

/// What a film has come to.
#[derive(Clone, Copy, Debug, Default)]
struct Made {
    pictures: u64,
    moves: u64,
    score: u64,
}

impl Shooting<'_> {
    /// Writes the film, up to Ctrl-C. One that ended the game before is not for the film, which shows all that was played; a
    /// second one ends the program.
    fn write(&self, mut film: Film, out: &mut dyn Write) -> io::Result<Made> {
        let heeds = !interrupt::raised();
        let pace = &self.pace;
        let mut writer = GifWriter::new(out, film.picture_size(), &film.colours(), !self.once)?;
        let total = self.replay.steps().len() as u64;
        let mut progress = Progress::new(total, "moves drawn");
        let mut positions = self.replay.positions().map_while(Result::ok).peekable();
        let mut before: Option<Position> = None;
        let mut made = Made::default();
        while let Some(position) = positions.next() {
            let number = position.number as u64;
            // What a Ctrl-C before the first picture leaves has one all the same.
            let stopped = heeds && before.is_some() && interrupt::raised();
            let is_last = stopped || positions.peek().is_none() || self.is_enough(&position);
            let quit = position.turn.is_some_and(|turn| turn.action == Action::Quit);
            let head = Head { score: position.score, moves: number - u64::from(quit) };
            if is_last || number.is_multiple_of(pace.every) {
                if let Some(before) = &before {
                    self.slide(&mut film, &mut writer, before, &position, head)?;
                }
                let time = if is_last { pace.hold } else { pace.rest };
                writer.show(&film.still(&position.board, head), time)?;
            }
            progress.set(number, "");
            made = Made { pictures: 0, moves: head.moves, score: head.score };
            before = Some(position);
            if is_last {
                break;
            }
        }
        Ok(Made { pictures: writer.finish()?, ..made })
    }

    /// Whether the film ends here although the game goes on.
    fn is_enough(&self, position: &Position) -> bool {
        self.limits.max_moves.is_some_and(|most| position.number as u64 >= most)
            || self.limits.until.is_some_and(|tile| position.board.largest() >= tile)
    }

    /// The pictures between two boards.
    fn slide(
        &self,
        film: &mut Film,
        writer: &mut GifWriter<&mut dyn Write>,
        before: &Position,
        after: &Position,
        head: Head,
    ) -> io::Result<()> {
        let Some(turn) = after.turn else { return Ok(()) };
        let Action::Move(direction) = turn.action else { return Ok(()) };
        // The move has been played, so that its tiles can be slid.
        let motions = before.board.motions(direction).unwrap_or_default();
        for picture in 1..=self.pace.between {
            let phase = f32::from(picture) / f32::from(self.pace.between + 1);
            writer.show(&film.moving(&motions, turn.spawn, head, phase), self.pace.step)?;
        }
        Ok(())
    }
}
