//! Programs as data: trees of nodes, the types that hold them together, and their text.
//!
//! A tree is a list of its nodes in the order in which they are written, a function before its
//! arguments. A subtree is thus a piece of that list, and copying it copies every node: two
//! programs can never share one.

mod node;
mod text;

pub(super) use node::Scope;
pub use node::{ADF_ARGUMENTS, Feature, MOST_ADFS, Node, NodeKind};
pub use text::ProgramTextError;

#[cfg(feature = "files")]
use std::path::{Path, PathBuf};

use crate::hash;
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "files")]
use crate::files::{FileError, read_limited};

/// The most nodes of a tree, and the most with the bodies of the ADFs that it calls written out in
/// place: what a value takes.
pub(in crate::evolve) const MOST_NODES: usize = 10_000;
/// The deepest tree that is read from a text.
pub(super) const MOST_DEPTH: usize = 100;

/// An expression: nodes in the order in which they are written, a function before its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTree(Vec<Node>);

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A node stands where its kind is not wanted.
    #[error("'{node}' cannot stand in {place}")]
    Misplaced {
        /// The node's name.
        node: String,
        /// Where it stands.
        place: String,
    },
    /// The nodes do not make up one whole tree.
    #[error("the tree is not complete")]
    Incomplete,
    /// A value would take too long: ADFs that call ADFs multiply their nodes.
    #[error("with the ADFs that it calls written out, the tree '{0}' has more than {MOST_NODES} nodes")]
    TooLong(String),
    /// There are too many trees or too few.
    #[error("{0}")]
    Trees(String),
}

impl ProgramTree {
    /// The tree of these nodes, if they are exactly one.
    pub fn new(nodes: Vec<Node>) -> Result<ProgramTree, ProgramError> {
        let mut missing = 1usize;
        for (index, node) in nodes.iter().enumerate() {
            missing = missing - 1 + node.arity();
            if missing == 0 && index + 1 < nodes.len() {
                return Err(ProgramError::Incomplete);
            }
        }
        if missing == 0 { Ok(ProgramTree(nodes)) } else { Err(ProgramError::Incomplete) }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// The nodes, to exchange single ones for others with as many arguments.
    pub(super) fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.0
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The levels of the tree; 1 for a single terminal.
    pub fn depth(&self) -> usize {
        self.levels().into_iter().max().unwrap_or(0) + 1
    }

    /// How far below the root each node is.
    pub fn levels(&self) -> Vec<usize> {
        // How many arguments are still to come for each function that is open.
        let mut open: Vec<usize> = Vec::new();
        let mut levels = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            levels.push(open.len());
            if let Some(rest) = open.last_mut() {
                *rest -= 1;
            }
            open.push(node.arity());
            while open.last() == Some(&0) {
                open.pop();
            }
        }
        levels
    }

    /// Where the subtree at a node ends.
    pub fn end(&self, start: usize) -> usize {
        end_of(&self.0, start)
    }

    /// The kind of every node, where the root is of kind `root`.
    pub fn kinds(&self, root: NodeKind) -> Vec<NodeKind> {
        let mut wanted = vec![root];
        let mut kinds = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            let kind = wanted.pop().expect("the tree is whole");
            kinds.push(kind);
            wanted.extend(std::iter::repeat_n(node.argument_kind(kind), node.arity()));
        }
        kinds
    }

    /// The tree with the subtree at `at` replaced.
    #[must_use]
    pub fn with(&self, at: usize, subtree: &[Node]) -> ProgramTree {
        let mut nodes = Vec::with_capacity(self.0.len() + subtree.len());
        nodes.extend_from_slice(&self.0[..at]);
        nodes.extend_from_slice(subtree);
        nodes.extend_from_slice(&self.0[self.end(at)..]);
        ProgramTree(nodes)
    }

    /// The subtree at a node.
    pub fn part(&self, at: usize) -> &[Node] {
        &self.0[at..self.end(at)]
    }
}

