//! Limits of nodes, depth and time.

use std::time::Duration;

use super::*;

#[test]
fn node_limits_decide_by_the_last_depth_that_was_finished() {
    let game = &positions(Size::FOUR, 3)[2];
    let by_nodes = |nodes| {
        let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
        let options = ExpectimaxOptions { limits, ..options(1, 0.0, 1 << 16) };
        fast(rows(), options).choose(&Situation::with_future(game)).unwrap()
    };
    let by_depth =
        |depth| fast(rows(), options(depth, 0.0, 1 << 16)).choose(&Situation::with_future(game)).unwrap();
    assert_eq!(by_nodes(1).depth, 1, "depth 1 always completes");
    let mut deepest = 0;
    for nodes in [1, 100, 1_000, 10_000, 100_000] {
        let decision = by_nodes(nodes);
        assert_eq!(decision.values, by_depth(decision.depth).values);
        assert!(decision.depth >= deepest);
        // The limit is checked once in each layer. A layer has at most 16 boards of 4 moves for
        // each of two tiles.
        assert!(decision.nodes <= nodes.max(5) + 160, "{} for {nodes}", decision.nodes);
        deepest = decision.depth;
    }
    assert!(deepest >= 3);
}

#[test]
fn node_limits_hold_on_exact_boards() {
    for size in [Size::new(3, 5).unwrap(), Size::FOUR] {
        let game = &positions(size, 3)[2];
        for evaluator in [rows() as Arc<dyn Evaluator>, plain(Judges::Boards, Unit::Points)] {
            let choose = |options| {
                Expectimax::new(evaluator.clone(), options).choose(&Situation::with_future(game)).unwrap()
            };
            let mut deepest = 0;
            for nodes in [1, 300, 3_000, 30_000] {
                let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
                let decision = choose(ExpectimaxOptions { limits, ..options(1, 0.0, 1 << 20) });
                assert_eq!(decision.values, choose(options(decision.depth, 0.0, 1 << 20)).values);
                assert!(decision.depth >= deepest, "{nodes} nodes");
                // Depth 1 always completes, and the limit is checked after each spawn.
                let first = choose(options(1, 0.0, 0)).nodes;
                assert!(decision.nodes <= nodes.max(first) + 200, "{} for {nodes}", decision.nodes);
                deepest = decision.depth;
            }
            assert!(deepest >= 2);
        }
    }
}

#[test]
fn a_search_that_only_the_cut_ends_stops_deepening() {
    let game = Game::new(Rules::ORIGINAL, 1);
    let limits = SearchLimits { nodes: Some(u64::MAX), ..SearchLimits::default() };
    let options = ExpectimaxOptions { limits, ..options(1, 0.01, 1 << 16) };
    let decision = fast(rows(), options).choose(&Situation::with_future(&game)).unwrap();
    assert!((2..20).contains(&decision.depth), "depth {}", decision.depth);
}

#[test]
fn the_depth_adapts_to_the_number_of_different_tiles() {
    let boards = ["2 0/0 0", "2 2 4 8/16 32 32 0", "2 4 8/16 32 64", "2 4 8/16 32 64/128 256 512"].map(board);
    let adapted = ExpectimaxOptions { adapt: Some(3), ..ExpectimaxOptions::with_depth(2) };
    assert_eq!(boards.each_ref().map(|board| adapted.depths(board)), [2..=2, 2..=2, 3..=3, 6..=6]);
    assert_eq!(ExpectimaxOptions::with_depth(2).depths(&boards[3]), 2..=2);
    let nothing = ExpectimaxOptions { limits: SearchLimits::default(), ..ExpectimaxOptions::with_depth(1) };
    assert_eq!(*nothing.depths(&boards[3]).end(), 3);
    let nodes =
        ExpectimaxOptions { limits: SearchLimits { nodes: Some(10), ..SearchLimits::default() }, ..adapted };
    assert_eq!(nodes.depths(&boards[3]), 1..=MAX_DEPTH);
}

#[test]
fn only_a_time_limit_is_not_repeatable() {
    let with = |limits| fast(rows(), ExpectimaxOptions { limits, ..ExpectimaxOptions::with_depth(1) });
    assert!(with(SearchLimits { nodes: Some(10), ..SearchLimits::default() }).facts().repeatable);
    let mut timed =
        with(SearchLimits { time: Some(Duration::from_micros(200).into()), ..SearchLimits::default() });
    assert!(!timed.facts().repeatable);
    let game = &positions(Size::FOUR, 1)[0];
    assert!(timed.choose(&Situation::with_future(game)).unwrap().depth >= 1);
}
