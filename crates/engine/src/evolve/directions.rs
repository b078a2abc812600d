//! The genome of "A Genetic 2048 Player" by Joey Long and Lazar Zamurovic (an undated project
//! report, called "the document" here): a program whose value is the number of a move.
//!
//! What the document specifies:
//!
//! - Moves are 0 up, 1 right, 2 down, 3 left.
//! - A sensing terminal returns the number of its move if tiles can be combined in that direction,
//!   otherwise a random number from 0 to 3.
//! - If the move does not change the board, the program is evaluated again. After 200 failed
//!   evaluations the game ends.
//! - With four trees, the tree with the highest value determines the move. The first one wins ties.

use super::program::{Dialect, Node, Otherwise, Program, ProgramTree, Sensing, Style, end_of};
use crate::board::{Board, Direction, Directions, Packed};
use crate::game::{Action, Decision, Fingerprint, Player, PlayerError, PlayerFacts, Situation, Stream};

/// The maximum number of evaluations per turn. If none of them changes the board, the game ends.
pub const ATTEMPTS: u64 = 200;

/// The input of the sensing terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Senses {
    /// The moves that change the board.
    legal: Directions,
    /// The moves that combine tiles. Tiles that combine to the left also combine to the right.
    merging: Directions,
}

impl Senses {
    /// The senses on an exact board of any size.
    pub(super) fn of_board(board: &Board) -> Senses {
        let merges = |&direction: &Direction| {
            board.slide(direction).ok().flatten().is_some_and(|slid| slid.reward > 0)
        };
        Senses { legal: board.legal_moves(), merging: Direction::ALL.into_iter().filter(merges).collect() }
    }

    /// The same on a packed board.
    pub(super) fn of_packed(board: Packed) -> (Senses, crate::board::Slides) {
        let slides = board.slide_all();
        let all = Direction::ALL.into_iter();
        let legal = all.clone().filter(|direction| slides.afters[direction.index()].is_some()).collect();
        let merging = all.filter(|&direction| slides.reward(direction) > 0).collect();
        (Senses { legal, merging }, slides)
    }
}

/// The random numbers of one turn.
struct Luck {
    stream: Stream,
    place: u64,
}

impl Luck {
    /// Every turn has its own part of the stream, too long for any program to exhaust.
    fn of_turn(stream: Stream, turn: u64) -> Luck {
        Luck { stream, place: turn << 24 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.place += 1;
        self.stream.below(self.place, bound)
    }
}

/// A program of directions, ready to run.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    dialect: Dialect,
    trees: Vec<Vec<Step>>,
}

/// A node, and where its subtree ends.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: Node,
    end: u32,
}

impl Runner {
    /// The program, if it is a program of directions.
    pub(super) fn new(program: &Program) -> Option<Runner> {
        let Style::Directions(dialect) = program.style() else { return None };
        let steps = |tree: &ProgramTree| {
            let step = |(at, &node): (usize, &Node)| Step { node, end: end_of(tree.nodes(), at) as u32 };
            tree.nodes().iter().enumerate().map(step).collect()
        };
        Some(Runner { dialect, trees: program.trees().iter().map(steps).collect() })
    }

    /// The move for a turn; `None` if the game ends because no evaluation changes the board.
    pub(super) fn choose(&self, senses: Senses, stream: Stream, turn: u64) -> Option<Direction> {
        let luck = &mut Luck::of_turn(stream, turn);
        let evaluate = |luck: &mut Luck| self.evaluate(senses, luck, &mut |_, _, _| {});
        attempts(senses, luck, evaluate).0
    }

    /// One evaluation: the direction, or `None` if the value is not the number of a direction.
    /// `note` is called with the tree, the index and the value of every node that was evaluated.
    fn evaluate(
        &self,
        senses: Senses,
        luck: &mut Luck,
        note: &mut impl FnMut(usize, usize, i32),
    ) -> Option<Direction> {
        let mut values =
            self.trees.iter().enumerate().map(|(number, tree)| {
                self.part(tree, 0, senses, luck, &mut |at, value| note(number, at, value))
            });
        let code = match self.trees.len() {
            1 => values.next()?,
            _ => {
                let mut best = (0, values.next()?);
                for (number, value) in (1..).zip(values) {
                    if value > best.1 {
                        best = (number, value);
                    }
                }
                best.0
            }
        };
        usize::try_from(code).ok().and_then(Direction::from_index)
    }

    fn part(
        &self,
        tree: &[Step],
        at: usize,
        senses: Senses,
        luck: &mut Luck,
        note: &mut impl FnMut(usize, i32),
    ) -> i32 {
        let node = tree[at].node;
        let value = match node {
            Node::Sense(direction) => self.sense(direction, senses, luck),
            Node::Random => {
                let second = luck.below(2) == 1;
                let chosen = if second { tree[at + 1].end as usize } else { at + 1 };
                self.part(tree, chosen, senses, luck, note)
            }
            _ => {
                let first = self.part(tree, at + 1, senses, luck, note);
                let second = self.part(tree, tree[at + 1].end as usize, senses, luck, note);
                match node {
                    Node::Add => self.remainder(first + second),
                    Node::Subtract => self.remainder(first - second),
                    Node::Max => first.max(second),
                    _ => first.min(second),
                }
            }
        };
        note(at, value);
        value
    }

