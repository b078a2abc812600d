//! Properties of whole games. The score is the sum of the rewards, and it can be computed from the
//! board. A tile of rank r was made of two of rank r-1 and so on, down to spawned tiles. This gives
//! (r-1) * 2^r points if all spawned tiles were 2-tiles. Every spawned 4 is one merge of 4 points
//! that did not happen.

use lab2048::board::{Direction, Size, rank_of};
use lab2048::game::{Action, Ending, Game, Probability, Rules, StartTiles, Stream};
use proptest::prelude::*;

use super::support::size;

/// The score by the closed formula, for tiles that are powers of two.
fn score_of(tiles: impl Iterator<Item = u64>, spawned_fours: u64) -> u64 {
    let points = tiles.filter(|&tile| tile != 0).map(|tile| (u64::from(rank_of(tile).unwrap()) - 1) * tile);
    points.sum::<u64>() - 4 * spawned_fours
}

/// Plays a game with moves from the player's stream and checks it after each turn.
fn play_through(rules: Rules, seed: u64, most_turns: u64) -> Result<(), TestCaseError> {
    let mut game = Game::new(rules, seed);
    let mut fours = game.board().tiles().filter(|&tile| tile == 4).count() as u64;
    let mut rewards = 0;
    while game.ending().is_none() && game.turns() < most_turns {
        let before = game.clone();
        let legal = game.board().legal_moves();
        let direction = legal.nth(Stream::player(seed).below(game.turns(), legal.len())).unwrap();
        let turn = game.play(Action::Move(direction)).unwrap();
        let spawn = turn.spawn.unwrap();
        rewards += turn.reward;
        fours += u64::from(spawn.tile == 4);

        prop_assert_eq!(turn.action, Action::Move(direction));
        prop_assert_eq!(game.turns(), before.turns() + 1);
        prop_assert_eq!(game.score(), rewards);
        prop_assert_eq!(game.score(), score_of(game.board().tiles(), fours));
        prop_assert_eq!(game.board().tile_sum(), before.board().tile_sum() + u128::from(spawn.tile));
        prop_assert_eq!(game.board().tile(spawn.cell), spawn.tile);
        prop_assert_eq!(game.ending().is_none(), game.board().has_moves());
        prop_assert_eq!(game.has_won(), game.board().largest() >= game.rules().goal);
    }
    if game.turns() < most_turns {
        prop_assert_eq!(game.ending(), Some(Ending::NoMoves));
        prop_assert!(
            Direction::ALL.into_iter().all(|direction| game.clone().play(Action::Move(direction)).is_err())
        );
    }
    Ok(())
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let sizes = (2..=8usize, 2..=8usize).prop_map(|(rows, cols)| size(rows, cols));
    let starts = prop_oneof![Just(StartTiles::TwoSpawns), Just(StartTiles::TwoTwos)];
    (sizes, 0.0..=1.0f64, starts).prop_map(|(size, four, start)| Rules {
        size,
        start,
        four: Probability::new(four).unwrap(),
        ..Rules::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_score_is_the_sum_of_the_rewards_and_can_be_read_off_the_board(rules in any_rules(), seed: u64) {
        play_through(rules, seed, 150)?;
    }

    #[test]
    fn original_games_keep_it_to_their_end(seed: u64) {
        play_through(Rules { size: Size::FOUR, ..Rules::ORIGINAL }, seed, u64::MAX)?;
    }

    #[test]
    fn rules_and_seed_are_the_whole_game(rules in any_rules(), seed: u64) {
        let mut one = Game::new(rules.clone(), seed);
        let mut other = Game::new(rules.clone(), seed);
        for _ in 0..20 {
            let Some(direction) = one.board().legal_moves().iter().last() else { break };
            prop_assert_eq!(one.play(Action::Move(direction)), other.play(Action::Move(direction)));
        }
        prop_assert_eq!(&one, &other);
        // A position determines the next spawn: the same board, turns and seed give the same spawn.
        if let Some(direction) = one.board().legal_moves().iter().next() {
            let after = one.board().slide(direction).unwrap().unwrap().after;
            let number = one.turns() + lab2048::game::SpawnSource::AFTER_FIRST_MOVE;
            let expected = lab2048::game::SpawnSource::new(&rules, seed).spawn(number, &after);
            prop_assert_eq!(one.play(Action::Move(direction)).unwrap().spawn, expected);
        }
    }
}
