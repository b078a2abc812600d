//! The best champion of several runs: its file and the curve of its run.

use lab2048::evolve::{Champion, Evolution, EvolutionSettings, Report};
use serde::{Deserialize, Serialize};

use super::picture;
use super::trial::Trial;
use crate::show::count;

/// The result of a finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finished {
    pub(super) seed: u64,
    pub(super) champion: Champion,
    pub(super) reports: Vec<Report>,
    /// The champion's result in fresh games.
    pub(super) trial: Trial,
    /// The champion's scores in those games, ordered by seed.
    pub(super) scores: Vec<u64>,
}

impl Finished {
    /// Checks that a result from a checkpoint fits the run with these settings.
    pub(super) fn check(
        &self,
        settings: &EvolutionSettings,
        generations: u64,
        trial: u64,
    ) -> Result<(), String> {
        let (bred, played) = (self.reports.len() as u64, self.trial.games);
        if bred != generations {
            return Err(format!("its finished runs have {}", count(bred, "generation")));
        }
        if played != trial {
            return Err(format!("its champions have played {}", count(played, "fresh game")));
        }
        let sum = self.scores.iter().map(|&score| score as f64).sum::<f64>();
        let whole = self.seed == settings.seed
            && self.scores.len() as u64 == played
            && (sum / played as f64 - self.trial.score).abs() <= 1e-6 * self.trial.score.abs().max(1.0)
            && self.reports.iter().zip(0..).all(|(report, number)| report.generation == number)
            && self.champion.generation < generations
            && settings.could_breed(&self.champion.program);
        if whole { Ok(()) } else { Err(format!("its result for seed {} is damaged", self.seed)) }
    }

    /// The files about this run.
    pub(super) fn files(&self, settings: &EvolutionSettings) -> Files {
        let title = format!("run with seed {}: champion {:.0} in fresh games", self.seed, self.trial.score);
        let about = format!("{} on average", self.trial.words());
        Files {
            seed: self.seed,
            program: program_file(settings, self.seed, &self.champion, &about),
            curve: picture::draw(&title, &self.reports),
        }
    }
}

/// The run with the best champion, by the fitness during the evolution. Its fresh games do not
/// count, so that they stay an unbiased measurement.
pub(super) fn best_of(runs: &[Finished]) -> Option<&Finished> {
    runs.iter().max_by(|a, b| a.champion.marks.fitness.total_cmp(&b.champion.marks.fitness))
}

/// What was interrupted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage<'a> {
    /// The evolution, with the run that was not finished.
    Evolution(Option<&'a Evolution>),
    /// The comparison with the baseline players. All runs are finished.
    Comparison,
}

/// The texts of the files about the best run.
pub(super) struct Files {
    pub(super) seed: u64,
    /// The program, with comments.
    pub(super) program: String,
    /// The curve as SVG.
    pub(super) curve: String,
}

impl Files {
    /// The best champion so far and the curve of its run, if there is a champion.
    pub(super) fn after_interruption(
        settings: &EvolutionSettings,
        finished: &[Finished],
        stage: Stage<'_>,
    ) -> Option<Files> {
        let best = best_of(finished);
        let running = match stage {
            Stage::Evolution(current) => current.and_then(|current| Some((current, current.champion()?))),
            Stage::Comparison => None,
        };
        let is_better = |champion: &Champion| {
            best.is_none_or(|best| champion.marks.fitness > best.champion.marks.fitness)
        };
        if let Some((evolution, champion)) = running.filter(|(_, champion)| is_better(champion)) {
            let (seed, score) = (evolution.settings().seed, champion.marks.score);
            let about = format!(
                "{score:.1} points on average in the games that made it champion; the run was interrupted"
            );
            let generations = count(evolution.reports().len(), "generation");
            let title = format!("run with seed {seed}: interrupted after {generations}");
            let curve = picture::draw(&title, evolution.reports());
            return Some(Files { seed, program: program_file(settings, seed, champion, &about), curve });
        }
        let best = best?;
        let about = match stage {
            Stage::Evolution(_) => format!("{} on average; later runs were interrupted", best.trial.words()),
            Stage::Comparison => return Some(best.files(settings)),
        };
        let program = program_file(settings, best.seed, &best.champion, &about);
        Some(Files { program, ..best.files(settings) })
    }
}