/// Where the subtree that starts at a place of a list of nodes ends.
pub(super) fn end_of(nodes: &[Node], start: usize) -> usize {
    let (mut missing, mut at) = (1, start);
    while missing > 0 {
        missing = missing - 1 + nodes[at].arity();
        at += 1;
    }
    at
}

/// How many nodes each tree has with the bodies of the ADFs that it calls written out in place. An
/// ADF calls those before it.
pub(super) fn steps(trees: &[ProgramTree]) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::with_capacity(trees.len());
    for tree in trees {
        let of_node = |node: &Node| match node {
            Node::Call(adf) => all.get(usize::from(*adf)).map_or(1, |body| body.saturating_add(1)),
            _ => 1,
        };
        let steps = tree.nodes().iter().map(of_node).fold(0, usize::saturating_add);
        all.push(steps);
    }
    all
}

/// When a sensing terminal says its own direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sensing {
    /// Where tiles can be combined in that direction, as the document says.
    Merge,
    /// Where the move changes the board, as its figure can be read.
    Slide,
}

/// What a sensing terminal may say where it does not say its own direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Otherwise {
    /// Any of the four numbers, as the document says.
    Any,
    /// Any but its own where its own move is impossible: the improvement that the document
    /// proposes.
    Others,
}

/// How a program of directions is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// Sums and differences are remainders of this: 3 as in the document, with the sign as in Java,
    /// so that a result can be an illegal code; 4 without a sign, so that every result is a move.
    pub modulo: u8,
    /// When a sensing terminal says its own direction.
    pub sense: Sensing,
    /// What it says otherwise.
    pub otherwise: Otherwise,
}

impl Dialect {
    /// As the document has it.
    pub const DOCUMENT: Dialect = Dialect { modulo: 3, sense: Sensing::Merge, otherwise: Otherwise::Any };
}

/// What a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Its value is the number of a move.
    Directions(Dialect),
    /// Its value says how good an afterstate is.
    Evaluator,
}

/// A whole program.
///
/// A program of directions is one tree, or four, one for each direction, of which the one with the
/// highest value wins. An evaluator is one tree and any number of ADFs, which may call those before
/// them.
///
/// ```
/// use lab2048::evolve::Program;
///
/// let program: Program = "(evaluator (value (add (lines (multiply 3 empty)) corner)))".parse().unwrap();
/// assert_eq!(program.size(), 6);
/// assert_eq!(program.to_string().parse::<Program>().unwrap(), program);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    style: Style,
    trees: Vec<ProgramTree>,
}

impl Program {
    /// A checked program. The trees of an evaluator are its ADFs in their order, then the value.
    pub fn new(style: Style, trees: Vec<ProgramTree>) -> Result<Program, ProgramError> {
        let program = Program { style, trees };
        program.check()?;
        Ok(program)
    }

    fn check(&self) -> Result<(), ProgramError> {
        let wrong = |text: &str| Err(ProgramError::Trees(text.to_owned()));
        match self.style {
            Style::Directions(dialect) if !matches!(dialect.modulo, 3 | 4) => {
                return wrong("the modulus must be 3 or 4");
            }
            Style::Directions(_) if !matches!(self.trees.len(), 1 | 4) => {
                return wrong("a program of directions is one tree, or four");
            }
            Style::Evaluator if self.trees.is_empty() => return wrong("an evaluator needs a value"),
            Style::Evaluator if self.trees.len() > MOST_ADFS + 1 => {
                return wrong("an evaluator has at most 4 ADFs");
            }
            _ => {}
        }
        for (number, tree) in self.trees.iter().enumerate() {
            let place = self.tree_name(number);
            for (&node, kind) in tree.nodes().iter().zip(tree.kinds(self.root_kind(number))) {
                let in_adf = self.style == Style::Evaluator && number + 1 < self.trees.len();
                let known = match node {
                    Node::Call(adf) => self.style == Style::Evaluator && usize::from(adf) < number,
                    Node::Argument(_) => in_adf,
                    Node::Constant(value) => value.is_finite(),
                    _ => true,
                };
                if !(known && node.fits(kind)) {
                    let place = match kind {
                        NodeKind::Code => format!("the tree '{place}', which says a direction"),
                        NodeKind::Board => {
                            format!("the tree '{place}', where a value of the board is wanted")
                        }
                        NodeKind::Line => format!("the tree '{place}', where a value of a line is wanted"),
                    };
                    return Err(ProgramError::Misplaced { node: node.name(), place });
                }
            }
        }
        match steps(&self.trees).iter().position(|&steps| steps > MOST_NODES) {
            Some(number) => Err(ProgramError::TooLong(self.tree_name(number))),
            None => Ok(()),
        }
    }

