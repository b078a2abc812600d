//! `lab2048 evolve show`: shows a program as a tree, with the value of every node on a board.

use std::path::PathBuf;

use clap::Args;
use lab2048::board::{Board, Direction, Directions, Grid};
use lab2048::evolve::{
    Dialect, Node, Otherwise, Program, ProgramEvaluator, Sensing, Style, trace_directions, trace_evaluator,
};
use lab2048::game::Stream;

use super::drawing;
use super::file::{is_same_file, is_stdout, write_text};
use crate::failure::{Failure, Outcome};
use crate::game_options::read_board;
use crate::numbers::whole;
use crate::show::count;
use crate::{interrupt, out, place};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 evolve show best.gp\n  lab2048 evolve show best.gp --board \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\" -o best.svg"
)]
pub(super) struct Arguments {
    /// Program file, as written by evolve
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show the value of every node on this board: rows like "0 2 0 0/...", a hex code, JSON,
    /// @FILE, or - for standard input
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    board: Option<String>,
    /// For evaluators: the move whose afterstate is evaluated [default: the best move]
    #[arg(long = "move", value_name = "DIRECTION", requires = "board")]
    direction: Option<Direction>,
    /// Seed of the random choices in a directions program
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    /// Draw the tree as SVG; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A program and the values of its nodes, if there is a board.
pub(super) struct Shown {
    pub(super) program: Program,
    pub(super) board: Option<Board>,
    /// The move whose afterstate was evaluated, and that afterstate.
    pub(super) after: Option<(Direction, Grid)>,
    /// Indexed by tree and node.
    pub(super) values: Vec<Vec<Option<f64>>>,
    /// The directions whose terminals fired.
    pub(super) sensed: Directions,
    /// The result in words, one string per line.
    pub(super) words: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    if arguments.output.as_ref().is_some_and(|output| is_same_file(output, &arguments.file)) {
        return Err(Failure::BadInput("-o would write the picture over the program".to_owned()));
    }
    if let Some(path) = arguments.output.as_ref().filter(|path| !is_stdout(path)) {
        place::check(path, &place::SVG)?;
    }
    let program = Program::read(&arguments.file).map_err(Failure::bad_input)?;
    let board = arguments.board.as_deref().map(|text| read_board(text, None)).transpose()?;
    let shown = judged(program, board, arguments)?;
    let Some(path) = &arguments.output else {
        return out::print(&text(&shown));
    };
    write_text(path, &drawing::draw(&arguments.file.display().to_string(), &shown))?;
    if is_stdout(path) { Ok(()) } else { out::print(&text(&shown)) }
}

/// Evaluates the program on the board.
fn judged(program: Program, board: Option<Board>, arguments: &Arguments) -> Outcome<Shown> {
    let values = program.trees().iter().map(|tree| vec![None; tree.size()]).collect();
    let shown =
        Shown { program, board, after: None, values, sensed: Directions::default(), words: Vec::new() };
    match (shown.program.style(), arguments.direction) {
        (Style::Directions(_), Some(_)) => Err(Failure::BadInput(
            "--move is for evaluators; this program chooses a direction itself".to_owned(),
        )),
        _ if shown.board.is_none() => Ok(shown),
        (Style::Directions(_), None) => Ok(shown.directions(arguments.seed)),
        (Style::Evaluator, wanted) => shown.evaluator(wanted),
    }
}

impl Shown {
    /// Adds one evaluation of a directions program.
    fn directions(mut self, seed: u64) -> Shown {
        let trace = self
            .board
            .as_ref()
            .and_then(|board| trace_directions(&self.program, board, Stream::player(seed), 0));
        if let Some(trace) = trace {
            let number =
                |values: &Vec<Option<i32>>| values.iter().map(|value| value.map(f64::from)).collect();
            self.values = trace.values.iter().map(number).collect();
            self.sensed = trace.sensed;
            let said = trace.direction.map_or("no direction", Direction::name);
            let legal = if trace.legal { "" } else { ", which does not change the board" };
            self.words.push(format!("one evaluation with seed {seed} returns {said}{legal}"));
        }
        self
    }

