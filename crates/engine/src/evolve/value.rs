//! The value of an afterstate by an evaluator program, computed node by node. This is the slow
//! reference for the compiled forms.

use super::features::{Line, Scene};
use super::program::{ADF_ARGUMENTS, Node, Program, ProgramTree};

/// Values are clamped to this magnitude, so that none becomes infinite or NaN.
const MOST: f64 = 1e12;
/// Division by a smaller number gives 1.
const LEAST_DIVISOR: f64 = 1e-9;

/// The result of a function for its arguments.
pub(super) fn apply(node: Node, arguments: [f64; 4]) -> f64 {
    let [a, b, c, d] = arguments;
    let value = match node {
        Node::Add => a + b,
        Node::Subtract => a - b,
        Node::Multiply => a * b,
        Node::Divide if b.abs() < LEAST_DIVISOR => 1.0,
        Node::Divide => a / b,
        Node::Max => a.max(b),
        Node::Min => a.min(b),
        Node::IfLess => {
            if a < b {
                c
            } else {
                d
            }
        }
        Node::Square => a * a,
        Node::Root => a.abs().sqrt(),
        _ => 0.0,
    };
    value.clamp(-MOST, MOST)
}

/// Computes the value of one line. `note` is called with the tree, the index and the value of every
/// node. Indices count from the start of `nodes`. The nodes of an ADF are reported at every call.
pub(super) fn line_value(
    adfs: &[ProgramTree],
    nodes: &[Node],
    line: &Line<'_>,
    note: &mut impl FnMut(usize, usize, f64),
) -> f64 {
    line_part(adfs, (adfs.len(), nodes), &mut 0, line, [0.0; ADF_ARGUMENTS], note)
}

fn line_part(
    adfs: &[ProgramTree],
    (tree, nodes): (usize, &[Node]),
    at: &mut usize,
    line: &Line<'_>,
    called_with: [f64; ADF_ARGUMENTS],
    note: &mut impl FnMut(usize, usize, f64),
) -> f64 {
    let place = *at;
    let node = nodes[place];
    *at += 1;
    let mut arguments = [0.0; 4];
    for argument in &mut arguments[..node.arity()] {
        *argument = line_part(adfs, (tree, nodes), at, line, called_with, note);
    }
    let value = match node {
        Node::Constant(number) => number,
        Node::Feature(feature) => line.feature(feature),
        Node::Argument(number) => called_with[usize::from(number)],
        Node::Call(number) => {
            let called = usize::from(number);
            let called_with = std::array::from_fn(|place| arguments[place]);
            line_part(adfs, (called, adfs[called].nodes()), &mut 0, line, called_with, note)
        }
        function => apply(function, arguments),
    };
    note(tree, place, value);
    value
}

/// Computes the value of an afterstate. `lines` returns the value of a `lines` node, given where
/// the tree below that node starts. `note` is called with the index and the value of every other
/// node of the value tree.
pub(super) fn board_value(
    nodes: &[Node],
    scene: &Scene,
    lines: &mut impl FnMut(usize) -> f64,
    note: &mut impl FnMut(usize, f64),
) -> f64 {
    board_part(nodes, &mut 0, scene, lines, note)
}

fn board_part(
    nodes: &[Node],
    at: &mut usize,
    scene: &Scene,
    lines: &mut impl FnMut(usize) -> f64,
    note: &mut impl FnMut(usize, f64),
) -> f64 {
    let place = *at;
    let node = nodes[place];
    *at += 1;
    let value = if node == Node::Lines {
        let start = *at;
        *at = super::program::end_of(nodes, start);
        lines(start).clamp(-MOST, MOST)
    } else {
        let mut arguments = [0.0; 4];
        for argument in &mut arguments[..node.arity()] {
            *argument = board_part(nodes, at, scene, lines, note);
        }
        match node {
            Node::Constant(number) => number,
            Node::Feature(feature) => scene.feature(feature),
            Node::Cell(cell) => scene.cell(cell),
            function => apply(function, arguments),
        }
    };
    note(place, value);
    value
}

