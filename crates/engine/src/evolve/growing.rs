//! Growing trees at random, within bounds of depth and size.

use super::dice::Dice;
use super::node_set::Choices;
use super::operators::{ATTEMPTS, Bounds, Garden};
use super::program::{MOST_NODES, Node, NodeKind, Program, ProgramTree, Style, steps};

/// A tree that is being grown.
struct Sprout {
    nodes: Vec<Node>,
    bounds: Bounds,
    /// What may stand at the root and where its kind is wanted, and what may stand for a line.
    root: (NodeKind, Choices),
    line: Choices,
}

impl Garden {
    /// A random program: each tree grown from nodes drawn evenly, where no branch ends above the least depth and none goes
    /// below the greatest (Koza's "grow"). Evaluators, of whose nodes most are terminals, start with a least depth of up to two
    /// levels more. What grows too large is thrown away; after some attempts a tree of the least depth is grown.
    pub fn grow(&self, dice: &mut Dice) -> Program {
        let mut trees: Vec<ProgramTree> = Vec::new();
        for number in 0..self.trees {
            let mut found = None;
            for _ in 0..ATTEMPTS {
                let more = if self.style == Style::Evaluator { dice.below(3) } else { 0 };
                let bounds =
                    Bounds { least: (self.bounds.least + more).min(self.bounds.most), ..self.bounds };
                let grown = self.grown(number, self.root_kind(number), bounds, dice);
                if let Some(tree) = grown.filter(|tree| self.bounds.allow(tree)) {
                    trees.push(tree);
                    if steps(&trees).last().is_some_and(|&steps| steps <= MOST_NODES) {
                        found = trees.pop();
                        break;
                    }
                    trees.pop();
                }
            }
            trees.push(found.unwrap_or_else(|| self.grown_small(number, dice)));
        }
        Program::new(self.style, trees).expect("growing keeps the types and the limits")
    }

    /// A tree, or nothing if it grew larger than the bounds allow; how deep it became is looked at afterwards.
    pub(super) fn grown(
        &self,
        tree: usize,
        kind: NodeKind,
        bounds: Bounds,
        dice: &mut Dice,
    ) -> Option<ProgramTree> {
        let mut sprout = Sprout {
            nodes: Vec::new(),
            bounds,
            root: (kind, self.choices(tree, kind)),
            line: self.choices(tree, NodeKind::Line),
        };
        sprout
            .grow(kind, 1, dice)
            .then(|| ProgramTree::new(sprout.nodes).expect("every function has its arguments"))
    }

    /// A tree of the least depth that calls no ADF, and is as small as it has to be.
    fn grown_small(&self, tree: usize, dice: &mut Dice) -> ProgramTree {
        let mut nodes = Vec::new();
        let levels = self.bounds.least - 1;
        self.grow_small(&mut nodes, tree, (self.root_kind(tree), levels), self.bounds.size, dice);
        ProgramTree::new(nodes).expect("every function has its arguments")
    }

    /// Grows a part of a kind in which so many levels must be functions, of at most `room` nodes.
    fn grow_small(
        &self,
        nodes: &mut Vec<Node>,
        tree: usize,
        (kind, levels): (NodeKind, usize),
        room: usize,
        dice: &mut Dice,
    ) {
        let choices = self.choices_without_calls(tree, kind);
        let below = levels.saturating_sub(1);
        let argument = |node: Node| self.smallest(tree, node.argument_kind(kind), below);
        let fits = |node: Node| argument(node).is_some_and(|size| node.arity() * size < room);
        let terminal = if levels == 0 { choices.terminal(dice) } else { None };
        let node = terminal.or_else(|| choices.function_that(fits, dice)).expect("the bounds were checked");
        let (start, each) = (nodes.len(), argument(node).unwrap_or(0));
        nodes.push(node);
        for argument in 1..=node.arity() {
            let room = room - (nodes.len() - start) - (node.arity() - argument) * each;
            self.grow_small(nodes, tree, (node.argument_kind(kind), below), room, dice);
        }
    }

    /// The size of the smallest part of a kind in which no branch has less than so many functions above its end; `None` if
    /// there is no such part.
    pub(super) fn smallest(&self, tree: usize, kind: NodeKind, levels: usize) -> Option<usize> {
        let choices = self.choices_without_calls(tree, kind);
        if levels == 0 && choices.has_terminals() {
            return Some(1);
        }
        let below = levels.saturating_sub(1);
        let of = |arity: usize, kind: NodeKind| {
            let argument = self.smallest(tree, kind, below)?;
            Some(argument.saturating_mul(arity).saturating_add(1))
        };
        let alike = if levels > 0 { choices.least_arity().and_then(|arity| of(arity, kind)) } else { None };
        let lines = if choices.has_lines() { of(1, NodeKind::Line) } else { None };
        alike.into_iter().chain(lines).min()
    }
}

impl Sprout {
    /// Grows a part; false as soon as there are too many nodes.
    fn grow(&mut self, kind: NodeKind, depth: usize, dice: &mut Dice) -> bool {
        if self.nodes.len() >= self.bounds.size {
            return false;
        }
        let choices = if kind == self.root.0 { &self.root.1 } else { &self.line };
        let node = if depth >= self.bounds.most {
            choices.terminal(dice)
        } else if depth < self.bounds.least {
            choices.function(dice)
        } else {
            choices.any(dice)
        };
        // Where only functions may stand, one stands there even on the last level; the depth is looked at afterwards.
        let node = node.or_else(|| choices.any(dice)).expect("the node set was checked");
        self.nodes.push(node);
        (0..node.arity()).all(|_| self.grow(node.argument_kind(kind), depth + 1, dice))
    }
}
