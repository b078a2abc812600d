//! Fast forms of evaluator programs.
//!
//! If the value of a program is a sum over lines, it compiles to tables of all lines. A program
//! that treats all lines alike needs one table, one that only distinguishes edge and inner lines
//! needs two, and any other needs one for every row and column. In all other programs, each tree
//! below a `lines` node becomes such tables, and the rest is interpreted.

use super::columns::all_lines;
use super::features::{Line, Scene};
use super::program::{Feature, Node, Program, ProgramTree, Scope, end_of};
use super::value::{board_value, constant, line_value};
use crate::board::PackedAfter;

/// The lines of a 4x4 board.
const LINES: usize = 8;

/// The program's value as a line tree whose sum over the eight lines of a 4x4 board is the value;
/// `None` if the value is not such a sum.
pub(super) fn line_form(program: &Program) -> Option<Vec<Node>> {
    let value = program.trees().last()?;
    let mut form = Vec::new();
    push_form(value.nodes(), 0, 1.0, &mut form)?;
    Some(form)
}

/// Appends the line form of the tree at `at`, times a factor.
fn push_form(nodes: &[Node], at: usize, factor: f64, form: &mut Vec<Node>) -> Option<()> {
    if let Some(number) = constant(nodes, at) {
        form.push(Node::Constant(number * factor / LINES as f64));
        return Some(());
    }
    let (first, second) = (at + 1, if nodes[at].arity() > 1 { end_of(nodes, at + 1) } else { at + 1 });
    match nodes[at] {
        Node::Feature(feature) => {
            let share = match feature.scope() {
                Scope::SumOfLines => factor,
                Scope::SumOfCells => factor / 2.0,
                Scope::LineOnly | Scope::BoardOnly => return None,
            };
            form.extend([Node::Multiply, Node::Constant(share), Node::Feature(feature)]);
        }
        Node::Lines => {
            form.extend([Node::Multiply, Node::Constant(factor)]);
            form.extend_from_slice(&nodes[first..end_of(nodes, first)]);
        }
        sum @ (Node::Add | Node::Subtract) => {
            form.push(sum);
            push_form(nodes, first, factor, form)?;
            push_form(nodes, second, factor, form)?;
        }
        Node::Multiply => match (constant(nodes, first), constant(nodes, second)) {
            (Some(number), _) => push_form(nodes, second, factor * number, form)?,
            (_, Some(number)) => push_form(nodes, first, factor * number, form)?,
            _ => return None,
        },
        Node::Divide => {
            let divisor = constant(nodes, second).filter(|divisor| divisor.abs() >= 1e-9)?;
            push_form(nodes, first, factor / divisor, form)?;
        }
        _ => return None,
    }
    Some(())
}

/// Which lines a tree distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// None.
    Alike,
    /// Edge lines from inner lines.
    Edges,
    /// Every row and column.
    All,
}

/// Which lines a tree distinguishes, including the ADFs that it may call.
pub(super) fn apart(adfs: &[ProgramTree], nodes: &[Node]) -> Apart {
    let all = || nodes.iter().chain(adfs.iter().flat_map(|adf| adf.nodes()));
    let reads = |feature| all().any(|&node| node == Node::Feature(feature));
    if reads(Feature::Place) || reads(Feature::IsRow) {
        Apart::All
    } else if reads(Feature::Edge) {
        Apart::Edges
    } else {
        Apart::Alike
    }
}

/// The value of a packed line.
pub(super) fn packed_line(
    adfs: &[ProgramTree],
    nodes: &[Node],
    line: u16,
    place: usize,
    is_row: bool,
) -> f64 {
    let ranks: [f64; 4] = std::array::from_fn(|cell| f64::from(line >> (4 * cell) & 0xf));
    let line = Line { ranks: &ranks, place, is_row, edge: place == 0 || place == 3 };
    line_value(adfs, nodes, &line, &mut |_, _, _| {})
}

/// Marks a value that is not computed yet.
const UNKNOWN: f32 = f32::NAN;

/// The values of lines, computed on first use. A program that plays a few games meets a few
/// thousand lines.
#[derive(Clone, Debug)]
pub(super) struct Memo<'a> {
    adfs: &'a [ProgramTree],
    nodes: Vec<Node>,
    tables: Vec<Vec<f32>>,
    /// The index of the table of each row, then of each column.
    table_of: [usize; LINES],
}

