//! How much a player loses against perfect play: `solve --compare`.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab2048::arena::Interval;
use lab2048::board::Direction;
use lab2048::game::{DependsOn, Future, Game, GameStart, Player, PlayerError};
use lab2048::players::{Registry, Spec};
use lab2048::solve::{
    Goal, Leak, Policy, PolicyError, PolicyJob, PolicyValue, Sample, SampleJob, Table, Uniform,
    draw_position, evaluate_policy, policy_of, sample_player,
};
use serde_json::{Value, json};

use super::{Arguments, CompareOptions};
use crate::exact::{value_in_full, value_text};
use crate::failure::{Failure, Outcome, warn};
use crate::progress::Progress;
use crate::report::{mean, percent, rate, share, whole};
use crate::{interrupt, out, players, show};

/// An exact value that would take longer is sampled, unless it is asked for.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// The number of sampled games.
const GAMES: u64 = 10_000;

/// The comparison of a player.
struct Comparison<'a> {
    table: &'a Table,
    spec: &'a Spec,
    needs_future: bool,
    found: Found,
    seconds: f64,
}

/// How the value was found.
enum Found {
    Exact(PolicyValue),
    Sampled(Sample),
}

pub(super) fn run(player: &str, arguments: &Arguments) -> Outcome<()> {
    let game = arguments.game.settle()?;
    let registry = players::registry();
    let spec = registry.parse(player).map_err(Failure::bad_input)?;
    if registry.is_person(&spec) {
        return Err(Failure::BadInput("a person cannot be compared".to_owned()));
    }
    let table = registry.tables().of(&game).map_err(Failure::bad_input)?;
    table.check_complete().map_err(Failure::bad_input)?;
    let options = &arguments.compare;
    let contender = Contender { registry: &registry, spec: &spec, table: &table };
    let needs_future = contender.player()?.facts().needs_future;
    let threads = arguments.threads.count();
    let began = Instant::now();
    let found = match contender.is_exact(options, threads)? {
        true => Found::Exact(contender.exact(options, threads)?),
        false => Found::Sampled(contender.sampled(options, threads)?),
    };
    let seconds = began.elapsed().as_secs_f64();
    let comparison = Comparison { table: &table, spec: &spec, needs_future, found, seconds };
    if arguments.json { out::print_json(&comparison.to_json()) } else { out::print(&comparison.to_text()) }
}

/// A player to be compared, and with what.
struct Contender<'a> {
    registry: &'a Registry,
    spec: &'a Spec,
    table: &'a Arc<Table>,
}

