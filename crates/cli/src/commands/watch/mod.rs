//! `lab2048 watch`: shows a player's games move by move.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use lab2048::Clock;
use lab2048::arena::{GameSetup, StopReason, TooManyGames, play_watched};
use lab2048::game::{
    Decision, Game, GameResult, GameStart, Player, PlayerError, QuickPlayer, Recorder, Refusal, Situation,
    Turn, choose_timed,
};
use serde_json::json;

use crate::failure::{Failure, Outcome, warn};
use crate::game_options::{GameOptions, GameRequest};
use crate::interruptible::Interruptible;
use crate::numbers::{time, whole};
use crate::replay_file::{SaveFile, SaveOption};
use crate::tui::{self, Opening, Watching};
use crate::{interrupt, out, players, replay_file, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 watch\n  lab2048 watch greedy --seed 7 --delay 200ms\n  lab2048 watch random --games 10 --every 0\n  lab2048 watch exec:cmd=./mybot --save game.2048"
)]
pub(crate) struct Arguments {
    /// Player: NAME or NAME:key=value,... (see `lab2048 players`)
    #[arg(value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Pause after each shown move [default: 300ms in full-screen mode, 0ms line by line]
    #[arg(long, value_name = "TIME", value_parser = time(Duration::ZERO, Duration::from_secs(60)))]
    delay: Option<Duration>,
    /// Show only every Kth move, line by line instead of full-screen; 0 shows only the last board
    /// [default: 1]
    #[arg(long, value_name = "K", value_parser = whole(0, u64::MAX))]
    every: Option<u64>,
    /// Number of games, each with the next seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, u64::MAX))]
    games: u64,
    #[command(flatten)]
    save: SaveOption,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    game: GameOptions,
}

/// The totals of all games.
#[derive(Default)]
struct Totals {
    games: u64,
    score: u128,
    moves: u64,
    /// The time that the player needed.
    thinking: Duration,
    failed: u64,
    /// The error of the first game that failed.
    first_error: Option<String>,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let setup = arguments.game.clone().settle()?;
    let first_seed = setup.seed_or_fresh();
    if first_seed.checked_add(arguments.games - 1).is_none() {
        return Err(Failure::bad_input(TooManyGames { games: arguments.games, seed: first_seed }));
    }
    let save = arguments.save.file()?;
    if !arguments.json && arguments.every.is_none() && tui::is_wanted() && !registry.is_person(&spec) {
        let Arguments { games, delay: pace, .. } = arguments;
        let setup = GameRequest { seed: Some(first_seed), ..setup };
        return tui::open(Opening::Watch(Watching { spec, setup, games, pace, save }));
    }
    let remark = Remark::default();
    let player = players::build(&registry, &spec)?.map_err(Failure::bad_input)?;
    let mut player = Interruptible::new(Heard { player, remark: remark.clone() });
    let started = Instant::now();
    let mut watch = Watch {
        arguments: &arguments,
        setup: setup.game,
        save,
        spec: spec.to_string(),
        remark,
        totals: Totals::default(),
    };
    let mut outcome = Ok(());
    for number in 1..=arguments.games {
        outcome = watch.one_game(&mut player, number, first_seed + (number - 1));
        if outcome.is_ok() && number < arguments.games && interrupt::raised() {
            outcome = Err(Failure::Interrupted(None));
        }
        if outcome.is_err() {
            break;
        }
    }
    if matches!(outcome, Ok(()) | Err(Failure::Interrupted(_))) {
        watch.totals.print(started.elapsed(), arguments.json)?;
    }
    match (outcome, watch.totals.failure()) {
        (Ok(()), Some(said)) => Err(Failure::Failed(said)),
        (Err(interrupted @ Failure::Interrupted(_)), Some(said)) => {
            warn(&said);
            Err(interrupted)
        }
        (outcome, _) => outcome,
    }
}

struct Watch<'a> {
    arguments: &'a Arguments,
    setup: GameSetup,
    save: Option<SaveFile>,
    spec: String,
    remark: Remark,
    totals: Totals,
}

/// The player's remark about its last choice.
#[derive(Clone, Default)]
struct Remark(Arc<Mutex<Option<String>>>);

impl Remark {
    fn take(&self) -> Option<String> {
        self.0.lock().ok().and_then(|mut remark| remark.take())
    }
}

/// A player that is timed and whose remarks are stored. The player itself cannot be asked while a
/// game runs.
struct Heard {
    player: Box<dyn Player>,
    remark: Remark,
}

/// It offers no quick player, which could not be timed or asked for remarks.
impl Player for Heard {
    fn inner(&self) -> Option<&dyn Player> {
        Some(&*self.player)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        Some(&mut *self.player)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let decision = choose_timed(&mut *self.player, situation, Clock::system());
        if let Ok(mut remark) = self.remark.0.lock() {
            *remark = self.player.remark();
        }
        decision
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        None
    }
}

