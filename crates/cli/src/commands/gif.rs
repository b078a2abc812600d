//! `lab2048 gif`: an animated GIF of a replay, or of a game that a player plays now.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use lab2048::arena::{GameLimits, play_watched};
use lab2048::files::{check_writable, numbered, write_new, write_whole};
use lab2048::game::replay::Position;
use lab2048::game::{Player as _, Recorder, Replay};
use lab2048::text::{SENTENCE, one_line};
use lab2048_draw::animation::{Animated, Animation, Pace, moves_shown};

use crate::failure::{Failure, Outcome};
use crate::game_options::{GameOptions, GameRequest};
use crate::numbers::{number, time, whole};
use crate::place;
use crate::progress::Progress;
use crate::report;
use crate::{failure, interrupt, out, players, replay_file, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 gif game.2048\n  lab2048 gif --player auto --seed 7 --every 50 --delay 80ms -o auto.gif\n  lab2048 gif --player greedy --size 5x5 --max-moves 200 --scale 0.5 -o small.gif\n\n\
    Without a replay, --player plays the game. Most viewers show every frame for at least 20ms."
)]
pub(crate) struct Arguments {
    /// Replay file
    #[arg(value_name = "FILE", conflicts_with_all = ["player", "size", "board", "seed", "four", "rules"])]
    file: Option<PathBuf>,
    /// GIF file to write, in place of an older GIF; - for standard output [default: the name of the
    /// replay or the player, in the current folder, numbered if the file exists]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Player of the game, if no replay is given
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Show every Kth move; the last move is always shown [default: 1 up to 300 moves, then as
    /// large as needed for 300 pictures]
    #[arg(long, value_name = "K", value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    every: Option<u64>,
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
    /// The animation of the first `moves` moves of the replay. By default tiles slide only if every
    /// move is shown.
    fn animation<'a>(&self, replay: &'a Replay, moves: u64) -> Animation<'a> {
        let every = self.every.unwrap_or_else(|| Pace::default_every(moves));
        let smooth = self.smooth.map_or_else(|| Pace::default_smooth(every), |smooth| smooth as u16);
        let pace = Pace::new(every, self.delay, smooth, self.hold);
        if self.every.is_none() && every > 1 {
            failure::warn(&format!(
                "the GIF shows one in {every} of {} moves; --every 1 shows every move",
                report::whole(moves)
            ));
        }
        Animation { replay, pace, scale: self.scale as f32, repeat: !self.once }
    }

    /// The name without `-o`: that of the replay or the player, in the current folder.
    fn default_name(&self) -> PathBuf {
        let player = || Path::new(self.player.split([':', '/', '\\']).next().unwrap_or_default());
        let name =
            self.file.as_deref().map_or_else(player, |file| Path::new(file.file_stem().unwrap_or_default()));
        let name = if name.as_os_str().is_empty() { Path::new("game") } else { name };
        let mut name = name.as_os_str().to_owned();
        name.push(".gif");
        PathBuf::from(name)
    }
}

const GIF: place::Kind<'static> =
    place::Kind { name: "a GIF", content: place::Content::Begins(&[b"GIF8"]), endings: &["gif"] };

/// Where the GIF goes.
enum Target {
    Stdout,
    /// The named file, which may be an older GIF.
    Named(PathBuf),
    /// The first free name of `game.gif`, `game-2.gif` and so on.
    New(PathBuf),
}

impl Target {
    /// Refuses a file that cannot be written before anything is played.
    fn of(arguments: &Arguments) -> Outcome<Target> {
        match &arguments.output {
            Some(path) if path.as_os_str() == "-" => Ok(Target::Stdout),
            Some(path) => {
                place::check(path, &GIF)?;
                Ok(Target::Named(path.clone()))
            }
            None => {
                let path = arguments.default_name();
                // This name is hardly ever taken, so no existing file is touched.
                check_writable(&numbered(&path, u64::MAX)).map_err(Failure::failed)?;
                Ok(Target::New(path))
            }
        }
    }

    /// Writes the GIF. Returns the file, unless it went to the standard output.
    fn write(&self, animation: &Animation<'_>, limits: &GameLimits) -> Outcome<(Animated, Option<PathBuf>)> {
        let mut made = Animated::default();
        let mut fill = |file: &mut dyn Write| {
            made = write(animation, limits, file)?;
            Ok(())
        };
        let path = match self {
            Target::Stdout => {
                fill(&mut out::stdout())?;
                None
            }
            Target::Named(path) => {
                write_whole(path, fill).map_err(Failure::failed)?;
                Some(path.clone())
            }
            Target::New(path) => {
                let names = (1..).map(|number| numbered(path, number));
                Some(write_new(names, fill).map_err(Failure::failed)?)
            }
        };
        Ok((made, path))
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let target = Target::of(&arguments)?;
    let setup = arguments.game.clone().settle()?;
    let replay = match &arguments.file {
        Some(path) => replay_file::read_playable(path)?,
        None => play(&arguments.player, &setup)?,
    };
    let limits = setup.game.limits;
    let animation =
        arguments.animation(&replay, moves_shown(&replay, |position| is_enough(&limits, position)));
    let (width, height) = animation.picture_size();
    let (made, path) = target.write(&animation, &limits)?;
    if let Some(path) = path {
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        out::print(&format!(
            "{}: {} of {}, {width} x {height} pixels, {} KB; {}, score {}\n",
            path.display(),
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

/// Whether the animation ends at this position.
fn is_enough(limits: &GameLimits, position: &Position) -> bool {
    limits.max_moves.is_some_and(|most| position.number as u64 >= most)
        || limits.until.is_some_and(|tile| position.board.largest() >= tile)
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
        if stopped || is_enough(limits, position) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
}
