//! Compares the tree with games played out.

use super::*;
use crate::board::{Direction, parse_board};
use crate::eval::testing::STARTS;
use crate::eval::{Product, View, Weighted};
use crate::game::{Action, Future, Game, MoveValue, Rules};

/// Plays out all sequences of moves in the game itself. Returns for each first move the deepest
/// turn that can be reached within the depth, and the best value there.
fn played_out(game: &Game, value: &dyn Fn(&Game) -> f64, depth: u32) -> [Option<(u32, f64)>; 4] {
    Direction::ALL.map(|direction| {
        let mut game = game.clone();
        game.play(Action::Move(direction)).ok()?;
        let deeper = match depth {
            1 => None,
            _ => played_out(&game, value, depth - 1).into_iter().flatten().reduce(best_of_two),
        };
        Some(deeper.map_or((1, value(&game)), |(turns, value)| (turns + 1, value)))
    })
}

/// The deeper one, or the better one of equally deep ones.
fn best_of_two(a: (u32, f64), b: (u32, f64)) -> (u32, f64) {
    if (b.0, b.1) > (a.0, a.1) { b } else { a }
}

fn product(game: &Game) -> f64 {
    Product.evaluate(&View::of_board(game.board(), game.score()))
}

fn player(options: ClairvoyantOptions) -> Clairvoyant {
    Clairvoyant::new(Arc::new(Product), options)
}

/// Plays a game to its end or for a number of turns, and shows every decision to `seen`.
fn play(
    start: &str,
    seed: u64,
    turns: u64,
    player: &mut Clairvoyant,
    mut seen: impl FnMut(&Game, &Decision),
) -> Game {
    let mut game = Game::from_board(Rules::default(), seed, parse_board(start, None).unwrap());
    player.start(&GameStart::of(&game, Future::Told)).unwrap();
    while game.ending().is_none() && game.turns() < turns {
        let decision = player.choose(&Situation::with_future(&game)).unwrap();
        seen(&game, &decision);
        game.play(decision.action).unwrap();
    }
    game
}

#[test]
fn the_best_leaf_is_that_of_all_games_played_out() {
    for (start, depth) in [(STARTS[0], 3), (STARTS[1], 4), (STARTS[2], 3), (STARTS[3], 2), ("2 0/0 4", 5)] {
        for rebuild in [false, true] {
            let options = ClairvoyantOptions { rebuild, ..ClairvoyantOptions::with_depth(depth) };
            let end = play(start, 3, 120, &mut player(options), |game, decision| {
                let slow = played_out(game, &product, depth);
                let reached = slow.into_iter().flatten().map(|(turns, _)| turns).max().unwrap();
                let values = slow.map(|leaf| match leaf {
                    None => MoveValue::Illegal,
                    Some((turns, value)) if turns == reached => MoveValue::Worth(value),
                    Some((turns, _)) => MoveValue::Lost { turns },
                });
                assert_eq!((decision.values, decision.depth), (values, reached), "{:?}", game.board());
            });
            assert!(end.turns() == 120 || end.ending().is_some());
        }
    }
}

#[test]
fn re_rooting_makes_fewer_boards_and_the_same_moves() {
    let mut rebuilt = Vec::new();
    let options = ClairvoyantOptions::with_depth(4);
    play(STARTS[0], 5, 200, &mut player(ClairvoyantOptions { rebuild: true, ..options }), |_, decision| {
        rebuilt.push(*decision);
    });
    let (mut turn, mut nodes) = (0, [0, 0]);
    play(STARTS[0], 5, 200, &mut player(options), |_, decision| {
        assert_eq!(Decision { nodes: 0, ..*decision }, Decision { nodes: 0, ..rebuilt[turn] });
        nodes = [nodes[0] + decision.nodes, nodes[1] + rebuilt[turn].nodes];
        turn += 1;
    });
    assert!(turn == 200 && nodes[0] * 10 < nodes[1] * 8, "{nodes:?}");
}