/// A player that shows the beginning of a game once it has accepted it.
struct Announced<'a> {
    player: &'a mut dyn Player,
    /// Returns whether it was shown.
    show: &'a mut (dyn FnMut() -> bool + Send),
}

impl Player for Announced<'_> {
    fn inner(&self) -> Option<&dyn Player> {
        Some(&*self.player)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        Some(&mut *self.player)
    }

    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.player.start(game)?;
        (self.show)().then_some(()).ok_or_else(|| Refusal::new("the game cannot be shown"))
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        self.player.choose(situation)
    }
}

impl Watch<'_> {
    fn one_game(&mut self, player: &mut dyn Player, number: u64, seed: u64) -> Outcome<()> {
        let mut game = self.setup.start(seed);
        // A game is recorded only if it is saved: others may be longer than a replay can be.
        let recorder = self.save.as_ref().map(|_| Recorder::new(&game));
        let mut recorder = recorder.transpose().map_err(Failure::failed)?;
        let Arguments { every, json, .. } = self.arguments;
        let started = Instant::now();
        let screen = Screen { number, every: every.unwrap_or(1), json: *json, started };
        let played = self.play(player, &mut game, &screen, &mut recorder);
        let end = played.as_ref().ok();
        let shown = match &played {
            Ok(_) | Err(Failure::Interrupted(_)) => {
                self.totals.add(&game, end);
                screen.end(&game, end)
            }
            Err(_) => Ok(()),
        };
        // Save the game so far even if it was interrupted or the output is closed.
        let mut saved = None;
        if let Some((save, recorder)) = self.save.as_ref().zip(recorder) {
            let error = end.and_then(StopReason::error);
            let network = player.facts().fingerprint.on(game.board());
            let replay = replay_file::finished(recorder, &game, &self.spec, network, error);
            saved = Some(save.write(&replay)?);
        }
        shown?;
        saved.map_or(Ok(()), |path| screen.saved(&path))?;
        played.map(drop)
    }

    /// Plays a game and shows its moves. If it cannot be recorded, `recorder` is set to `None`.
    fn play(
        &mut self,
        player: &mut dyn Player,
        game: &mut Game,
        screen: &Screen,
        recorder: &mut Option<Recorder>,
    ) -> Outcome<StopReason> {
        let needs_future = player.facts().needs_future;
        let first = game.clone();
        let begin = || screen.beginning(&first, &self.spec, needs_future);
        let mut begun = Ok(());
        let mut show = || {
            begun = begin();
            begun.is_ok()
        };
        let player = &mut Announced { player, show: &mut show };
        let mut won = game.has_won();
        let mut shown = 0;
        let flow = play_watched(game, player, &self.setup.limits, |game, decision, turn| {
            self.totals.thinking += decision.time;
            let next = (|| {
                if let Err(error) = recorder.as_mut().map_or(Ok(()), |recorder| recorder.push(turn)) {
                    *recorder = None;
                    return Err(Failure::failed(error));
                }
                if screen.wants(game) {
                    shown = game.turns();
                    screen.turn(game, decision, turn, self.remark.take())?;
                    wait(self.arguments.delay.unwrap_or_default());
                }
                if !won && game.has_won() {
                    won = true;
                    screen.victory(game)?;
                }
                if interrupt::raised() { Err(Failure::Interrupted(None)) } else { Ok(()) }
            })();
            match next {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => ControlFlow::Break(failure),
            }
        });
        begun?;
        let played = match flow {
            Ok(ControlFlow::Continue(played)) => Ok(played.end),
            Ok(ControlFlow::Break(failure @ Failure::Interrupted(_))) => Err(failure),
            Ok(ControlFlow::Break(failure)) => return Err(failure),
            Err(refusal) if screen.number == 1 => {
                *recorder = None;
                return Err(Failure::bad_input(refusal));
            }
            // A refusal in a later game does not discard the games before it.
            Err(refusal) => {
                begin()?;
                Ok(StopReason::Failed(refusal.to_string()))
            }
        };
        if shown != game.turns() || game.turns() == 0 {
            screen.board(game)?;
        }
        played
    }
}

impl Totals {
    fn add(&mut self, game: &Game, end: Option<&StopReason>) {
        self.games += 1;
        self.score += u128::from(game.score());
        self.moves += game.moves();
        if let Some(error) = end.and_then(StopReason::error) {
            self.failed += 1;
            self.first_error.get_or_insert_with(|| error.to_owned());
        }
    }

    /// Why games failed, if some did.
    fn failure(&self) -> Option<String> {
        self.first_error.as_ref().map(|first| show::failed_games(self.failed, self.games, first))
    }

