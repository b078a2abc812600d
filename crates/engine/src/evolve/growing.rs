//! Random growth of trees within bounds of depth and size.

use super::dice::Dice;
use super::node_set::Choices;
use super::operators::{ATTEMPTS, Bounds, Garden};
use super::program::{MOST_NODES, Node, NodeKind, Program, ProgramTree, Style, steps};

/// A tree under construction.
struct Sprout {
    nodes: Vec<Node>,
    bounds: Bounds,
    /// The kind of the root and the nodes for that kind, and the nodes for lines.
    root: (NodeKind, Choices),
    line: Choices,
}

impl Garden {
    /// A random program (Koza's "grow"): nodes are drawn uniformly, no branch ends above the least
    /// depth and none goes below the greatest. Most nodes of evaluators are terminals, so their
    /// least depth is raised by 0 to 2 levels at random. Trees that are too large are discarded.
    /// After several attempts, a small tree of the least depth is grown.
    pub(crate) fn grow(&self, dice: &mut Dice) -> Program {
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

    /// A tree, or `None` if it has more nodes than allowed. The caller checks the depth.
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

    /// A tree of the least depth without calls of ADFs that fits the size bound.
    fn grown_small(&self, tree: usize, dice: &mut Dice) -> ProgramTree {
        let mut nodes = Vec::new();
        let levels = self.bounds.least - 1;
        self.grow_small(&mut nodes, tree, (self.root_kind(tree), levels), self.bounds.size, dice);
        ProgramTree::new(nodes).expect("every function has its arguments")
    }

    /// Grows a part of a kind with at most `room` nodes. The first `levels` levels are functions.
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

    /// The size of the smallest part of a kind in which every branch has at least `levels`
    /// functions; `None` if there is none.
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
    /// Grows a part; returns false as soon as there are too many nodes.
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
        // A kind without terminals gets a function even at the greatest depth; the caller checks
        // it.
        let node = node.or_else(|| choices.any(dice)).expect("the node set was checked");
        self.nodes.push(node);
        (0..node.arity()).all(|_| self.grow(node.argument_kind(kind), depth + 1, dice))
    }
}
