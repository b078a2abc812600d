//! Tuning of named weights by CMA-ES (Hansen, The CMA Evolution Strategy: A Tutorial, arXiv
//! 1604.00772).
//!
//! Each generation draws candidates around the current mean. A caller-supplied [`Objective`] judges
//! them, for instance by the score of a player that uses them. The better half moves the mean and
//! shapes the next generation.
//!
//! The list of judgements is the whole state: the same settings and judgements lead to the same
//! candidates. An interrupted run resumes from its judgements.

use std::cell::RefCell;

use cmaes::{CMAESOptions, DVector, Mode, TerminationReason};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A number that can be tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knob {
    /// Its name.
    pub name: String,
    /// Where the tuning starts.
    pub start: f64,
    /// The smallest value allowed.
    pub least: f64,
    /// The largest value allowed.
    pub most: f64,
}

/// A range wider than this multiple of the start value tells nothing about the scale.
const WIDE: f64 = 20.0;

/// A knob that cannot be tuned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} cannot start at {start}: it must lie from {least} to {most}")]
pub struct KnobError {
    name: String,
    start: String,
    least: String,
    most: String,
}

impl Knob {
    /// A knob whose start lies in its range.
    pub fn new(name: impl Into<String>, start: f64, least: f64, most: f64) -> Result<Knob, KnobError> {
        let name = name.into();
        if start.is_finite() && (least..=most).contains(&start) {
            return Ok(Knob { name, start, least, most });
        }
        Err(KnobError { name, start: start.to_string(), least: least.to_string(), most: most.to_string() })
    }

    /// The value at `steps` steps from the start.
    ///
    /// - If the range is much wider than the start value, the scale is unknown. A step then
    ///   multiplies by e. If the value may be negative or starts at 0, a step adds the magnitude of
    ///   the start (1 if the start is 0), but at most a quarter of the range.
    /// - Otherwise a step is a quarter of the range.
    fn value(&self, steps: f64) -> f64 {
        let value =
            if self.is_scale() { self.start * steps.exp() } else { self.start + steps * self.linear_step() };
        value.clamp(self.least, self.most)
    }

    fn linear_step(&self) -> f64 {
        let range = self.most - self.least;
        let size = if self.start == 0.0 { 1.0 } else { self.start.abs() };
        if range > WIDE * self.start.abs() { size.min(range / 4.0) } else { range / 4.0 }
    }

    fn is_scale(&self) -> bool {
        self.least >= 0.0 && self.start > 0.0 && self.most > WIDE * self.start
    }
}

/// The settings of a run. The same settings and judgements give the same run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneSettings {
    /// The numbers to tune.
    pub knobs: Vec<Knob>,
    /// The standard deviation of the first generation, in steps. A step multiplies by e if a knob
    /// has a wide range above 0; otherwise it adds.
    pub spread: f64,
    /// The number of candidates per generation, at least 4.
    pub population: usize,
    /// The seed of the candidates.
    pub seed: u64,
}

/// A candidate and its fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The number of its generation, from 0.
    pub generation: u64,
    /// Its values, in the order of the knobs.
    pub values: Vec<f64>,
    /// Larger is better.
    pub fitness: f64,
}

/// The state after a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// How many generations are finished.
    pub generations: u64,
    /// The centre of the search. This is the result: it depends less on luck than the best
    /// candidate.
    pub mean: Vec<f64>,
    /// The standard deviation of the candidates, in steps.
    pub spread: f64,
    /// The mean fitness of the last generation.
    pub fitness: f64,
    /// The best candidate of the last generation.
    pub best: Option<Judged>,
}

/// Why a run cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TuneError {
    /// The settings are invalid.
    #[error("{0}")]
    Settings(String),
    /// The judgements to resume from belong to another run.
    #[error("judgement {0} does not belong to this run; it was made with other settings or another version")]
    OtherTuning(usize),
    /// The fitness of a candidate is infinite or NaN.
    #[error("the fitness of a candidate is {0}, which is not a finite number")]
    NoNumber(String),
    /// The objective returned `None`.
    #[error("interrupted")]
    Interrupted,
    /// The covariance matrix is no longer positive definite.
    #[error("the search has degenerated; start again with another spread or seed")]
    Degenerate,
}

/// The function to maximise. It is also notified of progress.
pub trait Objective {
    /// The fitness of a candidate, or `None` to stop. Only candidates of the same generation are
    /// compared, so judge them under the same conditions.
    fn judge(&mut self, generation: u64, values: &[f64]) -> Option<f64>;

    /// Called for each new judgement, so that it can be stored.
    fn judged(&mut self, judged: &Judged) {
        let _ = judged;
    }

    /// Called after each generation, including those replayed from known judgements.
    fn finished(&mut self, tuning: &Tuning) {
        let _ = tuning;
    }
}

