//! Tests of the genetic operators: what they keep and what they change.

use proptest::prelude::*;

use super::*;
use crate::evolve::{EvolutionSettings, testing};

const ALL: [Mutation; 5] =
    [Mutation::Function, Mutation::Terminal, Mutation::Either, Mutation::Subtree, Mutation::Mixed];

/// Any kind of garden.
fn garden() -> impl Strategy<Value = Garden> {
    prop_oneof![
        Just(testing::directions(1)),
        Just(testing::directions(4)),
        (0..=3usize, any::<bool>()).prop_map(|(adfs, rows)| Garden { rows, ..testing::evaluators(adfs) }),
    ]
}

/// Checks that the garden could have grown a program.
fn assert_right(garden: &Garden, program: &Program) {
    assert_eq!(Program::new(program.style(), program.trees().to_vec()).as_ref(), Ok(program));
    assert_eq!(program.trees().len(), garden.trees);
    if garden.rows {
        assert!(super::super::compiled::line_form(program).is_some(), "{program}");
    }
    for tree in program.trees() {
        assert!(garden.bounds.allow(tree), "depth {} size {}: {program}", tree.depth(), tree.size());
    }
    assert!(garden.holds(program), "{program}");
}

proptest! {
    #[test]
    fn operators_keep_types_and_bounds(garden in garden(), seed: u64, steps in 1..30u64) {
        let mut dice = Dice::new(seed, 0, 0);
        let (mut first, mut second) = (garden.grow(&mut dice), garden.grow(&mut dice));
        assert_right(&garden, &first);
        for step in 0..steps {
            first = garden.mutate(&first, ALL[step as usize % 5], &mut dice);
            assert_right(&garden, &first);
            (first, second) = garden.cross(&first, &second, &mut dice);
            assert_right(&garden, &first);
            assert_right(&garden, &second);
        }
    }

    /// Trees stay within all bounds that settings allow, including small sizes and deep trees.
    #[test]
    fn no_tree_is_out_of_its_bounds(
        (least, most) in (1..=5usize).prop_flat_map(|least| (Just(least), least..=17)),
        size in 1..=80usize,
        adfs in 0..=4usize,
        genome in 0..3usize,
        seed: u64,
    ) {
        let bounds = Bounds { least, most, size };
        let settings = match genome {
            0 => EvolutionSettings { bounds, adfs: adfs / 4 * 4, ..EvolutionSettings::document() },
            genome => EvolutionSettings { bounds, adfs, rows: genome == 1, ..EvolutionSettings::evaluator() },
        };
        if let Ok(garden) = settings.garden() {
            let dice = &mut Dice::new(seed, 0, 0);
            let (mut first, mut second) = (garden.grow(dice), garden.grow(dice));
            for mutation in ALL {
                assert_right(&garden, &first);
                assert_right(&garden, &second);
                first = garden.mutate(&first, mutation, dice);
                (first, second) = garden.cross(&first, &second, dice);
            }
        }
    }

    #[test]
    fn programs_are_read_back_as_they_were_written(garden in garden(), seed: u64) {
        let program = garden.grow(&mut Dice::new(seed, 1, 2));
        prop_assert_eq!(program.to_string().parse::<Program>(), Ok(program));
    }
}

/// Guards against a bug of the document, where a child shared nodes with a parent and changed with
/// it.
#[test]
fn crossover_exchanges_and_never_shares() {
    let garden = testing::directions(1);
    let mut exchanged = 0;
    for seed in 0..200 {
        let dice = &mut Dice::new(seed, 0, 0);
        let (mother, father) = (garden.grow(dice), garden.grow(dice));
        let before = (mother.clone(), father.clone());
        let (left, right) = garden.cross(&mother, &father, dice);
        exchanged += u32::from(left != mother && right != father && left != father && right != mother);
        let sorted = |programs: [&Program; 2]| {
            let nodes = programs.into_iter().flat_map(|program| program.trees()[0].nodes().to_vec());
            let mut names: Vec<String> = nodes.map(Node::name).collect();
            names.sort();
            names
        };
        assert_eq!(sorted([&left, &right]), sorted([&mother, &father]), "nothing is lost or doubled");
        let (mut mutated, kept) = (left.clone(), right.clone());
        for _ in 0..10 {
            mutated = garden.mutate(&mutated, Mutation::Either, dice);
        }
        assert_eq!((mother, father), before, "the parents are unchanged");
        assert_eq!(right, kept, "the other child is unchanged");
    }
    assert!(exchanged > 180, "only {exchanged} of 200 couples have children that differ from both parents");
}

/// If the parents have no node in common, each child has nodes of both.
#[test]
fn children_have_something_of_both() {
    let garden = testing::directions(1);
    let read = |text: &str| -> Program { format!("(directions (move {text}))").parse().unwrap() };
    let mother = read("(max (max up up) (max up up))");
    let father = read("(min (min left left) (min left left))");
    let mut mixed = 0;
    for seed in 0..100 {
        let (left, right) = garden.cross(&mother, &father, &mut Dice::new(seed, 0, 0));
        let of_both = |child: &Program| {
            let nodes = child.trees()[0].nodes();
            let mother = nodes.iter().any(|node| mother.trees()[0].nodes().contains(node));
            mother && nodes.iter().any(|node| father.trees()[0].nodes().contains(node))
        };
        mixed += u32::from(of_both(&left) && of_both(&right));
    }
    // If both cuts are at the root, in about one of five exchanges, the children are copies of the
    // parents.
    assert!(mixed > 60, "{mixed}");
}

