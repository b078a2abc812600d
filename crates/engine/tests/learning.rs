//! Whole training runs through the public interface: tiny boards learned to the optimum,
//! interrupted runs, damaged files.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use lab2048::board::{Direction, Packed, PackedAfter, Size};
use lab2048::eval::{Evaluator as _, FastEvaluator as _, View};
use lab2048::game::{Future, Game, Player as _, Probability, Rules, Situation, SpawnSource, Unit};
use lab2048::learn::{
    Changes, CheckpointNetwork, Limit, NewStages, Order, Quantisation, Recipe, Training, UpdateRule, resume,
    resume_or_before, start, start_from,
};
use lab2048::ntuple::{NetworkFile, Patterns, Shape, Stages};
use lab2048::players::Registry;

fn recipe(size: &str, patterns: &str, start_value: f32) -> Recipe {
    let shape = Shape {
        patterns: Patterns::parse(size.parse::<Size>().unwrap(), patterns).unwrap(),
        stages: Stages::one(),
        top: 15,
        start_value,
    };
    Recipe { restart: 0, seed: 5, single_games: 0, ..Recipe::new(shape) }
}

fn share(share: f64) -> Probability {
    Probability::new(share).unwrap()
}

/// The current value of an afterstate.
fn value<const R: usize, const C: usize>(training: &dyn Training, after: PackedAfter<R, C>) -> f32 {
    let size = Size::new(R, C).unwrap();
    training.value(&View::new(size, after.to_grid().cells().iter().copied(), 0)).unwrap() as f32
}

fn episodes(count: u64) -> Limit<'static> {
    Limit { episodes: Some(count), ..Limit::default() }
}

/// The mean score of greedy play by these values.
fn mean_score<const R: usize, const C: usize>(value: impl Fn(PackedAfter<R, C>) -> f32, games: u64) -> f64 {
    let rules = Rules { size: Size::new(R, C).unwrap(), ..Rules::default() };
    let mut total = 0;
    for seed in 0..games {
        let spawns = SpawnSource::new(&rules, seed);
        let after = |board: Packed<R, C>| PackedAfter::from_bits(board.bits()).unwrap();
        let empty = PackedAfter::<R, C>::from_bits(0).unwrap();
        let first = spawns.apply_packed(0, empty).unwrap();
        let mut board = spawns.apply_packed(1, after(first)).unwrap();
        for number in SpawnSource::AFTER_FIRST_MOVE.. {
            let moves = Direction::ALL.into_iter().filter_map(|direction| board.slide(direction));
            let worth = |&(after, reward): &(PackedAfter<R, C>, u32)| reward as f32 + value(after);
            let Some((after, reward)) = moves.max_by(|a, b| worth(a).total_cmp(&worth(b))) else { break };
            total += u64::from(reward);
            board = spawns.apply_packed(number, after).unwrap();
        }
    }
    total as f64 / games as f64
}

/// The optimal values were computed by exact solvers. If one table holds every board, nothing is
/// generalised, and a board that a greedy player once undervalues is never visited again. So the
/// start value is above all true values. The rate is below 1, so that bad luck does not push a
/// value far below the true one.
#[test]
fn tiny_boards_are_learned_to_within_two_percent_of_the_optimum() {
    let gently = |recipe: Recipe| Recipe { rate: "0.3".parse().unwrap(), ..recipe };
    let mut training = start(gently(recipe("2x2", "0123", 150.0))).unwrap();
    training.run(1, episodes(60_000));
    let mean = mean_score(|after: PackedAfter<2, 2>| value(training.as_ref(), after), 100_000);
    assert!((mean / 66.964 - 1.0).abs() < 0.02, "2x2: {mean}");

    let mut training = start(gently(recipe("2x3", "012345", 800.0))).unwrap();
    training.run(1, episodes(300_000));
    let mean = mean_score(|after: PackedAfter<2, 3>| value(training.as_ref(), after), 100_000);
    assert!((mean / 480.258 - 1.0).abs() < 0.02, "2x3: {mean}");

    // The network for a file has the same values, within the precision of 16 bits.
    let network = training.network(Quantisation::default()).unwrap();
    let file = NetworkFile::from_bytes(&NetworkFile::to_bytes(&network, Default::default())).unwrap();
    let evaluator: &dyn lab2048::eval::Evaluator = &file.network;
    let size = Size::new(2, 3).unwrap();
    let told = |after: PackedAfter<2, 3>| {
        let view = lab2048::eval::View::new(size, after.to_grid().cells().iter().copied(), 0);
        evaluator.evaluate(&view) as f32
    };
    let furthest = std::cell::Cell::new(0.0f32);
    let compared = |after: PackedAfter<2, 3>| {
        let learned = value(training.as_ref(), after);
        furthest.set(furthest.get().max((told(after) - learned).abs()));
        learned
    };
    mean_score(compared, 1_000);
    assert!(furthest.get() > 0.0 && furthest.get() < 0.03 * 800.0, "{} points apart", furthest.get());
}

