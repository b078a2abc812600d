//! `lab2048 evolve show`: a program as a tree, and what every node says about a board.

use std::path::{Path, PathBuf};

use clap::Args;
use lab2048::board::{Board, Direction, Directions};
use lab2048::evolve::{Node, Program, ProgramEvaluator, Style, trace_directions, trace_evaluator};
use lab2048::files::read_limited;
use lab2048::game::Stream;

use super::drawing;
use super::run::write_text;
use crate::failure::{Failure, Outcome};
use crate::game_options::read_board;
use crate::numbers::whole;
use crate::out;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 evolve show best.gp\n  lab2048 evolve show best.gp --board \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\" -o best.svg"
)]
pub(super) struct Arguments {
    /// The program, as evolve writes it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show the value of every node on this board: rows like "0 2 0 0/...", a hex code, JSON, @FILE, or -
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    board: Option<String>,
    /// Of an evaluator: the move whose afterstate is judged [default: the best]
    #[arg(long = "move", value_name = "DIRECTION", requires = "board")]
    direction: Option<Direction>,
    /// The seed of what chance says in a program of directions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    /// Draw the tree as SVG; - for the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A program with the values of its nodes, where there are any.
pub(super) struct Shown {
    pub(super) program: Program,
    pub(super) board: Option<Board>,
    /// By tree and node.
    pub(super) values: Vec<Vec<Option<f64>>>,
    /// The directions whose terminals fire.
    pub(super) sensed: Directions,
    /// What it comes to, in words.
    pub(super) result: Option<String>,
}

pub(super) fn read_program(path: &Path) -> Outcome<Program> {
    let bytes = read_limited(path, 1 << 20).map_err(Failure::bad_input)?;
    let wrong = |error: String| Failure::BadInput(format!("{} is not a program: {error}", path.display()));
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not a text".to_owned()))?;
    text.parse().map_err(|error: lab2048::evolve::ProgramTextError| wrong(error.to_string()))
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let program = read_program(&arguments.file)?;
    let board = arguments.board.as_deref().map(|text| read_board(text, None)).transpose()?;
    let shown = judged(program, board, arguments)?;
    let Some(path) = &arguments.output else {
        return out::print(&text(&shown));
    };
    let picture = drawing::draw(&arguments.file.display().to_string(), &shown);
    if path.as_os_str() == "-" {
        return out::print(&picture);
    }
    write_text(path, &picture)?;
    out::print(&text(&shown))
}

/// Evaluates the program on the board.
fn judged(program: Program, board: Option<Board>, arguments: &Arguments) -> Outcome<Shown> {
    let mut values: Vec<Vec<Option<f64>>> =
        program.trees().iter().map(|tree| vec![None; tree.size()]).collect();
    let mut result = None;
    let mut sensed = Directions::default();
    if let Some(board) = &board {
        match program.style() {
            Style::Directions(_) => {
                let luck = Stream::player(arguments.seed);
                if let Some(trace) = trace_directions(&program, board, luck, 0) {
                    let number =
                        |values: &Vec<Option<i32>>| values.iter().map(|value| value.map(f64::from)).collect();
                    values = trace.values.iter().map(number).collect();
                    sensed = trace.sensed;
                    let said = trace.direction.map_or("no direction", Direction::name);
                    let legal = if trace.legal { "" } else { ", which does not change the board" };
                    result = Some(format!("says {said}{legal}"));
                }
            }
            Style::Evaluator => {
                let traces: Vec<(Direction, f64, Vec<f64>)> = Direction::ALL
                    .into_iter()
                    .filter_map(|direction| {
                        let (value, nodes) = trace_evaluator(&program, board, direction)?;
                        Some((direction, value, nodes))
                    })
                    .collect();
                let best = traces.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|trace| trace.0);
                let wanted = arguments.direction.or(best);
                let trace = traces.iter().find(|trace| Some(trace.0) == wanted);
                let (direction, _, nodes) = trace.ok_or_else(|| match arguments.direction {
                    Some(direction) => Failure::BadInput(format!("{direction} does not change the board")),
                    None => Failure::BadInput("no move is possible on this board".to_owned()),
                })?;
                if let Some(last) = values.last_mut() {
                    *last = nodes.iter().copied().map(Some).collect();
                }
                let moves: Vec<String> =
                    traces.iter().map(|(direction, value, _)| format!("{direction} {value:.2}")).collect();
                result = Some(format!("{}; values of the nodes after {direction}", moves.join(", ")));
            }
        }
    }
    Ok(Shown { program, board, values, sensed, result })
}

/// The trees with their values as text.
fn text(shown: &Shown) -> String {
    let program = &shown.program;
    let mut text = String::new();
    if let Some(board) = &shown.board {
        text.push_str(&format!("{board}\n\n"));
    }
    if let Some(result) = &shown.result {
        text.push_str(&format!("{result}\n\n"));
    }
    for (number, tree) in program.trees().iter().enumerate() {
        text.push_str(&format!(
            "{}: {} nodes, depth {}\n",
            program.tree_name(number),
            tree.size(),
            tree.depth()
        ));
        push_node(&mut text, shown, (number, 0), "", None);
        text.push('\n');
    }
    if let Some(evaluator) = ProgramEvaluator::new(program.clone(), 0.0) {
        text.push_str(&format!("as an evaluator it is {}\n", evaluator.form()));
    }
    text
}

/// Writes the subtree at a place; `last` says whether it is the last child of its parent. Returns where it ends.
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
    /// The value of a node, where it has one and its name does not say it.
    pub(super) fn value(&self, tree: usize, at: usize) -> Option<f64> {
        let constant = matches!(self.program.trees()[tree].nodes()[at], Node::Constant(_));
        self.values[tree][at].filter(|_| !constant)
    }

    /// Whether a node is a terminal that says its direction because it senses it.
    pub(super) fn fired(&self, tree: usize, at: usize) -> bool {
        match self.program.trees()[tree].nodes()[at] {
            Node::Sense(direction) => self.values[tree][at].is_some() && self.sensed.contains(direction),
            _ => false,
        }
    }
}

/// A value in as many digits as say something.
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
        let shown = Shown { program, board: None, values, sensed: Directions::default(), result: None };
        assert_eq!(
            text(&shown),
            "value: 5 nodes, depth 3\nadd = 19\n├─ multiply = 14\n│  ├─ 2\n│  └─ empty = 7\n└─ corner = 5\n\n\
             as an evaluator it is node by node\n"
        );
    }
}
