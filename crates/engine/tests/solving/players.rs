//! The players `optimal` and `endgame`.

use std::fs;
use std::path::Path;

use lab2048::board::{Board, Direction, Grid, Symmetry};
use lab2048::game::{
    Action, Decision, Future, Game, GameStart, MoveValue, Player, Probability, Rules, Situation, Unit,
};
use lab2048::players::Registry;
use lab2048::solve::{Goal, Place, Tables};

use super::support::{board, endgame, on_board, solved_into, tile};

fn with_tables(folder: &Path) -> Registry {
    Registry::built_in().with_tables(Tables::in_folder(folder.to_owned()))
}

fn player(registry: &Registry, spec: &str) -> Box<dyn Player> {
    registry.build(&registry.parse(spec).unwrap()).unwrap()
}

/// The message of a spec that cannot be built.
fn refusal(registry: &Registry, spec: &str) -> String {
    let built = registry.parse(spec).map(|spec| registry.build(&spec).map(|_| ()));
    match built {
        Err(error) => error.to_string(),
        Ok(built) => built.unwrap_err().to_string(),
    }
}

fn decision(player: &mut dyn Player, board: Board) -> Decision {
    let game = Game::from_board(Rules::default(), 1, board);
    player.choose(&Situation::of(&game, player, Future::Hidden)).unwrap()
}

fn direction(player: &mut dyn Player, board: Board) -> Direction {
    match decision(player, board).action {
        Action::Move(direction) => direction,
        other => panic!("{other:?}"),
    }
}

/// A block whose walls grow from the inner one on along a chain.
///
/// ```text
/// 512 32K 16K .
/// 256 128  64 .       the target 64 counts at the right of the inner wall or below it
///   .   .   . .
/// ```
const BLOCK: &str = "512 32768 16384 ./256 128 64 ./. . . ./. . . .";

/// Ten free cells are quickly solved for a small target. No move shifts a full row.
const BLOCK_16: &str = "512 64 32 2/256 128 16 2/. . . ./. . . .";

/// Plays until the game ends or a tile is made.
fn played(player: &mut dyn Player, start: &Board, seed: u64, until: u64) -> Game {
    let mut game = Game::from_board(Rules::default(), seed, start.clone());
    player.start(&GameStart::of(&game, Future::Hidden)).unwrap();
    while game.ending().is_none() && game.board().largest() < until && game.turns() < 400 {
        let decision = player.choose(&Situation::of(&game, player, Future::Hidden)).unwrap();
        game.play(decision.action).unwrap();
    }
    game
}

/// The target, the five merges of the walls, and so one tile that is twice the largest wall.
#[test]
fn endgame_makes_the_target_and_merges_the_walls() {
    let folder = tempfile::tempdir().unwrap();
    let game = endgame("block", 16, Place::Beside);
    solved_into(folder.path(), &game);
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=block-16,else=random");
    let start = board(BLOCK_16).pass().spawn(15, 2).unwrap();
    let first = decision(&mut *player, start.clone());
    assert_eq!(first.unit, Unit::Chance, "the table plays: {first:?}");
    let merged = (0..40).filter(|&seed| played(&mut *player, &start, seed, 1024).board().largest() == 1024);
    // The table makes the 16 almost surely. A tile that appears between the walls while they merge
    // can disturb a merge.
    assert!(merged.count() >= 36);
}

/// The target slides into the inner wall and merges with it in the same move: 32 and 32 in the
/// third row.
#[test]
fn endgame_merges_the_walls_if_the_first_merge_was_that_of_the_target() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside));
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=walls-0123765489-32,else=random");
    let start = board("16384 8192 4096 2048/128 256 512 1024/64 32 . 32/2 . . .");
    assert_eq!(direction(&mut *player, start.clone()), Direction::Left);
    let merged = |&seed: &u64| played(&mut *player, &start, seed, 32768).board().largest() == 32768;
    assert!((0..40).filter(merged).count() >= 36);
    // A board that does not follow from that move is played by the table, though 32 and 32 could
    // merge: the free 32 does not count in the corner.
    let elsewhere = board("16384 8192 4096 2048/128 256 512 1024/64 32 2 4/2 . 2 32");
    let usual = decision(&mut *player, elsewhere.clone());
    assert_eq!(usual.unit, Unit::Chance);
    assert_eq!(direction(&mut *player, start), Direction::Left);
    assert_eq!(decision(&mut *player, elsewhere), usual);
}