    /// What it is for.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Its trees: one or four of directions; or ADFs, then the value.
    pub fn trees(&self) -> &[ProgramTree] {
        &self.trees
    }

    /// The program with one tree exchanged for another that fits there; `None` if a value would
    /// take too long.
    pub(super) fn with_tree(&self, number: usize, tree: ProgramTree) -> Option<Program> {
        let mut program = self.clone();
        program.trees[number] = tree;
        if steps(&program.trees).iter().any(|&steps| steps > MOST_NODES) {
            return None;
        }
        debug_assert_eq!(program.check(), Ok(()));
        Some(program)
    }

    /// The kind of the root of a tree.
    pub fn root_kind(&self, tree: usize) -> NodeKind {
        match self.style {
            Style::Directions(_) => NodeKind::Code,
            Style::Evaluator if tree + 1 == self.trees.len() => NodeKind::Board,
            Style::Evaluator => NodeKind::Line,
        }
    }

    /// The name of a tree in the text.
    pub fn tree_name(&self, tree: usize) -> String {
        match self.style {
            Style::Directions(_) if self.trees.len() == 1 => "move".to_owned(),
            Style::Directions(_) => ["up", "right", "down", "left"][tree].to_owned(),
            Style::Evaluator if tree + 1 == self.trees.len() => "value".to_owned(),
            Style::Evaluator => format!("adf{tree}"),
        }
    }

    /// How many nodes all trees have.
    pub fn size(&self) -> usize {
        self.trees.iter().map(ProgramTree::size).sum()
    }

    /// The depth of the deepest tree.
    pub fn depth(&self) -> usize {
        self.trees.iter().map(ProgramTree::depth).max().unwrap_or(0)
    }

    /// Whether it reads the points that a move makes, which only a player knows.
    pub fn reads_reward(&self) -> bool {
        self.trees.iter().any(|tree| tree.nodes().contains(&Node::Feature(Feature::Reward)))
    }

    /// Whether there is a constant in it.
    pub(super) fn has_constants(&self) -> bool {
        let constant = |node: &Node| matches!(node, Node::Constant(_));
        self.trees.iter().any(|tree| tree.nodes().iter().any(constant))
    }

    /// The SHA-256 of its text, which tells what it plays: comments and spacing of a file make no
    /// difference.
    pub fn hash(&self) -> String {
        hash::hex_of(self.to_string())
    }

    /// Reads a program from a file.
    #[cfg(feature = "files")]
    pub fn read(path: &Path) -> Result<Program, ProgramFileError> {
        let wrong = |problem: String| ProgramFileError::Wrong { path: path.to_owned(), problem };
        let text = String::from_utf8(read_limited(path, MOST_BYTES)?);
        let text = text.map_err(|_| wrong("it is not a text".to_owned()))?;
        text.parse().map_err(|error: ProgramTextError| wrong(error.to_string()))
    }
}

/// The longest text that is read as a program: many times what the largest one needs.
#[cfg(feature = "files")]
const MOST_BYTES: u64 = 1 << 20;

/// Why a file is not used as a program.
#[cfg(feature = "files")]
#[derive(Debug, Error)]
pub enum ProgramFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is in it is no program.
    #[error("{} is not a program: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