#[test]
fn plain_td_learns_too() {
    let td = Recipe { rule: UpdateRule::Td, rate: "0.1".parse().unwrap(), ..recipe("2x2", "0123", 0.0) };
    let mut training = start(Recipe { order: Order::Forward, ..td }).unwrap();
    training.run(1, episodes(60_000));
    let mean = mean_score(|after: PackedAfter<2, 2>| value(training.as_ref(), after), 20_000);
    assert!(mean > 60.0, "{mean}");
}

#[test]
fn a_run_begins_with_the_weights_of_a_network() {
    let mut first = start(recipe("2x3", "012 034", 100.0)).unwrap();
    first.run(1, episodes(2_000));
    let network = first.network(Quantisation::default()).unwrap();
    let bytes = NetworkFile::to_bytes(&network, Default::default());
    let network = NetworkFile::from_bytes(&bytes).unwrap().network;

    // Before its first game the new run has the same weights, whatever patterns its recipe names.
    let mut next =
        start_from(&network, Quantisation::default(), recipe("2x3", "01", 0.0), NewStages::Copy).unwrap();
    assert_eq!(next.recipe().shape, *network.shape());
    assert_eq!(next.recipe().from.as_deref(), network.fingerprint());
    let copied = next.network(Quantisation::default()).unwrap();
    assert!(NetworkFile::to_bytes(&copied, Default::default()) == bytes);

    // Mixing a network with itself changes nothing. A network cannot be mixed in twice, or with
    // another shape.
    let none = Quantisation::default();
    next.mix(&network, none, share(0.5)).unwrap();
    next.mix(&network, none, share(0.5)).unwrap();
    assert_eq!(next.recipe().mixed.len(), 1);
    assert!(
        NetworkFile::to_bytes(&next.network(Quantisation::default()).unwrap(), Default::default()) == bytes
    );
    assert!(
        next.mix(&network, none, share(0.4))
            .unwrap_err()
            .to_string()
            .contains("already mixed in, with a share of 0.5")
    );
    let mut other = start(recipe("2x3", "012", 100.0)).unwrap();
    assert!(other.mix(&network, none, share(0.5)).unwrap_err().to_string().contains("different patterns"));

    // The run continues to learn, but gently: ten games of some hundred points do not change any
    // value by much.
    let afters = [[1, 2, 3, 4, 5, 0], [2, 1, 0, 0, 3, 1], [6, 5, 4, 1, 2, 0]];
    let values = |network: &lab2048::ntuple::Network| {
        let view = |ranks: [u32; 6]| {
            let tiles = ranks.into_iter().map(|rank| if rank == 0 { 0 } else { 1 << rank });
            View::new(Size::new(2, 3).unwrap(), tiles, 0)
        };
        afters.map(|ranks| network.evaluate(&view(ranks)))
    };
    next.run(1, episodes(10));
    let learned = values(&next.network(Quantisation::default()).unwrap());
    assert_ne!(learned, values(&network));
    for (before, after) in values(&network).into_iter().zip(learned) {
        assert!((after - before).abs() < 25.0, "{before} became {after}");
    }
}

fn four() -> Recipe {
    let shape = Shape {
        patterns: Patterns::parse(Size::FOUR, "0123 0145").unwrap(),
        stages: "128 256".parse().unwrap(),
        top: 14,
        start_value: 0.0,
    };
    Recipe {
        shape,
        restart: 50,
        stage_starts: share(0.3),
        formations: share(0.2),
        openings: share(0.3),
        ..recipe("4x4", "0123", 0.0)
    }
}

fn bytes_of(training: &dyn Training) -> Vec<u8> {
    NetworkFile::to_bytes(&training.network(Quantisation::default()).unwrap(), Default::default())
}

