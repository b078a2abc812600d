//! `lab2048 gif`: an animated GIF of a replay, or of a game that a player plays now.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use lab2048::arena::{GameLimits, play_watched};
use lab2048::files::write_whole;
use lab2048::game::{Player as _, Recorder, Replay};
use lab2048::text::{SENTENCE, one_line};
use lab2048_draw::animation::{Animated, Animation, Pace};

use crate::failure::{Failure, Outcome};
use crate::game_options::{GameOptions, GameRequest};
use crate::numbers::{number, time, whole};
use crate::place;
use crate::progress::Progress;
use crate::report;
use crate::{interrupt, out, players, replay_file, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 gif game.2048 -o game.gif\n  lab2048 gif --player auto --seed 7 --every 50 --delay 80ms -o auto.gif\n  lab2048 gif --player greedy --size 5x5 --max-moves 200 --scale 0.5 -o small.gif\n\n\
    Without a replay, --player plays the game. Most viewers show every frame for at least 20ms."
)]
pub(crate) struct Arguments {
    /// Replay file
    #[arg(value_name = "FILE", conflicts_with_all = ["player", "size", "board", "seed", "four", "rules"])]
    file: Option<PathBuf>,
    /// GIF file to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Player of the game, if no replay is given
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Show every Kth move; the last move is always shown
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    every: u64,
    /// Time between shown moves, 20ms to 60s
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = shown())]
    delay: Duration,
    /// Frames of sliding tiles per shown move; 0 for none [default: 4 if every move is shown,
    /// otherwise 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 60), allow_hyphen_values = true)]
    smooth: Option<u64>,
    /// Time to show the last board, 20ms to 60s
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = shown())]
    hold: Duration,
    /// Scale factor, 0.125 to 8; at 1 a tile is 64 pixels wide
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = number(0.125, 8.0), allow_hyphen_values = true)]
    scale: f64,
    /// Play the animation once instead of looping
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    game: GameOptions,
}

/// A parser for how long a frame is shown.
fn shown() -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    time(Duration::from_millis(20), Duration::from_secs(60))
}

impl Arguments {
    /// The animation of the replay. By default tiles slide only if every move is shown.
    fn animation<'a>(&self, replay: &'a Replay) -> Animation<'a> {
        let smooth = self.smooth.unwrap_or(if self.every == 1 { 4 } else { 0 });
        let pace = Pace::new(self.every, self.delay, smooth as u16, self.hold);
        Animation { replay, pace, scale: self.scale as f32, repeat: !self.once }
    }
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
    let animation = arguments.animation(&replay);
    let (width, height) = animation.picture_size();
    let limits = setup.game.limits;
    let made = if to_stdout {
        write(&animation, &limits, &mut out::stdout())?
    } else {
        let mut made = None;
        let written = write_whole(&arguments.output, |file| {
            made = Some(write(&animation, &limits, file)?);
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
        return Err(Failure::interrupted("interrupted; the GIF shows only the moves before that"));
    }
    Ok(())
}

/// The player and the seed.
fn title(replay: &Replay) -> String {
    let header = replay.header();
    let player = one_line(header.player.as_deref().unwrap_or("unknown"), SENTENCE);
    match header.seed {
        Some(seed) => format!("{player}, seed {seed}"),
        None => player,
    }
}

/// Plays a game. Ctrl-C stops it early.
fn play(player: &str, setup: &GameRequest) -> Outcome<Replay> {
    let registry = players::registry();
    let spec = registry.parse(player).map_err(Failure::bad_input)?;
    let mut player = players::build(&registry, &spec)?.map_err(Failure::bad_input)?;
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

/// Writes the animation up to a limit or Ctrl-C. If Ctrl-C already stopped the game, it does not
/// also shorten the animation, which shows all moves played. A second Ctrl-C ends the program.
fn write(animation: &Animation<'_>, limits: &GameLimits, out: &mut dyn Write) -> io::Result<Animated> {
    let heeds = !interrupt::raised();
    let mut progress = Progress::new(animation.replay.steps().len() as u64, "moves drawn");
    animation.write(out, |position| {
        let number = position.number as u64;
        progress.set(number, "");
        // At least one move is shown, even after an early Ctrl-C.
        let stopped = heeds && number > 0 && interrupt::raised();
        let is_enough = limits.max_moves.is_some_and(|most| number >= most)
            || limits.until.is_some_and(|tile| position.board.largest() >= tile);
        if stopped || is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}
