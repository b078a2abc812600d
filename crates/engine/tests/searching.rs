//! Games of the searching players on boards of all kinds. Every move must be legal, the same seed
//! must give the same game, and a finished game must score more than a random one.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use lab2048::arena::MakePlayer;
use lab2048::board::{Board, Size, parse_board};
use lab2048::game::{Future, Game, GameStart, Player, Recorder, Rules, Situation};
use lab2048::learn::{Limit, Quantisation, Recipe, start};
use lab2048::ntuple::{NetworkFile, Patterns, Shape, Stages};
use lab2048::players::{Registry, ShippedFile, ShippedNetwork};
use lab2048::review::{ReviewError, review};

/// A large board, one that is not square, and one with tiles that are not powers of two.
const LARGE: &str = "0 0 0 0 0 0/0 2 0 0 0 0/0 0 0 0 0 0/0 0 0 0 4 0/0 0 0 0 0 0/0 0 0 0 0 0";
const OBLONG: &str = "0 0 0 0 0/0 2 0 2 0/0 0 0 0 0";
const ODD: &str = "3 0 0 0/0 3 0 0/0 0 6 0/0 0 0 2";
const USUAL: &str = "0 0 0 0/0 2 0 0/0 0 0 0/0 0 2 0";

/// The players, with a briefly trained network of rows and columns.
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let shape = Shape {
        patterns: Patterns::parse(Size::FOUR, "0123 4567").unwrap(),
        stages: Stages::one(),
        top: 15,
        start_value: 0.0,
    };
    let recipe = Recipe { restart: 0, single_games: 0, ..Recipe::new(shape) };
    let mut training = start(recipe).unwrap();
    training.run(1, Limit { episodes: Some(300), ..Limit::default() });
    let network = training.network(Quantisation::default()).unwrap();
    let bytes = NetworkFile::to_bytes(&network, Default::default()).leak();
    Registry::built_in()
        .with_networks(vec![ShippedNetwork { name: "tiny", file: ShippedFile::Inside(bytes) }].leak())
});

fn player(text: &str) -> Box<dyn Player> {
    REGISTRY.build(&REGISTRY.parse(text).unwrap()).unwrap()
}

/// Plays and returns the game after a number of moves or at its end.
fn played(text: &str, board: Board, moves: u64) -> Game {
    let mut game = Game::from_board(Rules::default(), 7, board);
    let mut player = player(text);
    player.start(&GameStart::of(&game, Future::Told)).unwrap();
    while game.ending().is_none() && game.turns() < moves {
        let decision = player
            .choose(&Situation::of(&game, &player, Future::Told))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        game.play(decision.action).unwrap_or_else(|error| panic!("{text} on {:?}: {error}", game.board()));
    }
    player.end(&game);
    game
}

/// Plays twice and compares the game with a random one.
fn check(text: &str, starts: &[&str], moves: u64) {
    for start in starts {
        let board = || parse_board(start, None).unwrap();
        let game = played(text, board(), moves);
        assert_eq!(game, played(text, board(), moves), "{text}: the same seed must give the same game");
        let by_chance = played("random", board(), moves).score();
        let lasts = game.turns() == moves;
        assert!(lasts || game.score() > by_chance, "{text}: {} and {by_chance} at random", game.score());
    }
}

#[test]
fn sum_plays_every_board() {
    check("sum:depth=1", &[LARGE, OBLONG, ODD], 1_000);
    check("sum:depth=2", &[OBLONG, USUAL], 500);
}

#[test]
fn minimax_plays_every_board() {
    check("minimax:depth=1", &[LARGE, OBLONG, ODD], 1_000);
    check("minimax:nodes=200", &[OBLONG, USUAL], 500);
}

#[test]
fn clairvoyant_plays_every_board() {
    for text in ["clairvoyant:depth=2", "clairvoyant:depth=6,beam=3", "clairvoyant:depth=1,blind=true"] {
        check(text, &[LARGE, OBLONG, ODD, USUAL], 1_000);
    }
}

#[test]
fn expectimax_plays_every_board() {
    check("expectimax:depth=1", &[LARGE, OBLONG, ODD, USUAL], 1_000);
    check("expectimax:nodes=300", &[OBLONG, ODD, USUAL], 300);
    check("expectimax:eval=smooth,depth=1,cut=0.01,fours=2", &[OBLONG, USUAL], 300);
}

#[test]
fn networks_play_the_boards_they_were_trained_for() {
    check("ntuple", &[USUAL], 1_000);
    check("expectimax:eval=ntuple,depth=2", &[USUAL], 500);
    let board = parse_board(OBLONG, None).unwrap();
    let game = GameStart { rules: &Rules::default(), board: &board, future: Future::Hidden };
    assert!(player("ntuple").start(&game).is_err());
}

#[test]
fn auto_plays_every_board() {
    check("auto", &[OBLONG, ODD, USUAL], 200);
    check("auto", &[LARGE], 10);
}

/// A network counts points to come, and so does a search that averages over spawns. The points left
/// after the worst or the best spawns are not an expectation, so they cannot measure what a move
/// lost.
#[test]
fn only_a_search_that_expects_points_can_judge() {
    let mut game = Game::new(Rules::default(), 7);
    let mut recorder = Recorder::new(&game).unwrap();
    let mut judge = player("ntuple");
    for _ in 0..10 {
        let decision = judge.choose(&Situation::of(&game, &judge, Future::Hidden)).unwrap();
        recorder.push(&game.play(decision.action).unwrap()).unwrap();
    }
    let replay = recorder.finish(&game);
    let review_by = |text: &str| {
        let judges: MakePlayer<'_> = Box::new(|| Ok(player(text)));
        review(&replay, &judges, 1, &AtomicBool::new(false), &mut |_| ())
    };
    assert!(review_by("expectimax:eval=ntuple,depth=1").is_ok());
    for text in ["sum:depth=1", "minimax:depth=1", "clairvoyant:blind=true,depth=1"] {
        let refused = review_by(&format!("{text},eval=ntuple"));
        assert_eq!(refused.err(), Some(ReviewError::NoPoints), "{text}");
    }
}
