use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::arena::stand_ins::{First, Random};
use crate::arena::{GameLimits, GameSetup, PlayedGame, play_game};
use crate::game::{Action, Decision, Player, PlayerError, Probability, Rules, Situation, StartTiles};

/// Passes about half of the time, and sometimes quits or fails.
struct Moody;

impl Player for Moody {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        match situation.luck.below(situation.turns, 200) {
            0 => Ok(Decision::of(Action::Quit)),
            1 => Err(PlayerError::new("no idea")),
            2..100 => Ok(Decision::of(Action::Pass)),
            _ => Random.choose(situation),
        }
    }
}

/// Contests of all kinds: sizes, probabilities, rules, start boards with and without powers of two,
/// limits.
fn plans() -> Vec<ContestPlan> {
    let mut plans = Vec::new();
    let plan = |rules| ContestPlan::of_names(GameSetup::new(rules), 1, ["any"]);
    for size in ["4x4", "2x2", "2x3", "3x5", "5x4", "8x2"] {
        for four in [0.0, 0.1, 0.5, 1.0] {
            for named in [Rules::ORIGINAL, Rules::COURSE] {
                let four = Probability::new(four).unwrap();
                plans.push(plan(Rules { size: size.parse().unwrap(), four, ..named }));
            }
        }
    }
    plans.push(plan(Rules { start: StartTiles::TwoTwos, ..Rules::ORIGINAL }));
    plans.push(plan(Rules { idle: IdleMove::Spawns, ..Rules::ORIGINAL }));
    for board in [
        "3 0 0 0/0 2 0 0/0 0 0 0/0 0 4 0",
        "1 1/0 0",
        "1 3 5/7 0 2/2 2 1024",
        "1024 1024 512 0/2 4 8 16/0 0 0 0/2 2 2 2",
        "9223372036854775808 9223372036854775808/0 2",
        "18446744073709551615 18446744073709551614/0 2",
        "2 4/4 2",
        "6 12/0 0",
    ] {
        for named in [Rules::ORIGINAL, Rules::COURSE] {
            let setup = GameSetup::from_board(named, board.parse().unwrap());
            plans.push(ContestPlan::of_names(setup, 1, ["any"]));
        }
    }
    let limited = plans.clone().into_iter().enumerate().map(|(index, plan)| {
        let limits = match index % 3 {
            0 => GameLimits { until: Some(32), max_moves: None },
            1 => GameLimits { until: None, max_moves: Some(20) },
            _ => GameLimits { until: Some(16), max_moves: Some(9) },
        };
        ContestPlan { setup: GameSetup { limits, ..plan.setup }, ..plan }
    });
    plans.extend(limited.collect::<Vec<_>>());
    plans
}

/// Calls `see` with real records: a few games of every contest by every player.
fn for_each_record(games: u64, mut see: impl FnMut(&ContestPlan, Record)) {
    let mut players: [Box<dyn Player>; 3] = [Box::new(Random), Box::new(First), Box::new(Moody)];
    for plan in plans() {
        for seed in 1..=games {
            for player in &mut players {
                let PlayedGame { result, end } =
                    play_game(&mut plan.setup.start(seed), player, &plan.setup.limits).unwrap();
                see(&plan, Record { seed, player: 0, result, end, time: Duration::ZERO });
            }
        }
    }
}

#[test]
fn records_of_real_games_are_possible() {
    let (mut seen, mut ends) = (0, std::collections::BTreeSet::new());
    for_each_record(25, |plan, record| {
        assert_eq!(plan.check(&record), Ok(()), "{plan:?}\n{record:?}");
        ends.insert(record.end.word());
        seen += 1;
    });
    assert!(seen > 5000, "{seen}");
    assert_eq!(
        ends.into_iter().collect::<Vec<_>>(),
        ["failed", "max-moves", "no-moves", "no-room", "quit", "until"]
    );
}

