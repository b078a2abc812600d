//! `lab2048 bench` with the real binary.

mod support;

use serde_json::{Value, json};
use support::Place;

const FIGURES: [&str; 5] = [
    "random_games_per_second",
    "exact_slides_per_second",
    "packed_slides_per_second",
    "search_nodes_per_second",
    "search_evaluations_per_second",
];

#[test]
fn the_signatures_stay_and_the_figures_are_positive() {
    let place = Place::new();
    let shown: Value = serde_json::from_str(&place.ok("bench --seconds 0.01 --json", "")).expect("JSON");
    for name in FIGURES {
        assert!(shown[name].as_f64() > Some(0.0), "{shown}");
    }
    assert_eq!((&shown["signature"], &shown["search_signature"]), (&json!(115_384), &json!(1_802_496)));
    let text = place.ok("bench --seconds 0.02", "");
    let line = |start: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(start)?.trim_start().split_once(' '));
        found.unwrap_or_else(|| panic!("{start}: {text}"))
    };
    let plain = |figure: &str| figure.replace(',', "").parse::<u64>().expect("a whole number");
    let (turns, about) = line("signatures");
    assert_eq!(Some(plain(turns)), shown["signature"].as_u64());
    assert_eq!(about, "turns of the random games with seeds 1 to 1,000");
    let (nodes, about) = line("               ");
    assert_eq!(Some(plain(nodes)), shown["search_signature"].as_u64());
    assert_eq!(about, "nodes of expectimax:eval=rows,depth=4 on 50 fixed boards");
    for name in ["random games", "exact slides", "packed slides", "search nodes", "evaluations"] {
        let (figure, about) = line(name);
        assert!(plain(figure) > 0 && about == "a second", "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_prints_no_figures() {
    let place = Place::new();
    let bench = place.start("bench --seconds 600");
    support::wait_until_it_listens(&bench);
    support::interrupt(&bench);
    let ran = support::ended(bench);
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
    assert_eq!(ran.err, "lab2048: interrupted before all figures were measured\n");
}
