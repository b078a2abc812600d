//! Perfect players are worth their table, whether their value is computed or their games are
//! played.

use std::sync::Arc;

use lab2048::game::{Player, PlayerError, Probability};
use lab2048::players::Registry;
use lab2048::solve::{
    Goal, Job, Place, Policy, PolicyError, PolicyJob, PolicyValue, Sample, SampleJob, SubGame, Table, Tables,
    Uniform, evaluate_policy, policy_of, sample_player, solve_in_memory,
};

use super::support::{TENTH, endgame, on_board, solved_into, table, tile};

fn player(registry: &Registry, spec: &str) -> Result<Box<dyn Player>, PlayerError> {
    let spec = registry.parse(spec).map_err(PlayerError::because)?;
    registry.build(&spec).map_err(PlayerError::because)
}

/// The exact value of a player.
fn evaluated(table: &Table, registry: &Registry, spec: &str, threads: usize) -> PolicyValue {
    evaluated_worst(table, registry, spec, threads, 5)
}

/// The same with so many of the worst boards.
fn evaluated_worst(
    table: &Table,
    registry: &Registry,
    spec: &str,
    threads: usize,
    worst: usize,
) -> PolicyValue {
    let make = || match spec {
        "random" => Ok(Box::new(Uniform) as Box<dyn Policy>),
        _ => Ok(Box::new(player(registry, spec)?) as Box<dyn Policy>),
    };
    let job = PolicyJob { threads, worst, make: &make, cancel: &false.into(), progress: &|_, _| {} };
    evaluate_policy(table, &job).unwrap().unwrap()
}

/// The value of a player by played games.
fn sampled(table: &Arc<Table>, registry: &Registry, spec: &str, games: u64) -> Sample {
    sampled_from(table, registry, spec, 11, games).unwrap()
}

/// The same from a seed on.
fn sampled_from(
    table: &Arc<Table>,
    registry: &Registry,
    spec: &str,
    seed: u64,
    games: u64,
) -> Result<Sample, PolicyError> {
    let make = || player(registry, spec);
    let (cancel, progress) = (false.into(), |_| {});
    let job =
        SampleJob { games, seed, threads: 2, worst: 3, make: &make, cancel: &cancel, progress: &progress };
    sample_player(table, &job).map(|sample| sample.expect("nobody cancels it"))
}

fn assert_perfect(value: &PolicyValue, game: &SubGame) {
    let off = (value.value - value.optimal).abs() / value.optimal;
    assert!(off < 1e-4, "{game}: {} for {}", value.value, value.optimal);
    assert!(value.worst.iter().all(|leak| leak.cost < 1e-4), "{game}: {:?}", value.worst);
}

/// A policy must not stand for a player that looks at more than the board.
#[test]
fn only_players_that_look_at_nothing_but_the_board_are_policies() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::built_in().with_tables(Tables::in_folder(folder.path().to_owned()));
    solved_into(folder.path(), &endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside));
    let is_policy = |spec: &str| policy_of(player(&registry, spec).unwrap()).is_some();
    for spec in ["random", "greedy", "optimal", "auto", "sum", "expectimax", "minimax:depth=2"] {
        assert!(is_policy(spec), "{spec}");
    }
    for spec in [
        // The score so far is a part of the value.
        "sum:eval=product",
        "expectimax:eval=product,depth=2",
        "expectimax:eval=weighted,depth=2",
        "minimax:eval=product,depth=2",
        // Walls that were merged before matter.
        "endgame:table=walls-0123765489-32,else=random",
        "endgame:table=walls-0123765489-32,else=greedy",
    ] {
        assert!(!is_policy(spec), "{spec}");
    }
    assert!(is_policy("expectimax:eval=weighted,score=0,depth=2"), "this one does not read the score");
}

