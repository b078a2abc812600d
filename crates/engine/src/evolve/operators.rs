//! Genetic operators: mutation and crossover. Like growing, they keep node kinds and bounds.

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::node_set::{Choices, NodeSet, rounded};
use super::program::{Node, NodeKind, Program, ProgramTree, Style};

/// Bounds on the depth and size of trees. A single terminal has depth 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least depth of a tree.
    pub least: usize,
    /// The greatest depth of a tree.
    pub most: usize,
    /// The most nodes of a tree.
    pub size: usize,
}

impl Bounds {
    pub(super) fn allow(&self, tree: &ProgramTree) -> bool {
        tree.size() <= self.size && (self.least..=self.most).contains(&tree.depth())
    }
}

/// The kinds of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mutation {
    /// One function becomes another with the same arity.
    Function,
    /// One terminal becomes another.
    Terminal,
    /// One node becomes another: a function another function, a terminal another terminal.
    Either,
    /// One subtree is replaced by a newly grown one.
    Subtree,
    /// One of these: either (1 of 8), subtree (2 of 8), a subtree replaces one above it (1 of 8), a
    /// function is inserted above a subtree (2 of 8), a constant is changed (2 of 8).
    Mixed,
}

/// The number of attempts of an operator before it returns the program unchanged.
pub(super) const ATTEMPTS: usize = 20;

/// The largest magnitude of a constant.
const MOST_CONSTANT: f64 = 1e6;

/// Creates and varies programs: the nodes, the bounds and the shape of the programs.
#[derive(Clone, Debug)]
pub(crate) struct Garden {
    /// The style of the programs.
    pub style: Style,
    /// The number of trees: 1 or 4 for directions, the ADFs and the value for an evaluator.
    pub trees: usize,
    /// The nodes to grow from.
    pub nodes: NodeSet,
    /// The bounds of each tree.
    pub bounds: Bounds,
    /// Whether the value of an evaluator is one sum over lines, `(lines ...)`, which compiles to a
    /// table of rows.
    pub rows: bool,
}

impl Garden {
    pub(super) fn root_kind(&self, tree: usize) -> NodeKind {
        match self.style {
            Style::Directions(_) => NodeKind::Code,
            Style::Evaluator if tree + 1 == self.trees => NodeKind::Board,
            Style::Evaluator => NodeKind::Line,
        }
    }

    pub(super) fn choices(&self, tree: usize, kind: NodeKind) -> Choices {
        self.choices_with(tree, kind, if self.style == Style::Evaluator { tree } else { 0 })
    }

    pub(super) fn choices_without_calls(&self, tree: usize, kind: NodeKind) -> Choices {
        self.choices_with(tree, kind, 0)
    }

    fn choices_with(&self, tree: usize, kind: NodeKind, adfs: usize) -> Choices {
        let in_adf = self.style == Style::Evaluator && tree + 1 < self.trees;
        if self.rows && kind == NodeKind::Board {
            return Choices::lines();
        }
        self.nodes.choices(kind, adfs, in_adf)
    }

    /// The program with one tree replaced, if the tree is within the bounds and the program is not
    /// too expensive to evaluate.
    fn exchanged(&self, program: &Program, number: usize, tree: ProgramTree) -> Option<Program> {
        if self.bounds.allow(&tree) { program.with_tree(number, tree) } else { None }
    }

    /// Whether this garden could have produced a program.
    pub(super) fn holds(&self, program: &Program) -> bool {
        let known = |node: Node| match node {
            Node::Constant(value) => self.nodes.has(node) && value.abs() <= MOST_CONSTANT,
            Node::Lines => self.rows || self.nodes.has(node),
            other => self.nodes.has(other),
        };
        let value = program.trees().last().map_or(&[][..], ProgramTree::nodes);
        program.style() == self.style
            && program.trees().len() == self.trees
            && program.trees().iter().all(|tree| self.bounds.allow(tree))
            && program.trees().iter().flat_map(ProgramTree::nodes).all(|&node| known(node))
            && (!self.rows || value.first() == Some(&Node::Lines))
    }

    /// The program with one change.
    pub(crate) fn mutate(&self, program: &Program, mutation: Mutation, dice: &mut Dice) -> Program {
        let number = dice.below(program.trees().len());
        match mutation {
            Mutation::Function => self.swap_node(program, number, Some(false), dice),
            Mutation::Terminal => self.swap_node(program, number, Some(true), dice),
            Mutation::Either => self.swap_node(program, number, None, dice),
            Mutation::Subtree => self.regrow(program, number, dice),
            Mutation::Mixed => match dice.below(8) {
                0 => self.swap_node(program, number, None, dice),
                1 | 2 => self.regrow(program, number, dice),
                3 => self.hoist(program, number, dice),
                4 | 5 => self.insert(program, number, dice),
                _ => move_constants(program, 0.5, false, dice),
            },
        }
    }

    /// Replaces one node by another of the same arity: a terminal, a function, or either (`None`).
    /// Only nodes that have an alternative are considered.
    fn swap_node(
        &self,
        program: &Program,
        number: usize,
        terminals: Option<bool>,
        dice: &mut Dice,
    ) -> Program {
        let tree = &program.trees()[number];
        let root = self.root_kind(number);
        let kinds = tree.kinds(root);
        let (at_root, of_line) = (self.choices(number, root), self.choices(number, NodeKind::Line));
        let choices = |at: usize| if kinds[at] == root { &at_root } else { &of_line };
        let wanted = |&at: &usize| {
            let node = tree.nodes()[at];
            terminals.is_none_or(|terminals| node.is_terminal() == terminals)
                && choices(at).has_another(node, kinds[at])
        };
        let places: Vec<usize> = (0..tree.size()).filter(wanted).collect();
        let Some(&at) = dice.pick(&places) else { return program.clone() };
        let old = tree.nodes()[at];
        for _ in 0..ATTEMPTS {
            let new = if old.is_terminal() {
                choices(at).terminal(dice)
            } else {
                choices(at).function_like(old, kinds[at], dice)
            };
            if let Some(new) = new.filter(|&new| new != old) {
                let mut changed = tree.clone();
                changed.nodes_mut()[at] = new;
                if let Some(program) = program.with_tree(number, changed) {
                    return program;
                }
            }
        }
        program.clone()
    }