/// Runs until `generations` are finished. `known` are earlier judgements in their order, including
/// those of an unfinished generation; the run resumes from them.
pub fn tune(
    settings: &TuneSettings,
    known: &[Judged],
    generations: u64,
    judge: &mut impl Objective,
) -> Result<Tuning, TuneError> {
    settings.check()?;
    let candidates =
        RefCell::new(Candidates { settings, known, judge, generation: 0, judged: Vec::new(), error: None });
    let mut optimiser = CMAESOptions::new(vec![0.0; settings.knobs.len()], settings.spread)
        .mode(Mode::Maximize)
        .population_size(settings.population)
        .seed(settings.seed)
        .build(|steps: &DVector<f64>| candidates.borrow_mut().fitness(steps.as_slice()))
        .map_err(|error| TuneError::Settings(format!("{error:?}")))?;
    let mut tuning = Tuning {
        generations: 0,
        mean: settings.knobs.iter().map(|knob| knob.start).collect(),
        spread: settings.spread,
        fitness: 0.0,
        best: None,
    };
    while tuning.generations < generations {
        let end = optimiser.next();
        let mut candidates = candidates.borrow_mut();
        if let Some(error) = candidates.error.take() {
            return Err(error);
        }
        // The optimiser's other termination reasons are guesses that nothing more can be gained.
        // Judgements are noisy, so the caller decides when to stop.
        if end.is_some_and(|end| end.reasons.contains(&TerminationReason::PosDefCov)) {
            return Err(TuneError::Degenerate);
        }
        let judged = std::mem::take(&mut candidates.judged);
        candidates.generation += 1;
        tuning = Tuning {
            generations: candidates.generation,
            mean: settings.values(optimiser.mean().as_slice()),
            spread: optimiser.sigma(),
            fitness: judged.iter().map(|judged| judged.fitness).sum::<f64>() / judged.len() as f64,
            best: judged.into_iter().max_by(|a, b| a.fitness.total_cmp(&b.fitness)),
        };
        candidates.judge.finished(&tuning);
    }
    Ok(tuning)
}

impl TuneSettings {
    fn check(&self) -> Result<(), TuneError> {
        let wrong = |text: &str| Err(TuneError::Settings(text.to_owned()));
        if self.knobs.is_empty() {
            return wrong("there is nothing to tune");
        }
        if self.population < 4 {
            return wrong("a generation needs at least 4 candidates");
        }
        if !(self.spread.is_finite() && self.spread > 0.0) {
            return wrong("the spread must be a number above 0");
        }
        Ok(())
    }

    /// The values of the knobs at a point of the optimiser's space.
    fn values(&self, steps: &[f64]) -> Vec<f64> {
        self.knobs.iter().zip(steps).map(|(knob, &steps)| knob.value(steps)).collect()
    }
}

/// The adapter between the optimiser and the objective. Known candidates are not judged again.
struct Candidates<'a, J> {
    settings: &'a TuneSettings,
    known: &'a [Judged],
    judge: &'a mut J,
    generation: u64,
    /// The judgements of this generation so far.
    judged: Vec<Judged>,
    error: Option<TuneError>,
}

