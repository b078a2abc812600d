//! Thoughts in steps.

use super::*;
use crate::game::Thought;

/// Thinks in steps of `nodes` nodes. Returns the decision and the number of steps.
fn in_steps(player: &mut dyn Player, game: &Game, nodes: u64) -> (Decision, usize) {
    let mut depth = 0;
    for step in 1..1_000_000 {
        match player.think(&Situation::with_future(game), nodes).unwrap() {
            Thought::Decided(decision) => return (decision, step),
            Thought::Unfinished(decision) => {
                let reached = decision.map_or(0, |decision| decision.depth);
                assert!(reached >= depth, "a thought forgets no depth");
                depth = reached;
            }
        }
    }
    panic!("the thought does not end");
}

#[test]
fn a_thought_in_steps_is_the_thought_at_once() {
    let nodes = |nodes| SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let all = [
        options(1, 0.0, 1 << 16),
        options(3, 0.0, 1 << 16),
        options(4, 0.0, 0),
        options(4, 0.001, 1 << 12),
        ExpectimaxOptions { fours: 2, ..options(4, 0.0, 1 << 14) },
        ExpectimaxOptions { limits: nodes(30_000), ..options(1, 0.0, 1 << 16) },
        ExpectimaxOptions { limits: nodes(30_000), ..options(1, 0.005, 1 << 16) },
    ];
    let mut games = positions(Size::FOUR, 3);
    // A second 32768 is downgraded, and deeper searches downgrade more.
    let large = "32768 32768 16384 0/2 4 8 16/0 0 0 2/0 0 0 0";
    games.push(Game::from_board(Rules::ORIGINAL, 1, board(large)));
    for options in all {
        let (mut whole, mut stepped) = (fast(rows(), options), fast(rows(), options));
        for game in &games {
            let expected = whole.choose(&Situation::with_future(game)).unwrap();
            for nodes in [1, 100, 5_000, u64::MAX] {
                let (decision, steps) = in_steps(&mut stepped, game, nodes);
                assert_eq!(decision, expected, "{options:?} in steps of {nodes}");
                assert_eq!(stepped.counts(), whole.counts());
                let many = nodes < 1_000 && expected.nodes > 20 * 1_000;
                assert!(steps == 1 || nodes < u64::MAX, "{steps}");
                assert!(!many || steps > 10, "{options:?}: {steps} steps for {} nodes", expected.nodes);
            }
        }
    }
}

#[test]
fn a_step_is_not_much_longer_than_asked() {
    let game = &Game::new(Rules::ORIGINAL, 1);
    let mut player = fast(rows(), options(4, 0.0, 1 << 16));
    let mut before = 0;
    let mut longest = 0;
    while let Thought::Unfinished(_) = player.think(&Situation::with_future(game), 100).unwrap() {
        // A step repeats the walk from the root, which counts again what is already known.
        longest = longest.max(player.counts().nodes - before);
        before = player.counts().nodes;
    }
    let whole = fast(rows(), options(4, 0.0, 1 << 16)).choose(&Situation::with_future(game)).unwrap();
    assert!(longest * 20 < whole.nodes, "{longest} of {}", whole.nodes);
}

#[test]
fn another_position_begins_a_new_thought() {
    let games = positions(Size::FOUR, 2);
    let mut player = fast(rows(), options(4, 0.0, 1 << 16));
    let unfinished = player.think(&Situation::with_future(&games[0]), 10).unwrap();
    assert!(matches!(unfinished, Thought::Unfinished(None)));
    let expected = fast(rows(), options(4, 0.0, 1 << 16)).choose(&Situation::with_future(&games[1])).unwrap();
    assert_eq!(in_steps(&mut player, &games[1], 500).0, expected);
    let unfinished = player.think(&Situation::with_future(&games[0]), 10).unwrap();
    assert!(matches!(unfinished, Thought::Unfinished(None)));
    assert_eq!(player.choose(&Situation::with_future(&games[1])).unwrap(), expected);
}

#[test]
fn exact_boards_are_decided_in_one_step() {
    let game = &positions(Size::new(3, 5).unwrap(), 2)[1];
    let mut player = fast(rows(), options(2, 0.0, 1 << 16));
    assert!(matches!(player.think(&Situation::with_future(game), 1).unwrap(), Thought::Decided(_)));
}
