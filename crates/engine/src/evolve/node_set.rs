//! The nodes that evolution may use, to switch on and off by name.

use super::dice::Dice;
use super::program::{ADF_ARGUMENTS, Kind, Node};
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
    /// The nodes of the third source document.
    pub fn directions() -> NodeSet {
        NodeSet { families: Node::families().filter(|node| node.fits(Kind::Code)).collect() }
    }

    /// The usual nodes of an evaluator.
    pub fn evaluator() -> NodeSet {
        NodeSet {
            families: Node::families().filter(|node| EVALUATOR.contains(&node.family().as_str())).collect(),
        }
    }

    /// Only these families.
    pub fn only(names: &[String]) -> Result<NodeSet, NodeSetError> {
        let families = names.iter().map(|name| family(name)).collect::<Result<_, _>>()?;
        Ok(NodeSet { families })
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

    /// Whether a family, by its name, can be used in a sum over lines.
    pub fn is_of_lines(name: &str) -> bool {
        family(name).is_ok_and(|node| node == Node::Lines || node.fits(Kind::Line))
    }

    fn has(&self, node: Node) -> bool {
        self.families.iter().any(|known| known.family() == node.family())
    }

    /// Whether trees of these kinds can be grown.
    pub(super) fn check(&self, kinds: &[Kind]) -> Result<(), NodeSetError> {
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
                Kind::Code => "a direction",
                Kind::Board => "a value of the board",
                Kind::Line => "a value of a line",
            };
            return Err(NodeSetError(format!("no {missing} is left that could say {place}")));
        }
        Ok(())
    }

    /// What may stand where a kind is wanted, one entry for each family. `adfs` says how many ADFs can be called there, and
    /// `in_adf` whether arguments can be read.
    pub(super) fn choices(&self, kind: Kind, adfs: usize, in_adf: bool) -> Choices {
        let fits = |node: &&Node| {
            node.fits(kind)
                && match node {
                    Node::Call(_) => adfs > 0,
                    Node::Argument(_) => in_adf,
                    // A board without lines needs no nodes for them.
                    Node::Lines => self.check(&[Kind::Line]).is_ok(),
                    _ => true,
                }
        };
        let fitting = self.families.iter().filter(fits);
        let (terminals, functions) = fitting.partition(|node| node.is_terminal());
        Choices { terminals, functions, adfs }
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
    terminals: Vec<Node>,
    functions: Vec<Node>,
    adfs: usize,
}

impl Choices {
    /// Nothing but a sum over lines.
    pub(super) fn lines() -> Choices {
        Choices { terminals: Vec::new(), functions: vec![Node::Lines], adfs: 0 }
    }

    /// A terminal; a constant one time of five where there are constants, because weights need many.
    pub(super) fn terminal(&self, dice: &mut Dice) -> Option<Node> {
        if self.terminals.iter().any(|node| matches!(node, Node::Constant(_))) && dice.chance(0.2) {
            return Some(Node::Constant(new_constant(dice)));
        }
        dice.pick(&self.terminals).copied().map(|node| self.settled(node, dice))
    }

    /// A function.
    pub(super) fn function(&self, dice: &mut Dice) -> Option<Node> {
        dice.pick(&self.functions).copied().map(|node| self.settled(node, dice))
    }

    /// A function with so many arguments of this kind, other than `not`.
    pub(super) fn function_like(&self, not: Node, kind: Kind, dice: &mut Dice) -> Option<Node> {
        let alike = |node: &&Node| {
            node.arity() == not.arity()
                && node.argument_kind(kind) == not.argument_kind(kind)
                && (**node != not || matches!(node, Node::Call(_)))
        };
        let alike: Vec<Node> = self.functions.iter().filter(alike).copied().collect();
        dice.pick(&alike).copied().map(|node| self.settled(node, dice))
    }

    /// Any node.
    pub(super) fn any(&self, dice: &mut Dice) -> Option<Node> {
        let place = dice.below((self.terminals.len() + self.functions.len()).max(1));
        if place < self.terminals.len() { self.terminal(dice) } else { self.function(dice) }
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
    let size = 10f64.powf(4.0 * dice.unit() - 2.0);
    let value = if dice.chance(0.5) { size } else { -size };
    rounded(value)
}

/// A number in three digits, so that programs stay readable.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(2 - value.abs().log10().floor() as i32);
    let scaled = (value * scale).round() / scale;
    // Dividing by a power of ten leaves digits behind that nobody wants to read.
    format!("{scaled:.12}").parse().unwrap_or(scaled)
}