#[test]
fn the_same_seed_on_one_thread_gives_the_same_weights_however_often_it_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.checkpoint");
    let mut whole = start(four()).unwrap();
    whole.run(1, episodes(600));
    for part in [1, 137, 400, 600] {
        let mut training = if path.exists() { resume(&path).unwrap() } else { start(four()).unwrap() };
        training.run(1, episodes(part));
        training.save(&path).unwrap();
    }
    let resumed = resume(&path).unwrap();
    let without_time = |training: &dyn Training| {
        let progress = training.progress();
        (progress.episodes, progress.games, progress.moves)
    };
    assert_eq!(without_time(resumed.as_ref()), without_time(whole.as_ref()));
    assert!(resumed.progress().games < 600, "some games were restarts");
    assert!(bytes_of(resumed.as_ref()) == bytes_of(whole.as_ref()));
    let other = Recipe { seed: 6, ..four() };
    let mut training = start(other).unwrap();
    training.run(1, episodes(600));
    assert!(bytes_of(training.as_ref()) != bytes_of(whole.as_ref()));
}

#[test]
fn threads_share_the_work_and_count_every_episode() {
    let mut training = start(four()).unwrap();
    let finished = training.run(3, episodes(500));
    let progress = training.progress();
    assert_eq!(progress.episodes, 500);
    assert_eq!(progress.games, finished.len() as u64);
    assert!(progress.moves > 10_000);
    training.run(1, Limit { games: Some(progress.games + 7), ..Limit::default() });
    assert_eq!(training.progress().games, progress.games + 7);
    training.run(1, Limit { moves: Some(progress.moves), ..Limit::default() });
    assert_eq!(training.progress().games, progress.games + 7, "the move limit is already reached");
}

#[test]
fn later_stages_are_learned_and_can_be_added_to_a_run() {
    let mut training =
        start(Recipe { shape: Shape { stages: Stages::one(), ..four().shape }, ..four() }).unwrap();
    training.run(1, episodes(300));
    let before = bytes_of(training.as_ref());
    let changes =
        Changes { stages: "256".parse().ok(), stage_starts: Some(share(0.5)), ..Changes::default() };
    training.apply(changes).unwrap();
    assert_eq!(training.recipe().shape.stages.len(), 2);
    training.run(1, episodes(600));
    assert!(bytes_of(training.as_ref()).len() > before.len());
    assert_eq!(training.recipe().stage_starts, share(0.5));
    // A refused change must not change anything.
    let recipe = training.recipe().clone();
    let fewer =
        Changes { stages: Some(Stages::one()), openings: Some(Probability::ONE), ..Changes::default() };
    let refusal = training.apply(fewer).unwrap_err().to_string();
    assert!(refusal.starts_with("the network has --stages 256; you can add later stages"), "{refusal}");
    assert_eq!(*training.recipe(), recipe);
    let rest = Changes {
        rate: "0.5".parse().ok(),
        formations: Some(Probability::ONE),
        openings: Some(Probability::ZERO),
        ..Changes::default()
    };
    training.apply(rest).unwrap();
    let changed = Recipe {
        rate: "0.5".parse().unwrap(),
        formations: Probability::ONE,
        openings: Probability::ZERO,
        ..recipe
    };
    assert_eq!(*training.recipe(), changed);
}

