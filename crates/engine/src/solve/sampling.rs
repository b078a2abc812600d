//! What a player is worth in a sub-game, by played games: for players whose exact value would take
//! too long, or that do not depend on the board alone.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::leaks::{Leak, Leaks};
use super::{Goal, Outcome, PolicyError, Practice, PracticeError, Table};
use crate::arena::{Interval, RunningMoments, wilson};
use crate::board::Board;
use crate::game::{Action, Future, Game, GameStart, Player, PlayerError, Rules, Situation, SpawnSource};
use crate::parallel;

/// How to play the games.
pub struct SampleJob<'a> {
    /// The number of games.
    pub games: u64,
    /// The seed of the first game.
    pub seed: u64,
    /// The number of threads.
    pub threads: usize,
    /// The number of entries in [`Sample::worst`].
    pub worst: usize,
    /// Makes the player for a thread.
    pub make: &'a (dyn Fn() -> Result<Box<dyn Player>, PlayerError> + Sync),
    /// Ends the work early.
    pub cancel: &'a AtomicBool,
    /// Called with the number of games so far.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// The result of played games.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The number of games.
    pub games: u64,
    /// The mean score, or the share of the games that made the tile.
    pub value: f64,
    /// Its 95% interval; `None` for the score of a single game.
    pub interval: Option<Interval>,
    /// What the moves lost against perfect play: the mean sum over a game, with its interval. For a
    /// player that does not know the coming tiles, the value of perfect play minus this is a second
    /// estimate of its value, and usually a much more precise one: it is free of the luck of the
    /// spawns.
    pub lost: f64,
    /// Its 95% interval.
    pub lost_interval: Option<Interval>,
    /// The value of perfect play from the start.
    pub optimal: f64,
    /// Where most was lost.
    pub worst: Vec<Leak>,
}

/// What one game gave.
struct Played {
    value: f64,
    lost: f64,
    /// By position.
    leaks: Vec<(u64, Leak)>,
}

/// Positions that are remembered for [`Sample::worst`].
const MOST_LEAKS: usize = 1 << 20;

/// Plays games of a player in the sub-game of a table. `None` if it was cancelled. The result does
/// not depend on the number of threads.
pub fn sample_player(table: &Arc<Table>, job: &SampleJob<'_>) -> Result<Option<Sample>, PolicyError> {
    table.check_complete()?;
    let (mut values, mut lost) = (RunningMoments::default(), RunningMoments::default());
    let mut leaks = Leaks::at_most(MOST_LEAKS);
    let places = job.seed..job.seed.checked_add(job.games).ok_or(PolicyError::NoSeeds)?;
    let make = || {
        let mut player = None;
        move |seed: u64, _: parallel::Stop<'_>| {
            let player = match &mut player {
                Some(player) => player,
                None => player.insert((job.make)()?),
            };
            play(table, &mut **player, seed).map(ControlFlow::Continue)
        }
    };
    let end =
        parallel::in_order(places.clone(), job.threads, job.cancel, make, &mut |batch: Vec<Played>| {
            for played in batch {
                values.add(played.value);
                lost.add(played.lost);
                played.leaks.into_iter().for_each(|(position, leak)| leaks.add(position, leak));
            }
            (job.progress)(values.count());
            Ok::<(), PolicyError>(())
        })?;
    if end < places.end {
        return Ok(None);
    }
    let (value, lost) = (values.moments(), lost.moments());
    Ok(Some(Sample {
        games: job.games,
        value: value.map_or(0.0, |moments| moments.mean),
        interval: match table.game().goal() {
            Goal::Score => value.and_then(|moments| moments.interval()),
            Goal::Tile { .. } => value.map(|moments| wilson(values.sum() as u64, moments.count)),
        },
        lost: lost.map_or(0.0, |moments| moments.mean),
        lost_interval: lost.and_then(|moments| moments.interval()),
        optimal: table.info().start,
        worst: leaks.worst(job.games, job.worst),
    }))
}

/// The first board of a game with a seed.
fn first_board(table: &Table, rules: &Rules, seed: u64) -> Result<Board, PolicyError> {
    match table.clean_start()? {
        None => Ok(Game::new(rules.clone(), seed).board().clone()),
        Some(bits) => {
            let grid = table.tiles(bits);
            let after = Board::from_grid(grid).expect("a position is a board").pass();
            let (board, _) = SpawnSource::new(rules, seed).apply(0, &after).expect("a cell is free");
            Ok(board)
        }
    }
}