/// The games of strong players, which the stand-ins cannot produce.
#[test]
fn the_records_of_the_benchmarks_are_possible() {
    let mut seen = 0;
    let benchmarks = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks");
    let folders = fs::read_dir(benchmarks).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    for path in files.map(|entry| entry.unwrap().path()) {
        let text = fs::read(&path).unwrap();
        if !text.starts_with(br#"{"lab2048":"arena""#) {
            continue;
        }
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let mut header: Value = serde_json::from_slice(lines.next().unwrap()).unwrap();
        let _ = ["lab2048", "version"].map(|name| header.as_object_mut().unwrap().remove(name));
        let plan: ContestPlan = serde_json::from_value(header).unwrap();
        for line in lines {
            let record = Record::read_line(line, &plan.players).unwrap();
            assert_eq!(plan.check(&record), Ok(()), "{}: {record:?}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn records_with_another_figure_are_not() {
    for_each_record(5, |plan, record| {
        let real = record.result;
        let refused = |change: &dyn Fn(&mut GameResult)| {
            let mut result = real;
            change(&mut result);
            let changed = Record { result, ..record.clone() };
            assert!(changed == record || plan.check(&changed).is_err(), "{plan:?}\n{changed:?}");
        };
        for sum in [0, real.sum - 2, real.sum - 1, real.sum + 1, real.sum + 2, u128::MAX] {
            refused(&|result| result.sum = sum);
        }
        for moves in [real.moves.saturating_sub(1), real.moves + 1, u64::MAX] {
            refused(&|result| result.moves = moves);
        }
        for score in [real.score + 1, u64::MAX] {
            refused(&|result| result.score = score);
        }
        if plan.setup.start(1).board().tiles().all(|tile| rank_of(tile).is_some()) {
            refused(&|result| result.score = real.score + 2);
            refused(&|result| result.largest = 3 * (real.largest / 2));
        }
        if let Some(larger) = u64::try_from(real.sum).ok().and_then(u64::checked_next_power_of_two) {
            refused(&|result| result.largest = larger.saturating_mul(2));
        }
        for largest in [0, u64::MAX - 4] {
            refused(&|result| result.largest = largest);
        }
    });
}

/// A full 4x4 board without moves has a sum of at least 48: 2 and 4 alternate.
#[test]
fn a_game_is_not_over_while_a_cell_must_be_empty() {
    let plan = ContestPlan::of_names(GameSetup::default(), 1, ["any"]);
    let mut game = plan.setup.start(1);
    for _ in 0..12 {
        let played = PlayedGame::of(&game, StopReason::Over(Ending::NoMoves));
        let PlayedGame { result, end } = played;
        let record = Record { seed: 1, player: 0, result, end, time: Duration::ZERO };
        assert_eq!(plan.check(&record).is_ok(), result.sum >= 48, "{record:?}");
        let quit = Record { end: StopReason::Over(Ending::Quit), ..record };
        assert_eq!(plan.check(&quit), Ok(()));
        let direction = game.board().legal_moves().iter().next().unwrap();
        game.play(Action::Move(direction)).unwrap();
    }
}

/// The bounds hold on all boards of five cells with small tiles, and are reached.
#[test]
fn the_bounds_of_the_worth_are_those_of_all_boards() {
    let cells = 5;
    let mut found = std::collections::BTreeMap::new();
    // Ranks in descending order; 0 is an empty cell.
    let mut boards = vec![vec![]];
    for _ in 0..cells {
        boards = boards
            .into_iter()
            .flat_map(|board: Vec<u8>| {
                let most = board.last().copied().unwrap_or(7);
                (0..=most).map(move |rank| [&board[..], &[rank]].concat())
            })
            .collect();
    }
    for board in boards.iter().filter(|board| board[0] > 0) {
        let sum: u64 = board.iter().map(|&rank| tile_of(rank)).sum();
        let value: u128 = board.iter().map(|&rank| worth(rank)).sum();
        let (least, most) = found.entry((board[0], sum)).or_insert((value, value));
        (*least, *most) = ((*least).min(value), (*most).max(value));
    }
    for rank in 1..=7 {
        for sum in 0..=tile_of(rank) * 6 {
            let range = possible_worth(tile_of(rank), sum.into(), cells);
            match found.get(&(rank, sum)) {
                Some(&(least, most)) => assert_eq!(range, least..=most, "rank {rank}, sum {sum}"),
                None => assert!(range.is_empty(), "rank {rank}, sum {sum}"),
            }
        }
    }
}