    /// Replaces one subtree by a newly grown one.
    fn regrow(&self, program: &Program, number: usize, dice: &mut Dice) -> Program {
        let tree = &program.trees()[number];
        let (kinds, levels) = (tree.kinds(self.root_kind(number)), tree.levels());
        for _ in 0..ATTEMPTS {
            let at = dice.below(tree.size());
            let room = self.bounds.most - levels[at];
            // Prefer small subtrees: replacing the whole program is rarely a small step.
            let most = 1 + dice.below(room.min(4));
            let kept = tree.size() - tree.part(at).len();
            let bounds = Bounds { least: 1, most, size: self.bounds.size.saturating_sub(kept) };
            let Some(part) = self.grown(number, kinds[at], bounds, dice) else { continue };
            if let Some(changed) = self.exchanged(program, number, tree.with(at, part.nodes())) {
                return changed;
            }
        }
        program.clone()
    }

    /// A subtree replaces one of the same kind above it. This makes programs smaller.
    fn hoist(&self, program: &Program, number: usize, dice: &mut Dice) -> Program {
        let tree = &program.trees()[number];
        let kinds = tree.kinds(self.root_kind(number));
        for _ in 0..ATTEMPTS {
            let at = dice.below(tree.size());
            let inner = at + dice.below(tree.end(at) - at);
            if inner == at || kinds[inner] != kinds[at] {
                continue;
            }
            if let Some(changed) = self.exchanged(program, number, tree.with(at, tree.part(inner))) {
                return changed;
            }
        }
        program.clone()
    }

    /// Inserts a new function above a subtree, which becomes one of its arguments. The other
    /// arguments are terminals.
    fn insert(&self, program: &Program, number: usize, dice: &mut Dice) -> Program {
        let tree = &program.trees()[number];
        let kinds = tree.kinds(self.root_kind(number));
        for _ in 0..ATTEMPTS {
            let at = dice.below(tree.size());
            let choices = self.choices(number, kinds[at]);
            let Some(function) = choices.function(dice) else { break };
            if function.argument_kind(kinds[at]) != kinds[at] {
                continue;
            }
            let mut nodes = vec![function];
            let kept = dice.below(function.arity());
            for argument in 0..function.arity() {
                if argument == kept {
                    nodes.extend_from_slice(tree.part(at));
                } else {
                    nodes.extend(choices.terminal(dice));
                }
            }
            if let Some(changed) = self.exchanged(program, number, tree.with(at, &nodes)) {
                return changed;
            }
        }
        program.clone()
    }

    /// Two children: the parents exchange subtrees of the same kind and of the same tree. If no
    /// exchange keeps the bounds, the children are copies.
    pub(super) fn cross(&self, mother: &Program, father: &Program, dice: &mut Dice) -> (Program, Program) {
        let number = dice.below(mother.trees().len());
        let (first, second) = (&mother.trees()[number], &father.trees()[number]);
        let kinds = [first, second].map(|tree| tree.kinds(self.root_kind(number)));
        for _ in 0..ATTEMPTS {
            let at = crossing_place(first, dice);
            let other = crossing_place(second, dice);
            if kinds[0][at] != kinds[1][other] {
                continue;
            }
            let left = self.exchanged(mother, number, first.with(at, second.part(other)));
            let right = self.exchanged(father, number, second.with(other, first.part(at)));
            if let (Some(left), Some(right)) = (left, right) {
                return (left, right);
            }
        }
        (mother.clone(), father.clone())
    }
}

/// A crossover point: a function in 9 of 10 cases (Koza 1992), because most nodes are terminals.
fn crossing_place(tree: &ProgramTree, dice: &mut Dice) -> usize {
    let wants_function = dice.chance(0.9);
    let places: Vec<usize> =
        (0..tree.size()).filter(|&at| tree.nodes()[at].is_terminal() != wants_function).collect();
    dice.pick(&places).copied().unwrap_or(0)
}

/// The program with one constant or all constants changed. A constant is multiplied by exp(`spread`
/// x a standard normal number). With probability 0.03 its sign flips as well.
pub(super) fn move_constants(program: &Program, spread: f64, all: bool, dice: &mut Dice) -> Program {
    let places: Vec<(usize, usize)> = program
        .trees()
        .iter()
        .enumerate()
        .flat_map(|(number, tree)| {
            let constants =
                move |(at, node): (usize, &Node)| matches!(node, Node::Constant(_)).then_some((number, at));
            tree.nodes().iter().enumerate().filter_map(constants)
        })
        .collect();
    let Some(&one) = dice.pick(&places) else { return program.clone() };
    let mut trees = program.trees().to_vec();
    for &(number, at) in places.iter().filter(|&&place| all || place == one) {
        if let Node::Constant(value) = &mut trees[number].nodes_mut()[at] {
            let sign = if dice.chance(0.03) { -1.0 } else { 1.0 };
            let moved = rounded(*value * sign * libm::exp(spread * dice.normal()));
            *value = moved.clamp(-MOST_CONSTANT, MOST_CONSTANT);
        }
    }
    Program::new(program.style(), trees).expect("changing constants keeps a program valid")
}

#[cfg(test)]
mod tests;
