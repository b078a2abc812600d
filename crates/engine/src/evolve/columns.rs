//! The value of a line tree for all 65,536 packed lines. It evaluates each node for many lines at
//! once, which is several times as fast as line by line.

use super::features::Line;
use super::program::{ADF_ARGUMENTS, Feature, Node, ProgramTree};
use super::value::apply;

/// Lines evaluated at once. Their values fit in the L1 cache.
const LOT: usize = 256;

/// The values of a node, one for each line of a [`Lot`].
type Column = Box<[f64; LOT]>;

/// Consecutive lines and their known features.
struct Lot<'a> {
    adfs: &'a [ProgramTree],
    lines: [[f64; 4]; LOT],
    place: usize,
    is_row: bool,
    /// The features computed so far.
    known: Vec<(Feature, Column)>,
}

/// The value of every line at this position. Gives the same numbers as evaluation line by line.
pub(super) fn all_lines(adfs: &[ProgramTree], nodes: &[Node], place: usize, is_row: bool) -> Vec<f64> {
    let mut values = Vec::with_capacity(1 << 16);
    for first in (0..1 << 16).step_by(LOT) {
        let line = |number: usize| std::array::from_fn(|cell| ((first + number) >> (4 * cell) & 0xf) as f64);
        let mut lot = Lot { adfs, lines: std::array::from_fn(line), place, is_row, known: Vec::new() };
        values.extend_from_slice(&*lot.part(nodes, &mut 0, &[]));
    }
    values
}

impl Lot<'_> {
    fn part(&mut self, nodes: &[Node], at: &mut usize, called_with: &[Column]) -> Column {
        let node = nodes[*at];
        *at += 1;
        match node {
            Node::Constant(number) => Box::new([number; LOT]),
            Node::Feature(feature) => self.feature(feature),
            Node::Argument(number) => {
                called_with.get(usize::from(number)).cloned().unwrap_or_else(|| Box::new([0.0; LOT]))
            }
            Node::Call(number) => {
                let arguments: [Column; ADF_ARGUMENTS] =
                    std::array::from_fn(|_| self.part(nodes, at, called_with));
                let body: &[Node] = self.adfs[usize::from(number)].nodes();
                self.part(body, &mut 0, &arguments)
            }
            function => {
                let arguments: Vec<Column> =
                    (0..function.arity()).map(|_| self.part(nodes, at, called_with)).collect();
                let value = |line: usize| {
                    let argument = |place: usize| arguments.get(place).map_or(0.0, |column| column[line]);
                    apply(function, std::array::from_fn(argument))
                };
                Box::new(std::array::from_fn(value))
            }
        }
    }

    fn feature(&mut self, feature: Feature) -> Column {
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == feature) {
            return known.clone();
        }
        let (place, is_row) = (self.place, self.is_row);
        let value = |line: usize| {
            let ranks = &self.lines[line];
            Line { ranks, place, is_row, edge: place == 0 || place == 3 }.feature(feature)
        };
        let column: Column = Box::new(std::array::from_fn(value));
        self.known.push((feature, column.clone()));
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::compiled::{line_form, packed_line};
    use crate::evolve::operators::Garden;
    use crate::evolve::testing::evaluators;
    use crate::evolve::{Dice, Program};

    #[test]
    fn many_lines_at_once_are_as_one_by_one() {
        for seed in 0..24 {
            let garden = Garden { rows: true, ..evaluators(seed as usize % 4) };
            let program: Program = garden.grow(&mut Dice::new(seed, 0, 0));
            let (form, adfs) = (line_form(&program).unwrap(), &program.trees()[..garden.trees - 1]);
            let (place, is_row) = (seed as usize % 4, seed % 2 == 0);
            let all = all_lines(adfs, &form, place, is_row);
            assert_eq!(all.len(), 1 << 16);
            for line in (0..=u16::MAX).step_by(61) {
                let one = packed_line(adfs, &form, line, place, is_row);
                assert_eq!(all[usize::from(line)].to_bits(), one.to_bits(), "{line:x} {program}");
            }
        }
    }
}