impl Contender<'_> {
    fn player(&self) -> Outcome<Box<dyn Player>> {
        self.registry.build(self.spec).map_err(Failure::bad_input)
    }

    /// The player as a policy, ready to play; `None` if its moves depend on more than the board.
    fn policy(&self) -> Result<Option<Box<dyn Policy>>, PlayerError> {
        let mut player = self.registry.build(self.spec).map_err(PlayerError::because)?;
        let rules = self.table.rules();
        let board = Game::new(rules.clone(), 0).board().clone();
        let start = GameStart { rules: &rules, board: &board, future: Future::Hidden };
        if player.facts().depends_on == DependsOn::Board {
            player.start(&start).map_err(PlayerError::because)?;
        }
        Ok(policy_of(player))
    }

    /// Whether to compute the exact value. Says how long it takes, or why it is not computed.
    fn is_exact(&self, options: &CompareOptions, threads: usize) -> Outcome<bool> {
        if options.games.is_some() {
            return Ok(false);
        }
        let (spec, games) = (self.spec, whole(GAMES));
        let Some(mut policy) = self.policy().map_err(Failure::bad_input)? else {
            let why = format!("the moves of {spec} depend on more than the board");
            if options.exact {
                return Err(Failure::BadInput(format!("{why}, so it has no exact value; leave out --exact")));
            }
            warn(&format!("{why}, so {games} games are sampled"));
            return Ok(false);
        };
        let boards = self.table.most_boards();
        let choice = self.time_of(&mut *policy)?.div_f64(threads as f64);
        let time = (choice + self.overhead(threads)?).mul_f64(boards as f64);
        let words = format!(
            "the exact value of {spec} takes up to {} ({} boards at most)",
            show::duration(time),
            whole(boards)
        );
        let is_short = time <= LONGEST || options.exact;
        if !is_short {
            warn(&format!("{words}, so {games} games are sampled; --exact computes it"));
        } else if time >= Duration::from_secs(1) {
            warn(&words);
        }
        Ok(is_short)
    }

    /// The time that the policy takes for a board, measured on positions of the table.
    fn time_of(&self, policy: &mut dyn Policy) -> Outcome<Duration> {
        let (mut time, mut count) = (Duration::ZERO, 0);
        while count < TRIALS && time < TRIAL {
            let drawn = draw_position(self.table, count.into(), 0.0..=f64::INFINITY);
            let Some(board) = drawn.map_err(Failure::failed)? else { break };
            let began = Instant::now();
            policy.shares(&board, self.table.game().four()).map_err(Failure::failed)?;
            time += began.elapsed();
            count += 1;
        }
        Ok(time / count.max(1))
    }

    /// The time that all threads together take for a board besides the policy's choice. It is that
    /// of the fastest layer of random play within the time of a trial: small layers take longer.
    fn overhead(&self, threads: usize) -> Outcome<Duration> {
        let began = Instant::now();
        let trial = Mutex::new((Duration::ZERO, 0, None));
        let cancel = AtomicBool::new(false);
        let job = PolicyJob {
            threads,
            worst: 0,
            make: &|| Ok(Box::new(Uniform)),
            cancel: &cancel,
            progress: &|_, boards| {
                let (before, fewer, least) = &mut *trial.lock().unwrap_or_else(PoisonError::into_inner);
                let time = began.elapsed();
                if boards > *fewer {
                    let own = (time - *before).div_f64((boards - *fewer) as f64);
                    *least = Some(least.map_or(own, |least: Duration| least.min(own)));
                }
                (*before, *fewer) = (time, boards);
                cancel.store(time >= TRIAL, Ordering::Relaxed);
            },
        };
        evaluate_policy(self.table, &job).map_err(Failure::failed)?;
        let (.., least) = trial.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(least.unwrap_or_default())
    }

    fn exact(&self, options: &CompareOptions, threads: usize) -> Outcome<PolicyValue> {
        let progress = Mutex::new(Progress::in_percent("done"));
        let job = PolicyJob {
            threads,
            worst: options.worst as usize,
            make: &|| Ok(self.policy()?.expect("it was a policy before")),
            cancel: interrupt::flag(),
            progress: &|share, boards| {
                let words = format!("{} boards", whole(boards));
                progress.lock().unwrap_or_else(PoisonError::into_inner).set_share(share, &words);
            },
        };
        ended(evaluate_policy(self.table, &job))
    }

    fn sampled(&self, options: &CompareOptions, threads: usize) -> Outcome<Sample> {
        interrupt::explain_delay();
        let games = options.games.unwrap_or(GAMES);
        let progress = Mutex::new(Progress::new(games, "games"));
        let job = SampleJob {
            games,
            seed: options.seed,
            threads,
            worst: options.worst as usize,
            make: &|| self.registry.build(self.spec).map_err(PlayerError::because),
            cancel: interrupt::flag(),
            progress: &|done| {
                progress.lock().unwrap_or_else(PoisonError::into_inner).set(done, "");
            },
        };
        ended(sample_player(self.table, &job))
    }
}

/// How many boards the time of a policy is measured on, and for how long each is measured at most.
const TRIALS: u32 = 2000;
const TRIAL: Duration = Duration::from_millis(100);

/// The result of work that may have been interrupted.
fn ended<T>(found: Result<Option<T>, PolicyError>) -> Outcome<T> {
    let found = found.map_err(|error| match error {
        PolicyError::NoSeeds => Failure::bad_input(error),
        _ => Failure::failed(error),
    });
    found?.ok_or_else(|| Failure::interrupted("interrupted"))
}

