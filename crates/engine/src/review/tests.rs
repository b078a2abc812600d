//! Reviews with all numbers computed by hand.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::board::{Board, Direction, Size};
use crate::game::replay::ReplayFault;
use crate::game::{
    Action, Decision, Ending, Game, GameStart, MoveValue, Player, PlayerError, PlayerFacts, Recorder,
    Refusal, Rules, Situation, Spawn, Turn, Unit,
};

use Direction::{Down, Left, Right, Up};
use MoveValue::{Illegal, Lost, Unknown, Worth};

/// Expects only the points of the move itself.
struct Shortsighted;

impl Player for Shortsighted {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let points =
            |direction| situation.board.slide(direction).ok().flatten().map(|slid| slid.reward as f64);
        let values = Direction::ALL.map(points).map(MoveValue::if_legal);
        Decision::best_of(values, Unit::Points, 1, 4).ok_or_else(|| PlayerError::new("no move"))
    }
}

/// Has a fixed list of values, one entry per turn.
#[derive(Clone)]
struct Written(Vec<[MoveValue; 4]>, Unit);

impl Player for Written {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let values = self.0.get(situation.turns as usize).copied();
        let values = values.ok_or_else(|| PlayerError::new("no values for this turn"))?;
        let action = Decision::best_of(values, self.1, 1, 4).map_or(Action::Quit, |best| best.action);
        Ok(Decision { values, unit: self.1, ..Decision::of(action) })
    }
}

/// Refuses every game.
struct Refusing;

impl Player for Refusing {
    fn start(&mut self, _: &GameStart<'_>) -> Result<(), Refusal> {
        Err(Refusal::new("not this game"))
    }

    fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
        Err(PlayerError::new("never asked"))
    }
}

/// Claims to know the coming tiles.
struct Prophet;

impl Player for Prophet {
    fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
        Err(PlayerError::new("never asked"))
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { needs_future: true, ..PlayerFacts::default() }
    }
}

/// A replay from a board, with the action and the spawn of each turn.
fn replay(rules: Rules, board: &str, turns: &[(Action, Option<(usize, u64)>)]) -> Replay {
    let mut game = Game::from_board(rules, 1, board.parse::<Board>().unwrap());
    let mut recorder = Recorder::foreign(&game).unwrap();
    for (action, spawn) in turns {
        let spawn = spawn.map(|(cell, tile)| Spawn { cell, tile });
        recorder.push(&game.play_with(*action, |_| spawn).unwrap()).unwrap();
    }
    recorder.finish(&game)
}

fn review_by<P: Player + 'static>(
    replay: &Replay,
    judge: impl Fn() -> P + Sync,
) -> Result<Review, ReviewError> {
    let judges: MakePlayer<'_> = Box::new(|| Ok(Box::new(judge())));
    review(replay, &judges, 1, &AtomicBool::new(false), &mut |_| ())
}

const fn moved(direction: Direction, cell: usize, tile: u64) -> (Action, Option<(usize, u64)>) {
    (Action::Move(direction), Some((cell, tile)))
}

/// ```text
///   2  2  .  .      4  .  .  .      4  .  .  2      4  2  .  .
///   .  .  .  .  <   .  .  .  .  v   .  .  .  .  <   .  .  .  .  v
///   .  .  .  .      .  .  .  .      .  .  .  .      .  .  .  .
///   .  .  .  2      2  2  .  .      2  2  .  .      4  2  .  .
///   score 0         score 4         score 4         score 8
/// ```
fn three_moves() -> Replay {
    let turns = [moved(Left, 13, 2), moved(Up, 3, 2), moved(Left, 13, 2)];
    replay(Rules::default(), "2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 2", &turns)
}

