//! What an evaluator program says about an afterstate, worked out node by node: the slow twin of the compiled forms.

use super::features::{Line, Scene};
use super::program::{ADF_ARGUMENTS, Node, Program, Tree};

/// Values stay in this range, so that nothing becomes infinite or no number at all.
const MOST: f64 = 1e12;
/// A divisor below this is next to nothing.
const LEAST_DIVISOR: f64 = 1e-9;

/// What a function makes of its arguments.
fn apply(node: Node, arguments: [f64; 4]) -> f64 {
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

/// Works out the value of one line. `note` hears the value of every node of this tree, by its place.
pub(super) fn line_value(
    adfs: &[Tree],
    nodes: &[Node],
    line: &Line<'_>,
    note: &mut impl FnMut(usize, f64),
) -> f64 {
    line_part(adfs, nodes, &mut 0, line, [0.0; ADF_ARGUMENTS], note)
}

fn line_part(
    adfs: &[Tree],
    nodes: &[Node],
    at: &mut usize,
    line: &Line<'_>,
    called_with: [f64; ADF_ARGUMENTS],
    note: &mut impl FnMut(usize, f64),
) -> f64 {
    let place = *at;
    let node = nodes[place];
    *at += 1;
    let mut arguments = [0.0; 4];
    for argument in &mut arguments[..node.arity()] {
        *argument = line_part(adfs, nodes, at, line, called_with, note);
    }
    let value = match node {
        Node::Constant(number) => number,
        Node::Feature(feature) => line.feature(feature),
        Node::Argument(number) => called_with[usize::from(number)],
        Node::Call(number) => {
            let body = adfs[usize::from(number)].nodes();
            let called_with = std::array::from_fn(|place| arguments[place]);
            line_body(adfs, body, line, called_with)
        }
        function => apply(function, arguments),
    };
    note(place, value);
    value
}

/// The body of an ADF; nobody hears of its nodes, which have another value for every call.
fn line_body(adfs: &[Tree], body: &[Node], line: &Line<'_>, called_with: [f64; ADF_ARGUMENTS]) -> f64 {
    // A plain function, so that the compiler does not go round in circles with ever new closures.
    fn nobody(_: usize, _: f64) {}
    line_part(adfs, body, &mut 0, line, called_with, &mut (nobody as fn(usize, f64)))
}

/// Works out the value of an afterstate. `lines` says what a tree below a node `lines` comes to, given where it stands;
/// `note` hears the value of every other node of the tree of the value.
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

/// The value of an afterstate, and of every node on the way: a node below `lines` has the sum over all lines.
pub(super) fn traced(program: &Program, scene: &Scene) -> (f64, Vec<f64>) {
    let Some((value, adfs)) = program.trees().split_last() else { return (0.0, Vec::new()) };
    let nodes = value.nodes();
    let mut below = vec![0.0; nodes.len()];
    let mut values = vec![0.0; nodes.len()];
    let mut lines = |start: usize| {
        scene
            .lines()
            .map(|line| line_value(adfs, &nodes[start..], &line, &mut |at, value| below[start + at] += value))
            .sum()
    };
    let result = board_value(nodes, scene, &mut lines, &mut |at, value| values[at] = value);
    for (value, below) in values.iter_mut().zip(below) {
        *value += below;
    }
    (result, values)
}

/// The value of an afterstate.
pub(super) fn value(program: &Program, scene: &Scene) -> f64 {
    traced(program, scene).0
}

/// The number that a tree of constants alone comes to.
pub(super) fn constant(nodes: &[Node], at: usize) -> Option<f64> {
    let end = super::program::end_of(nodes, at);
    let fixed = |node: &Node| {
        !matches!(node, Node::Feature(_) | Node::Cell(_) | Node::Argument(_) | Node::Call(_) | Node::Lines)
    };
    if !nodes[at..end].iter().all(fixed) {
        return None;
    }
    let nowhere = Line { ranks: &[], place: 0, is_row: true, edge: false };
    Some(line_value(&[], &nodes[at..end], &nowhere, &mut |_, _| {}))
}
