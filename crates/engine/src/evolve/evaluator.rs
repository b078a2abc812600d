//! A program as an evaluator: compiled for packed 4x4 boards, interpreted for all others.

use super::columns::all_lines;
use super::compiled::{Apart, FullTables, Memo, apart, line_form, line_trees};
use super::features::Scene;
use super::program::{Node, Program, Style};
use super::value;
use crate::board::PackedAfter;
use crate::eval::{Evaluator, FastEvaluator, Judges, LineTables, Replies, View, replies_one_by_one};
use crate::game::Unit;

/// How a program evaluates packed afterstates.
#[derive(Clone)]
enum Form {
    /// By the tables of the evaluator `rows` with its fast last layer. The value is a sum over
    /// lines, and only edge and inner lines differ.
    Rows(LineTables),
    /// By a table for every row and column.
    Lines(FullTables),
    /// Node by node, with tables for each `lines` node. The number is where its tree starts.
    Nodes(Vec<(usize, FullTables)>),
}

/// The evaluator `program`.
#[derive(Clone)]
pub struct ProgramEvaluator {
    program: Program,
    /// The hash of the program, for records.
    hash: String,
    form: Form,
    lost: f64,
}

/// How a program will be compiled.
enum TableLayout {
    /// The values of inner lines and of edge lines.
    Rows {
        inner: Vec<f64>,
        outer: Vec<f64>,
    },
    /// The tree whose sum over all lines is the value.
    Lines(Vec<Node>),
    Nodes,
}

impl TableLayout {
    /// `None` for a program of directions, and for a program that reads the reward, which an
    /// evaluator does not know.
    fn of(program: &Program) -> Option<TableLayout> {
        if program.style() != Style::Evaluator || program.reads_reward() {
            return None;
        }
        let (_, adfs) = program.trees().split_last()?;
        let Some(form) = line_form(program) else { return Some(TableLayout::Nodes) };
        if apart(adfs, &form) == Apart::All {
            return Some(TableLayout::Lines(form));
        }
        let [inner, outer] = [1, 0].map(|place| all_lines(adfs, &form, place, true));
        let fit = fits_rows(&inner) && fits_rows(&outer);
        Some(if fit { TableLayout::Rows { inner, outer } } else { TableLayout::Lines(form) })
    }

    fn name(&self) -> &'static str {
        match self {
            TableLayout::Rows { .. } => "a table of rows",
            TableLayout::Lines(_) => "a table for each row and column",
            TableLayout::Nodes => "node by node",
        }
    }
}

impl ProgramEvaluator {
    /// Compiles an evaluator program. Returns `None` for a program of directions, and for a program
    /// that reads the reward, which an evaluator does not know. `lost` is subtracted from the value
    /// of a board without a legal move.
    pub fn new(program: Program, lost: f64) -> Option<ProgramEvaluator> {
        let plan = TableLayout::of(&program)?;
        let (value, adfs) = program.trees().split_last()?;
        let form = match plan {
            TableLayout::Rows { inner, outer } => {
                Form::Rows(LineTables::new(|ranks: [u8; 4], edge: bool| {
                    let number = ranks.iter().rev().fold(0, |line, &rank| line << 4 | usize::from(rank));
                    if edge { outer[number] } else { inner[number] }
                }))
            }
            TableLayout::Lines(form) => Form::Lines(Memo::new(adfs, form).filled()),
            TableLayout::Nodes => {
                let trees = line_trees(value.nodes());
                Form::Nodes(trees.map(|(start, tree)| (start, Memo::new(adfs, tree).filled())).collect())
            }
        };
        let hash = program.hash();
        Some(ProgramEvaluator { program, hash, form, lost })
    }

    /// The same evaluator with exactly the values used in evolution. Tables of rows round values;
    /// this form does not. At depth 1 it reproduces the games of the evolution.
    #[must_use]
    pub fn as_evolved(mut self) -> ProgramEvaluator {
        if let (Form::Rows(_), Some(form), Some((_, adfs))) =
            (&self.form, line_form(&self.program), self.program.trees().split_last())
        {
            self.form = Form::Lines(Memo::new(adfs, form).filled());
        }
        self
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The compiled form of a program in a few words; `None` if it cannot be an evaluator.
    pub fn form_of(program: &Program) -> Option<&'static str> {
        TableLayout::of(program).map(|plan| plan.name())
    }
}

