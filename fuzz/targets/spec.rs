//! Player specs: each has one canonical text, and everything else is refused with one line.
#![no_main]

use lab2048::board::{Direction, Size};
use lab2048::game::{Probability, Rules};
use lab2048::ntuple::{Patterns, Stages};
use lab2048::players::{Registry, Spec};
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Spec::split(text) {
        Ok(spec) => assert_eq!(Spec::split(&spec.to_string()), Ok(spec)),
        Err(error) => assert_one_line(error),
    }
    let registry = Registry::built_in();
    match registry.parse(text) {
        Ok(spec) => assert_eq!(registry.parse(&spec.to_string()), Ok(spec)),
        Err(error) => assert_one_line(error),
    }
    // The other small languages of the command line.
    drop(text.parse::<Size>().map_err(assert_one_line));
    drop(text.parse::<Direction>().map_err(assert_one_line));
    drop(text.parse::<Probability>().map_err(assert_one_line));
    drop(text.parse::<Stages>().map_err(assert_one_line));
    drop(Rules::named(text).map_err(assert_one_line));
    drop(Patterns::parse(Size::FOUR, text).map_err(assert_one_line));
    if let Ok(rules) = serde_json::from_str::<Rules>(text) {
        let again = serde_json::to_string(&rules).expect("rules can be written");
        assert_eq!(serde_json::from_str::<Rules>(&again).expect("written rules can be read"), rules);
    }
});
