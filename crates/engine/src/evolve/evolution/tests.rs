//! Tests of selection, breeding and checkpoints.

use super::*;
use crate::evolve::Node;

fn cancel() -> AtomicBool {
    AtomicBool::new(false)
}

fn run(settings: EvolutionSettings, generations: u64, threads: usize) -> Evolution {
    let mut evolution = Evolution::new(settings).unwrap();
    for _ in 0..generations {
        evolution.step(threads, &cancel()).unwrap();
    }
    evolution
}

fn small(settings: EvolutionSettings) -> EvolutionSettings {
    EvolutionSettings {
        population: 12,
        tuning: settings.tuning.min(4),
        proof: settings.proof.min(60),
        games: 2,
        ..settings
    }
}

#[test]
fn threads_make_no_difference() {
    for settings in [
        small(EvolutionSettings { crossover: 0.7, elite: 1, ..EvolutionSettings::document() }),
        small(EvolutionSettings {
            bounds: crate::evolve::Bounds { least: 2, most: 5, size: 30 },
            ..EvolutionSettings::evaluator()
        }),
    ] {
        let one = run(settings.clone(), 3, 1);
        assert_eq!(run(settings.clone(), 3, 3), one);
        assert_ne!(run(EvolutionSettings { seed: 2, ..settings }, 3, 1).judged, one.judged);
    }
}

#[test]
fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
    let whole = run(small(EvolutionSettings::document()), 4, 1);
    let half = run(small(EvolutionSettings::document()), 2, 1);
    let text = serde_json::to_string(&half).unwrap();
    let mut resumed: Evolution = serde_json::from_str(&text).unwrap();
    resumed.check().unwrap();
    assert_eq!(resumed, half);
    resumed.step(2, &cancel()).unwrap();
    assert_eq!(resumed.step(2, &AtomicBool::new(true)), None, "a cancelled generation leaves no trace");
    resumed.step(2, &cancel()).unwrap();
    assert_eq!(resumed, whole);
    resumed.judged.pop();
    assert!(resumed.check().is_err());
}

/// The fitness is the share of `max` nodes.
struct Planted;

impl Examiner for Planted {
    fn examine(&self, program: &Program, _: &mut dyn Iterator<Item = u64>) -> Marks {
        let nodes = program.trees()[0].nodes();
        let share = nodes.iter().filter(|&&node| node == Node::Max).count() as f64 / nodes.len() as f64;
        Marks { fitness: share, score: share, largest: 1.0 }
    }
}

#[test]
fn a_planted_optimum_is_found() {
    for crossover in [0.0, 0.8] {
        let settings = EvolutionSettings {
            crossover,
            fitness: Fitness::Score,
            elite: 1,
            ..EvolutionSettings::document()
        };
        let mut evolution = Evolution::new(settings).unwrap();
        for _ in 0..40 {
            evolution.step_by(&Planted, 1, &cancel()).unwrap();
        }
        let champion = evolution.champion().unwrap();
        let functions: Vec<&Node> =
            champion.program.trees()[0].nodes().iter().filter(|node| !node.is_terminal()).collect();
        assert!(functions.iter().all(|node| **node == Node::Max), "{}", champion.program);
    }
}

#[test]
fn the_elite_lives_on() {
    let settings =
        EvolutionSettings { elite: 2, fitness: Fitness::Score, ..small(EvolutionSettings::document()) };
    let mut evolution = run(settings, 1, 1);
    let mut before = evolution.judged.clone();
    before.sort_by(|a, b| b.marks.score.total_cmp(&a.marks.score));
    evolution.step(1, &cancel()).unwrap();
    for kept in &before[..2] {
        assert!(evolution.judged[..2].iter().any(|now| now.program == kept.program));
    }
}

/// Programs of directions with these scores, numbers of nodes and largest tiles.
fn population(settings: EvolutionSettings, all: &[(f64, usize, f64)]) -> Evolution {
    let individual = |&(score, size, largest): &(f64, usize, f64)| {
        let mut tree = "up".to_owned();
        for _ in 0..size / 2 {
            tree = format!("(max up {tree})");
        }
        let program: Program = format!("(directions (move {tree}))").parse().unwrap();
        assert_eq!(program.size(), size);
        Individual { program, marks: Marks { fitness: score, score, largest } }
    };
    let judged: Vec<Individual> = all.iter().map(individual).collect();
    Evolution { judged, ..Evolution::new(settings).unwrap() }
}

