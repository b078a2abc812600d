//! The nodes of programs: their names, their arguments, and where each may stand.

use crate::board::Direction;

/// The type of a tree's value, which decides where the tree may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// The number of a move, as in the document (see `directions.rs`): 0 up, 1 right, 2 down, 3
    /// left. Other numbers are illegal.
    Code,
    /// A value of a whole afterstate.
    Board,
    /// A value of one line: a row read from the left, or a column read from the top.
    Line,
}

/// A feature of an afterstate. [`Feature::all`] lists the meanings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the list says what each feature means")]
pub enum Feature {
    Empty,
    Merges,
    MergeRanks,
    Rough,
    Mono,
    Mono2,
    Mono4,
    Ranks,
    Ranks2,
    Ranks4,
    Near,
    Full,
    First,
    Second,
    Third,
    Fourth,
    Edge,
    Place,
    IsRow,
    Largest,
    Corner,
    Neighbours,
    TileSum,
    Reward,
}

/// How a feature of the whole board is computed from its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evolve) enum Scope {
    /// The sum over all lines.
    SumOfLines,
    /// The sum over all cells, each of which lies in two lines.
    SumOfCells,
    /// It is defined for a single line only.
    LineOnly,
    /// It needs the whole board.
    BoardOnly,
}

use Feature::*;
use Scope::*;

impl Feature {
    /// Every feature with its name, scope and meaning.
    const LIST: &'static [(Feature, &'static str, Scope, &'static str)] = &[
        (Empty, "empty", SumOfCells, "empty cells"),
        (
            Merges,
            "merges",
            SumOfLines,
            "pairs of equal tiles with only empty cells between them; 2 2 2 2 has three, though two merge",
        ),
        (MergeRanks, "merge-ranks", SumOfLines, "the ranks of those pairs, added up"),
        (Rough, "rough", SumOfLines, "the differences of rank between adjacent tiles, added up"),
        (Mono, "mono", SumOfLines, "the smaller one of all rises and all falls of the rank along the line"),
        (Mono2, "mono2", SumOfLines, "the same with the square of the rank"),
        (Mono4, "mono4", SumOfLines, "the same with the fourth power of the rank"),
        (Ranks, "ranks", SumOfCells, "the ranks, added up"),
        (Ranks2, "ranks2", SumOfCells, "the squares of the ranks, added up"),
        (Ranks4, "ranks4", SumOfCells, "the fourth powers of the ranks, added up"),
        (Near, "near", SumOfLines, "pairs of adjacent tiles in which one is twice the other"),
        (Full, "full", SumOfLines, "1 for a line without an empty cell and without a merge"),
        (First, "first", LineOnly, "the rank of the first cell of the line"),
        (Second, "second", LineOnly, "the rank of its second cell"),
        (Third, "third", LineOnly, "the rank of its third cell"),
        (Fourth, "fourth", LineOnly, "the rank of its fourth cell"),
        (Edge, "edge", LineOnly, "1 for the first and last row and column, otherwise 0"),
        (Place, "place", LineOnly, "the number of the line: 0 for the first row or column"),
        (IsRow, "is-row", LineOnly, "1 for a row, 0 for a column"),
        (Largest, "largest", BoardOnly, "the largest rank"),
        (Corner, "corner", BoardOnly, "the largest rank if such a tile stands in a corner, otherwise 0"),
        (Neighbours, "neighbours", BoardOnly, "the products of the ranks of adjacent tiles, added up"),
        (TileSum, "tile-sum", BoardOnly, "the sum of the tiles"),
        (Reward, "reward", BoardOnly, "the points that the move made"),
    ];

    fn entry(self) -> &'static (Feature, &'static str, Scope, &'static str) {
        Self::LIST.iter().find(|entry| entry.0 == self).expect("every feature is in the list")
    }

    /// All features with their names and meanings.
    pub fn all() -> impl Iterator<Item = (Feature, &'static str, &'static str)> {
        Self::LIST.iter().map(|&(feature, name, _, help)| (feature, name, help))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    pub(in crate::evolve) fn scope(self) -> Scope {
        self.entry().2
    }
}

/// One node of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// The number of a direction if tiles can be combined in it, otherwise a random number.
    Sense(Direction),
    /// A number.
    Constant(f64),
    /// A feature of the afterstate.
    Feature(Feature),
    /// The rank of a cell of the first four rows and columns, numbered row by row.
    Cell(u8),
    /// An argument of the ADF that contains this node.
    Argument(u8),
    /// The sum; for codes, modulo the program's modulus.
    Add,
    /// The difference; for codes, modulo the program's modulus.
    Subtract,
    /// One of its two arguments, at random.
    Random,
    /// The maximum.
    Max,
    /// The minimum.
    Min,
    /// The product.
    Multiply,
    /// The quotient, or 1 if the divisor is close to 0.
    Divide,
    /// The third argument if the first is less than the second, otherwise the fourth.
    IfLess,
    /// The square.
    Square,
    /// The square root of the absolute value.
    Root,
    /// The sum of its argument over all rows and columns.
    Lines,
    /// A call of an automatically defined function.
    Call(u8),
}

