//! `lab2048 bench` with the real binary.

mod support;

use serde_json::Value;
use support::Place;

#[test]
fn the_signature_stays_and_the_figures_are_positive() {
    let shown = Place::new().ok("bench --seconds 0.01 --json", "");
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    for name in ["random_games_per_second", "exact_slides_per_second", "packed_slides_per_second"] {
        assert!(shown[name].as_f64() > Some(0.0), "{shown}");
    }
    let other: Value =
        serde_json::from_str(&Place::new().ok("bench --seconds 0.02 --json", "")).expect("JSON");
    assert_eq!(shown["signature"], other["signature"]);
}

/// Whether a process has a handler for Ctrl-C by now: without one the signal would only kill it.
#[cfg(target_os = "linux")]
fn listens(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("Linux names it");
    u64::from_str_radix(caught.trim(), 16).expect("a mask") & 0b10 != 0
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_is_no_measurement() {
    let place = Place::new();
    let bench = place.start("bench --seconds 600");
    while !listens(bench.id()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    support::interrupt(&bench);
    let ran = support::ended(bench);
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
    assert_eq!(ran.err, "lab2048: interrupted before all figures were measured\n");
}