#[test]
fn mutations_change_what_they_say() {
    let garden = testing::directions(1);
    let mut changed = [0; 3];
    for seed in 0..100 {
        let dice = &mut Dice::new(seed, 0, 0);
        let before = garden.grow(dice);
        for (place, mutation) in ALL[..3].iter().enumerate() {
            let after = garden.mutate(&before, *mutation, dice);
            let pairs = before.trees()[0].nodes().iter().zip(after.trees()[0].nodes());
            let different: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
            assert!(different.len() <= 1 && after.size() == before.size());
            if let [(old, _)] = different[..] {
                changed[place] += 1;
                assert!(place == 2 || old.is_terminal() == (*mutation == Mutation::Terminal));
            }
        }
    }
    assert!(changed.iter().all(|&count| count >= 99), "{changed:?}");
}

#[test]
fn constants_move_and_nothing_else_does() {
    let program: Program =
        "(evaluator (value (add (multiply 3 empty) (lines (multiply -0.25 mono)))))".parse().unwrap();
    let moved = move_constants(&program, 0.3, true, &mut Dice::new(1, 1, 1));
    let constants = |program: &Program| {
        let nodes = program.trees()[0].nodes().to_vec();
        nodes.into_iter().partition::<Vec<_>, _>(|node| matches!(node, Node::Constant(_)))
    };
    assert_eq!(constants(&moved).1, constants(&program).1);
    assert!(constants(&moved).0.iter().zip(&constants(&program).0).all(|(a, b)| a != b));
    assert_eq!([123.456, -0.001_234_5, 0.0, 99_999.0].map(rounded), [123.0, -0.001_23, 0.0, 100_000.0]);
}

/// The number of 200 programs that a mutation changes, and the total number of nodes that it adds.
fn changes(garden: &Garden, mutate: impl Fn(&Program, &mut Dice) -> Program) -> (u32, i64) {
    let (mut changed, mut more) = (0, 0);
    for seed in 0..200 {
        let dice = &mut Dice::new(seed, 0, 0);
        let before = garden.grow(dice);
        let after = mutate(&before, dice);
        changed += u32::from(after != before);
        more += after.size() as i64 - before.size() as i64;
    }
    (changed, more)
}

#[test]
fn every_mutation_of_parts_does_what_it_says() {
    for garden in [testing::directions(1), testing::evaluators(0)] {
        let (regrown, _) = changes(&garden, |program, dice| garden.mutate(program, Mutation::Subtree, dice));
        assert!(regrown > 150, "{regrown}");
        let (hoisted, more) = changes(&garden, |program, dice| garden.hoist(program, 0, dice));
        assert!(hoisted > 100 && more < 0, "{hoisted}, {more} nodes more");
        let (inserted, more) = changes(&garden, |program, dice| garden.insert(program, 0, dice));
        assert!(inserted > 150 && more > 0, "{inserted}, {more} nodes more");
        let (mixed, _) = changes(&garden, |program, dice| garden.mutate(program, Mutation::Mixed, dice));
        assert!(mixed > 100, "{mixed}");
    }
}

/// A node without an alternative is never chosen for replacement.
#[test]
fn mutations_are_not_wasted_on_what_has_no_like() {
    let garden = Garden { rows: true, ..testing::evaluators(0) };
    let program: Program =
        "(evaluator (value (lines (if-less empty 1 (square first) rough))))".parse().unwrap();
    for seed in 0..100 {
        let dice = &mut Dice::new(seed, 0, 0);
        let changed = garden.mutate(&program, Mutation::Function, dice);
        assert_eq!(changed.to_string(), program.to_string().replace("square", "root"));
        assert_ne!(garden.mutate(&program, Mutation::Either, dice), program);
    }
}

#[test]
fn one_terminal_of_five_is_a_constant() {
    let choices = testing::evaluators(0).choices(0, NodeKind::Line);
    let dice = &mut Dice::new(1, 2, 3);
    let constant = |_: &u32| matches!(choices.terminal(dice), Some(Node::Constant(_)));
    let constants = (0..10_000).filter(constant).count();
    // The standard deviation of this count is 40.
    assert!((1_800..2_200).contains(&constants), "{constants}");
}

#[test]
fn constants_without_digits_become_nothing() {
    assert_eq!([1e-310, -1e-13, f64::INFINITY, 1e6].map(rounded), [0.0, 0.0, 0.0, 1e6]);
    let program: Program = "(evaluator (value (multiply 1e-310 empty)))".parse().unwrap();
    let moved = move_constants(&program, 0.3, true, &mut Dice::new(1, 1, 1));
    assert_eq!(moved.to_string(), "(evaluator\n  (value\n    (multiply 0 empty)))\n");
}