#[test]
fn losses_and_grades_by_hand() {
    let game = three_moves();
    let values = vec![
        // Left is the best move, so nothing is lost.
        [Worth(100.0), Worth(80.0), Worth(60.0), Worth(120.0)],
        // Score 4: up keeps 4 + 941 of 4 + 996, which is 0.945.
        [Worth(941.0), Worth(996.0), Illegal, Illegal],
        // Score 4, since up merged nothing: left keeps 4 + 194 of 4 + 196, which is 0.99.
        [Worth(3.0), Worth(196.0), Worth(-7.0), Worth(194.0)],
    ];
    let review = review_by(&game, || Written(values.clone(), Unit::Points)).unwrap();
    assert!(review.complete);
    let figures: Vec<_> = review
        .moves
        .iter()
        .map(|judged| (judged.number, judged.score, judged.loss().unwrap(), judged.verdict().name()))
        .collect();
    assert_eq!(figures, [(1, 0, 0.0, "excellent"), (2, 4, 55.0, "mistake"), (3, 4, 2.0, "good")]);
    let second = &review.moves[1];
    assert_eq!((second.played, second.best), (Action::Move(Up), Action::Move(Right)));
    assert_eq!(
        (second.expected(), second.expected_after(), second.ratio()),
        (1000.0, Some(945.0), Some(0.945))
    );
    assert_eq!(review.moves[2].values[2], Worth(-7.0), "the judge's values are kept unchanged");

    let summary = review.summary();
    assert_eq!((summary.moves, summary.graded(), summary.best, summary.forced), (3, 3, 1, 0));
    assert_eq!((summary.loss(), summary.mean_loss()), (57.0, Some(19.0)));
    assert_eq!(summary.with(Grade::Mistake), GradeTally { moves: 1, loss: 55.0 });
    let near = |value: Option<f64>, hoped: f64| assert!((value.unwrap() - hoped).abs() < 1e-12, "{value:?}");
    near(summary.agreement(), 1.0 / 3.0);
    // The second and the third move lost 0.055 and 0.01 of the expected final score. What each
    // direction loses: 20, 40, 60 and 0 of 120; 55 and 0 of 1000; 193, 0, all but the score, and 2
    // of 200.
    let cost = |share: f64| share / (share + 0.025);
    let played = cost(0.055) + cost(0.01);
    let random = (cost(1.0 / 6.0) + cost(1.0 / 3.0) + cost(0.5)) / 4.0
        + cost(0.055) / 2.0
        + (cost(0.965) + cost(0.98) + cost(0.01)) / 4.0;
    near(summary.accuracy(), 1.0 - played / (random + 0.1));
    near(review.moves[1].cost(), cost(0.055));
    near(review.moves[1].random_cost(), cost(0.055) / 2.0);
    near(summary.kept(), 0.945 * 0.99);
    let worst: Vec<usize> = review.worst(10).iter().map(|judged| judged.number).collect();
    assert_eq!(worst, [2, 3], "the first lost nothing");
    assert_eq!(review.worst(1).len(), 1);
}

/// ```text
///   2 2
///   4 .      left or right makes 4 points, down none
/// ```
#[test]
fn where_nothing_is_expected_nothing_is_lost() {
    let lost =
        review_by(&replay(Rules::default(), "2 2/4 0", &[moved(Down, 1, 2)]), || Shortsighted).unwrap();
    assert_eq!((lost.moves[0].loss(), lost.moves[0].grade()), (Some(4.0), Some(Grade::Disaster)));
    // A single 2: no move makes points, so all are equally good, and the played one is the best.
    let free =
        review_by(&replay(Rules::default(), "2 0/0 0", &[moved(Down, 0, 2)]), || Shortsighted).unwrap();
    assert_eq!((free.moves[0].ratio(), free.moves[0].is_best()), (Some(1.0), true));
    assert!(free.worst(5).is_empty());
    assert_eq!((free.summary().graded(), free.summary().accuracy()), (1, None), "nothing to decide");
}

#[test]
fn a_move_without_alternative_is_no_achievement() {
    // 2 4 8 16 in the upper row of an otherwise empty board can only move down.
    let game = replay(Rules::default(), "2 4 8 16/0 0 0 0/0 0 0 0/0 0 0 0", &[moved(Down, 0, 2)]);
    let review = review_by(&game, || Shortsighted).unwrap();
    assert_eq!(review.moves[0].verdict(), Verdict::Forced);
    let summary = review.summary();
    assert_eq!((summary.moves, summary.forced, summary.graded(), summary.accuracy()), (1, 1, 0, None));
    assert_eq!((review.moves[0].cost(), review.moves[0].random_cost()), (None, None));
}