/// A legal move that leaves the table is worth nothing. It is not unknown.
#[test]
fn endgame_says_that_a_move_out_of_the_table_is_worth_nothing() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=block-16,else=random");
    // Down shifts walls.
    let found = decision(&mut *player, board("512 64 32 4/256 128 16 2/. . . ./. . . 2"));
    assert!(matches!(found.values[0], MoveValue::Worth(value) if value > 0.9), "{found:?}");
    assert_eq!(found.values[2], MoveValue::Worth(0.0));
}

/// On all eight images of a board, the image of the same move is chosen.
#[test]
fn endgame_recognises_all_images() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=block-16,else=random");
    for rest in ["4 2 . ./2 8 . 2", "8 4 2 ./. . 2 .", "2 . . ./. . . 8"] {
        let grid = board(&format!("512 64 32 2/256 128 16 4/{rest}")).to_grid();
        let own = decision(&mut *player, Board::from_grid(grid.clone()).unwrap());
        assert_eq!(own.unit, Unit::Chance);
        for symmetry in Symmetry::ALL {
            let image = Board::from_grid(grid.transformed(symmetry)).unwrap();
            let found = decision(&mut *player, image);
            for direction in Direction::ALL {
                let turned = symmetry.direction(direction).index();
                assert_eq!(found.values[turned], own.values[direction.index()], "{symmetry:?}");
            }
        }
    }
}

/// What counts is the order of the walls, not their values.
#[test]
fn endgame_recognises_walls_of_any_values_in_a_chain() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=block-16,else=greedy");
    let rest = "2/. 2 4 8/2 . . 4";
    let known = |player: &mut dyn Player, walls: &str| {
        let found = decision(player, board(&format!("{walls} {rest}", rest = rest)));
        (found.unit == Unit::Chance).then_some(found)
    };
    // The last row of walls and the first free cell of its row.
    let usual = known(&mut *player, "512 64 32 ./256 128 16").unwrap();
    for walls in [
        "1024 64 32 ./256 128 16",
        "131072 256 64 ./65536 4096 16",
        // Another chain: left, up, right.
        "128 256 512 ./64 32 16",
        // The 64 is beside the 16, where the merged 32 can be, and so on.
        "512 128 32 ./256 64 16",
    ] {
        let found = known(&mut *player, walls).unwrap();
        assert_eq!((found.values, found.action), (usual.values, usual.action), "{walls}");
    }
    // The inner wall is not the target, two walls are equal, or the chain is broken.
    for walls in ["1024 128 64 ./512 256 32", "512 64 64 ./256 128 16", "512 32 64 ./256 128 16"] {
        assert_eq!(known(&mut *player, walls), None, "{walls}");
    }
}

#[test]
fn the_first_table_that_knows_the_board_plays() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    solved_into(folder.path(), &endgame("snake", 16, Place::Beside));
    let registry = with_tables(folder.path());
    let mut both = player(&registry, "endgame:table=block-16+snake-16,else=greedy");
    let block = board("512 64 32 2/256 128 16 ./. 2 4 8/2 . . 4");
    let snake = board("64 128 256 512/32 16 2 4/. 2 4 8/2 . . 4");
    let other = board("2 128 256 512/32 16 2 4/. 2 4 8/2 . . 4");
    let units = [block, snake, other].map(|board| decision(&mut *both, board).unit);
    assert_eq!(units, [Unit::Chance, Unit::Chance, Unit::Preference]);
    // A chance that is not larger than `least` is left to the other player.
    let mut careful = player(&registry, "endgame:table=block-16,else=greedy,least=1");
    let board = board("512 64 32 2/256 128 16 ./. 2 4 8/2 . . 4");
    assert_eq!(decision(&mut *careful, board).unit, Unit::Preference);
}

#[test]
fn endgame_says_which_table_is_missing_or_unfit() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &on_board("2x2", Goal::Score));
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    fs::write(folder.path().join("snake-512.table"), "nonsense").unwrap();
    let registry = with_tables(folder.path());
    let missing = "there is no table 'block-512'; compute it with: lab2048 solve block-512";
    assert_eq!(refusal(&registry, "endgame:table=block-512"), missing);
    assert_eq!(refusal(&registry, "endgame:table=block-16+block-512"), missing);
    assert_eq!(refusal(&Registry::built_in(), "endgame:table=block-512"), missing);
    let whole = "endgame: the table 2x2 is of a whole board; use optimal for it";
    assert_eq!(refusal(&registry, "endgame:table=2x2"), whole);
    let unfit = refusal(&registry, "endgame:table=snake-512");
    assert!(
        unfit.starts_with("cannot use the table ") && unfit.ends_with("not a table of lab2048"),
        "{unfit}"
    );
    let outside = refusal(&registry, "endgame:table=../block-16");
    assert!(outside.contains("is not the name of a table"), "{outside}");
    assert!(refusal(&registry, "endgame").contains("table"));
    assert!(refusal(&registry, "endgame:table=block-16,else=nobody").contains("nobody"));
    assert!(refusal(&registry, "endgame:table=block-16,least=2").contains("least"));
}

