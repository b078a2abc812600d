//! Evolutions in checkpoints: a valid one can run a generation, everything else is refused with one
//! line.
#![no_main]

use std::sync::atomic::AtomicBool;

use lab2048::evolve::Evolution;
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut evolution: Evolution = match serde_json::from_slice(bytes) {
        Ok(evolution) => evolution,
        // These are messages of the JSON library, which the command prints on one line.
        Err(_) => return,
    };
    if let Err(error) = evolution.check() {
        return assert_one_line(error);
    }
    let settings = evolution.settings();
    // Large ones would only take longer.
    let small = settings.population <= 30
        && settings.games.max(settings.proof) <= 3
        && settings.tuning <= 3
        && settings.bounds.size <= 300
        && evolution.reports().len() < 100;
    if small {
        let before = evolution.reports().len();
        evolution.step(1, &AtomicBool::new(false));
        assert_eq!(evolution.reports().len(), before + 1);
        assert_eq!(evolution.check(), Ok(()), "the next generation is valid");
    }
});
