//! The player `clairvoyant` of the fifth source document: a tree of moves in which every node knows the coming spawn.
//!
//! The tree holds every sequence of moves up to a depth, layer by layer. The best leaf of the bottom layer decides (of the
//! deepest layer that is reached, if none gets to the bottom), and the first move on the way to it is played. After a
//! move the tree is re-rooted: what belongs to the other moves is dropped and one layer is added. That saves what building
//! it anew costs, which [`ClairvoyantOptions::rebuild`] shows: the nodes of a decision are the boards made for it.
//!
//! Blind, every node draws spawns of its own, which is the first version in the document: it shows what knowing is worth.
//! With a beam only the best leaves of each layer are kept, so that the tree can be deep instead of wide. The values are
//! preferences, also with an evaluator that counts points to come: the best of many futures is no expectation.
//!
//! Re-rooting changes no move of a whole tree that knows its spawns. With a beam it does: what is left of a layer below the
//! move was chosen among all moves, and the layers are not filled up again, where a tree built anew keeps the best below
//! this move alone. If all that is left is stuck before the bottom, the boards that were cut off may go further: then the
//! tree is built anew once, and the deeper of the two decides, the new one if they are equal. Blind, a kept board keeps the spawns it drew.

mod layers;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::layers::{Layers, Node, Spawns};
use super::tree::{Tree, check_size};
use super::walk::worth;
use crate::eval::Evaluator;
use crate::game::{Cannot, Decision, GameStart, Player, PlayerError, PlayerFacts, Situation, Unit};

/// How the tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClairvoyantOptions {
    /// The moves looked ahead.
    pub depth: u32,
    /// Whether the tree is built anew for every move.
    pub rebuild: bool,
    /// Whether every node draws its own spawns instead of knowing the real ones.
    pub blind: bool,
    /// How many leaves of a layer are kept, the best ones, each board once; all, if not given.
    pub beam: Option<usize>,
}

impl ClairvoyantOptions {
    /// A tree that knows the future, re-rooted, without a beam.
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
    /// The player with an evaluator; the document's is [`Product`](crate::eval::Product).
    pub fn new(evaluator: Arc<dyn Evaluator>, options: ClairvoyantOptions) -> Clairvoyant {
        Clairvoyant { evaluator, options, tree: None }
    }

    /// The value of a leaf.
    fn value(evaluator: &dyn Evaluator, node: &Node, root_score: u64) -> f64 {
        // NaN is the smallest number.
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

    /// Adds layers down to a depth, or until every leaf is stuck.
    fn grow(&self, tree: &mut Layers, depth: usize, root_score: u64) {
        while tree.depth() < depth && tree.grow() {
            if let Some(beam) = self.options.beam {
                tree.prune(beam.max(1), |node| Self::value(&*self.evaluator, node, root_score));
            }
        }
    }

    /// The whole tree as it can be drawn. A node is worth what the best leaf of the bottom layer
    /// below it is worth; one from which the bottom is not reached is lost, or unknown if the beam
    /// has cut something off below it.
    pub fn tree(&mut self, situation: &Situation<'_>) -> Result<Tree, PlayerError> {
        let layers = self.grown(situation)?;
        check_size(layers.size())?;
        let value = |node: &Node| Self::value(&*self.evaluator, node, situation.score);
        let tree = Tree {
            nodes: layers.drawn(value),
            unit: Unit::Preference,
            depth: layers.depth() as u32,
            drawn: layers.depth() as u32,
            knows_future: self.facts().knows_future,
        };
        self.tree = Some(layers);
        Ok(tree)
    }
}

const NOT_TOLD: &str = "clairvoyant must be told the coming tiles, and they are not known here; clairvoyant:blind=true does without";

impl Player for Clairvoyant {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.tree = None;
        if !game.knows_future && !self.options.blind {
            return Err(Cannot::new(NOT_TOLD));
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
        PlayerFacts { knows_future: !self.options.blind, fingerprint, ..PlayerFacts::default() }
    }
}