    /// The directions whose terminals fire.
    fn sensed(&self, senses: Senses) -> Directions {
        match self.dialect.sense {
            Sensing::Merge => senses.merging,
            Sensing::Slide => senses.legal,
        }
    }

    fn sense(&self, direction: Direction, senses: Senses, luck: &mut Luck) -> i32 {
        let own = direction.index();
        if self.sensed(senses).contains(direction) {
            return own as i32;
        }
        if self.dialect.otherwise == Otherwise::Others && !senses.legal.contains(direction) {
            return ((own + 1 + luck.below(3)) % 4) as i32;
        }
        luck.below(4) as i32
    }

    /// Modulus 3 keeps the sign of the number, as in Java. Modulus 4 gives no negative results.
    fn remainder(&self, number: i32) -> i32 {
        if self.dialect.modulo == 3 { number % 3 } else { number.rem_euclid(4) }
    }
}

/// Evaluates until a move changes the board or further attempts are useless. Returns the move and
/// the number of evaluations.
fn attempts(
    senses: Senses,
    luck: &mut Luck,
    mut evaluate: impl FnMut(&mut Luck) -> Option<Direction>,
) -> (Option<Direction>, u64) {
    for attempt in 1..=ATTEMPTS {
        let before = luck.place;
        let direction = evaluate(luck).filter(|&direction| senses.legal.contains(direction));
        // Without random numbers every further evaluation gives the same result.
        if direction.is_some() || luck.place == before {
            return (direction, attempt);
        }
    }
    (None, ATTEMPTS)
}

/// One evaluation of a program on a board, with the value of every node. A node has `None` if it
/// was not evaluated because `random` took the other child.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionsTrace {
    /// The values of the nodes, by tree.
    pub values: Vec<Vec<Option<i32>>>,
    /// The result; `None` if the value is not a direction.
    pub direction: Option<Direction>,
    /// Whether the move changes the board.
    pub legal: bool,
    /// The directions whose terminals fire on this board. The others return random numbers.
    pub sensed: Directions,
}

/// Evaluates a program of directions once.
pub fn trace_directions(
    program: &Program,
    board: &Board,
    luck: Stream,
    turn: u64,
) -> Option<DirectionsTrace> {
    let runner = Runner::new(program)?;
    Some(trace(&runner, Senses::of_board(board), &mut Luck::of_turn(luck, turn)))
}

fn trace(runner: &Runner, senses: Senses, luck: &mut Luck) -> DirectionsTrace {
    let mut values: Vec<Vec<Option<i32>>> = runner.trees.iter().map(|tree| vec![None; tree.len()]).collect();
    let direction =
        runner.evaluate(senses, luck, &mut |tree: usize, at: usize, value| values[tree][at] = Some(value));
    let legal = direction.is_some_and(|direction| senses.legal.contains(direction));
    DirectionsTrace { values, direction, legal, sensed: runner.sensed(senses) }
}

/// The player that follows a program of directions.
#[derive(Clone, Debug)]
pub(crate) struct DirectionsPlayer {
    runner: Runner,
    /// The hash of the program, for records.
    hash: String,
    /// The input of the last choice: senses, random stream and turn.
    last: Option<(Senses, Stream, u64)>,
}

impl DirectionsPlayer {
    /// A player with this program; `None` if it is not a program of directions.
    pub(crate) fn new(program: &Program) -> Option<DirectionsPlayer> {
        Some(DirectionsPlayer { runner: Runner::new(program)?, hash: program.hash(), last: None })
    }

    /// Which terminals fired in the evaluation that chose the move, which returned random numbers,
    /// and how many evaluations were needed.
    fn explain(&self, senses: Senses, stream: Stream, turn: u64) -> String {
        let mut last = None;
        let (_, evaluations) = attempts(senses, &mut Luck::of_turn(stream, turn), |luck| {
            last.insert(trace(&self.runner, senses, luck)).direction
        });
        let Some(last) = last else { return String::new() };
        let mut fired = [0u32; 4];
        let mut by_chance = [0u32; 4];
        for (tree, values) in self.runner.trees.iter().zip(&last.values) {
            for (step, value) in tree.iter().zip(values) {
                if let (Node::Sense(direction), Some(_)) = (step.node, value) {
                    let counts = if last.sensed.contains(direction) { &mut fired } else { &mut by_chance };
                    counts[direction.index()] += 1;
                }
            }
        }
        let list = |counts: [u32; 4]| {
            let some = Direction::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let words: Vec<String> = some.map(|(direction, count)| format!("{direction} x{count}")).collect();
            if words.is_empty() { "none".to_owned() } else { words.join(" ") }
        };
        format!(
            "terminals fired: {}; by chance: {}; evaluations: {evaluations}",
            list(fired),
            list(by_chance),
        )
    }
}