/// The value of an afterstate and of every node, by tree. A node below `lines` has the sum over all
/// lines. A node of an ADF has the sum over all lines and calls, or `None` if the ADF is never
/// called.
pub(super) fn traced(program: &Program, scene: &Scene) -> (f64, Vec<Vec<Option<f64>>>) {
    let mut values: Vec<Vec<Option<f64>>> =
        program.trees().iter().map(|tree| vec![None; tree.size()]).collect();
    let Some((value, adfs)) = program.trees().split_last() else { return (0.0, values) };
    let nodes = value.nodes();
    let mut of_lines = values.clone();
    let mut lines = |start: usize| {
        let mut note = |tree: usize, at: usize, value: f64| {
            let at = if tree == adfs.len() { start + at } else { at };
            *of_lines[tree][at].get_or_insert(0.0) += value;
        };
        scene.lines().map(|line| line_value(adfs, &nodes[start..], &line, &mut note)).sum()
    };
    let result = board_value(nodes, scene, &mut lines, &mut |at, value| values[adfs.len()][at] = Some(value));
    for (all, of_lines) in values.iter_mut().flatten().zip(of_lines.into_iter().flatten()) {
        *all = all.or(of_lines);
    }
    (result, values)
}

/// The value of an afterstate.
pub(super) fn value(program: &Program, scene: &Scene) -> f64 {
    let Some((value, adfs)) = program.trees().split_last() else { return 0.0 };
    let nodes = value.nodes();
    let mut lines = |start: usize| {
        scene.lines().map(|line| line_value(adfs, &nodes[start..], &line, &mut |_, _, _| {})).sum()
    };
    board_value(nodes, scene, &mut lines, &mut |_, _| {})
}

/// The value of the subtree at `at`, if all its terminals are constants.
pub(super) fn constant(nodes: &[Node], at: usize) -> Option<f64> {
    let end = super::program::end_of(nodes, at);
    let fixed = |node: &Node| {
        !matches!(node, Node::Feature(_) | Node::Cell(_) | Node::Argument(_) | Node::Call(_) | Node::Lines)
    };
    if !nodes[at..end].iter().all(fixed) {
        return None;
    }
    let nowhere = Line { ranks: &[], place: 0, is_row: true, edge: false };
    Some(line_value(&[], &nodes[at..end], &nowhere, &mut |_, _, _| {}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::View;

    #[test]
    fn every_node_has_its_value() {
        //  2  4  .  .    three empty cells in row 2, two in rows 1, 3 and 4, and so on
        //  8  .  .  .
        //  2  4  .  .
        //  2  4  .  .
        let board = parse_board("2 4 0 0/8 0 0 0/2 4 0 0/2 4 0 0", None).unwrap();
        let scene = Scene::of_view(&View::of_board(&board, 0), 0.0);
        let program: Program = "(evaluator (adf0 (multiply arg0 (add arg1 1))) (adf1 7) \
                                (value (add (lines (square empty)) (lines (adf0 empty (adf0 edge 2))))))"
            .parse()
            .unwrap();
        let (result, values) = traced(&program, &scene);
        assert_eq!(result, value(&program, &scene));
        // Rows have 2 3 2 2 empty cells and columns 0 1 4 4; the first and last of both are edges.
        let squares = 4.0 + 9.0 + 4.0 + 4.0 + 0.0 + 1.0 + 16.0 + 16.0;
        // The inner call is edge x 3; the outer one is empty x 4 at the edge and empty elsewhere.
        let outer = 4.0 * (2.0 + 2.0 + 0.0 + 4.0) + (3.0 + 2.0 + 1.0 + 4.0);
        let main = [squares + outer, squares, squares, 18.0, outer, outer, 18.0, 12.0, 4.0, 16.0];
        assert_eq!(values[2], main.map(Some));
        // Both calls of every line, added up: arg0 is empty and edge, arg1 is the inner call and 2.
        let body = [outer + 12.0, 18.0 + 4.0, 12.0 + 16.0 + 16.0, 12.0 + 16.0, 16.0];
        assert_eq!(values[0], body.map(Some));
        assert_eq!(values[1], [None], "adf1 is never called");
    }
}