    fn print(&self, time: Duration, json: bool) -> Outcome<()> {
        let thinking = self.thinking.as_secs_f64();
        let rate = if thinking > 0.0 { self.moves as f64 / thinking } else { 0.0 };
        if json {
            return out::print_json_line(&json!({
                "event": "total",
                "games": self.games,
                "score": u64::try_from(self.score).ok(),
                "moves": self.moves,
                "failed": self.failed,
                "seconds": time.as_secs_f64(),
                "thinking_seconds": thinking,
                "moves_per_second": rate,
            }));
        }
        out::print(&format!(
            "{}: total score {}, {} in {:.2} s ({thinking:.2} s by the player: {rate:.0} moves/s)\n",
            show::count(self.games, "game"),
            self.score,
            show::count(self.moves, "move"),
            time.as_secs_f64(),
        ))
    }
}

/// Shows one game.
struct Screen {
    number: u64,
    every: u64,
    json: bool,
    /// When the game began.
    started: Instant,
}

impl Screen {
    /// Whether to show the last move.
    fn wants(&self, game: &Game) -> bool {
        self.every > 0 && game.turns().is_multiple_of(self.every)
    }

    fn beginning(&self, game: &Game, player: &str, needs_future: bool) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({
                "event": "start", "game": self.number, "player": player, "knows_future": needs_future, "seed": game.seed(),
                "rules": game.rules(), "board": game.board(),
            }));
        }
        let mark = if needs_future { " (knows the coming tiles)" } else { "" };
        out::print(&format!(
            "game {}: {player}{mark}, seed {}\n{}\n\n",
            self.number,
            game.seed(),
            game.board()
        ))
    }

    /// Shows a turn and the decision behind it.
    fn turn(&self, game: &Game, decision: &Decision, turn: &Turn, remark: Option<String>) -> Outcome<()> {
        let size = game.board().size();
        if self.json {
            return out::print_json_line(&json!({
                "event": "move", "game": self.number, "move": game.turns(), "decision": show::decision_json(decision),
                "turn": show::turn_json(turn, size), "score": game.score(), "board": game.board(), "remark": remark,
            }));
        }
        let values = show::values_text(decision).map_or_else(String::new, |values| format!("{values}\n"));
        let remark = remark.map_or_else(String::new, |remark| format!("{remark}\n"));
        let turn_text = show::turn_text(turn, size);
        let (number, score, moves) = (game.turns(), game.score(), game.moves());
        let time = self.started.elapsed().as_secs_f64();
        out::print(&format!(
            "{values}{remark}move {number}: {turn_text}\n{}\nscore {score}   moves {moves}   time {time:.2} s\n\n",
            game.board()
        ))
    }

    fn victory(&self, game: &Game) -> Outcome<()> {
        let (goal, number) = (game.rules().goal, game.turns());
        if self.json {
            return out::print_json_line(
                &json!({ "event": "goal", "game": self.number, "move": number, "tile": goal }),
            );
        }
        out::print(&format!("made {goal} at move {number}; the game continues\n\n"))
    }

    /// Shows the last board, if it was not shown with its move.
    fn board(&self, game: &Game) -> Outcome<()> {
        if self.json || game.turns() == 0 { Ok(()) } else { out::print(&format!("{}\n\n", game.board())) }
    }

    fn end(&self, game: &Game, end: Option<&StopReason>) -> Outcome<()> {
        let GameResult { score, largest, moves, .. } = game.result();
        if self.json {
            return out::print_json_line(&json!({
                "event": "end", "game": self.number, "seed": game.seed(),
                "end": end.map_or("interrupted", StopReason::word),
                "error": end.and_then(StopReason::error),
                "score": score, "largest": largest, "moves": moves, "board": game.board(),
            }));
        }
        let why = match end {
            None => "interrupted".to_owned(),
            // The error itself is printed at the end.
            Some(StopReason::Failed(_)) => "the player failed".to_owned(),
            Some(end) => end.to_string(),
        };
        out::print(&format!(
            "{why}: score {score}, largest tile {largest}, {}\n\n",
            show::count(moves, "move")
        ))
    }

    fn saved(&self, path: &Path) -> Outcome<()> {
        if self.json {
            return out::print_json_line(
                &json!({ "event": "saved", "game": self.number, "file": path.to_string_lossy() }),
            );
        }
        out::print(&format!("saved as {}\n\n", path.display()))
    }
}

/// Sleeps until the time is over or Ctrl-C is pressed.
fn wait(time: Duration) {
    let started = Instant::now();
    while let Some(left) = time.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
        if interrupt::raised() {
            return;
        }
        thread::sleep(left.min(Duration::from_millis(50)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interruptible::tests::Foreign;

    #[test]
    fn a_foreign_program_stays_one_when_it_is_heard() {
        let player = Box::new(Foreign::default());
        let heard = Heard { player, remark: Remark::default() };
        assert!(Interruptible::new(heard).foreign().is_some());
    }
}