/// How often each program is selected in 1,000 tournaments.
fn chosen(evolution: &Evolution, second: bool) -> Vec<u32> {
    let mut counts = vec![0; evolution.judged.len()];
    let dice = &mut Dice::new(1, 1, 1);
    for _ in 0..1000 {
        counts[evolution.selected(second, dice)] += 1;
    }
    counts
}

#[test]
fn the_better_of_equal_size_is_better_at_any_cost_of_nodes() {
    for parsimony in [0.0, 0.0002, 0.1, 1.0] {
        let settings = EvolutionSettings { parsimony, tournament: 12, ..EvolutionSettings::document() };
        let evolution = population(settings, &[(1000.0, 199, 8.0), (0.0, 199, 8.0), (900.0, 199, 8.0)]);
        assert_eq!(evolution.best_of(&evolution.judged), 0, "{parsimony}");
        let counts = chosen(&evolution, false);
        assert!(counts[0] > 980 && counts[1] == 0, "{parsimony}: {counts:?}");
    }
}

#[test]
fn nodes_cost_score_and_tile_alike() {
    let all = [(1010.0, 199, 257.0), (1000.0, 3, 256.0)];
    for fitness in [Fitness::Score, Fitness::Vega] {
        let free = EvolutionSettings { fitness, tournament: 8, ..EvolutionSettings::document() };
        let dear = EvolutionSettings { parsimony: 0.001, ..free.clone() };
        for second in [false, true] {
            let (free, dear) = (population(free.clone(), &all), population(dear.clone(), &all));
            assert!(chosen(&free, second)[0] > 980, "without a cost the larger program is better");
            assert!(chosen(&dear, second)[1] > 980, "{fitness:?} {second}");
        }
    }
}

#[test]
fn vega_selects_one_parent_by_score_and_one_by_tile() {
    let all = [(1000.0, 5, 64.0), (900.0, 5, 128.0)];
    let vega = population(EvolutionSettings { tournament: 8, ..EvolutionSettings::document() }, &all);
    assert!(chosen(&vega, false)[0] > 980 && chosen(&vega, true)[1] > 980);
    let score = EvolutionSettings { tournament: 8, fitness: Fitness::Score, ..EvolutionSettings::document() };
    assert!(chosen(&population(score, &all), true)[0] > 980, "by score alone");
    let any = chosen(
        &population(EvolutionSettings { tournament: 1, ..EvolutionSettings::document() }, &all),
        false,
    );
    assert!(
        any.iter().all(|&count| (400..600).contains(&count)),
        "a tournament of one is a random choice: {any:?}"
    );
}

#[test]
fn only_common_games_are_the_same_for_all() {
    let seeds = |common: bool, generation: u64, number: u64| {
        let settings = EvolutionSettings { common, games: 4, ..EvolutionSettings::document() };
        Evolution::new(settings).unwrap().seeds(generation, number).collect::<Vec<u64>>()
    };
    assert_eq!(seeds(true, 3, 1), seeds(true, 3, 2));
    assert_ne!(seeds(true, 3, 1), seeds(true, 4, 1));
    assert_ne!(seeds(false, 3, 1), seeds(false, 3, 2));
    assert_ne!(seeds(false, 3, 1), seeds(false, 4, 1));
    let first = seeds(true, 3, 1);
    assert!((1..4).all(|place| !first[..place].contains(&first[place])), "{first:?}");
}

#[test]
fn distinct_children_are_distinct() {
    for distinct in [false, true] {
        // Without mutation and with few parents, most children are copies.
        let settings = EvolutionSettings {
            distinct,
            mutation: 0.0,
            mutate: crate::evolve::Mutation::Subtree,
            ..EvolutionSettings::document()
        };
        let mut evolution = Evolution::new(settings).unwrap();
        for _ in 0..4 {
            evolution.step_by(&Planted, 1, &cancel()).unwrap();
        }
        let diversity = evolution.reports().last().unwrap().diversity;
        assert!(if distinct { diversity == 1.0 } else { diversity < 0.5 }, "{distinct}: {diversity}");
    }
}

/// The fitness is higher the closer the constants are to 3. Counts the calls.
struct NearThree(std::sync::atomic::AtomicU64);

