//! The player `clairvoyant` of the fifth source document: a tree of moves in which every node knows
//! the next spawn.
//!
//! The tree contains every sequence of moves up to a depth, layer by layer. The best leaf of the
//! bottom layer decides, and the player makes the first move of the path to it. (If no path reaches
//! the bottom, the deepest layer counts.) After a move the tree is re-rooted: the subtrees of the
//! other moves are dropped, and one layer is added. That is cheaper than building a new tree.
//! [`ClairvoyantOptions::rebuild`] shows the difference, since the nodes of a decision are the
//! boards generated for it.
//!
//! Options:
//!
//! - With `blind`, every node draws its own random spawns, as in the first version in the document.
//!   It measures how much knowing the spawns is worth.
//! - With `beam`, only the best leaves of each layer are kept, so that the tree can be deep instead
//!   of wide.
//!
//! The values are preferences, even if the evaluator counts points to come: the best of many
//! futures is not an expectation.
//!
//! Re-rooting does not change the moves of a full tree with known spawns. With a beam it does. The
//! rest of a layer below the move was selected among all moves, and layers are not refilled. A new
//! tree would keep the best leaves below this move only. If all remaining leaves are stuck before
//! the bottom, a dropped board might have reached it. In that case a new tree is built once. The
//! deeper of the two decides, or the new one if they are equally deep. In a blind tree a kept board
//! keeps the spawns it drew.

mod layers;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::layers::{Layers, Node, Spawns};
use super::tree::{Tree, check_size};
use super::walk::worth;
use crate::eval::Evaluator;
use crate::game::{Decision, Future, GameStart, Player, PlayerError, PlayerFacts, Refusal, Situation, Unit};

/// How the tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClairvoyantOptions {
    /// The number of moves to look ahead.
    pub depth: u32,
    /// Whether to build a new tree for every move.
    pub rebuild: bool,
    /// Whether every node draws its own spawns instead of knowing the real ones.
    pub blind: bool,
    /// The number of leaves kept in each layer: the best ones, without duplicate boards. `None`
    /// keeps all.
    pub beam: Option<usize>,
}

impl ClairvoyantOptions {
    /// A re-rooted tree that knows the future, without a beam.
    pub fn with_depth(depth: u32) -> ClairvoyantOptions {
        ClairvoyantOptions { depth, rebuild: false, blind: false, beam: None }
    }
}

/// The player `clairvoyant`.
pub struct Clairvoyant {
    evaluator: Arc<dyn Evaluator>,
    options: ClairvoyantOptions,
    tree: Option<Layers>,
}

impl Clairvoyant {
    /// The player with an evaluator. The document uses [`Product`](crate::eval::Product).
    pub fn new(evaluator: Arc<dyn Evaluator>, options: ClairvoyantOptions) -> Clairvoyant {
        Clairvoyant { evaluator, options, tree: None }
    }

    /// The value of a leaf.
    fn value(evaluator: &dyn Evaluator, node: &Node, root_score: u64) -> f64 {
        // Maps NaN to the smallest number.
        worth(evaluator, &node.board, node.score, root_score).max(f64::MIN)
    }

    /// The tree of a situation, grown to the full depth.
    fn grown(&mut self, situation: &Situation<'_>) -> Result<Layers, PlayerError> {
        let spawns = match (self.options.blind, situation.future) {
            (true, _) => Spawns::Drawn(situation.luck, situation.four),
            (false, Some(source)) => Spawns::Known(source),
            (false, None) => return Err(PlayerError::new(NOT_TOLD)),
        };
        let depth = self.options.depth.max(1) as usize;
        let kept = self.tree.take().filter(|_| !self.options.rebuild);
        let mut kept = kept.and_then(|tree| tree.re_rooted(situation, spawns));
        if let Some(tree) = &mut kept {
            self.grow(tree, depth, situation.score);
        }
        if let Some(tree) = kept.take_if(|tree| tree.depth() == depth || !tree.is_cut()) {
            return Ok(tree);
        }
        let mut tree = Layers::new(situation, spawns);
        self.grow(&mut tree, depth, situation.score);
        if let Some(mut kept) = kept {
            let made = kept.made + tree.made;
            if kept.depth() > tree.depth() {
                std::mem::swap(&mut kept, &mut tree);
            }
            tree.made = made;
        }
        Ok(tree)
    }

    /// Adds layers up to a depth, or until every leaf is stuck.
    fn grow(&self, tree: &mut Layers, depth: usize, root_score: u64) {
        while tree.depth() < depth && tree.grow() {
            if let Some(beam) = self.options.beam {
                tree.prune(beam.max(1), |node| Self::value(&*self.evaluator, node, root_score));
            }
        }
    }

    /// The whole tree for drawing. The value of a node is that of the best bottom leaf below it. A
    /// node that does not reach the bottom is lost, or unknown if the beam dropped something below
    /// it.
    pub(crate) fn tree(&mut self, situation: &Situation<'_>) -> Result<Tree, PlayerError> {
        let layers = self.grown(situation)?;
        check_size(layers.size())?;
        let value = |node: &Node| Self::value(&*self.evaluator, node, situation.score);
        let tree = Tree {
            nodes: layers.drawn(value),
            unit: Unit::Preference,
            depth: layers.depth() as u32,
            drawn: layers.depth() as u32,
            needs_future: self.facts().needs_future,
        };
        self.tree = Some(layers);
        Ok(tree)
    }
}

const NOT_TOLD: &str =
    "clairvoyant needs to know the coming tiles, which are unknown here; use clairvoyant:blind=true";

impl Player for Clairvoyant {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.tree = None;
        if game.future == Future::Hidden && !self.options.blind {
            return Err(Refusal::new(NOT_TOLD));
        }
        self.evaluator.accepts(game.board)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let tree = self.grown(situation)?;
        let values = tree.best_leaves(|node| Self::value(&*self.evaluator, node, situation.score));
        let decision = Decision::best_of(values, Unit::Preference, tree.depth() as u32, tree.made);
        self.tree = Some(tree);
        decision.ok_or_else(PlayerError::no_move)
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = self.evaluator.fingerprint().into();
        PlayerFacts { needs_future: !self.options.blind, fingerprint, ..PlayerFacts::default() }
    }
}