    /// Adds the values of an evaluator after the wanted move, or after the best one.
    fn evaluator(mut self, wanted: Option<Direction>) -> Outcome<Shown> {
        let Some(board) = &self.board else { return Ok(self) };
        let mut traces = Vec::new();
        for direction in Direction::ALL {
            if let Some((value, nodes)) = trace_evaluator(&self.program, board, direction) {
                traces.push((direction, value, nodes));
            }
        }
        let best = traces.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|trace| trace.0);
        let moves: Vec<String> =
            traces.iter().map(|(direction, value, _)| format!("{direction} {value:.2}")).collect();
        let chosen = wanted.or(best);
        let trace = traces.into_iter().find(|trace| Some(trace.0) == chosen);
        let (direction, _, values) = trace.ok_or_else(|| match wanted {
            Some(direction) => Failure::BadInput(format!("{direction} does not change the board")),
            None => Failure::BadInput("no move is possible on this board".to_owned()),
        })?;
        self.words.push(format!("{}; values of the nodes after {direction}", moves.join(", ")));
        let has =
            |node: fn(&Node) -> bool| self.program.trees().iter().any(|tree| tree.nodes().iter().any(node));
        if has(|node| *node == Node::Lines) {
            let calls =
                if has(|node| matches!(node, Node::Call(_))) { ", in ADFs also over all calls" } else { "" };
            self.words.push(format!("below lines, values are sums over all rows and columns{calls}"));
        }
        self.after = board.slide(direction).ok().flatten().map(|slid| (direction, slid.after.to_grid()));
        self.values = values;
        Ok(self)
    }
}

/// The trees with their values as text.
fn text(shown: &Shown) -> String {
    let program = &shown.program;
    let mut text = String::new();
    if let Some(board) = &shown.board {
        text.push_str(&format!("{board}\n\n"));
    }
    if let Some((direction, after)) = &shown.after {
        text.push_str(&format!("after {direction}\n{after}\n\n"));
    }
    for words in &shown.words {
        text.push_str(&format!("{words}\n"));
    }
    if !shown.words.is_empty() {
        text.push('\n');
    }
    if let Style::Directions(Dialect { modulo, sense, otherwise }) = program.style() {
        let sense = if sense == Sensing::Merge { "merge" } else { "slide" };
        let otherwise = if otherwise == Otherwise::Any { "any" } else { "others" };
        text.push_str(&format!("directions, modulo {modulo}, sense {sense}, otherwise {otherwise}\n\n"));
    }
    for (number, tree) in program.trees().iter().enumerate() {
        text.push_str(&format!(
            "{}: {}, depth {}\n",
            program.tree_name(number),
            count(tree.size(), "node"),
            tree.depth()
        ));
        push_node(&mut text, shown, (number, 0), "", None);
        text.push('\n');
    }
    if let Some(form) = ProgramEvaluator::form_of(program) {
        text.push_str(&format!("evaluation: {form}\n"));
    }
    text
}

/// Writes the subtree at a node. `last` says whether it is the last child of its parent; the root
/// has none. Returns the index after the subtree.
fn push_node(
    text: &mut String,
    shown: &Shown,
    (tree, at): (usize, usize),
    indent: &str,
    last: Option<bool>,
) -> usize {
    let (branch, below) = match last {
        None => ("", ""),
        Some(false) => ("├─ ", "│  "),
        Some(true) => ("└─ ", "   "),
    };
    let node = shown.program.trees()[tree].nodes()[at];
    let said = shown.value(tree, at).map_or(String::new(), |value| format!(" = {}", number(value)));
    let fired = if shown.fired(tree, at) { ", fired" } else { "" };
    text.push_str(&format!("{indent}{branch}{}{said}{fired}\n", node.name()));
    let indent = format!("{indent}{below}");
    let mut next = at + 1;
    for child in 1..=node.arity() {
        next = push_node(text, shown, (tree, next), &indent, Some(child == node.arity()));
    }
    next
}

impl Shown {
    /// The value of a node. Constants have none: their name is their value.
    pub(super) fn value(&self, tree: usize, at: usize) -> Option<f64> {
        let constant = matches!(self.program.trees()[tree].nodes()[at], Node::Constant(_));
        self.values[tree][at].filter(|_| !constant)
    }

    /// Whether a node is a terminal that returned its direction because it sensed it.
    pub(super) fn fired(&self, tree: usize, at: usize) -> bool {
        match self.program.trees()[tree].nodes()[at] {
            Node::Sense(direction) => self.values[tree][at].is_some() && self.sensed.contains(direction),
            _ => false,
        }
    }
}

/// A value without decimals if it is whole, otherwise with two.
pub(super) fn number(value: f64) -> String {
    if value == value.trunc() { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_as_text() {
        let program: Program =
            "(evaluator (value (add (multiply 2 empty) corner)))".parse().expect("a program");
        let values = vec![vec![Some(19.0), Some(14.0), Some(2.0), Some(7.0), Some(5.0)]];
        let shown = Shown {
            program,
            board: None,
            values,
            sensed: Directions::default(),
            words: Vec::new(),
            after: None,
        };
        assert_eq!(
            text(&shown),
            "value: 5 nodes, depth 3\nadd = 19\n├─ multiply = 14\n│  ├─ 2\n│  └─ empty = 7\n└─ corner = 5\n\n\
             evaluation: node by node\n"
        );
    }
}