/// ```text
///   2 .      a pass brings a 2 (0.9) or a 4 (0.1) to one of three cells; in two of them a 2
///   . .      can then be merged for 4 points: 0.9 * 2/3 * 4 = 2.4
/// ```
#[test]
fn a_pass_is_worth_what_can_follow_it() {
    let passed = [(Action::Pass, Some((3, 2)))];
    let review = review_by(&replay(Rules::COURSE, "2 0/0 0", &passed), || Shortsighted).unwrap();
    let judged = &review.moves[0];
    assert!((judged.played_value.unwrap() - 2.4).abs() < 1e-12);
    assert_eq!(
        (judged.best, judged.loss(), judged.grade()),
        (Action::Pass, Some(0.0), Some(Grade::Excellent))
    );
    // On a full board a pass ends the game, and the 4 points of the 2s are lost.
    let ended = replay(Rules::COURSE, "2 2/4 8", &[(Action::Pass, None)]);
    assert_eq!(ended.header().ending, Some(Ending::NoRoom));
    let review = review_by(&ended, || Shortsighted).unwrap();
    assert_eq!((review.moves[0].loss(), review.moves[0].grade()), (Some(4.0), Some(Grade::Disaster)));
}

#[test]
fn a_quit_is_no_move() {
    let game = replay(Rules::default(), "2 2/4 0", &[moved(Left, 1, 2), (Action::Quit, None)]);
    let review = review_by(&game, || Shortsighted).unwrap();
    assert!(review.complete);
    assert_eq!((review.moves[1].verdict(), review.moves[1].loss()), (Verdict::Quit, None));
    assert_eq!(review.summary().moves, 1);
}

#[test]
fn moves_that_the_judge_gave_up_and_values_that_are_none() {
    let values = vec![
        [Worth(5.0), Worth(9.0), Illegal, Unknown],
        [Worth(f64::NAN), Worth(-30.0), Illegal, Worth(f64::INFINITY)],
        [Lost { turns: 2 }, Worth(-30.0), Worth(-20.0), Lost { turns: 1 }],
    ];
    let review = review_by(&three_moves(), || Written(values.clone(), Unit::Points)).unwrap();
    assert_eq!((review.moves[0].verdict(), review.moves[0].best), (Verdict::Unjudged, Action::Move(Right)));
    assert_eq!(
        (review.moves[1].values, review.moves[1].loss()),
        ([Unknown, Worth(-30.0), Illegal, Unknown], None)
    );
    // Negative values count as 0: a lost game cannot lose points.
    assert_eq!((review.moves[2].loss(), review.moves[2].is_best()), (Some(0.0), true));
    assert_eq!(review.summary().unjudged, 2);
}

#[test]
fn any_board_that_the_judge_plays() {
    let game = replay(Rules::default(), "3 3 0/0 5 5", &[moved(Left, 2, 2), moved(Down, 4, 2)]);
    let review = review_by(&game, || Shortsighted).unwrap();
    assert_eq!((review.moves[0].loss(), review.moves[1].score), (Some(0.0), 16));
}

#[test]
fn judges_that_cannot_judge() {
    let game = three_moves();
    let preference = Written(vec![[Worth(1.0); 4]; 3], Unit::Preference);
    assert_eq!(review_by(&game, || preference.clone()), Err(ReviewError::NoPoints));
    let silent = Written(vec![[Unknown; 4]; 3], Unit::Points);
    assert_eq!(review_by(&game, || silent.clone()), Err(ReviewError::NoPoints));
    assert_eq!(review_by(&game, || Prophet), Err(ReviewError::KnowsFuture));
    let refusal = review_by(&game, || Refusing).unwrap_err().to_string();
    assert_eq!(refusal, "it cannot judge this game: not this game");
    let short = Written(vec![[Worth(1.0); 4]; 2], Unit::Points);
    let failed = review_by(&game, || short.clone()).unwrap_err().to_string();
    assert_eq!(failed, "it failed at step 3: no values for this turn");
}

#[test]
fn an_impossible_game_is_refused_before_any_judging() {
    let game = Game::from_board(Rules::default(), 1, "2 0/0 0".parse().unwrap());
    let mut recorder = Recorder::foreign(&game).unwrap();
    let spawn = Some(Spawn { cell: 1, tile: 2 });
    recorder.push(&Turn { action: Action::Move(Left), reward: 0, spawn }).unwrap();
    let refused = review_by(&recorder.finish(&game), || Prophet);
    assert!(matches!(refused, Err(ReviewError::Fault(ReplayFault::Refused { step: 1, .. }))), "{refused:?}");
}