/// The largest allowed ratio of the largest value to the usual spread. Tables of rows hold integers
/// up to 2^26, which leaves about a thousand steps for the usual spread.
const MOST_SPREAD: f64 = 65_536.0;

/// Whether integers can still distinguish the values of usual lines next to the largest value. A
/// program may divide by a tiny number and so produce huge values.
fn fits_rows(values: &[f64]) -> bool {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let mut usual = values.to_vec();
    usual.sort_unstable_by(f64::total_cmp);
    // 90% of the lines have values between these two.
    let spread = usual[19 * usual.len() / 20] - usual[usual.len() / 20];
    largest <= MOST_SPREAD * spread
}

impl Evaluator for ProgramEvaluator {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn fingerprint(&self) -> Option<&str> {
        Some(&self.hash)
    }

    fn lost(&self, value: f64) -> f64 {
        value - self.lost
    }

    fn evaluate(&self, view: &View) -> f64 {
        value::value(&self.program, &Scene::of_view(view, 0.0))
    }
}

impl FastEvaluator for ProgramEvaluator {
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        match &self.form {
            Form::Rows(tables) => tables.value(after),
            Form::Lines(tables) => tables.sum(after),
            Form::Nodes(tables) => {
                let Some(value) = self.program.trees().last() else { return 0.0 };
                let mut lines = |start: usize| {
                    let table = tables.iter().find(|(at, _)| *at == start);
                    table.map_or(0.0, |(_, table)| f64::from(table.sum(after)))
                };
                let scene = Scene::of_packed(after, 0.0);
                value::board_value(value.nodes(), &scene, &mut lines, &mut |_, _| {}) as f32
            }
        }
    }

    fn best_replies(&self, after: PackedAfter, chances: [f32; 2]) -> Replies {
        match &self.form {
            Form::Rows(tables) => tables.best_replies(after, chances, self.lost),
            _ => replies_one_by_one(self, after, chances),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::eval::testing::packed_afterstates as afterstates;

    fn evaluator(text: &str) -> ProgramEvaluator {
        ProgramEvaluator::new(text.parse().unwrap(), 1e5).unwrap()
    }

    #[test]
    fn every_form_agrees_with_the_slow_twin() {
        for (text, form) in [
            (
                "(evaluator (value (lines (subtract (multiply 10 empty) (multiply edge mono2)))))",
                "a table of rows",
            ),
            (
                "(evaluator (adf0 (add arg0 (multiply 2 arg1))) (value (add empty (lines (adf0 first near)))))",
                "a table of rows",
            ),
            (
                "(evaluator (value (lines (multiply place (multiply is-row second)))))",
                "a table for each row and column",
            ),
            ("(evaluator (value (multiply corner (lines (subtract empty rough)))))", "node by node"),
        ] {
            let evaluator = evaluator(text);
            assert_eq!(ProgramEvaluator::form_of(evaluator.program()), Some(form), "{text}");
            for after in afterstates(500) {
                let fast = f64::from(evaluator.evaluate_packed(after));
                let view = View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0);
                let slow = evaluator.evaluate(&view);
                assert!((fast - slow).abs() <= 0.05 + 1e-5 * slow.abs(), "{text} {after:?} {fast} {slow}");
                let quick = evaluator.best_replies(after, [0.9, 0.1]);
                let plain = replies_one_by_one(&evaluator, after, [0.9, 0.1]);
                assert_eq!((quick.boards, quick.moves), (plain.boards, plain.moves));
                assert!((quick.value - plain.value).abs() <= 1e-4 * plain.value.abs().max(1e3), "{text}");
            }
        }
    }

    #[test]
    fn values_that_rows_would_blur_have_a_table_for_each_line() {
        // Only a line of four tiles of the largest rank has the value 1e12; all others have small
        // values.
        let text = "(evaluator (value (lines (if-less 59 ranks 1000000000000 empty))))";
        assert_eq!(
            ProgramEvaluator::form_of(&text.parse().unwrap()),
            Some("a table for each row and column")
        );
        for after in afterstates(100) {
            let view = View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0);
            let fast = f64::from(evaluator(text).evaluate_packed(after));
            let slow = evaluator(text).evaluate(&view);
            assert!((fast - slow).abs() <= 1e-5 * slow.abs(), "{after:?} {fast} {slow}");
        }
    }

    #[test]
    fn what_is_no_evaluator() {
        for text in ["(directions (move up))", "(evaluator (value (add reward empty)))"] {
            assert!(ProgramEvaluator::new(text.parse().unwrap(), 0.0).is_none());
        }
    }
}