/// How many arguments an ADF has.
pub const ADF_ARGUMENTS: usize = 2;
/// The maximum number of ADFs of a program.
pub const MOST_ADFS: usize = 4;

impl Node {
    /// The functions with fixed names, and their arities.
    const FUNCTIONS: &'static [(Node, &'static str, usize)] = &[
        (Node::Add, "add", 2),
        (Node::Subtract, "subtract", 2),
        (Node::Random, "random", 2),
        (Node::Max, "max", 2),
        (Node::Min, "min", 2),
        (Node::Multiply, "multiply", 2),
        (Node::Divide, "divide", 2),
        (Node::IfLess, "if-less", 4),
        (Node::Square, "square", 1),
        (Node::Root, "root", 1),
        (Node::Lines, "lines", 1),
    ];

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        match self {
            Node::Sense(_) | Node::Constant(_) | Node::Feature(_) | Node::Cell(_) | Node::Argument(_) => 0,
            Node::Square | Node::Root | Node::Lines => 1,
            Node::Call(_) => ADF_ARGUMENTS,
            Node::IfLess => 4,
            _ => 2,
        }
    }

    /// Whether it has no arguments.
    pub fn is_terminal(self) -> bool {
        self.arity() == 0
    }

    /// The kind of its arguments when the node itself is of kind `kind`.
    pub fn argument_kind(self, kind: NodeKind) -> NodeKind {
        if self == Node::Lines { NodeKind::Line } else { kind }
    }

    /// Whether it may stand where a kind is required. For calls and arguments the program decides
    /// in addition.
    pub fn fits(self, kind: NodeKind) -> bool {
        match self {
            Node::Sense(_) | Node::Random => kind == NodeKind::Code,
            Node::Add | Node::Subtract | Node::Max | Node::Min => true,
            Node::Constant(_) | Node::Multiply | Node::Divide | Node::IfLess | Node::Square | Node::Root => {
                kind != NodeKind::Code
            }
            Node::Feature(feature) => match feature.scope() {
                Scope::SumOfLines | Scope::SumOfCells => kind != NodeKind::Code,
                Scope::LineOnly => kind == NodeKind::Line,
                Scope::BoardOnly => kind == NodeKind::Board,
            },
            Node::Cell(_) | Node::Lines => kind == NodeKind::Board,
            Node::Argument(_) | Node::Call(_) => kind == NodeKind::Line,
        }
    }

    /// Its name in the text of a program. A constant is written as its number.
    pub fn name(self) -> String {
        match self {
            Node::Sense(direction) => direction.name().to_owned(),
            Node::Constant(number) => number.to_string(),
            Node::Feature(feature) => feature.name().to_owned(),
            Node::Cell(cell) => format!("cell-{cell:x}"),
            Node::Argument(number) => format!("arg{number}"),
            Node::Call(number) => format!("adf{number}"),
            function => {
                let found = Self::FUNCTIONS.iter().find(|(node, ..)| *node == function);
                found.map(|(_, name, _)| *name).expect("every function is in the list").to_owned()
            }
        }
    }

    /// The name of its family, the unit of node sets. All constants are one family, all cells
    /// another, and so on.
    pub fn family(self) -> String {
        match self {
            Node::Constant(_) => "constant".to_owned(),
            Node::Cell(_) => "cell".to_owned(),
            Node::Argument(_) => "arg".to_owned(),
            Node::Call(_) => "adf".to_owned(),
            other => other.name(),
        }
    }

    /// The node with a name.
    pub fn named(name: &str) -> Option<Node> {
        let function = Self::FUNCTIONS.iter().find(|(_, known, _)| *known == name).map(|(node, ..)| *node);
        let digit = |prefix: &str, radix: u32, most: usize| {
            let rest = name.strip_prefix(prefix)?;
            let number = u8::from_str_radix(rest, radix).ok()?;
            // There is only one spelling: no sign, no leading zero.
            (rest.len() == 1 && (number as usize) < most && rest == rest.to_ascii_lowercase())
                .then_some(number)
        };
        function
            .or_else(|| Direction::ALL.into_iter().find(|d| d.name() == name).map(Node::Sense))
            .or_else(|| Feature::all().find(|(_, known, _)| *known == name).map(|f| Node::Feature(f.0)))
            .or_else(|| digit("cell-", 16, 16).map(Node::Cell))
            .or_else(|| digit("arg", 10, ADF_ARGUMENTS).map(Node::Argument))
            .or_else(|| digit("adf", 10, MOST_ADFS).map(Node::Call))
            .or_else(|| {
                let number = name.parse::<f64>().ok().filter(|number| number.is_finite())?;
                let starts = name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                starts.then_some(Node::Constant(number))
            })
    }

    /// One node of each family, for listings and node sets.
    pub fn families() -> impl Iterator<Item = Node> {
        let senses = Direction::ALL.into_iter().map(Node::Sense);
        let functions = Self::FUNCTIONS.iter().map(|(node, ..)| *node);
        let features = Feature::all().map(|(feature, ..)| Node::Feature(feature));
        let others = [Node::Constant(1.0), Node::Cell(0), Node::Call(0), Node::Argument(0)];
        senses.chain(functions).chain(features).chain(others)
    }
}
