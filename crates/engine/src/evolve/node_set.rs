//! The nodes that evolution may use, to switch on and off by name.

use super::dice::Dice;
use super::program::{ADF_ARGUMENTS, Node, NodeKind};
use thiserror::Error;

/// The nodes that programs may be made of.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSet {
    families: Vec<Node>,
}

/// Nodes that no program can be made of.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NodeSetError(String);

/// What an evaluator is made of unless something else is said. Left out is what needs to know the move (`reward`, which no
/// search can use) and what says little that others do not.
const EVALUATOR: &[&str] = &[
    "add",
    "subtract",
    "multiply",
    "divide",
    "max",
    "min",
    "if-less",
    "square",
    "root",
    "lines",
    "constant",
    "adf",
    "arg",
    "empty",
    "merges",
    "merge-ranks",
    "rough",
    "mono",
    "mono2",
    "mono4",
    "ranks2",
    "ranks4",
    "near",
    "full",
    "first",
    "second",
    "third",
    "fourth",
    "edge",
    "largest",
    "corner",
    "neighbours",
];

impl NodeSet {
    /// The nodes of the document (see `directions.rs`).
    pub fn directions() -> NodeSet {
        NodeSet { families: Node::families().filter(|node| node.fits(NodeKind::Code)).collect() }
    }

    /// The usual nodes of an evaluator.
    pub fn evaluator() -> NodeSet {
        NodeSet {
            families: Node::families().filter(|node| EVALUATOR.contains(&node.family().as_str())).collect(),
        }
    }

    /// Only these families.
    pub fn only(names: &[String]) -> Result<NodeSet, NodeSetError> {
        NodeSet { families: Vec::new() }.with(names)
    }

    /// The set with more families.
    pub fn with(mut self, names: &[String]) -> Result<NodeSet, NodeSetError> {
        for name in names {
            let node = family(name)?;
            if !self.has(node) {
                self.families.push(node);
            }
        }
        Ok(self)
    }

    /// The set without these families.
    pub fn without(mut self, names: &[String]) -> Result<NodeSet, NodeSetError> {
        for name in names {
            let node = family(name)?;
            self.families.retain(|kept| kept.family() != node.family());
        }
        Ok(self)
    }

    /// The names of the families.
    pub fn names(&self) -> Vec<String> {
        self.families.iter().map(|node| node.family()).collect()
    }

    /// Whether a family, by its name, is one of values of the whole board alone, which no sum over lines can use.
    pub fn is_of_the_board(name: &str) -> bool {
        let alone =
            |node: Node| node.fits(NodeKind::Board) && !node.fits(NodeKind::Line) && node != Node::Lines;
        family(name).is_ok_and(alone)
    }

    /// Refuses nodes that cannot stand in any tree of these kinds; `programs` says what the trees make up.
    pub(super) fn check_use(&self, kinds: &[NodeKind], programs: &str) -> Result<(), NodeSetError> {
        match self.families.iter().find(|node| !kinds.iter().any(|&kind| node.fits(kind))) {
            Some(node) => Err(NodeSetError(format!("'{}' is no node of {programs}", node.family()))),
            None => Ok(()),
        }
    }

    pub(super) fn has(&self, node: Node) -> bool {
        self.families.iter().any(|known| known.family() == node.family())
    }

    /// Whether trees of these kinds can be grown.
    pub(super) fn check(&self, kinds: &[NodeKind]) -> Result<(), NodeSetError> {
        for &kind in kinds {
            let lacks = |functions: bool| {
                !self.families.iter().any(|node| {
                    node.fits(kind)
                        && node.is_terminal() != functions
                        && !matches!(node, Node::Call(_) | Node::Argument(_))
                })
            };
            let missing = if lacks(false) {
                "terminal"
            } else if lacks(true) {
                "function"
            } else {
                continue;
            };
            let place = match kind {
                NodeKind::Code => "a direction",
                NodeKind::Board => "a value of the board",
                NodeKind::Line => "a value of a line",
            };
            return Err(NodeSetError(format!("no {missing} is left that could say {place}")));
        }
        Ok(())
    }

    /// What may stand where a kind is wanted, one entry for each family. `adfs` says how many ADFs can be called there, and
    /// `in_adf` whether arguments can be read.
    pub(super) fn choices(&self, kind: NodeKind, adfs: usize, in_adf: bool) -> Choices {
        let fits = |node: &&Node| {
            node.fits(kind)
                && match node {
                    Node::Call(_) => adfs > 0,
                    Node::Argument(_) => in_adf,
                    // A board without lines needs no nodes for them.
                    Node::Lines => self.check(&[NodeKind::Line]).is_ok(),
                    _ => true,
                }
        };
        let fitting = || self.families.iter().filter(fits).copied();
        let is_constant = |node: &Node| matches!(node, Node::Constant(_));
        Choices {
            terminals: fitting().filter(|node| node.is_terminal() && !is_constant(node)).collect(),
            constants: fitting().any(|node| is_constant(&node)),
            functions: fitting().filter(|node| !node.is_terminal()).collect(),
            adfs,
        }
    }
}

