//! The nodes that evolution may use, selected by name.

use super::dice::Dice;
use super::program::{ADF_ARGUMENTS, Node, NodeKind};
use thiserror::Error;

/// The nodes that programs may be made of.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSet {
    families: Vec<Node>,
}

/// An unknown node name, or a set of nodes that no program can be made of.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NodeSetError(String);

/// The default nodes of an evaluator. `reward` is left out because it depends on the move, which a
/// search does not know. Features that add little to the others are left out as well.
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

    /// The default nodes of an evaluator.
    pub fn evaluator() -> NodeSet {
        NodeSet {
            families: Node::families().filter(|node| EVALUATOR.contains(&node.family().as_str())).collect(),
        }
    }

    /// A set of only these families.
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

    /// Whether the family with this name reads the whole board only, so that it cannot stand below
    /// `lines`.
    pub fn is_of_the_board(name: &str) -> bool {
        let alone =
            |node: Node| node.fits(NodeKind::Board) && !node.fits(NodeKind::Line) && node != Node::Lines;
        family(name).is_ok_and(alone)
    }

    /// Rejects nodes that fit in no tree of these kinds. `programs` names the programs in the
    /// error.
    pub(super) fn check_use(&self, kinds: &[NodeKind], programs: &str) -> Result<(), NodeSetError> {
        match self.families.iter().find(|node| !kinds.iter().any(|&kind| node.fits(kind))) {
            Some(node) => Err(NodeSetError(format!("'{}' is not a node of {programs}", node.family()))),
            None => Ok(()),
        }
    }

    pub(super) fn has(&self, node: Node) -> bool {
        self.families.iter().any(|known| known.family() == node.family())
    }

    /// Checks that trees of these kinds can be grown.
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
                NodeKind::Code => "that returns a direction",
                NodeKind::Board => "that returns a value of the board",
                NodeKind::Line => "that returns a value of a line",
            };
            return Err(NodeSetError(format!("the node set needs a {missing} {place}")));
        }
        Ok(())
    }

    /// The nodes that fit a kind, one per family. `adfs` is the number of ADFs that can be called
    /// there. `in_adf` tells whether arguments can be read.
    pub(super) fn choices(&self, kind: NodeKind, adfs: usize, in_adf: bool) -> Choices {
        let fits = |node: &&Node| {
            node.fits(kind)
                && match node {
                    Node::Call(_) => adfs > 0,
                    Node::Argument(_) => in_adf,
                    // Without nodes for lines, `lines` could not have an argument.
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
        let name = crate::text::shortened(name);
        NodeSetError(format!("unknown node '{name}'; the nodes are: {}", names.join(", ")))
    })
}

/// The nodes that may stand at a place.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The terminals other than constants.
    terminals: Vec<Node>,
    constants: bool,
    functions: Vec<Node>,
    adfs: usize,
}

/// The share of constants among the terminals. It is above an even share because weights need many
/// constants.
const CONSTANTS: f64 = 0.2;

impl Choices {
    /// Only a sum over lines.
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

    /// The smallest arity of the functions other than `lines`.
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

    /// A function for which a condition holds.
    pub(super) fn function_that(&self, holds: impl Fn(Node) -> bool, dice: &mut Dice) -> Option<Node> {
        let functions: Vec<Node> = self.functions.iter().copied().filter(|&node| holds(node)).collect();
        dice.pick(&functions).copied().map(|node| self.settled(node, dice))
    }

    /// Whether another node could replace this one.
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

    /// The functions with the same arity and kind of arguments as `not`, except `not` itself. A
    /// call is kept, because it may become a call of another ADF.
    fn like(&self, not: Node, kind: NodeKind) -> impl Iterator<Item = Node> {
        let alike = move |node: &Node| {
            node.arity() == not.arity()
                && node.argument_kind(kind) == not.argument_kind(kind)
                && (*node != not || matches!(node, Node::Call(_)))
        };
        self.functions.iter().copied().filter(alike)
    }

    /// A random function that can replace `not`; see [`Choices::like`].
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

    /// A random member of the family of a node.
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

/// A random constant of either sign with three significant digits. Its magnitude is log-uniform
/// from 0.01 to 100.
fn new_constant(dice: &mut Dice) -> f64 {
    let size = libm::pow(10.0, 4.0 * dice.unit() - 2.0);
    let value = if dice.chance(0.5) { size } else { -size };
    rounded(value)
}

/// A number rounded to three significant digits, so that programs stay readable. Numbers below
/// 1e-12 become 0.
pub(super) fn rounded(value: f64) -> f64 {
    if value.abs() < 1e-12 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(2 - libm::log10(value.abs()).floor() as i32);
    let scaled = (value * scale).round() / scale;
    // The division leaves rounding noise in the last digits; printing 12 decimals removes it.
    format!("{scaled:.12}").parse().unwrap_or(scaled)
}