/// The message with which a player refuses a game.
fn start_refusal(registry: &Registry, spec: &str, picture: &str) -> String {
    let game = Game::from_board(Rules::default(), 1, board(picture));
    player(registry, spec).start(&GameStart::of(&game, Future::Hidden)).unwrap_err().to_string()
}

#[test]
fn optimal_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let registry = with_tables(folder.path());
    let refusal = |spec, picture| start_refusal(&registry, spec, picture);
    let three = "2 . ./. . ./. . 2";
    let missing = "there is no table '3x3'; compute it with: lab2048 solve 3x3";
    assert_eq!(refusal("optimal", three), missing);
    assert_eq!(start_refusal(&Registry::built_in(), "optimal", three), missing);
    let missing = "there is no table '3x3-512'; compute it with: lab2048 solve 3x3-512";
    assert_eq!(refusal("optimal:tile=512", three), missing);
    let large = refusal("optimal", "2 . . ./. . . ./. . . ./. . . 2");
    assert!(large.contains("has too many positions"), "{large}");
    let unreachable = "optimal: this board cannot come up in a game on 2x2, so its values are not known";
    // One move is possible, but two tiles of 32 never lie on 2x2.
    for picture in ["32 32/4 2", "64 2/. .", "32 32/. .", "16 16/16 16"] {
        assert_eq!(refusal("optimal", picture), unreachable, "{picture}");
    }
    let target = "the target must be a power of two from 8 to 8192, not 100";
    assert_eq!(refusal("optimal:tile=100", "2 ./. 2"), target);
}

/// Once the tile is made or out of reach, `auto` plays.
#[test]
fn optimal_for_a_tile_goes_on_after_it() {
    let registry = Registry::built_in();
    let mut player = player(&registry, "optimal:tile=16");
    assert_eq!(decision(&mut *player, board("8 8/2 .")).unit, Unit::Chance);
    assert_eq!(direction(&mut *player, board("8 8/4 2")).index() % 2, 1, "left or right makes it");
    assert_eq!(decision(&mut *player, board("16 2/. 2")).unit, Unit::Points);
    let game = played(&mut *player, &board("2 ./. 2"), 5, u64::MAX);
    assert!(game.ending().is_some());
}

/// The block with larger walls: the table is about the free cells only.
#[test]
fn a_table_of_another_target_does_not_know_the_board() {
    let folder = tempfile::tempdir().unwrap();
    solved_into(folder.path(), &endgame("block", 16, Place::Beside));
    let registry = with_tables(folder.path());
    let mut player = player(&registry, "endgame:table=block-16,else=greedy");
    let grid: Grid = board(BLOCK).pass().spawn(3, 2).unwrap().to_grid();
    assert_eq!(decision(&mut *player, Board::from_grid(grid).unwrap()).unit, Unit::Preference);
}

/// Records keep the hash of the table in use, also with another chance of a 4.
#[test]
fn the_fingerprint_is_that_of_the_table_in_use() {
    let registry = Registry::built_in();
    let even = Probability::new(0.5).unwrap();
    for (spec, goal) in [("optimal", Goal::Score), ("auto", Goal::Score), ("optimal:tile=64", tile(64))] {
        let mut player = player(&registry, spec);
        for four in [even, Probability::TENTH, Probability::ONE] {
            let rules = Rules { size: "2x3".parse().unwrap(), four, ..Rules::default() };
            let game = Game::new(rules, 1);
            player.start(&GameStart::of(&game, Future::Hidden)).unwrap();
            let table = registry.tables().solved(game.board().size(), goal, four).unwrap();
            let hash = player.facts().fingerprint.on(game.board());
            assert_eq!(hash.as_deref(), Some(table.hash()), "{spec} with {four:?}");
            player.end(&game);
        }
    }
}
