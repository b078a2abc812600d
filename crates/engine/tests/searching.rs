//! The searching players on boards that are not the usual ones: 2,000 moves, or to the end of the game.
#![allow(clippy::unwrap_used)]

use lab2048::board::parse_board;
use lab2048::game::{Game, GameStart, Player, Rules, Situation};
use lab2048::players::Registry;

const MOVES: u64 = 2_000;

/// A large board, one that is not square, and one with tiles that are no powers of two.
const STARTS: [&str; 3] = [
    "0 0 0 0 0 0/0 2 0 0 0 0/0 0 0 0 0 0/0 0 0 0 4 0/0 0 0 0 0 0/0 0 0 0 0 0",
    "0 0 0 0 0/0 2 0 2 0/0 0 0 0 0",
    "3 0 0 0/0 3 0 0/0 0 6 0/0 0 0 2",
];

fn player(text: &str) -> Box<dyn Player> {
    let registry = Registry::built_in();
    registry.build(&registry.parse(text).unwrap()).unwrap()
}

/// Plays and returns the game as it stands after [`MOVES`] moves or at its end.
fn played(text: &str, start: &str) -> Game {
    let mut game = Game::from_board(Rules::default(), 7, parse_board(start, None).unwrap());
    let mut player = player(text);
    player.start(&GameStart { rules: game.rules(), board: game.board(), knows_future: true }).unwrap();
    while game.ending().is_none() && game.turns() < MOVES {
        let decision = player.choose(&Situation::of(&game)).unwrap_or_else(|error| panic!("{text}: {error}"));
        game.play(decision.action).unwrap_or_else(|error| panic!("{text} on {:?}: {error}", game.board()));
    }
    player.end(&game);
    game
}

fn play_all(text: &str) {
    for start in STARTS {
        let game = played(text, start);
        assert!(game.turns() >= 50, "{text} lasts only {} moves on\n{:?}", game.turns(), game.board());
    }
}

#[test]
fn sum_plays_every_board() {
    play_all("sum:depth=1");
}

#[test]
fn minimax_plays_every_board() {
    play_all("minimax:depth=1");
}

#[test]
fn clairvoyant_plays_every_board() {
    play_all("clairvoyant:depth=2");
    play_all("clairvoyant:depth=6,beam=3");
    play_all("clairvoyant:depth=1,blind=true");
}

#[test]
fn the_same_seed_is_the_same_game() {
    for text in
        ["sum:depth=2", "minimax:nodes=200", "clairvoyant:depth=3,beam=5", "clairvoyant:depth=2,blind=true"]
    {
        let (one, other) = (played(text, STARTS[1]), played(text, STARTS[1]));
        assert_eq!(one, other, "{text}");
    }
}