#[test]
fn optimal_is_worth_its_table() {
    let registry = Registry::built_in();
    let even = Probability::new(0.5).unwrap();
    for (game, spec) in [
        (on_board("2x2", Goal::Score), "optimal"),
        (on_board("2x3", Goal::Score), "optimal"),
        // The player knows 3x2 from the table of 2x3.
        (on_board("3x2", Goal::Score), "optimal"),
        (on_board("2x3", Goal::Score).with_four(even), "optimal"),
        (on_board("2x2", tile(16)), "optimal:tile=16"),
        (on_board("2x3", tile(64)), "optimal:tile=64"),
        (on_board("3x2", tile(128)).with_four(even), "optimal:tile=128"),
    ] {
        assert_perfect(&evaluated(&table(&game), &registry, spec, 2), &game);
    }
}

#[test]
fn endgame_is_worth_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::built_in().with_tables(Tables::in_folder(folder.path().to_owned()));
    for (walls, place) in [
        ("0,1,2,3,7,6,5,4,8,9", Place::Beside),
        ("0,1,2,3,7,6,5,4,8,9", Place::Anywhere),
        ("0,1,2,6,5,4,8,9,10", Place::Beside),
    ] {
        let game = endgame(walls, 32, place);
        solved_into(folder.path(), &game);
        let table = registry.tables().named(&game.name()).unwrap();
        let spec = format!("endgame:table={},else=random", game.name());
        assert_perfect(&evaluated(&table, &registry, &spec, 2), &game);
    }
}

/// A player that wants something else is worth less, and never more.
#[test]
fn other_players_are_worth_less() {
    let registry = Registry::built_in();
    let score = table(&on_board("2x3", Goal::Score));
    let chance = table(&on_board("2x3", tile(64)));
    let wrong_goal = evaluated(&chance, &registry, "optimal", 2);
    assert!(wrong_goal.value < 0.9999 * wrong_goal.optimal, "{wrong_goal:?}");
    assert!(wrong_goal.value > 0.5 * wrong_goal.optimal, "{wrong_goal:?}");
    for spec in ["greedy", "expectimax:depth=1"] {
        let value = evaluated(&score, &registry, spec, 2);
        assert!(value.value < 0.99 * value.optimal, "{spec}: {value:?}");
        assert!(value.worst[0].cost > 0.0 && value.worst.len() == 5);
        assert_eq!(value, evaluated(&score, &registry, spec, 1), "on one thread");
    }
}

/// Played games agree with the exact value within four standard errors, and their losses within
/// four of theirs.
#[test]
fn played_games_agree_with_the_exact_values() {
    let registry = Registry::built_in();
    for (game, spec, games) in [
        (on_board("2x3", Goal::Score), "optimal", 4000),
        (on_board("2x3", Goal::Score), "random", 4000),
        (on_board("2x3", tile(64)), "optimal:tile=64", 2000),
        (on_board("2x3", tile(32)), "random", 4000),
        (on_board("3x2", Goal::Score).with_four(Probability::new(0.5).unwrap()), "optimal", 2000),
    ] {
        let table = table(&game);
        let sample = sampled(&table, &registry, spec, games);
        let exact = match spec {
            "random" => evaluated(&table, &registry, spec, 2).value,
            _ => table.info().start,
        };
        let off = (sample.value - exact).abs();
        assert!(off < 2.0 * sample.interval.unwrap().half(), "{game}, {spec}: {sample:?} for {exact}");
        assert_eq!((sample.games, sample.optimal), (games, table.info().start));
        let finer = sample.optimal - sample.lost;
        let half = sample.lost_interval.unwrap().half();
        assert!((finer - exact).abs() <= 2.0 * half + 1e-4 * exact, "{game}, {spec}: {finer} for {exact}");
        assert_eq!(sample.lost < 1e-4 * exact, spec != "random", "{game}, {spec}: {}", sample.lost);
    }
}