/// The first bytes of a champion's file.
pub(super) const CHAMPION: &str = "; evolved by lab2048";

/// The file of a champion: comments about its origin and results, then the program.
fn program_file(settings: &EvolutionSettings, seed: u64, champion: &Champion, about: &str) -> String {
    format!(
        "{CHAMPION} {}: genome {}, population {}, seed {seed}, generation {}\n; {about}\n{}",
        env!("CARGO_PKG_VERSION"),
        settings.genome.name(),
        settings.population,
        champion.generation,
        champion.program
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn settings() -> EvolutionSettings {
        EvolutionSettings { population: 12, tournament: 3, seed: 7, ..EvolutionSettings::document() }
    }

    /// A run after its first generation.
    fn running() -> Evolution {
        let mut evolution = Evolution::new(settings()).unwrap();
        evolution.step(1, &AtomicBool::new(false)).unwrap();
        evolution
    }

    /// A finished run whose champion is better than that of the running one by this fitness.
    fn finished(seed: u64, better_by: f64) -> Finished {
        let evolution = running();
        let mut champion = evolution.champion().unwrap().clone();
        champion.marks.fitness += better_by;
        let trial = Trial { games: 1, score: 1234.0, error: 0.0, largest: 64.0, sum: 128.0 };
        Finished { seed, champion, reports: evolution.reports().to_vec(), trial, scores: vec![1234] }
    }

    /// The seed, the second line of the program's file and the title of the curve.
    #[track_caller]
    fn assert_says(runs: &[Finished], stage: Stage<'_>, seed: u64, about: &str, title: &str) {
        let files = Files::after_interruption(&settings(), runs, stage).expect("there is a champion");
        assert_eq!(files.seed, seed);
        assert!(
            files.program.contains(&format!(", seed {seed}, generation 0\n; {about}\n")),
            "{}",
            files.program
        );
        assert!(files.curve.contains(&format!(">{title}<")), "{}", files.curve);
    }

    const FRESH: &str = "1234.0 points, largest tile 64.0 in 1 fresh game on average";

    #[test]
    fn the_interrupted_run_has_the_best_champion() {
        let current = running();
        let score = current.champion().unwrap().marks.score;
        let about = format!(
            "{score:.1} points on average in the games that made it champion; the run was interrupted"
        );
        let title = "run with seed 7: interrupted after 1 generation";
        for runs in [vec![], vec![finished(5, -1.0)]] {
            assert_says(&runs, Stage::Evolution(Some(&current)), 7, &about, title);
        }
    }

    #[test]
    fn a_finished_run_has_the_best_champion() {
        let (current, runs) = (running(), [finished(5, 1.0), finished(6, 2.0)]);
        let unborn = Evolution::new(settings()).unwrap();
        let about = format!("{FRESH}; later runs were interrupted");
        let title = "run with seed 6: champion 1234 in fresh games";
        for current in [Some(&current), Some(&unborn), None] {
            assert_says(&runs, Stage::Evolution(current), 6, &about, title);
        }
    }

    /// Nothing is missing in the files then.
    #[test]
    fn only_the_comparison_was_interrupted() {
        let runs = [finished(5, -1.0)];
        assert_says(&runs, Stage::Comparison, 5, FRESH, "run with seed 5: champion 1234 in fresh games");
    }

    #[test]
    fn without_a_generation_there_are_no_files() {
        let unborn = Evolution::new(settings()).unwrap();
        for current in [Some(&unborn), None] {
            assert!(Files::after_interruption(&settings(), &[], Stage::Evolution(current)).is_none());
        }
    }
}
