//! Programs as data: trees of typed nodes, and their text.
//!
//! A tree is the list of its nodes in prefix order: a function comes before its arguments. A
//! subtree is a slice of that list. Copying it copies every node, so two programs never share
//! nodes.

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

/// The maximum number of nodes of a tree, also when the ADFs that it calls are expanded. It bounds
/// the cost of an evaluation.
pub(in crate::evolve) const MOST_NODES: usize = 10_000;
/// The maximum depth of a tree that is read from text.
pub(super) const MOST_DEPTH: usize = 100;

/// An expression: its nodes in prefix order, a function before its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTree(Vec<Node>);

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A node stands where its kind does not fit.
    #[error("'{node}' cannot be used in {place}")]
    Misplaced {
        /// The node's name.
        node: String,
        /// Where it stands.
        place: String,
    },
    /// The nodes are not exactly one tree.
    #[error("the tree is not complete")]
    Incomplete,
    /// An evaluation would be too expensive. ADFs that call ADFs multiply their nodes.
    #[error("the tree '{0}' has more than {MOST_NODES} nodes when the ADFs that it calls are expanded")]
    TooLong(String),
    /// The number of trees or the modulus is wrong.
    #[error("{0}")]
    Trees(String),
}

impl ProgramTree {
    /// The tree of these nodes, if they form exactly one tree.
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

    /// The nodes, for replacing single nodes by others of the same arity.
    pub(super) fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.0
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The number of levels; 1 for a single terminal.
    pub fn depth(&self) -> usize {
        self.levels().into_iter().max().unwrap_or(0) + 1
    }

    /// How far below the root each node is.
    pub fn levels(&self) -> Vec<usize> {
        // The number of missing arguments of each open function.
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

    /// Where the subtree at `start` ends.
    pub fn end(&self, start: usize) -> usize {
        end_of(&self.0, start)
    }

    /// The kind of every node if the root is of kind `root`.
    pub fn kinds(&self, root: NodeKind) -> Vec<NodeKind> {
        let mut wanted = vec![root];
        let mut kinds = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            let kind = wanted.pop().expect("the tree is complete");
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

/// Where the subtree that starts at `start` ends.
pub(super) fn end_of(nodes: &[Node], start: usize) -> usize {
    let (mut missing, mut at) = (1, start);
    while missing > 0 {
        missing = missing - 1 + nodes[at].arity();
        at += 1;
    }
    at
}

/// The number of nodes of each tree when the ADFs that it calls are expanded. An ADF can only call
/// the ADFs before it.
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

/// When a sensing terminal returns its own direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sensing {
    /// If tiles can be combined in that direction, as the text of the document says.
    Merge,
    /// If the move changes the board, as a figure of the document suggests.
    Slide,
}

/// What a sensing terminal returns when it does not return its own direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Otherwise {
    /// Any of the four numbers, as in the document.
    Any,
    /// Any number but its own if its own move is illegal. The document proposes this improvement.
    Others,
}

/// How a program of directions is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// The modulus of sums and differences. 3 as in the document keeps the sign as in Java, so a
    /// result can be an illegal code. 4 gives no negative results, so every result is a move.
    pub modulo: u8,
    /// When a sensing terminal returns its own direction.
    pub sense: Sensing,
    /// What it returns otherwise.
    pub otherwise: Otherwise,
}

impl Dialect {
    /// The dialect of the document.
    pub const DOCUMENT: Dialect = Dialect { modulo: 3, sense: Sensing::Merge, otherwise: Otherwise::Any };
}

/// The purpose of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Its value is the number of a move.
    Directions(Dialect),
    /// Its value tells how good an afterstate is.
    Evaluator,
}

/// A whole program.
///
/// A program of directions has one tree, or one for each direction. Of four trees, the one with the
/// highest value wins. An evaluator has one value tree and up to four ADFs. An ADF can call the
/// ADFs before it.
///
/// ```
/// use lab2048::evolve::Program;
///
/// let text = "(evaluator (value (add (lines (multiply 3 empty)) corner)))";
/// let program: Program = text.parse().unwrap();
/// assert_eq!(program.size(), 6);
/// assert_eq!(program.to_string().parse::<Program>().unwrap(), program);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    style: Style,
    trees: Vec<ProgramTree>,
}

impl Program {
    /// A checked program. The trees of an evaluator are its ADFs in order, then the value.
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
                return wrong("a program of directions must have one tree or four");
            }
            Style::Evaluator if self.trees.is_empty() => return wrong("an evaluator needs a value tree"),
            Style::Evaluator if self.trees.len() > MOST_ADFS + 1 => {
                return wrong("an evaluator can have at most 4 ADFs");
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
                        NodeKind::Code => format!("the tree '{place}', which returns a direction"),
                        NodeKind::Board => {
                            format!("the tree '{place}', which needs a value of the board there")
                        }
                        NodeKind::Line => format!("the tree '{place}', which needs a value of a line there"),
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

    /// Its purpose.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Its trees: one or four for directions; the ADFs, then the value for an evaluator.
    pub fn trees(&self) -> &[ProgramTree] {
        &self.trees
    }

    /// The program with one tree replaced by another that fits there; `None` if it would be too
    /// expensive to evaluate.
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

    /// The number of nodes of all trees.
    pub fn size(&self) -> usize {
        self.trees.iter().map(ProgramTree::size).sum()
    }

    /// The depth of the deepest tree.
    pub fn depth(&self) -> usize {
        self.trees.iter().map(ProgramTree::depth).max().unwrap_or(0)
    }

    /// Whether it reads the reward of the move, which only a player knows.
    pub fn reads_reward(&self) -> bool {
        self.trees.iter().any(|tree| tree.nodes().contains(&Node::Feature(Feature::Reward)))
    }

    /// Whether it contains a constant.
    pub(super) fn has_constants(&self) -> bool {
        let constant = |node: &Node| matches!(node, Node::Constant(_));
        self.trees.iter().any(|tree| tree.nodes().iter().any(constant))
    }

    /// The SHA-256 of its canonical text. Comments and spacing of a file do not change it.
    pub fn hash(&self) -> String {
        hash::hex_of(self.to_string())
    }

    /// Reads a program from a file.
    #[cfg(feature = "files")]
    pub fn read(path: &Path) -> Result<Program, ProgramFileError> {
        let wrong = |problem: String| ProgramFileError::Wrong { path: path.to_owned(), problem };
        let text = String::from_utf8(read_limited(path, MOST_BYTES)?);
        let text = text.map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
        text.parse().map_err(|error: ProgramTextError| wrong(error.to_string()))
    }
}

/// The maximum size of a program file, many times what the largest program needs.
#[cfg(feature = "files")]
const MOST_BYTES: u64 = 1 << 20;

/// Why a file cannot be used as a program.
#[cfg(feature = "files")]
#[derive(Debug, Error)]
pub enum ProgramFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The content is not a program.
    #[error("{} is not a program: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
