//! A program as an evaluator: compiled for packed 4x4 boards, worked out node by node for all others.

use super::compiled::{Apart, FullTables, Memo, apart, line_form, line_trees, packed_line};
use super::features::Scene;
use super::program::{Program, Style};
use super::value;
use crate::board::PackedAfter;
use crate::eval::{Evaluator, FastEvaluator, Judges, LineTables, Replies, View, replies_one_by_one};
use crate::game::Unit;

/// How a program judges packed afterstates.
#[derive(Clone)]
enum Form {
    /// By the tables of the hand-made evaluator, with its fast last layer: a sum over lines that differ at most by lying on
    /// the edge.
    Rows(LineTables),
    /// By a table for every row and column.
    Lines(FullTables),
    /// Node by node, with a table for each node `lines`, by where its tree starts.
    Nodes(Vec<(usize, FullTables)>),
}

/// The evaluator `program`.
#[derive(Clone)]
pub struct ProgramEvaluator {
    program: Program,
    form: Form,
    lost: f32,
}

impl ProgramEvaluator {
    /// Compiles an evaluator program; `None` if it is a program of directions, or reads the points of the move, which an
    /// evaluator is not told. A lost game is worth `lost`.
    pub fn new(program: Program, lost: f64) -> Option<ProgramEvaluator> {
        if program.style() != Style::Evaluator || program.reads_reward() {
            return None;
        }
        let (value, adfs) = program.trees().split_last()?;
        let form = match line_form(&program) {
            Some(form) if apart(adfs, &form) == Apart::All => Form::Lines(Memo::new(adfs, form).filled()),
            Some(form) => {
                let line = |ranks: [u8; 4], edge: bool| {
                    let bits = ranks.iter().rev().fold(0, |line, &rank| line << 4 | u16::from(rank));
                    packed_line(adfs, &form, bits, if edge { 0 } else { 1 }, true)
                };
                Form::Rows(LineTables::new(line, lost))
            }
            None => {
                let trees = line_trees(value.nodes());
                Form::Nodes(trees.map(|(start, tree)| (start, Memo::new(adfs, tree).filled())).collect())
            }
        };
        let lost = match &form {
            Form::Rows(tables) => tables.lost(),
            _ => lost as f32,
        };
        Some(ProgramEvaluator { program, form, lost })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How it judges packed boards, in a few words.
    pub fn form(&self) -> &'static str {
        match self.form {
            Form::Rows(_) => "a table of rows",
            Form::Lines(_) => "a table for each row and column",
            Form::Nodes(_) => "node by node",
        }
    }
}

impl Evaluator for ProgramEvaluator {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn game_over(&self) -> f64 {
        f64::from(self.lost)
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
            Form::Rows(tables) => tables.best_replies(after, chances),
            _ => replies_one_by_one(self, after, chances),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::evolve::testing::afterstates;

    fn evaluator(text: &str) -> ProgramEvaluator {
        ProgramEvaluator::new(text.parse().unwrap(), -1e5).unwrap()
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
            assert_eq!(evaluator.form(), form, "{text}");
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
    fn what_is_no_evaluator() {
        for text in ["(directions (move up))", "(evaluator (value (add reward empty)))"] {
            assert!(ProgramEvaluator::new(text.parse().unwrap(), 0.0).is_none());
        }
    }
}