#[test]
fn a_tree_of_another_position_is_not_used() {
    let mut player = player(ClairvoyantOptions::with_depth(3));
    let game = Game::new(Rules::default(), 1);
    let first = player.choose(&Situation::with_future(&game)).unwrap();
    assert_eq!(player.choose(&Situation::with_future(&game)).unwrap(), first, "the same question twice");
    // The same board and the same number of turns, but with different spawns to come.
    let mut game = Game::from_board(Rules::default(), 2, game.board().clone());
    game.play(first.action).unwrap();
    let fresh =
        Clairvoyant::new(Arc::new(Product), player.options).choose(&Situation::with_future(&game)).unwrap();
    assert_eq!(player.choose(&Situation::with_future(&game)).unwrap(), fresh);
}

#[test]
fn a_beam_as_wide_as_the_tree_changes_nothing_and_a_narrow_one_keeps_its_width() {
    let wide = ClairvoyantOptions { beam: Some(4usize.pow(4)), ..ClairvoyantOptions::with_depth(4) };
    let mut decisions = Vec::new();
    play(STARTS[0], 7, 60, &mut player(ClairvoyantOptions::with_depth(4)), |_, decision| {
        decisions.push(*decision)
    });
    let mut turn = 0;
    play(STARTS[0], 7, 60, &mut player(wide), |_, decision| {
        assert_eq!(*decision, decisions[turn]);
        turn += 1;
    });
    let narrow = ClairvoyantOptions { beam: Some(10), rebuild: true, ..ClairvoyantOptions::with_depth(12) };
    play(STARTS[0], 7, 60, &mut player(narrow), |_, decision| {
        assert!(decision.depth == 12 && decision.nodes <= 4 + 16 + 10 * 40, "{decision:?}");
    });
}

/// The beam of a kept tree was filled among all moves. Everything it kept below the played move may
/// be stuck soon, while dropped boards could continue.
#[test]
fn a_kept_tree_whose_beam_ends_dead_is_built_anew() {
    let (mut saved, mut better_kept) = (0, 0);
    for (depth, beam, seed) in [(10, 5), (20, 10), (20, 3)]
        .into_iter()
        .flat_map(|(depth, beam)| (0..10).map(move |seed| (depth, beam, seed)))
    {
        let options = ClairvoyantOptions { beam: Some(beam), ..ClairvoyantOptions::with_depth(depth) };
        let mut clairvoyant = player(options);
        let mut game = Game::from_board(Rules::default(), seed, parse_board("0 2 0/0 0 2", None).unwrap());
        while game.ending().is_none() {
            let situation = Situation::with_future(&game);
            let kept = clairvoyant.tree.clone();
            let kept = kept.and_then(|tree| tree.re_rooted(&situation, Spawns::Known(game.spawns())));
            let kept = kept.map_or(0, |mut tree| {
                clairvoyant.grow(&mut tree, depth as usize, game.score());
                tree.depth() as u32
            });
            let decision = clairvoyant.choose(&situation).unwrap();
            let fresh = player(options).choose(&situation).unwrap().depth;
            assert!(decision.depth >= kept);
            if kept < depth {
                assert_eq!(decision.depth, kept.max(fresh), "on {:?}", game.board());
                saved += u32::from(kept > 0 && fresh > kept);
                better_kept += u32::from(fresh < kept);
            }
            game.play(decision.action).unwrap();
        }
    }
    assert!(saved > 10 && better_kept > 0, "{saved} and {better_kept}");
}