impl Player for DirectionsPlayer {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let senses = Senses::of_board(situation.board);
        let chosen = self.runner.choose(senses, situation.luck, situation.turns);
        self.last = Some((senses, situation.luck, situation.turns));
        Ok(Decision::of(chosen.map_or(Action::Quit, Action::Move)))
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { fingerprint: Fingerprint::Of(&self.hash), ..PlayerFacts::default() }
    }

    fn remark(&self) -> Option<String> {
        self.last.map(|(senses, luck, turn)| self.explain(senses, luck, turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;

    fn player(text: &str) -> DirectionsPlayer {
        DirectionsPlayer::new(&text.parse().unwrap()).unwrap()
    }

    fn trace_of(text: &str, board: &str, seed: u64) -> DirectionsTrace {
        let board = parse_board(board, None).unwrap();
        trace_directions(&text.parse().unwrap(), &board, Stream::player(seed), 0).unwrap()
    }

    // 2 2 . .    tiles combine to the right and to the left, but not up or down
    // 4 8 . .
    const BOARD: &str = "2 2 0 0/4 8 0 0/0 0 0 0/0 0 0 0";

    #[test]
    fn sums_and_differences_have_the_sign_of_java() {
        let code =
            |tree: &str| trace_of(&format!("(directions (move {tree}))"), BOARD, 1).values[0][0].unwrap();
        assert_eq!(code("(add left right)"), 1); // (3 + 1) % 3
        assert_eq!(code("(add left left)"), 0);
        assert_eq!(code("(subtract right left)"), -2); // no direction has that number
        assert_eq!(code("(subtract (subtract right left) left)"), -2); // -5 % 3
        assert_eq!(code("(max right left)"), 3);
        assert_eq!(code("(min right left)"), 1);
        let sensed = trace_of("(directions (move up))", BOARD, 1).sensed;
        assert_eq!(sensed, [Direction::Right, Direction::Left].into_iter().collect());
        let four = |tree: &str| {
            trace_of(&format!("(directions (modulo 4) (move {tree}))"), BOARD, 1).values[0][0].unwrap()
        };
        assert_eq!((four("(add left left)"), four("(subtract right left)")), (2, 2));
    }

    #[test]
    fn a_terminal_that_senses_nothing_draws_lots() {
        let said = |text: &str, board: &str| {
            let mut said = [0; 4];
            for seed in 0..400 {
                said[trace_of(text, board, seed).values[0][0].unwrap() as usize] += 1;
            }
            said
        };
        let any = said("(directions (move up))", BOARD);
        assert!(any.iter().all(|&count| (60..140).contains(&count)), "{any:?}");
        assert_eq!(said("(directions (move left))", BOARD), [0, 0, 0, 400]);
        // Up is illegal here, so with `otherwise others` it is never returned.
        let others = said("(directions (otherwise others) (move up))", BOARD);
        assert!(others[0] == 0 && others[1..].iter().all(|&count| count > 90), "{others:?}");
        // Down is legal without a merge: `sense slide` returns it, and `otherwise others` may.
        assert_eq!(said("(directions (sense slide) (move down))", BOARD), [0, 0, 400, 0]);
        assert!(said("(directions (otherwise others) (move down))", BOARD)[2] > 60);
    }

    #[test]
    fn the_highest_of_four_trees_wins() {
        let text = "(directions (up right) (right left) (down left) (left right))";
        assert_eq!(trace_of(text, BOARD, 1).direction, Some(Direction::Right), "the first of equals");
    }

    #[test]
    fn a_game_ends_where_no_evaluation_changes_the_board() {
        // Down is legal without a merge, left and right merge, up is illegal.
        let board = parse_board(BOARD, None).unwrap();
        let situation = Situation {
            board: &board,
            score: 0,
            turns: 3,
            four: crate::game::Probability::TENTH,
            luck: Stream::player(5),
            future: None,
        };
        let mut stuck = player("(directions (move (subtract right left)))");
        assert_eq!(stuck.choose(&situation).unwrap().action, Action::Quit);
        let said = stuck.remark().unwrap();
        assert!(said.ends_with("evaluations: 1"), "one evaluation is enough without random numbers: {said}");
        // Random numbers are drawn but do not matter: the minimum is always -2.
        let mut hopeless = player("(directions (move (min (subtract right left) (random up down))))");
        assert_eq!(hopeless.choose(&situation).unwrap().action, Action::Quit);
        let said = hopeless.remark().unwrap();
        assert!(said.ends_with("evaluations: 200"), "{said}");
        let mut left = player("(directions (move left))");
        assert_eq!(left.choose(&situation).unwrap().action, Action::Move(Direction::Left));
        assert_eq!(left.remark().unwrap(), "terminals fired: left x1; by chance: none; evaluations: 1");
        // With random numbers the program is evaluated until the move changes the board.
        let mut up = player("(directions (move (add up up)))");
        assert!(matches!(up.choose(&situation).unwrap().action, Action::Move(_)));
    }
}