fn play(table: &Arc<Table>, player: &mut dyn Player, seed: u64) -> Result<Played, PolicyError> {
    let sub = table.game();
    let rules = table.rules();
    let start = first_board(table, &rules, seed)?;
    let mut practice = match Practice::new(Arc::clone(table), start, seed) {
        Ok(practice) => practice,
        // Nothing can be won from this board.
        Err(PracticeError::Unknown(_)) => return Ok(Played { value: 0.0, lost: 0.0, leaks: Vec::new() }),
        Err(error) => return Err(error.into()),
    };
    let refused = |refusal| PolicyError::Player(PlayerError::because(refusal));
    player.start(&GameStart::of(practice.game(), Future::Told)).map_err(refused)?;
    let (mut lost, mut leaks) = (0.0, Vec::new());
    while practice.outcome() == Outcome::Open {
        let (board, exact) = (practice.game().board().clone(), *practice.exact());
        let decision = player.choose(&Situation::of(practice.game(), player, Future::Told))?;
        let Action::Move(direction) = decision.action else {
            return Err(PlayerError::new("the player chose no move").into());
        };
        lost += practice.play(direction)?.lost();
        let mut shares = [0.0; 4];
        shares[direction.index()] = 1.0;
        let leak = Leak::of_visit(table, board, shares, exact);
        leaks.extend(leak.and_then(|leak| Some((table.position_of(&leak.board)?, leak))));
    }
    player.end(practice.game());
    let value = match sub.goal() {
        Goal::Score => practice.game().score() as f64,
        Goal::Tile { .. } => f64::from(u8::from(practice.outcome() == Outcome::Made)),
    };
    Ok(Played { value, lost, leaks })
}

#[cfg(test)]
mod tests {
    use super::super::{
        Job, Place, Policy, PolicyJob, SubGame, Tables, Uniform, evaluate_policy, solve_in_memory,
    };
    use super::*;
    use crate::game::{Decision, Probability};

    /// Plays a random legal move.
    struct Random;

    impl Player for Random {
        fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
            let legal = situation.board.legal_moves();
            let direction = legal.nth(situation.luck.below(situation.turns, legal.len()));
            Ok(Decision::of(Action::Move(direction.expect("a move is legal"))))
        }
    }

    fn sampled(table: &Arc<Table>, games: u64, threads: usize) -> Sample {
        let make = || Ok(Box::new(Random) as Box<dyn Player>);
        let job = SampleJob {
            games,
            seed: 1,
            threads,
            worst: 4,
            make: &make,
            cancel: &false.into(),
            progress: &|_| {},
        };
        sample_player(table, &job).unwrap().unwrap()
    }

    /// Played games agree with the exact value, and the losses of the moves agree better.
    #[test]
    fn played_games_agree_with_the_exact_value() {
        let table =
            Tables::default().solved("2x3".parse().unwrap(), Goal::Score, Probability::TENTH).unwrap();
        let sample = sampled(&table, 4000, 2);
        let make = || Ok(Box::new(Uniform) as Box<dyn Policy>);
        let job =
            PolicyJob { threads: 2, worst: 0, make: &make, cancel: &false.into(), progress: &|_, _| {} };
        let exact = evaluate_policy(&table, &job).unwrap().unwrap();
        let half = sample.interval.unwrap().half();
        assert!((sample.value - exact.value).abs() < 2.0 * half, "{} {}", sample.value, exact.value);
        let fine = sample.lost_interval.unwrap().half();
        assert!(
            (sample.optimal - sample.lost - exact.value).abs() < 2.0 * fine,
            "{sample:?} {}",
            exact.value
        );
        assert_eq!((sample.worst.len(), sampled(&table, 300, 1)), (4, sampled(&table, 300, 3)));
    }

    /// In an endgame, the share of games that make the tile.
    #[test]
    fn an_endgame_is_played_from_its_clean_start() {
        let game = SubGame::endgame("0,1,2,3,4,5,6,7".parse().unwrap(), 32, Place::Anywhere);
        let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
        let table = solve_in_memory(&game.unwrap(), &job).unwrap().unwrap().1;
        let sample = sampled(&Arc::new(table), 400, 2);
        assert!(sample.value < sample.optimal && sample.optimal <= 1.0, "{sample:?}");
        let estimate = sample.optimal - sample.lost;
        let half = sample.interval.unwrap().half() + sample.lost_interval.unwrap().half();
        assert!((sample.value - estimate).abs() < 3.0 * half, "{sample:?}");
    }
}