impl Examiner for NearThree {
    fn examine(&self, program: &Program, _: &mut dyn Iterator<Item = u64>) -> Marks {
        self.0.fetch_add(1, Ordering::Relaxed);
        let nodes = program.trees().iter().flat_map(|tree| tree.nodes());
        let far = nodes.map(|node| if let Node::Constant(value) = node { (value - 3.0).abs() } else { 0.0 });
        let fitness = 1.0 / (1.0 + far.sum::<f64>());
        Marks { fitness, score: fitness, largest: 1.0 }
    }
}

#[test]
fn the_constants_of_the_best_are_tuned() {
    let settings = EvolutionSettings { tuning: 30, ..EvolutionSettings::evaluator() };
    let judge = NearThree(Default::default());
    let asked = |judge: &NearThree| judge.0.swap(0, Ordering::Relaxed);
    let judged = |text: &str, judge: &NearThree| {
        let program: Program = format!("(evaluator (value {text}))").parse().unwrap();
        let marks = judge.examine(&program, &mut std::iter::empty());
        asked(judge);
        Individual { program, marks }
    };
    let evolution = Evolution::new(settings).unwrap();
    let mut all =
        [judged("(lines (multiply 9 empty))", &judge), judged("(lines (multiply 2 empty))", &judge)];
    let before = all.clone();
    evolution.tune_best(&judge, &mut all, 5, 2, &cancel()).unwrap();
    assert_eq!(asked(&judge), 30);
    assert_eq!(all[0], before[0], "only the best program is tuned");
    assert!(all[1].marks.fitness > before[1].marks.fitness + 0.1, "{:?}", all[1]);
    // An optimal program stays unchanged, and a program without constants is not judged again.
    for text in ["(lines (multiply 3 empty))", "(lines empty)"] {
        let mut best = [judged(text, &judge)];
        let before = best.clone();
        evolution.tune_best(&judge, &mut best, 5, 2, &cancel()).unwrap();
        assert_eq!(best, before);
        assert_eq!(asked(&judge), if text.contains('3') { 30 } else { 0 });
    }
}

/// Without mutation, only crossover can make a new program.
#[test]
fn crossover_alone_finds_what_no_ancestor_was() {
    let best = |crossover: f64| {
        let settings = EvolutionSettings {
            crossover,
            mutation: 0.0,
            fitness: Fitness::Score,
            elite: 1,
            ..EvolutionSettings::document()
        };
        let mut evolution = Evolution::new(settings).unwrap();
        let mut best = Vec::new();
        for _ in 0..25 {
            best.push(evolution.step_by(&Planted, 1, &cancel()).unwrap().best.fitness);
        }
        (best[0], best[24])
    };
    let (first, last) = best(0.9);
    // Nearly half of the nodes of a tree are functions; in the best programs all of them are `max`.
    assert!(last > first + 0.05 && last > 0.45, "{first} {last}");
    let (first, last) = best(0.0);
    assert_eq!(first, last, "copies are not better than their originals");
}

#[test]
fn breeding_stops_when_it_is_cancelled() {
    let mut evolution = run(small(EvolutionSettings::document()), 1, 1);
    let garden = evolution.settings.garden().unwrap();
    assert_eq!(evolution.bred(&garden, 1, &AtomicBool::new(true)), None);
    evolution.judged.clear();
    assert_eq!(evolution.bred(&garden, 0, &AtomicBool::new(true)), None);
}

#[test]
fn a_checkpoint_with_foreign_programs_is_refused() {
    let whole = run(small(EvolutionSettings { crossover: 0.5, ..EvolutionSettings::evaluator() }), 2, 1);
    whole.check().unwrap();
    for text in [
        "(directions (move (max (max up up) up)))",
        "(evaluator (value empty))",
        "(evaluator (adf0 1) (value (lines empty)))",
        "(evaluator (value (lines (multiply 1e7 empty))))",
        "(evaluator (value (lines (multiply place empty))))",
    ] {
        let mut other = whole.clone();
        other.judged[3].program = text.parse().unwrap();
        assert!(other.check().is_err(), "{text}");
        let mut other = whole.clone();
        other.champion.as_mut().unwrap().program = text.parse().unwrap();
        assert!(other.check().is_err(), "{text}");
    }
}
