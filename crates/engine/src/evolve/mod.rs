//! Evolution: values that no gradient leads to, found by trying.

mod tune;

pub use tune::{Judge, Judged, Knob, KnobError, Settings as TuneSettings, TuneError, Tuning, tune};