fn family(name: &str) -> Result<Node, NodeSetError> {
    let found = Node::families().find(|node| node.family() == name);
    found.ok_or_else(|| {
        let names: Vec<String> = Node::families().map(Node::family).collect();
        let name = crate::board::shortened(name);
        NodeSetError(format!("there is no node '{name}'; there are: {}", names.join(", ")))
    })
}

/// What may stand at a place.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// Constants apart.
    terminals: Vec<Node>,
    constants: bool,
    functions: Vec<Node>,
    adfs: usize,
}

/// How many terminals are constants, where there are both: more than their even share, because weights need many.
const CONSTANTS: f64 = 0.2;

impl Choices {
    /// Nothing but a sum over lines.
    pub(super) fn lines() -> Choices {
        Choices { terminals: Vec::new(), constants: false, functions: vec![Node::Lines], adfs: 0 }
    }

    /// Whether a terminal may stand there.
    pub(super) fn has_terminals(&self) -> bool {
        self.constants || !self.terminals.is_empty()
    }

    /// Whether a sum over lines may stand there.
    pub(super) fn has_lines(&self) -> bool {
        self.functions.contains(&Node::Lines)
    }

    /// The fewest arguments that a function has whose arguments are of the kind that it is itself.
    pub(super) fn least_arity(&self) -> Option<usize> {
        self.functions.iter().filter(|&&node| node != Node::Lines).map(|node| node.arity()).min()
    }

    /// A terminal.
    pub(super) fn terminal(&self, dice: &mut Dice) -> Option<Node> {
        if self.constants && (self.terminals.is_empty() || dice.chance(CONSTANTS)) {
            return Some(Node::Constant(new_constant(dice)));
        }
        dice.pick(&self.terminals).copied().map(|node| self.settled(node, dice))
    }

    /// A function.
    pub(super) fn function(&self, dice: &mut Dice) -> Option<Node> {
        dice.pick(&self.functions).copied().map(|node| self.settled(node, dice))
    }

    /// A function of those that a condition holds for.
    pub(super) fn function_that(&self, holds: impl Fn(Node) -> bool, dice: &mut Dice) -> Option<Node> {
        let functions: Vec<Node> = self.functions.iter().copied().filter(|&node| holds(node)).collect();
        dice.pick(&functions).copied().map(|node| self.settled(node, dice))
    }

    /// Whether another node could stand where this one stands.
    pub(super) fn has_another(&self, node: Node, kind: NodeKind) -> bool {
        match node {
            Node::Constant(_) => self.has_terminals(),
            Node::Cell(_) | Node::Argument(_) => true,
            terminal if terminal.is_terminal() => {
                self.constants || self.terminals.iter().any(|&other| other != terminal)
            }
            function => self.like(function, kind).any(|other| other != function || self.adfs > 1),
        }
    }

    /// The functions with as many arguments of the same kind, other than `not` unless that is a call: of which ADF is open.
    fn like(&self, not: Node, kind: NodeKind) -> impl Iterator<Item = Node> {
        let alike = move |node: &Node| {
            node.arity() == not.arity()
                && node.argument_kind(kind) == not.argument_kind(kind)
                && (*node != not || matches!(node, Node::Call(_)))
        };
        self.functions.iter().copied().filter(alike)
    }

    /// A function with as many arguments of the same kind as `not`, other than that.
    pub(super) fn function_like(&self, not: Node, kind: NodeKind, dice: &mut Dice) -> Option<Node> {
        let alike: Vec<Node> = self.like(not, kind).collect();
        dice.pick(&alike).copied().map(|node| self.settled(node, dice))
    }

    /// Any node.
    pub(super) fn any(&self, dice: &mut Dice) -> Option<Node> {
        let terminals = self.terminals.len() + usize::from(self.constants);
        let place = dice.below((terminals + self.functions.len()).max(1));
        if place < terminals { self.terminal(dice) } else { self.function(dice) }
    }

    /// One member of the family of a node.
    fn settled(&self, node: Node, dice: &mut Dice) -> Node {
        match node {
            Node::Constant(_) => Node::Constant(new_constant(dice)),
            Node::Cell(_) => Node::Cell(dice.below(16) as u8),
            Node::Argument(_) => Node::Argument(dice.below(ADF_ARGUMENTS) as u8),
            Node::Call(_) => Node::Call(dice.below(self.adfs.max(1)) as u8),
            other => other,
        }
    }
}

/// A constant: of either sign, its size spread evenly over the powers of ten from 0.01 to 100, in three digits.
fn new_constant(dice: &mut Dice) -> f64 {
    let size = libm::pow(10.0, 4.0 * dice.unit() - 2.0);
    let value = if dice.chance(0.5) { size } else { -size };
    rounded(value)
}

/// A number in three digits, so that programs stay readable; 0 where it has none within twelve decimal places.
pub(super) fn rounded(value: f64) -> f64 {
    if value.abs() < 1e-12 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(2 - libm::log10(value.abs()).floor() as i32);
    let scaled = (value * scale).round() / scale;
    // Dividing by a power of ten leaves digits behind that nobody wants to read.
    format!("{scaled:.12}").parse().unwrap_or(scaled)
}
