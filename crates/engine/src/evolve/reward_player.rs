//! A one-ply player that passes the reward of each move to its program.

use super::features::Scene;
use super::program::Program;
use super::value::{traced, value};
use crate::board::{Board, Direction};
use crate::eval::View;
use crate::game::{
    Decision, DependsOn, Fingerprint, MoveValue, Player, PlayerError, PlayerFacts, Situation, Unit,
};

/// Plays an evaluator program one move ahead, on boards of any size. It is the only player for
/// programs that read the reward. For all other programs it is the slow reference for the depth-1
/// search.
#[derive(Clone, Debug)]
pub(crate) struct RewardPlayer {
    program: Program,
    /// The fingerprint of the program.
    hash: String,
}

impl RewardPlayer {
    /// A player with this program.
    pub(crate) fn new(program: Program) -> RewardPlayer {
        RewardPlayer { hash: program.hash(), program }
    }
}

impl Player for RewardPlayer {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let values = Direction::ALL.map(|direction| {
            let scene = scene(situation.board, direction);
            // Rounded to f32 like the compiled programs, so that both break near-ties alike.
            MoveValue::if_legal(scene.map(|scene| f64::from(value(&self.program, &scene) as f32)))
        });
        let nodes = values.iter().filter(|value| value.is_judged()).count() as u64;
        Decision::best_of(values, Unit::Preference, 1, nodes).ok_or_else(PlayerError::no_move)
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = Fingerprint::Of(&self.hash);
        PlayerFacts { depends_on: DependsOn::Board, fingerprint, ..PlayerFacts::default() }
    }
}

/// The program's view of the afterstate of a move; `None` if the move is illegal.
fn scene(board: &Board, direction: Direction) -> Option<Scene> {
    let slid = board.slide(direction).ok().flatten()?;
    Some(Scene::of_view(&View::of_after(&slid.after, slid.reward), slid.reward as f64))
}

/// The value of a move by an evaluator program, and the value of every node by tree. A node below
/// `lines` has the sum over all rows and columns. A node of an ADF has the sum over lines and
/// calls, or `None` if the ADF is never called. Returns `None` if the move is illegal.
pub fn trace_evaluator(
    program: &Program,
    board: &Board,
    direction: Direction,
) -> Option<(f64, Vec<Vec<Option<f64>>>)> {
    scene(board, direction).map(|scene| traced(program, &scene))
}