fn damage(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused_and_the_one_before_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.checkpoint");
    let mut training = start(four()).unwrap();
    training.run(1, episodes(20));
    training.save(&path).unwrap();
    let refusal = |path: &Path| resume(path).err().map(|error| error.to_string()).unwrap_or_default();

    let whole = fs::read(&path).unwrap();
    damage(&path, |bytes| bytes[0] = b'X');
    assert!(refusal(&path).ends_with("is not a training checkpoint of lab2048"), "{}", refusal(&path));
    fs::write(&path, &whole).unwrap();
    damage(&path, |bytes| bytes[8] = 7);
    assert!(refusal(&path).ends_with("has the checkpoint format 7; this program reads format 1"));
    for len in [10, 19, 50, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..len]).unwrap();
        assert!(refusal(&path).contains("is damaged"), "cut to {len}: {}", refusal(&path));
    }
    for place in (20..whole.len()).step_by(whole.len() / 60) {
        fs::write(&path, &whole).unwrap();
        damage(&path, |bytes| bytes[place] ^= 0x04);
        assert!(refusal(&path).contains("is damaged"), "changed at {place}: {}", refusal(&path));
    }
    for more in [1, 1000] {
        fs::write(&path, [whole.clone(), vec![0; more]].concat()).unwrap();
        let said = format!("is damaged: extra data after its end, from byte {}", whole.len());
        assert!(refusal(&path).ends_with(&said), "{more} bytes more: {}", refusal(&path));
    }
    for place in whole.len() - 12..whole.len() {
        fs::write(&path, &whole).unwrap();
        damage(&path, |bytes| bytes[place] ^= 0x04);
        assert!(refusal(&path).contains("is damaged"), "changed at {place}: {}", refusal(&path));
    }

    // If a checkpoint is torn, or missing between two renames, the previous one is used.
    fs::write(&path, &whole).unwrap();
    training.run(1, episodes(40));
    training.save(&path).unwrap();
    let resumed = || {
        let (training, lost) = resume_or_before(&path).map_err(|error| error.to_string())?;
        Ok::<_, String>((
            training.progress().episodes,
            lost.map(|error| error.to_string()).unwrap_or_default(),
        ))
    };
    assert_eq!(resumed().unwrap(), (40, String::new()));
    // A checkpoint of a later version is not lost. It is refused, and the previous one is not used.
    damage(&path, |bytes| bytes[8] = 7);
    assert!(resumed().unwrap_err().ends_with("this program reads format 1"));
    // A checkpoint that is too long is complete, so it is refused and kept.
    damage(&path, |bytes| {
        bytes[8] = 1;
        bytes.push(0);
    });
    assert!(resumed().unwrap_err().contains("extra data after its end"));
    assert!(path.exists() && !path.with_extension("damaged").exists());
    damage(&path, |bytes| bytes.truncate(10));
    let (episodes, why) = resumed().unwrap();
    assert!(episodes == 20 && why.ends_with("is damaged: it ends too early"), "{episodes} {why}");
    // The damaged file is renamed, so that the next save does not replace the good checkpoint with
    // it.
    assert_eq!(fs::read(path.with_extension("damaged")).unwrap().len(), 10);
    assert!(resumed().unwrap().1.contains("no such file"));
    training.save(&path).unwrap();
    assert_eq!(resume(&path.with_extension("previous")).unwrap().progress().episodes, 20);
    // A second damaged checkpoint does not replace the first.
    damage(&path, |bytes| bytes.truncate(20));
    assert_eq!(resumed().unwrap().0, 20);
    let damaged = path.with_extension("damaged");
    let second = lab2048::files::numbered(&damaged, 2);
    assert_eq!([damaged, second].map(|path| fs::read(path).unwrap().len()), [10, 20]);
    assert!(refusal(&folder.path().join("nothing")).contains("nothing"));
}

#[test]
fn impossible_recipes_are_refused() {
    let refusal = |recipe: Recipe| start(recipe).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(
        refusal(recipe("4x3", "012", 0.0)),
        "networks can be trained for 2x2, 2x3, 2x4, 3x3, 3x4 and 4x4 boards, not 4x3"
    );
    let shape = Shape { top: 16, ..four().shape };
    assert!(refusal(Recipe { shape, ..four() }).contains("not rank 16"));
}

#[test]
fn a_first_stage_may_have_a_smaller_alphabet_from_the_first_game_on() {
    // 128 0 0 0    A first stage that distinguishes tiles up to 64 sees a 128 as a 64.
    let shape = Shape { stages: "/64 256".parse().unwrap(), ..four().shape };
    let mut training = start(Recipe { shape, ..four() }).unwrap();
    training.run(1, episodes(300));
    let network = training.network(Quantisation::default()).unwrap();
    let value = |rank| {
        let mut ranks = [0; 16];
        ranks[0] = rank;
        network.evaluate_packed(PackedAfter::from_ranks(&ranks))
    };
    assert_eq!(value(7), value(6));
    assert_ne!(value(6), value(5));
    let nothing = Shape { stages: "/64 2".parse().unwrap(), ..four().shape };
    assert!(start(Recipe { shape: nothing, ..four() }).is_err(), "the first stage would have no boards");
}