impl<J: Objective> Candidates<'_, J> {
    /// The fitness for the optimiser; NaN if the run cannot continue.
    fn fitness(&mut self, steps: &[f64]) -> f64 {
        match self.judge(self.settings.values(steps)) {
            Ok(judged) => {
                let fitness = judged.fitness;
                self.judged.push(judged);
                fitness
            }
            Err(error) => {
                self.error.get_or_insert(error);
                f64::NAN
            }
        }
    }

    fn judge(&mut self, values: Vec<f64>) -> Result<Judged, TuneError> {
        let number = self.generation as usize * self.settings.population + self.judged.len();
        if let Some(known) = self.known.get(number) {
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
            let same = known.generation == self.generation
                && known.values.len() == values.len()
                && known.values.iter().zip(&values).all(close);
            return if same { Ok(known.clone()) } else { Err(TuneError::OtherTuning(number + 1)) };
        }
        let fitness = self.judge.judge(self.generation, &values).ok_or(TuneError::Interrupted)?;
        if !fitness.is_finite() {
            return Err(TuneError::NoNumber(fitness.to_string()));
        }
        let judged = Judged { generation: self.generation, values, fitness };
        self.judge.judged(&judged);
        Ok(judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows the best values, and gives up after `patience` calls.
    struct Hill {
        peak: Vec<f64>,
        patience: usize,
        asked: usize,
        notes: Vec<Judged>,
    }

    impl Hill {
        fn new(peak: &[f64], patience: usize) -> Hill {
            Hill { peak: peak.to_vec(), patience, asked: 0, notes: Vec::new() }
        }
    }

    impl Objective for Hill {
        fn judge(&mut self, _: u64, values: &[f64]) -> Option<f64> {
            self.asked += 1;
            let far: f64 =
                values.iter().zip(&self.peak).map(|(value, peak)| (value / peak).ln().powi(2)).sum();
            (self.asked <= self.patience).then_some(-far)
        }

        fn judged(&mut self, judged: &Judged) {
            self.notes.push(judged.clone());
        }
    }

    fn settings() -> TuneSettings {
        let knobs = vec![
            Knob::new("scale", 10.0, 0.0, 1e6).unwrap(),
            Knob::new("power", 2.0, 0.5, 6.0).unwrap(),
            Knob::new("weight", 50.0, 0.0, 1e6).unwrap(),
        ];
        TuneSettings { knobs, spread: 0.5, population: 8, seed: 5 }
    }

    #[test]
    fn the_mean_comes_near_the_best_values() {
        let peak = [300.0, 3.5, 8.0];
        let tuning = tune(&settings(), &[], 80, &mut Hill::new(&peak, usize::MAX)).unwrap();
        for (mean, peak) in tuning.mean.iter().zip(peak) {
            assert!((mean / peak - 1.0).abs() < 0.02, "{mean} is not near {peak}");
        }
        assert_eq!(tuning.generations, 80);
    }

    #[test]
    fn a_tuning_broken_off_goes_on_as_if_nothing_had_happened() {
        let peak = [300.0, 3.5, 8.0];
        let whole = tune(&settings(), &[], 12, &mut Hill::new(&peak, usize::MAX)).unwrap();
        // Stop in the middle of the sixth generation.
        let mut broken = Hill::new(&peak, 43);
        assert_eq!(tune(&settings(), &[], 12, &mut broken), Err(TuneError::Interrupted));
        assert_eq!(broken.notes.len(), 43);
        let mut rest = Hill::new(&peak, usize::MAX);
        assert_eq!(tune(&settings(), &broken.notes, 12, &mut rest).unwrap(), whole);
        assert_eq!(rest.asked, 12 * 8 - 43, "known candidates are not judged again");
    }

    #[test]
    fn judgements_of_another_tuning_are_refused() {
        let mut first = Hill::new(&[300.0, 3.5, 8.0], usize::MAX);
        tune(&settings(), &[], 1, &mut first).unwrap();
        let other = TuneSettings { seed: 6, ..settings() };
        let error = tune(&other, &first.notes, 2, &mut Hill::new(&[1.0; 3], usize::MAX)).unwrap_err();
        assert_eq!(error, TuneError::OtherTuning(1));
    }

    #[test]
    fn a_fitness_that_is_no_number_ends_the_tuning() {
        struct Broken;
        impl Objective for Broken {
            fn judge(&mut self, _: u64, _: &[f64]) -> Option<f64> {
                Some(f64::INFINITY)
            }
        }
        assert_eq!(tune(&settings(), &[], 2, &mut Broken), Err(TuneError::NoNumber("inf".to_owned())));
    }

    #[test]
    fn settings_without_sense_are_refused() {
        let judge = || Hill::new(&[1.0], usize::MAX);
        for settings in [
            TuneSettings { knobs: vec![], ..settings() },
            TuneSettings { population: 3, ..settings() },
            TuneSettings { spread: 0.0, ..settings() },
        ] {
            assert!(matches!(tune(&settings, &[], 1, &mut judge()), Err(TuneError::Settings(_))));
        }
        assert!(Knob::new("x", 5.0, 0.0, 1.0).is_err());
        assert!(Knob::new("x", f64::NAN, 0.0, 1.0).is_err());
    }

    #[test]
    fn values_stay_in_their_range() {
        let scale = Knob::new("scale", 10.0, 0.0, 1000.0).unwrap();
        assert_eq!(
            [-1.0, 0.0, 1.0, 50.0].map(|steps| scale.value(steps)),
            [10.0 / 1f64.exp(), 10.0, 10.0 * 1f64.exp(), 1000.0]
        );
        let power = Knob::new("power", 3.0, 2.0, 6.0).unwrap();
        assert_eq!([-9.0, 0.0, 1.0, 9.0].map(|steps| power.value(steps)), [2.0, 3.0, 4.0, 6.0]);
    }

    #[test]
    fn a_wide_range_around_zero_says_nothing_about_the_step() {
        for (start, least, values) in [
            (10.0, -1e6, [-10.0, 10.0, 15.0]),
            (-4.0, -1e6, [-12.0, -4.0, -2.0]),
            (0.0, 0.0, [0.0, 0.0, 0.5]),
        ] {
            let knob = Knob::new("weight", start, least, 1e6).unwrap();
            assert_eq!([-2.0, 0.0, 0.5].map(|steps| knob.value(steps)), values);
        }
        let narrow = Knob::new("share", 0.0, 0.0, 1.0).unwrap();
        assert_eq!([0.0, 1.0].map(|steps| narrow.value(steps)), [0.0, 0.25]);
    }
}
