//! The player that takes the move whose afterstate a program values most, and tells the program the points of the move.

use super::features::Scene;
use super::program::Program;
use super::value::{traced, value};
use crate::board::{Board, Direction};
use crate::eval::View;
use crate::game::{Decision, Fingerprint, MoveValue, Player, PlayerError, PlayerFacts, Situation, Unit};

/// Plays an evaluator program one move ahead, on boards of any size. It is the only player that can use programs that read the
/// reward; for all others it is the slow twin of the search one move deep.
#[derive(Clone, Debug)]
pub struct RewardPlayer {
    program: Program,
    /// The fingerprint of the program.
    hash: String,
}

impl RewardPlayer {
    /// A player with this program.
    pub fn new(program: Program) -> RewardPlayer {
        RewardPlayer { hash: program.hash(), program }
    }
}

impl Player for RewardPlayer {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let values = Direction::ALL.map(|direction| {
            let scene = scene(situation.board, direction);
            // As exact as the compiled programs, so that both choose the same of nearly equal moves.
            MoveValue::if_legal(scene.map(|scene| f64::from(value(&self.program, &scene) as f32)))
        });
        let nodes = values.iter().filter(|value| value.is_judged()).count() as u64;
        Decision::best_of(values, Unit::Preference, 1, nodes).ok_or_else(PlayerError::no_move)
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { fingerprint: Fingerprint::Of(&self.hash), ..PlayerFacts::default() }
    }
}

/// What a program sees after a move; `None` if the move is impossible.
fn scene(board: &Board, direction: Direction) -> Option<Scene> {
    let slid = board.slide(direction).ok().flatten()?;
    Some(Scene::of_view(&View::of_after(&slid.after, slid.reward), slid.reward as f64))
}

/// The value that an evaluator program gives a move, and the value of every node by tree: below `lines` the sum over all rows and
/// columns, in an ADF the sum over those and all calls, nothing where it is not called. `None` if the move is impossible.
pub fn trace_evaluator(
    program: &Program,
    board: &Board,
    direction: Direction,
) -> Option<(f64, Vec<Vec<Option<f64>>>)> {
    scene(board, direction).map(|scene| traced(program, &scene))
}