/// A game that alternates between the first and the second legal move. It is long enough for many
/// batches.
fn long_game() -> Replay {
    let mut game = Game::new(Rules::default(), 5);
    let mut recorder = Recorder::new(&game).unwrap();
    while let Some(direction) =
        game.board().legal_moves().nth(game.turns() as usize % 2).or(game.board().legal_moves().nth(0))
    {
        recorder.push(&game.play(Action::Move(direction)).unwrap()).unwrap();
    }
    recorder.finish(&game)
}

/// A game on a board of this size whose moves are chosen by a function of a random number and the
/// board.
fn game_by(seed: u64, size: Size, choose: impl Fn(u64, &Board) -> Direction) -> Replay {
    let mut game = Game::new(Rules { size, ..Rules::default() }, seed);
    let mut recorder = Recorder::new(&game).unwrap();
    let mut random = seed;
    while game.ending().is_none() {
        // The generator of Knuth's MMIX. Its upper bits are good enough.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let direction = choose(random >> 33, game.board());
        recorder.push(&game.play(Action::Move(direction)).unwrap()).unwrap();
    }
    recorder.finish(&game)
}

/// The same holds for a judge that sees further: see the tests of the command.
#[test]
fn random_moves_have_an_accuracy_near_zero_and_the_judge_has_one() {
    let at_random = |random: u64, board: &Board| {
        let legal = board.legal_moves();
        legal.nth(random as usize % legal.len()).unwrap()
    };
    let by_the_judge = |_: u64, board: &Board| {
        let reward = |direction: &Direction| board.slide(*direction).ok().flatten().map(|slid| slid.reward);
        Direction::ALL.into_iter().max_by_key(reward).unwrap()
    };
    // No game has less than 0, so the mean is above 0, the more the shorter the games are.
    for (size, most) in [(Size::new(3, 3).unwrap(), 0.2), (Size::FOUR, 0.1), (Size::new(5, 4).unwrap(), 0.1)]
    {
        let accuracy = |replay: &Replay| {
            let review = review_by(replay, || Shortsighted).unwrap();
            review.summary().accuracy().expect("some move could lose points")
        };
        let random = (1..=100).map(|seed| accuracy(&game_by(seed, size, at_random)));
        let mean = random.sum::<f64>() / 100.0;
        assert!((0.0..most).contains(&mean), "{size}: {mean}");
        assert_eq!(accuracy(&game_by(1, size, by_the_judge)), 1.0, "{size}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let game = long_game();
    assert!(game.steps().len() > 64);
    let one = review_by(&game, || Shortsighted).unwrap();
    let judges: MakePlayer<'_> = Box::new(|| Ok(Box::new(Shortsighted)));
    let mut heard = Vec::new();
    let mut hear = |moves: &[JudgedMove]| heard.extend(moves.iter().map(|judged| judged.number));
    let three = review(&game, &judges, 3, &AtomicBool::new(false), &mut hear).unwrap();
    assert_eq!(one, three);
    assert_eq!(heard, (1..=game.steps().len()).collect::<Vec<_>>());
}

#[test]
fn a_cancelled_review_has_the_moves_from_the_first_on() {
    let game = long_game();
    let whole = review_by(&game, || Shortsighted).unwrap();
    let judges: MakePlayer<'_> = Box::new(|| Ok(Box::new(Shortsighted)));
    for threads in [1, 2] {
        let cancel = AtomicBool::new(false);
        let stop = &mut |_: &[JudgedMove]| cancel.store(true, Ordering::Relaxed);
        let part = review(&game, &judges, threads, &cancel, stop).unwrap();
        assert_eq!(part.moves, whole.moves[..part.moves.len()]);
        assert_eq!(part.complete, part.moves.len() == whole.moves.len());
    }
    let none = review(&game, &judges, 2, &AtomicBool::new(true), &mut |_| ()).unwrap();
    assert!(none.moves.is_empty() && !none.complete);
}

#[test]
fn a_game_without_moves_has_an_empty_review() {
    let review = review_by(&replay(Rules::default(), "2 0/0 0", &[]), || Shortsighted).unwrap();
    assert!(review.complete && review.moves.is_empty() && review.summary().kept().is_none());
}