impl Comparison<'_> {
    fn to_text(&self) -> String {
        let game = self.table.game();
        let goal = game.goal();
        let mut text = format!("{game}\n\n");
        // Writing to a string cannot fail.
        let _ = match &self.found {
            Found::Exact(value) => write_exact(&mut text, self.spec, goal, value),
            Found::Sampled(sample) => write_sample(&mut text, self.spec, goal, sample, self.needs_future),
        };
        if self.needs_future {
            let _ = writeln!(text, "\n{} knows the coming tiles, so it can exceed perfect play", self.spec);
        }
        let worst = self.worst();
        if !worst.is_empty() {
            let _ = writeln!(text, "\nwhere it loses most:");
        }
        worst.iter().for_each(|leak| {
            let _ = write!(text, "\n{}\n\n{}\n", leak.board, self.leak_text(leak));
        });
        text
    }

    /// What the player does on a board, and what that costs.
    fn leak_text(&self, leak: &Leak) -> String {
        let goal = self.table.game().goal();
        let best = leak.exact.best_direction();
        let value = |direction| value_text(leak.exact.value(direction), goal);
        let played = Direction::ALL.into_iter().filter(|direction| leak.shares[direction.index()] > 0.0);
        let played: Vec<String> =
            played.map(|direction| format!("{direction} ({})", value(direction))).collect();
        let best = best.map_or_else(String::new, |best| format!("; best is {best} ({})", value(best)));
        let cost = match goal {
            Goal::Score => format!("{:.4} points", leak.cost),
            Goal::Tile { .. } => percent(leak.cost),
        };
        let happens = match self.found {
            Found::Exact(_) => "comes up",
            Found::Sampled(_) => "loses here",
        };
        format!(
            "plays {}{best}\n{happens} {:.4} times a game and costs {cost} a game",
            played.join(" or "),
            leak.visits
        )
    }

    fn worst(&self) -> &[Leak] {
        match &self.found {
            Found::Exact(value) => &value.worst,
            Found::Sampled(sample) => &sample.worst,
        }
    }

    fn to_json(&self) -> Value {
        let worst: Vec<Value> = self.worst().iter().map(leak_json).collect();
        let mut json = match &self.found {
            Found::Exact(value) => json!({
                "method": "exact",
                "value": value.value,
                "optimal": value.optimal,
                "moves": value.moves,
                "boards": value.boards,
            }),
            Found::Sampled(sample) => json!({
                "method": "sampled",
                "games": sample.games,
                "value": sample.value,
                "interval": sample.interval.map(bounds),
                "optimal": sample.optimal,
                "lost": sample.lost,
                "lost_interval": sample.lost_interval.map(bounds),
            }),
        };
        json["table"] = json!(self.table.game().name());
        json["table_sha256"] = json!(self.table.hash());
        json["player"] = json!(self.spec.to_string());
        json["knows_future"] = json!(self.needs_future);
        json["seconds"] = json!(self.seconds);
        json["worst"] = worst.into();
        json
    }
}

fn bounds(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

fn write_exact(text: &mut String, spec: &Spec, goal: Goal, value: &PolicyValue) -> std::fmt::Result {
    // The rounding of sums can be larger than a loss of 0.
    let lost = (value.optimal - value.value).max(0.0);
    let share = match value.optimal > 0.0 {
        true => format!(" ({})", percent(lost / value.optimal)),
        false => String::new(),
    };
    let rows = [
        ("perfect play", value_in_full(value.optimal, goal), ""),
        (&spec.to_string(), value_in_full(value.value, goal), ""),
        ("lost", value_in_full(lost, goal), &share),
    ];
    write_rows(text, &rows)?;
    writeln!(text, "\nexact, over {} boards; {:.1} moves a game", whole(value.boards), value.moves)
}

fn write_sample(
    text: &mut String,
    spec: &Spec,
    goal: Goal,
    sample: &Sample,
    knows_future: bool,
) -> std::fmt::Result {
    let figure = |value, interval, of_tile: fn(f64, Interval) -> String| match (goal, interval) {
        (Goal::Tile { .. }, Some(interval)) => of_tile(value, interval),
        (Goal::Tile { .. }, None) => percent(value),
        (Goal::Score, _) => mean(value, interval),
    };
    let rows = [
        ("perfect play", value_in_full(sample.optimal, goal), ""),
        (&spec.to_string(), figure(sample.value, sample.interval, rate), ""),
        ("lost by its moves", figure(sample.lost, sample.lost_interval, share), ""),
    ];
    // Exact values say nothing about a player that knows the coming tiles.
    write_rows(text, if knows_future { &rows[..2] } else { &rows })?;
    writeln!(text, "\n{} games, 95% intervals", whole(sample.games))
}

/// Names, their figures in a column, and what follows a figure.
fn write_rows(text: &mut String, rows: &[(&str, String, &str)]) -> std::fmt::Result {
    let name = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let figure = rows.iter().map(|(_, figure, _)| figure.chars().count()).max().unwrap_or(0);
    rows.iter().try_for_each(|(own, value, rest)| writeln!(text, "{own:<name$}  {value:>figure$}{rest}"))
}

fn leak_json(leak: &Leak) -> Value {
    let by_direction = |value: &dyn Fn(Direction) -> Value| -> Value {
        Direction::ALL.map(|direction| (direction.name().to_owned(), value(direction))).into_iter().collect()
    };
    json!({
        "board": leak.board.to_grid().rows().collect::<Vec<_>>(),
        "visits": leak.visits,
        "cost": leak.cost,
        "shares": by_direction(&|direction| json!(leak.shares[direction.index()])),
        "values": by_direction(&|direction| json!(leak.exact.shown(direction))),
    })
}
