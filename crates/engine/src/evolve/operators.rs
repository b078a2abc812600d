//! What makes new programs out of old ones: mutation and crossover. Like growing, they keep the types and the bounds.

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::node_set::{Choices, NodeSet, rounded};
use super::program::{Node, NodeKind, Program, ProgramTree, Style};

/// How deep and large trees may be; the depth of a single terminal is 1.
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

/// What a mutation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mutation {
    /// One function becomes another with the same arguments.
    Function,
    /// One terminal becomes another.
    Terminal,
    /// One node, function or terminal, becomes another of its like.
    Either,
    /// One subtree is grown anew.
    Subtree,
    /// One of: either (1 of 8), subtree (2), a subtree takes the place of one above it (1), a function is put above a
    /// subtree (2), a constant is moved (2).
    Mixed,
}

/// How often an operator tries to find a place before it gives up and leaves the program as it is.
pub(super) const ATTEMPTS: usize = 20;

/// Beyond that, values lose their meaning.
const MOST_CONSTANT: f64 = 1e6;

/// The places where programs are made: the nodes, the bounds, and what programs look like.
#[derive(Clone, Debug)]
pub struct Garden {
    /// What is grown.
    pub style: Style,
    /// How many trees: 1 or 4 of directions; the value and its ADFs.
    pub trees: usize,
    /// The nodes to grow from.
    pub nodes: NodeSet,
    /// The bounds of each tree.
    pub bounds: Bounds,
    /// Whether the value of an evaluator is one sum over lines, `(lines ...)`, so that it compiles to rows.
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

    /// The program with another tree, if that keeps the bounds and the program does not take too long.
    fn exchanged(&self, program: &Program, number: usize, tree: ProgramTree) -> Option<Program> {
        if self.bounds.allow(&tree) { program.with_tree(number, tree) } else { None }
    }

    /// Whether a program is one that could have been bred here.
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
    pub fn mutate(&self, program: &Program, mutation: Mutation, dice: &mut Dice) -> Program {
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

    /// One node, of those that there is another for, becomes that: a terminal, a function, or either.
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

    /// One subtree is grown anew.
    fn regrow(&self, program: &Program, number: usize, dice: &mut Dice) -> Program {
        let tree = &program.trees()[number];
        let (kinds, levels) = (tree.kinds(self.root_kind(number)), tree.levels());
        for _ in 0..ATTEMPTS {
            let at = dice.below(tree.size());
            let room = self.bounds.most - levels[at];
            // Smaller ones more often: a whole new program is rarely a small step.
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

    /// A subtree takes the place of one of the same kind above it: the mutation that makes programs smaller.
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

    /// A new function stands above a subtree, which becomes one of its arguments; the others are terminals.
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

    /// Two children: a subtree of each parent is exchanged for one of the same kind from the same tree of the other. Where no
    /// exchange keeps the bounds, the children are copies.
    pub fn cross(&self, mother: &Program, father: &Program, dice: &mut Dice) -> (Program, Program) {
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

/// A place to cut a tree: a function nine times of ten (Koza 1992), because most nodes are terminals.
fn crossing_place(tree: &ProgramTree, dice: &mut Dice) -> usize {
    let wants_function = dice.chance(0.9);
    let places: Vec<usize> =
        (0..tree.size()).filter(|&at| tree.nodes()[at].is_terminal() != wants_function).collect();
    dice.pick(&places).copied().unwrap_or(0)
}

/// The program with its constants moved: one of them, or all. A constant is multiplied by e to the power of a normal number
/// times `spread`; now and then its sign changes.
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
    Program::new(program.style(), trees).expect("a constant stands where a constant stood")
}

#[cfg(test)]
mod tests;