/// Right loses if a 4 spawns next to the 8. Down can always continue.
#[test]
fn moves_that_lose_and_moves_that_are_cut_off_are_told_apart() {
    let board = parse_board("2 4/8 0", None).unwrap();
    let mut lost = 0;
    for seed in 0..100 {
        let game = Game::from_board(Rules::default(), seed, board.clone());
        let choose = |beam| {
            let options = ClairvoyantOptions { beam, ..ClairvoyantOptions::with_depth(4) };
            player(options).choose(&Situation::with_future(&game)).unwrap()
        };
        let whole = choose(None);
        let legal = Direction::ALL.map(|direction| board.slide(direction).unwrap().is_some());
        assert_eq!(whole.values.map(MoveValue::is_judged), legal, "without a beam every move has a value");
        lost += whole.values.iter().filter(|value| matches!(value, MoveValue::Lost { .. })).count();
        let narrow = choose(Some(1));
        let count =
            |wanted: fn(&MoveValue) -> bool| narrow.values.iter().filter(|value| wanted(value)).count();
        assert_eq!(count(|value| value.worth().is_some()), 1, "a beam of one follows one move");
        assert_eq!(
            count(|value| *value == MoveValue::Unknown),
            1,
            "a move that the beam dropped must not count as lost"
        );
        assert_eq!(narrow.values.map(|value| value != MoveValue::Illegal), legal);
        let drawn = player(ClairvoyantOptions::with_depth(4)).tree(&Situation::with_future(&game)).unwrap();
        assert!(drawn.nodes.iter().all(|node| node.value.is_judged()));
    }
    assert!(lost > 0);
}

#[test]
fn a_beam_of_one_follows_the_best_board() {
    let options = ClairvoyantOptions { beam: Some(1), ..ClairvoyantOptions::with_depth(1) };
    play(STARTS[0], 9, 100, &mut player(options), |game, decision| {
        let values = played_out(game, &product, 1).map(|leaf| leaf.map(|leaf| leaf.1));
        let best = Decision::best_of(values.map(MoveValue::if_legal), decision.unit, 1, 0).unwrap();
        assert_eq!(decision.action, best.action);
    });
}

#[test]
fn an_unknown_future_is_refused_unless_blind() {
    let game = Game::new(Rules::default(), 1);
    let untold = GameStart::of(&game, Future::Hidden);
    let options = ClairvoyantOptions::with_depth(2);
    let refusal = player(options).start(&untold).unwrap_err();
    assert!(refusal.to_string().contains("coming tiles"));
    let situation = Situation { future: None, ..Situation::with_future(&game) };
    assert!(player(options).choose(&situation).is_err());
    let blind = ClairvoyantOptions { blind: true, ..options };
    assert!(player(blind).start(&untold).is_ok());
    assert!(player(blind).choose(&situation).is_ok());
}

#[test]
fn blind_trees_depend_on_luck_alone() {
    let blind = ClairvoyantOptions { blind: true, ..ClairvoyantOptions::with_depth(3) };
    let mut told = Vec::new();
    play(STARTS[0], 11, 100, &mut player(blind), |_, decision| told.push(*decision));
    let mut turn = 0;
    let mut untold = player(blind);
    play(STARTS[0], 11, 100, &mut player(blind), |game, decision| {
        let situation = Situation { future: None, ..Situation::with_future(game) };
        assert_eq!(untold.choose(&situation).unwrap(), *decision);
        assert_eq!(*decision, told[turn], "every run must be the same");
        turn += 1;
    });
    let mut differs = false;
    play(STARTS[0], 11, 100, &mut player(blind), |game, decision| {
        let values = played_out(game, &product, 3).map(|leaf| leaf.map(|leaf| leaf.1));
        differs |= decision.values != values.map(MoveValue::if_legal);
    });
    assert!(differs, "a blind tree must differ from the real future");
}

#[test]
fn any_size_and_any_tiles_are_played() {
    for start in [STARTS[3], STARTS[4], "2 0 0 0 0 0 0 0/0 0 0 0 0 0 0 4"] {
        let mut player = Clairvoyant::new(Arc::new(Weighted::default()), ClairvoyantOptions::with_depth(2));
        let end = play(start, 1, 50, &mut player, |_, _| ());
        assert!(end.turns() == 50 || end.ending().is_some());
    }
}