#[test]
fn played_endgames_agree_with_the_exact_chance() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::built_in().with_tables(Tables::in_folder(folder.path().to_owned()));
    let game = endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside);
    solved_into(folder.path(), &game);
    let table = registry.tables().named(&game.name()).unwrap();
    let perfect = sampled(&table, &registry, &format!("endgame:table={},else=random", game.name()), 1500);
    assert!((perfect.value - table.info().start).abs() < 2.0 * perfect.interval.unwrap().half());
    assert!(perfect.lost < 1e-4, "{}", perfect.lost);
    let random = sampled(&table, &registry, "random", 1500);
    assert!(random.value < perfect.value - perfect.interval.unwrap().half(), "{random:?}");
    assert_eq!(TENTH, game.four());
}

/// The images of a board count together, whichever of them cost enough to be among the worst.
#[test]
fn the_worst_boards_are_the_same_however_many_are_asked_for() {
    let registry = Registry::built_in();
    for goal in [Goal::Score, tile(64)] {
        let table = table(&on_board("2x3", goal));
        for spec in ["greedy", "random"] {
            let all = evaluated_worst(&table, &registry, spec, 2, usize::MAX);
            let cost: f64 = all.worst.iter().map(|leak| leak.cost).sum();
            // All losses but those that rounding may explain.
            let lost = all.optimal - all.value;
            assert!((cost - lost).abs() < 1e-3 * lost, "{spec}: {cost} for {lost}");
            for count in [1, 2, 5, 20, 100, 1000] {
                let some = evaluated_worst(&table, &registry, spec, 2, count);
                assert_eq!(some.worst, all.worst[..count], "{spec}: the first {count}");
            }
        }
    }
}

/// A table that leaves out chances would count positions as lost that are not.
#[test]
fn players_are_not_compared_with_a_table_that_leaves_out_chances() {
    let game = endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside);
    let job = Job { threads: 1, keep: 0.1, asked: &[], cancel: &false.into(), progress: &|_| {} };
    let table = Arc::new(solve_in_memory(&game, &job).unwrap().unwrap().1);
    let words = "walls-0123765489-32 leaves out chances of at most 0.1; \
                 solve it again with --keep 0 to compare players";
    let registry = Registry::built_in();
    let error = sampled_from(&table, &registry, "random", 1, 1).unwrap_err();
    assert_eq!(error.to_string(), words);
    let make = || Ok(Box::new(Uniform) as Box<dyn Policy>);
    let job = PolicyJob { threads: 1, worst: 0, make: &make, cancel: &false.into(), progress: &|_, _| {} };
    assert_eq!(evaluate_policy(&table, &job).unwrap_err().to_string(), words);
}

#[test]
fn the_value_of_perfect_play_is_not_rounded() {
    let table = table(&endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside));
    let registry = Registry::built_in();
    let start = table.info().start;
    assert_ne!(start, (start * 65535.0).round() / 65535.0);
    assert_eq!(evaluated(&table, &registry, "random", 1).optimal, start);
    assert_eq!(sampled(&table, &registry, "random", 2).optimal, start);
}

#[test]
fn games_without_a_seed_are_refused() {
    let table = table(&on_board("2x2", Goal::Score));
    let registry = Registry::built_in();
    assert_eq!(sampled_from(&table, &registry, "random", u64::MAX - 3, 3).unwrap().games, 3);
    let error = sampled_from(&table, &registry, "random", u64::MAX - 3, 4).unwrap_err();
    assert_eq!(error.to_string(), "there are no seeds left");
}

/// A chance is not certain because every game or none made the tile.
#[test]
fn the_interval_of_a_chance_has_a_width_at_both_ends() {
    let registry = Registry::built_in();
    for (target, spec, hits) in [(8, "optimal:tile=8", 1.0), (128, "random", 0.0)] {
        let sample = sampled(&table(&on_board("2x3", tile(target))), &registry, spec, 20);
        let interval = sample.interval.unwrap();
        assert_eq!(sample.value, hits);
        assert!(interval.half() > 0.05 && interval.low >= 0.0 && interval.high <= 1.0, "{interval:?}");
    }
}