#[test]
fn games_from_formations_see_large_tiles_in_order() {
    // 16384 8192 4096 2048   The pattern sees outer lines. No game shows such columns, so the
    // 16384 8192 4096 2048   value comes from the rows alone. Games from the beginning do not
    // 16384 8192 4096 2048   reach such a row in so little time.
    // 16384 8192 4096 2048
    let rows = PackedAfter::<4, 4>::from_ranks(&[14, 13, 12, 11].repeat(4));
    let worth = |formations| {
        let recipe = Recipe { formations: share(formations), ..recipe("4x4", "0123", 0.0) };
        let mut training = start(recipe).unwrap();
        training.run(1, episodes(2000));
        let progress = training.progress();
        (value(training.as_ref(), rows), progress.games)
    };
    assert_eq!(worth(0.0), (0.0, 2000));
    let (known, games) = worth(0.5);
    assert!(known != 0.0, "the row must have been seen");
    assert!((800..1200).contains(&games), "half of the games are from the beginning: {games}");
}

#[test]
fn the_weights_of_a_checkpoint_judge_as_the_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.checkpoint");
    let mut training = start(recipe("4x4", "0123 0145", 100.0)).unwrap();
    training.run(1, Limit { games: Some(20), ..Limit::default() });
    training.save(&path).unwrap();
    let network = CheckpointNetwork::read(&path).unwrap();
    // 2  4  8 16      64 32  .  .
    // .  2  4  8       2  .  .  .
    // .  .  2  4       .  .  .  .
    // .  .  .  2       .  .  .  4
    for ranks in
        [[1, 2, 3, 4, 0, 1, 2, 3, 0, 0, 1, 2, 0, 0, 0, 1], [6, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]]
    {
        let after = PackedAfter::from_ranks(&ranks);
        let exact = network.evaluate_packed(after);
        assert!(exact != 100.0, "something was learned about it");
        assert_eq!(exact, value(training.as_ref(), after));
        let view = View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0);
        assert_eq!(network.evaluate(&view), f64::from(exact));
    }
    assert_eq!(network.fingerprint().unwrap().len(), 64);
    let registry = Registry::built_in();
    let spec = registry.parse(&format!("ntuple:net={}", path.display())).unwrap();
    let mut player = registry.build(&spec).unwrap();
    let game = Game::new(Rules::default(), 1);
    let decision = player.choose(&Situation::of(&game, &player, Future::Hidden)).unwrap();
    assert_eq!(decision.unit, Unit::Points);
    let small = folder.path().join("small.checkpoint");
    start(recipe("2x2", "0123", 0.0)).unwrap().save(&small).unwrap();
    assert!(
        CheckpointNetwork::read(&small).unwrap_err().to_string().contains("only checkpoints for 4x4 boards")
    );
}

/// The header of the checkpoint of a new run, and the hash of the network after 600 episodes. If
/// these change, old checkpoints or networks are affected.
#[test]
fn a_seed_gives_these_networks_and_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.checkpoint");
    let td = Recipe { rule: UpdateRule::Td, rate: "0.1".parse().unwrap(), ..recipe("2x3", "0123 14", 9.5) };
    let expected = [
        (
            four(),
            r#"{"recipe":{"shape":{"patterns":["4x4","0123 0145"],"stages":"128 256","top":14,"start_value":0.0},"rule":"tc","order":"backward","rate":"1","restart":50,"stage_starts":0.3,"formations":0.2,"openings":0.3,"four":0.1,"seed":5,"single_games":0},"progress":{"episodes":0,"games":0,"moves":0,"seconds":0.0},"pending":[],"entries":[[],[]],"words":1179648}"#,
            "2fb48de735173cfa7fa41030cdad7e25ef79463693dae82504ec2de709e6d9a2",
        ),
        (
            Recipe { order: Order::Forward, ..td },
            r#"{"recipe":{"shape":{"patterns":["2x3","0123 14"],"stages":"one","top":15,"start_value":9.5},"rule":"td","order":"forward","rate":"0.1","restart":0,"stage_starts":0.0,"formations":0.0,"openings":0.0,"four":0.1,"seed":5,"single_games":0},"progress":{"episodes":0,"games":0,"moves":0,"seconds":0.0},"pending":[],"entries":[],"words":65792}"#,
            "49225657c9749e111347328d68749aaef5a5f939cc8237a7e774fd4380a16bd8",
        ),
    ];
    for (recipe, header, hash) in expected {
        let mut training = start(recipe).unwrap();
        training.save(&path).unwrap();
        // Magic, version, length and checksum come first, the blocks and the end after it.
        let checkpoint = fs::read(&path).unwrap();
        assert_eq!(String::from_utf8_lossy(&checkpoint[20..checkpoint.len() - 12]), header);
        training.run(1, episodes(600));
        assert_eq!(NetworkFile::hash(&bytes_of(training.as_ref())), hash);
    }
}
