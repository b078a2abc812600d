//! Golden files: one game through the whole public interface as text, and the final positions of
//! many games. They guarantee that a seed always means the same game. Set `UPDATE_GOLDEN=1` to
//! rewrite them.

use std::fmt::Write as _;

use lab2048::board::{BoardForm, Direction, Packed};
use lab2048::game::{
    Action, Future, Game, GameStart, History, MoveValue, Player as _, Replay, Rules, Situation, Stream, Turn,
    outcomes,
};
use lab2048::players::Registry;

use super::support::{assert_golden, size};

/// Writes everything that a position provides.
fn describe(out: &mut String, game: &Game) {
    let board = game.board();
    writeln!(out, "{board}").unwrap();
    for (name, form) in [("rows", BoardForm::Rows), ("hex", BoardForm::Hex), ("json", BoardForm::Json)] {
        match board.to_text(form) {
            Ok(text) => writeln!(out, "{name}: {text}").unwrap(),
            Err(error) => writeln!(out, "{name}: {error}").unwrap(),
        }
    }
    let legal: Vec<&str> = board.legal_moves().iter().map(Direction::name).collect();
    writeln!(out, "legal moves: {legal:?}, has moves: {}", board.has_moves()).unwrap();
    writeln!(
        out,
        "score: {}, turns: {}, largest: {}, tile sum: {}, empty: {}, won: {}, ending: {:?}",
        game.score(),
        game.turns(),
        board.largest(),
        board.tile_sum(),
        board.empty_count(),
        game.has_won(),
        game.ending()
    )
    .unwrap();
    let packed = Packed::<4, 4>::pack(board).map(|packed| (packed.bits(), packed.canonical().bits()));
    writeln!(out, "packed: {packed:x?}").unwrap();
    for direction in Direction::ALL {
        let Some(slid) = board.slide(direction).unwrap() else { continue };
        let after: Vec<u64> = slid.after.tiles().collect();
        let possible = outcomes(&slid.after, game.rules().four).count();
        writeln!(out, "{direction}: reward {}, after {after:?}, {possible} outcomes", slid.reward).unwrap();
        let motions: Vec<String> = board
            .motions(direction)
            .unwrap()
            .iter()
            .map(|motion| format!("{}>{}{}", motion.from, motion.to, if motion.merged { "*" } else { "" }))
            .collect();
        writeln!(out, "  motions: {}", motions.join(" ")).unwrap();
    }
}

fn line(turn: &Turn, game: &Game) -> String {
    let spawn = turn.spawn.map_or("nothing".to_owned(), |spawn| format!("{} at {}", spawn.tile, spawn.cell));
    let board = game.board().to_text(BoardForm::Hex).unwrap();
    format!("{:?}: reward {}, {spawn} -> {board}, score {}", turn.action, turn.reward, game.score())
}

#[test]
fn one_game_through_the_whole_interface() {
    let mut out =
        String::from("# One game of the player 'greedy', played through the engine's public interface.\n");
    let registry = Registry::built_in();
    let spec = registry.parse("greedy").unwrap();
    let mut player = registry.build(&spec).unwrap();
    let rules = Rules { goal: 64, ..Rules::ORIGINAL };
    writeln!(out, "player: {spec}\nrules: {}\nseed: 2048\n", serde_json::to_string(&rules).unwrap()).unwrap();
    let mut history = History::new(Game::new(rules, 2048));
    describe(&mut out, history.game());
    writeln!(out).unwrap();

    let first = history.game().clone();
    player.start(&GameStart::of(&first, Future::Hidden)).unwrap();
    while history.game().ending().is_none() {
        let decision = player.choose(&Situation::of(history.game(), &player, Future::Hidden)).unwrap();
        let turn = history.play(decision.action).unwrap();
        let game = history.game();
        writeln!(out, "{:>3} {}", game.turns(), line(&turn, game)).unwrap();
        if game.turns().is_multiple_of(50) {
            let values = decision.values.map(MoveValue::worth);
            writeln!(out, "values: {values:?} ({})", decision.unit).unwrap();
            describe(&mut out, game);
        }
    }
    player.end(history.game());
    writeln!(out).unwrap();
    describe(&mut out, history.game());

    writeln!(out, "\nOne more move: {}", history.play(Action::Move(Direction::Up)).unwrap_err()).unwrap();
    let end = history.game().clone();
    let last = history.undo().unwrap();
    writeln!(out, "Undone: {}", line(&last, history.game())).unwrap();
    writeln!(out, "A pass: {}", history.play(Action::Pass).unwrap_err()).unwrap();
    let legal = history.game().board().legal_moves();
    for direction in Direction::ALL.into_iter().filter(|&direction| !legal.contains(direction)) {
        writeln!(out, "{direction}: {}", history.play(Action::Move(direction)).unwrap_err()).unwrap();
    }
    let again = history.redo().unwrap();
    assert_eq!(history.game(), &end);
    writeln!(out, "Redone: {}", line(&again, history.game())).unwrap();
    let replay = Replay::of_history(&history).unwrap().by(spec.to_string());
    write!(out, "\nThe replay:\n{}", replay.to_text()).unwrap();
    assert_golden("golden/playthrough.txt", &out);
}

/// Plays a whole game by a fixed rule: a random legal move from the player's stream, or the first
/// legal move with the largest reward.
fn play(rules: &Rules, seed: u64, way: &str) -> Game {
    let mut game = Game::new(rules.clone(), seed);
    while game.ending().is_none() {
        let board = game.board();
        let legal = board.legal_moves();
        let reward = |direction| board.slide(direction).unwrap().unwrap().reward;
        let direction = match way {
            "lot" => legal.nth(Stream::player(seed).below(game.turns(), legal.len())),
            _ => legal.iter().reduce(|best, other| if reward(other) > reward(best) { other } else { best }),
        };
        game.play(Action::Move(direction.unwrap())).unwrap();
    }
    game
}

#[test]
fn a_seed_means_the_same_game_for_ever() {
    let mut out = String::from(
        "# The ends of games by seed: rules, size, way of playing, seed, turns, score, final board.\n\
         # These lines are a promise. A change here breaks every recorded seed, replay and result.\n",
    );
    let sizes = [(2, 2), (2, 3), (3, 3), (4, 3), (4, 4), (5, 5), (2, 8)].map(|(rows, cols)| size(rows, cols));
    for (name, rules) in [("original", Rules::ORIGINAL), ("course", Rules::COURSE)] {
        for size in sizes {
            for way in ["lot", "merge"] {
                for seed in [0, 1, 2, 2048, u64::MAX] {
                    let game = play(&Rules { size, ..rules.clone() }, seed, way);
                    let board = game.board().to_text(BoardForm::Rows).unwrap();
                    writeln!(out, "{name} {size} {way} {seed} {} {} {board}", game.turns(), game.score())
                        .unwrap();
                }
            }
        }
    }
    assert_golden("golden/seeds.txt", &out);
}