impl<'a> Memo<'a> {
    pub(super) fn new(adfs: &'a [ProgramTree], nodes: Vec<Node>) -> Memo<'a> {
        let (count, table_of) = match apart(adfs, &nodes) {
            Apart::Alike => (1, [0; LINES]),
            Apart::Edges => (2, [0, 1, 1, 0, 0, 1, 1, 0]),
            Apart::All => (LINES, [0, 1, 2, 3, 4, 5, 6, 7]),
        };
        Memo { adfs, nodes, tables: vec![vec![UNKNOWN; 1 << 16]; count], table_of }
    }

    #[inline]
    fn line(&mut self, line: u16, number: usize) -> f32 {
        let known = self.tables[self.table_of[number]][usize::from(line)];
        if known.is_nan() { self.work_out(line, number) } else { known }
    }

    #[cold]
    fn work_out(&mut self, line: u16, number: usize) -> f32 {
        let value = packed_line(self.adfs, &self.nodes, line, number % 4, number < 4) as f32;
        self.tables[self.table_of[number]][usize::from(line)] = value;
        value
    }

    /// The sum over all lines.
    #[inline]
    pub(super) fn sum(&mut self, after: PackedAfter) -> f32 {
        let (rows, cols) = (after.bits(), after.transposed().bits());
        let mut sum = 0.0;
        for place in 0..4 {
            sum += self.line((rows >> (16 * place)) as u16, place);
            sum += self.line((cols >> (16 * place)) as u16, 4 + place);
        }
        sum
    }

    /// Computes the values of all lines.
    pub(super) fn filled(mut self) -> FullTables {
        for number in 0..LINES {
            // Lines that share a table are computed once.
            if self.table_of[..number].contains(&self.table_of[number]) {
                continue;
            }
            let values = all_lines(self.adfs, &self.nodes, number % 4, number < 4);
            self.tables[self.table_of[number]] = values.into_iter().map(|value| value as f32).collect();
        }
        FullTables { tables: self.tables, table_of: self.table_of }
    }
}

/// The values of all lines.
#[derive(Clone, Debug)]
pub(super) struct FullTables {
    tables: Vec<Vec<f32>>,
    table_of: [usize; LINES],
}

impl FullTables {
    /// The sum over all lines.
    #[inline]
    pub(super) fn sum(&self, after: PackedAfter) -> f32 {
        let (rows, cols) = (after.bits(), after.transposed().bits());
        let line = |bits: u64, number: usize| self.tables[self.table_of[number]][usize::from(bits as u16)];
        // The same order as [`Memo::sum`], so that rounding is the same.
        let mut sum = 0.0;
        for place in 0..4 {
            sum += line(rows >> (16 * place), place);
            sum += line(cols >> (16 * place), 4 + place);
        }
        sum
    }
}

/// Evaluates packed afterstates in the games of an evolution.
#[derive(Debug)]
pub(super) struct Scorer<'a> {
    program: &'a Program,
    way: Way<'a>,
}

#[derive(Debug)]
enum Way<'a> {
    /// The whole value is a sum over lines.
    Sum(Memo<'a>),
    /// A memo for each `lines` node. The number is where its tree starts.
    Mixed(Vec<(usize, Memo<'a>)>),
}

/// The trees below the `lines` nodes of a program, each with its start.
pub(super) fn line_trees(nodes: &[Node]) -> impl Iterator<Item = (usize, Vec<Node>)> {
    let places = nodes.iter().enumerate().filter(|(_, node)| **node == Node::Lines);
    places.map(|(at, _)| (at + 1, nodes[at + 1..end_of(nodes, at + 1)].to_vec()))
}

impl<'a> Scorer<'a> {
    pub(super) fn new(program: &'a Program) -> Scorer<'a> {
        let (value, adfs) = program.trees().split_last().expect("a program has a tree");
        let way = match line_form(program) {
            Some(form) => Way::Sum(Memo::new(adfs, form)),
            None => {
                let memos = line_trees(value.nodes()).map(|(start, nodes)| (start, Memo::new(adfs, nodes)));
                Way::Mixed(memos.collect())
            }
        };
        Scorer { program, way }
    }

    /// The value of an afterstate, given the reward of the move that led there.
    pub(super) fn value(&mut self, after: PackedAfter, reward: u32) -> f32 {
        match &mut self.way {
            Way::Sum(memo) => memo.sum(after),
            Way::Mixed(memos) => {
                let value = self.program.trees().last().expect("a program has a tree");
                let scene = Scene::of_packed(after, f64::from(reward));
                let mut lines = |start: usize| {
                    let memo = memos.iter_mut().find(|(at, _)| *at == start);
                    memo.map_or(0.0, |(_, memo)| f64::from(memo.sum(after)))
                };
                board_value(value.nodes(), &scene, &mut lines, &mut |_, _| {}) as f32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::packed_afterstates as afterstates;
    use crate::evolve::testing::evaluators;
    use crate::evolve::{Dice, value};

    /// Programs of all kinds. The last three are sums over lines.
    fn programs() -> Vec<Program> {
        let mut programs: Vec<Program> =
            (0..60).map(|seed| evaluators(seed as usize % 3).grow(&mut Dice::new(seed, 0, 0))).collect();
        programs.extend(
            [
                "(evaluator (value (subtract (add (multiply 2.5 empty) 3) (divide (lines (multiply edge mono2)) (add 1 1)))))",
                "(evaluator (adf0 (if-less arg0 arg1 place is-row)) (value (lines (adf0 first (multiply 2 third)))))",
                "(evaluator (value (subtract ranks2 (add near full))))",
            ]
            .map(|text| text.parse().unwrap()),
        );
        programs
    }

    #[test]
    fn memos_agree_with_the_slow_twin() {
        let mut sums = 0;
        for program in programs() {
            sums += u32::from(line_form(&program).is_some());
            let mut scorer = Scorer::new(&program);
            for after in afterstates(40) {
                let slow = value::value(&program, &Scene::of_packed(after, 8.0));
                let fast = f64::from(scorer.value(after, 8));
                let size = slow.abs().max(1e3);
                assert!((slow - fast).abs() <= 1e-4 * size || slow.abs() > 1e9, "{program} {slow} {fast}");
            }
        }
        assert!(sums >= 3, "the last three are sums over lines, {sums}");
    }

    #[test]
    fn lines_are_told_apart_only_where_it_matters() {
        let told = |text: &str| {
            let program: Program = format!("(evaluator (value (lines {text})))").parse().unwrap();
            apart(&[], &line_form(&program).unwrap())
        };
        assert_eq!(told("(multiply 2 first)"), Apart::Alike);
        assert_eq!(told("(multiply edge first)"), Apart::Edges);
        assert_eq!(told("(add edge place)"), Apart::All);
    }
}
