//! What makes new programs: growing, mutation and crossover. All of them keep the types and the limits of depth.

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::node_set::{NodeSet, rounded};
use super::program::{Kind, Node, Program, Style, Tree};

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
    fn allow(&self, tree: &Tree) -> bool {
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
const ATTEMPTS: usize = 20;

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
    /// A random program: each tree grown from nodes drawn evenly, where no branch ends above the least depth and none goes
    /// below the greatest (Koza's "grow"). Evaluators, of whose nodes most are terminals, start with a least depth of up to two
    /// levels more.
    pub fn grow(&self, dice: &mut Dice) -> Program {
        let trees = (0..self.trees).map(|number| {
            for _ in 0..ATTEMPTS {
                let more = if self.style == Style::Evaluator { dice.below(3) } else { 0 };
                let bounds =
                    Bounds { least: (self.bounds.least + more).min(self.bounds.most), ..self.bounds };
                let tree = self.grown(number, self.root_kind(number), bounds, dice);
                if self.bounds.allow(&tree) {
                    return tree;
                }
            }
            // A tree of the least depth is the smallest there is, whatever the most nodes are.
            let least = Bounds { most: self.bounds.least, ..self.bounds };
            self.grown(number, self.root_kind(number), least, dice)
        });
        Program::new(self.style, trees.collect()).expect("growing keeps the types")
    }

    fn root_kind(&self, tree: usize) -> Kind {
        match self.style {
            Style::Directions(_) => Kind::Code,
            Style::Evaluator if tree + 1 == self.trees => Kind::Board,
            Style::Evaluator => Kind::Line,
        }
    }

    fn choices(&self, tree: usize, kind: Kind) -> super::node_set::Choices {
        let in_adf = self.style == Style::Evaluator && tree + 1 < self.trees;
        let adfs = if self.style == Style::Evaluator { tree } else { 0 };
        if self.rows && kind == Kind::Board {
            return super::node_set::Choices::lines();
        }
        self.nodes.choices(kind, adfs, in_adf)
    }

    fn grown(&self, tree: usize, kind: Kind, bounds: Bounds, dice: &mut Dice) -> Tree {
        let mut nodes = Vec::new();
        self.grow_into(&mut nodes, tree, kind, 1, bounds, dice);
        Tree::new(nodes).expect("every function has got its arguments")
    }

    fn grow_into(
        &self,
        nodes: &mut Vec<Node>,
        tree: usize,
        kind: Kind,
        depth: usize,
        bounds: Bounds,
        dice: &mut Dice,
    ) {
        let choices = self.choices(tree, kind);
        let node = if depth >= bounds.most {
            choices.terminal(dice)
        } else if depth < bounds.least {
            choices.function(dice)
        } else {
            choices.any(dice)
        };
        // Where only functions may stand, one stands there even on the last level; the depth is looked at afterwards.
        let node = node.or_else(|| choices.any(dice)).expect("the node set was checked");
        nodes.push(node);
        for _ in 0..node.arity() {
            self.grow_into(nodes, tree, node.argument_kind(kind), depth + 1, bounds, dice);
        }
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

    /// One node becomes another of its like: a terminal, a function, or either.
    fn swap_node(
        &self,
        program: &Program,
        number: usize,
        terminals: Option<bool>,
        dice: &mut Dice,
    ) -> Program {
        let tree = &program.trees()[number];
        let kinds = tree.kinds(self.root_kind(number));
        let wanted = |node: &Node| terminals.is_none_or(|terminals| node.is_terminal() == terminals);
        let places: Vec<usize> = (0..tree.size()).filter(|&at| wanted(&tree.nodes()[at])).collect();
        let Some(&at) = dice.pick(&places) else { return program.clone() };
        let (old, choices) = (tree.nodes()[at], self.choices(number, kinds[at]));
        let mut new = None;
        for _ in 0..ATTEMPTS {
            new = if old.is_terminal() {
                choices.terminal(dice)
            } else {
                choices.function_like(old, kinds[at], dice)
            };
            if new != Some(old) {
                break;
            }
        }
        let mut changed = tree.clone();
        if let Some(new) = new {
            changed.nodes_mut()[at] = new;
        }
        program.with_tree(number, changed)
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
            let bounds = Bounds { least: 1, most, size: self.bounds.size };
            let changed = tree.with(at, self.grown(number, kinds[at], bounds, dice).nodes());
            if self.bounds.allow(&changed) {
                return program.with_tree(number, changed);
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
            let changed = tree.with(at, tree.part(inner));
            if self.bounds.allow(&changed) {
                return program.with_tree(number, changed);
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
            let changed = tree.with(at, &nodes);
            if self.bounds.allow(&changed) {
                return program.with_tree(number, changed);
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
            let (left, right) = (first.with(at, second.part(other)), second.with(other, first.part(at)));
            if self.bounds.allow(&left) && self.bounds.allow(&right) {
                return (mother.with_tree(number, left), father.with_tree(number, right));
            }
        }
        (mother.clone(), father.clone())
    }
}

/// A place to cut a tree: a function nine times of ten (Koza 1992), because most nodes are terminals.
fn crossing_place(tree: &Tree, dice: &mut Dice) -> usize {
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
            let moved = rounded(*value * sign * (spread * dice.normal()).exp());
            // Beyond that, values lose their meaning.
            *value = moved.clamp(-1e6, 1e6);
        }
    }
    Program::new(program.style(), trees).expect("a constant stands where a constant stood")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evolve::testing;

    const ALL: [Mutation; 5] =
        [Mutation::Function, Mutation::Terminal, Mutation::Either, Mutation::Subtree, Mutation::Mixed];

    /// Any garden of the kinds there are.
    fn garden() -> impl Strategy<Value = Garden> {
        prop_oneof![
            Just(testing::directions(1)),
            Just(testing::directions(4)),
            (0..=3usize, any::<bool>()).prop_map(|(adfs, rows)| Garden { rows, ..testing::evaluators(adfs) }),
        ]
    }

    /// Whether a program is one that its garden could have grown.
    fn assert_right(garden: &Garden, program: &Program) {
        assert_eq!(Program::new(program.style(), program.trees().to_vec()).as_ref(), Ok(program));
        assert_eq!(program.trees().len(), garden.trees);
        if garden.rows {
            assert!(super::super::compiled::line_form(program).is_some(), "{program}");
        }
        for tree in program.trees() {
            assert!(garden.bounds.allow(tree), "depth {} size {}: {program}", tree.depth(), tree.size());
        }
    }

    proptest! {
        #[test]
        fn operators_keep_types_and_bounds(garden in garden(), seed: u64, steps in 1..30u64) {
            let mut dice = Dice::new(seed, 0, 0);
            let (mut first, mut second) = (garden.grow(&mut dice), garden.grow(&mut dice));
            assert_right(&garden, &first);
            for step in 0..steps {
                first = garden.mutate(&first, ALL[step as usize % 5], &mut dice);
                assert_right(&garden, &first);
                (first, second) = garden.cross(&first, &second, &mut dice);
                assert_right(&garden, &first);
                assert_right(&garden, &second);
            }
        }

        #[test]
        fn programs_are_read_back_as_they_were_written(garden in garden(), seed: u64) {
            let program = garden.grow(&mut Dice::new(seed, 1, 2));
            prop_assert_eq!(program.to_string().parse::<Program>(), Ok(program));
        }
    }

    /// The document's bug: a child that shares nodes with a parent changes with it.
    #[test]
    fn crossover_exchanges_and_never_shares() {
        let garden = testing::directions(1);
        for seed in 0..200 {
            let dice = &mut Dice::new(seed, 0, 0);
            let (mother, father) = (garden.grow(dice), garden.grow(dice));
            let before = (mother.clone(), father.clone());
            let (left, right) = garden.cross(&mother, &father, dice);
            let sorted = |programs: [&Program; 2]| {
                let nodes = programs.into_iter().flat_map(|program| program.trees()[0].nodes().to_vec());
                let mut names: Vec<String> = nodes.map(Node::name).collect();
                names.sort();
                names
            };
            assert_eq!(sorted([&left, &right]), sorted([&mother, &father]), "nothing is lost or doubled");
            let (mut mutated, kept) = (left.clone(), right.clone());
            for _ in 0..10 {
                mutated = garden.mutate(&mutated, Mutation::Either, dice);
            }
            assert_eq!((mother, father), before, "the parents are as they were");
            assert_eq!(right, kept, "and so is the other child");
        }
    }

    #[test]
    fn mutations_change_what_they_say() {
        let garden = testing::directions(1);
        let mut changed = [0; 3];
        for seed in 0..100 {
            let dice = &mut Dice::new(seed, 0, 0);
            let before = garden.grow(dice);
            for (place, mutation) in ALL[..3].iter().enumerate() {
                let after = garden.mutate(&before, *mutation, dice);
                let pairs = before.trees()[0].nodes().iter().zip(after.trees()[0].nodes());
                let different: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
                assert!(different.len() <= 1 && after.size() == before.size());
                if let [(old, _)] = different[..] {
                    changed[place] += 1;
                    assert!(place == 2 || old.is_terminal() == (*mutation == Mutation::Terminal));
                }
            }
        }
        assert!(changed.iter().all(|&count| count >= 99), "{changed:?}");
    }

    #[test]
    fn constants_move_and_nothing_else_does() {
        let program: Program =
            "(evaluator (value (add (multiply 3 empty) (lines (multiply -0.25 mono)))))".parse().unwrap();
        let moved = move_constants(&program, 0.3, true, &mut Dice::new(1, 1, 1));
        let constants = |program: &Program| {
            let nodes = program.trees()[0].nodes().to_vec();
            nodes.into_iter().partition::<Vec<_>, _>(|node| matches!(node, Node::Constant(_)))
        };
        assert_eq!(constants(&moved).1, constants(&program).1);
        assert!(constants(&moved).0.iter().zip(&constants(&program).0).all(|(a, b)| a != b));
        assert_eq!([123.456, -0.001_234_5, 0.0, 99_999.0].map(rounded), [123.0, -0.001_23, 0.0, 100_000.0]);
    }
}
