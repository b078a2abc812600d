//! The generational loop. The result does not depend on the number of threads.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::games::play_games;
use super::operators::{Garden, move_constants};
use super::program::Program;
use super::settings::{EvolutionSettings, Fitness, SettingsError};
use crate::game::{GameResult, Stream};
use crate::parallel;

/// Mean results of a program's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// The selection measure, before the size penalty.
    pub fitness: f64,
    /// The score.
    pub score: f64,
    /// The largest tile.
    pub largest: f64,
}

impl Marks {
    /// The means over some games.
    pub fn of(games: &[GameResult], fitness: Fitness) -> Marks {
        let mean =
            |of: &dyn Fn(&GameResult) -> f64| games.iter().map(of).sum::<f64>() / games.len().max(1) as f64;
        Marks {
            fitness: mean(&|game| fitness.of(game)),
            score: mean(&|game| game.score as f64),
            largest: mean(&|game| game.largest as f64),
        }
    }
}

/// Judges programs.
pub(super) trait Examiner: Sync {
    /// The marks of a program in the games of these seeds.
    fn examine(&self, program: &Program, seeds: &mut dyn Iterator<Item = u64>) -> Marks;
}

/// Judges programs by the games they play.
#[derive(Clone, Copy, Debug)]
struct Games(Fitness);

impl Examiner for Games {
    fn examine(&self, program: &Program, seeds: &mut dyn Iterator<Item = u64>) -> Marks {
        Marks::of(&play_games(program, seeds), self.0)
    }
}

/// A program and its marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Individual {
    /// The program.
    pub program: Program,
    /// The marks in the games of its generation.
    pub marks: Marks,
}

/// The summary of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Its number, from 0. Generation 0 was grown at random.
    pub generation: u64,
    /// The marks of the program with the best fitness.
    pub best: Marks,
    /// The best score of any program.
    pub best_score: f64,
    /// The best largest tile of any program.
    pub best_largest: f64,
    /// The mean score.
    pub mean_score: f64,
    /// The mean largest tile.
    pub mean_largest: f64,
    /// The share of distinct programs.
    pub diversity: f64,
    /// The mean number of nodes.
    pub size: f64,
    /// The mean score of the champion in the games that made it champion.
    pub champion_score: f64,
}

/// The best program so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Champion {
    /// The program.
    pub program: Program,
    /// The generation in which it was found.
    pub generation: u64,
    /// The marks that made it champion: those of the further games, or those of its generation if
    /// there are no further games.
    pub marks: Marks,
}

/// The state of an evolution between two generations. Its JSON form is the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    settings: EvolutionSettings,
    /// The last judged generation; empty before the first.
    judged: Vec<Individual>,
    champion: Option<Champion>,
    reports: Vec<Report>,
}

/// The purposes of random streams: "games" and "proof" in ASCII.
const GAMES: u64 = 0x0067_616d_6573;
const PROOF: u64 = 0x0070_726f_6f66;

/// The maximum number of extra mutations of a duplicate child.
const MOST_MUTATIONS: usize = 5;

impl Evolution {
    /// An evolution before its first generation.
    pub fn new(settings: EvolutionSettings) -> Result<Evolution, SettingsError> {
        settings.check()?;
        Ok(Evolution { settings, judged: Vec::new(), champion: None, reports: Vec::new() })
    }

    /// Its settings.
    pub fn settings(&self) -> &EvolutionSettings {
        &self.settings
    }

    /// The programs of the last generation.
    pub fn population(&self) -> &[Individual] {
        &self.judged
    }

    /// The best program so far.
    pub fn champion(&self) -> Option<&Champion> {
        self.champion.as_ref()
    }

    /// The summaries of all generations.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Checks the consistency of an evolution that was read from a file.
    pub fn check(&self) -> Result<(), SettingsError> {
        let garden = self.settings.garden()?;
        let right = |program: &Program| garden.holds(program);
        let whole = self.reports.is_empty() || self.judged.len() == self.settings.population;
        let numbered = self.reports.iter().zip(0..).all(|(report, number)| report.generation == number);
        let fits = self.judged.iter().all(|individual| right(&individual.program))
            && self.champion.iter().all(|champion| right(&champion.program))
            && self.champion.is_some() != self.reports.is_empty();
        if whole && numbered && fits {
            return Ok(());
        }
        Err(SettingsError::Range("the programs do not match the settings".to_owned()))
    }

    /// Breeds the next generation and judges its programs by their games. Returns `None` if
    /// `cancel` was set before it was finished; the evolution is then unchanged.
    pub fn step(&mut self, threads: usize, cancel: &AtomicBool) -> Option<&Report> {
        self.step_by(&Games(self.settings.fitness), threads, cancel)
    }

    /// Like [`Evolution::step`], with another judge.
    fn step_by(&mut self, judge: &impl Examiner, threads: usize, cancel: &AtomicBool) -> Option<&Report> {
        let garden = self.settings.garden().expect("the settings were checked");
        let generation = self.reports.len() as u64;
        let programs = self.bred(&garden, generation, cancel)?;
        let jobs: Vec<(Program, u64)> = programs.into_iter().zip(0..).collect();
        let mut judged = self.examined(judge, jobs, generation, threads, cancel)?;
        self.tune_best(judge, &mut judged, generation, threads, cancel)?;
        let best = self.best_of(&judged);
        let candidate = &judged[best];
        let proof = match self.settings.proof {
            0 => candidate.marks,
            games => {
                let stream = Stream::with_purpose(self.settings.seed, PROOF);
                let seeds = (0..games).map(|game| stream.draw(game));
                self.proven(judge, &candidate.program, seeds.collect(), threads, cancel)?
            }
        };
        if self.champion.as_ref().is_none_or(|champion| proof.fitness >= champion.marks.fitness) {
            self.champion = Some(Champion { program: candidate.program.clone(), generation, marks: proof });
        }
        let report = self.report(generation, &judged, best);
        self.judged = judged;
        self.reports.push(report);
        self.reports.last()
    }

    /// The programs of the next generation; `None` if `cancel` was set.
    fn bred(&self, garden: &Garden, generation: u64, cancel: &AtomicBool) -> Option<Vec<Program>> {
        let EvolutionSettings { population, elite, .. } = self.settings;
        let go_on = || (!cancel.load(Ordering::Relaxed)).then_some(());
        if self.judged.is_empty() {
            let grow = |number| {
                go_on()?;
                Some(garden.grow(&mut Dice::new(self.settings.seed, generation, number)))
            };
            return (0..population as u64).map(grow).collect();
        }
        let mut order: Vec<usize> = (0..self.judged.len()).collect();
        order.sort_by(|&a, &b| self.worth(&self.judged[b]).total_cmp(&self.worth(&self.judged[a])));
        let mut children: Vec<Program> =
            order.iter().take(elite).map(|&place| self.judged[place].program.clone()).collect();
        // Two parents make two children. Under `vega` one parent is selected by score and the other
        // by largest tile, so the two groups mix.
        let mut couple = 0;
        let mut seen: HashSet<String> = children.iter().map(Program::to_string).collect();
        while children.len() < population {
            go_on()?;
            let dice = &mut Dice::new(self.settings.seed, generation, couple);
            let mother = &self.judged[self.selected(false, dice)].program;
            let father = &self.judged[self.selected(true, dice)].program;
            let pair = if dice.chance(self.settings.crossover) {
                garden.cross(mother, father, dice)
            } else {
                (mother.clone(), father.clone())
            };
            for mut child in [pair.0, pair.1] {
                if children.len() == population {
                    break;
                }
                if dice.chance(self.settings.mutation) {
                    child = garden.mutate(&child, self.settings.mutate, dice);
                }
                let mut mutations = if self.settings.distinct { MOST_MUTATIONS } else { 0 };
                while !seen.insert(child.to_string()) && mutations > 0 {
                    child = garden.mutate(&child, self.settings.mutate, dice);
                    mutations -= 1;
                }
                children.push(child);
            }
            couple += 1;
        }
        Some(children)
    }

    /// The index of the winner of a tournament by fitness. The second parent under `vega` is
    /// selected by largest tile.
    fn selected(&self, second: bool, dice: &mut Dice) -> usize {
        let by_tile = second && self.settings.fitness == Fitness::Vega;
        let worth = |place: usize| {
            let individual = &self.judged[place];
            if by_tile { self.priced(individual, individual.marks.largest) } else { self.worth(individual) }
        };
        let mut best = dice.below(self.judged.len());
        for _ in 1..self.settings.tournament {
            let other = dice.below(self.judged.len());
            if worth(other) > worth(best) {
                best = other;
            }
        }
        best
    }

    /// The fitness with the size penalty.
    fn worth(&self, individual: &Individual) -> f64 {
        self.priced(individual, individual.marks.fitness)
    }

    /// A measure with the size penalty. Division keeps the order of programs of equal size.
    fn priced(&self, individual: &Individual, measure: f64) -> f64 {
        measure / (1.0 + self.settings.parsimony * individual.program.size() as f64)
    }

    fn best_of(&self, judged: &[Individual]) -> usize {
        let mut best = 0;
        for (place, individual) in judged.iter().enumerate() {
            if self.worth(individual) > self.worth(&judged[best]) {
                best = place;
            }
        }
        best
    }

    /// The seeds of the games of a program in a generation.
    fn seeds(&self, generation: u64, number: u64) -> impl Iterator<Item = u64> + use<> {
        let EvolutionSettings { seed, games, common, .. } = self.settings;
        let of_generation = Stream::with_purpose(seed, GAMES).draw(generation);
        let stream = Stream::with_purpose(of_generation, if common { 0 } else { number });
        (0..games).map(move |game| stream.draw(game))
    }

    /// Judges programs on several threads. The number of each program determines its seeds.
    fn examined(
        &self,
        judge: &impl Examiner,
        jobs: Vec<(Program, u64)>,
        generation: u64,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<Vec<Individual>> {
        let marks = parallel::map(jobs.len(), threads, cancel, |place| {
            let (program, number) = &jobs[place];
            judge.examine(program, &mut self.seeds(generation, *number))
        })?;
        let individual = |((program, _), marks): ((Program, u64), Marks)| Individual { program, marks };
        Some(jobs.into_iter().zip(marks).map(individual).collect())
    }

    /// Tries variants of the best program with changed constants in the same games. A better
    /// variant replaces it.
    fn tune_best(
        &self,
        judge: &impl Examiner,
        judged: &mut [Individual],
        generation: u64,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<()> {
        let best = self.best_of(judged);
        if !judged[best].program.has_constants() {
            return Some(());
        }
        let variants = (0..self.settings.tuning as u64).map(|number| {
            // These numbers are larger than the number of any couple.
            let dice = &mut Dice::new(self.settings.seed, generation, (1 << 40) + number);
            // Large and small steps, of one constant or of all.
            let spread = [0.1, 0.3, 0.8][dice.below(3)];
            let all = dice.chance(0.5);
            (move_constants(&judged[best].program, spread, all, dice), best as u64)
        });
        let tried = self.examined(judge, variants.collect(), generation, threads, cancel)?;
        if !tried.is_empty() {
            let better = self.best_of(&tried);
            if self.worth(&tried[better]) > self.worth(&judged[best]) {
                judged[best] = tried[better].clone();
            }
        }
        Some(())
    }

    /// The marks of one program over many seeds, judged on several threads. The result does not
    /// depend on the number of threads.
    fn proven(
        &self,
        judge: &impl Examiner,
        program: &Program,
        seeds: Vec<u64>,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<Marks> {
        // The pieces do not depend on the threads, so that sums are rounded alike.
        let pieces: Vec<&[u64]> = seeds.chunks(25).collect();
        let marks = parallel::map(pieces.len(), threads, cancel, |piece| {
            judge.examine(program, &mut pieces[piece].iter().copied())
        })?;
        let mean = |of: fn(&Marks) -> f64| {
            let sums = pieces.iter().zip(&marks).map(|(piece, marks)| piece.len() as f64 * of(marks));
            sums.sum::<f64>() / seeds.len() as f64
        };
        Some(Marks {
            fitness: mean(|marks| marks.fitness),
            score: mean(|marks| marks.score),
            largest: mean(|marks| marks.largest),
        })
    }

    fn report(&self, generation: u64, judged: &[Individual], best: usize) -> Report {
        let count = judged.len() as f64;
        let mean = |of: &dyn Fn(&Individual) -> f64| judged.iter().map(of).sum::<f64>() / count;
        let most = |of: &dyn Fn(&Individual) -> f64| judged.iter().map(of).fold(0.0, f64::max);
        let different: HashSet<String> = judged.iter().map(|one| one.program.to_string()).collect();
        Report {
            generation,
            best: judged[best].marks,
            best_score: most(&|one| one.marks.score),
            best_largest: most(&|one| one.marks.largest),
            mean_score: mean(&|one| one.marks.score),
            mean_largest: mean(&|one| one.marks.largest),
            diversity: different.len() as f64 / count,
            size: mean(&|one| one.program.size() as f64),
            champion_score: self.champion.as_ref().map_or(0.0, |champion| champion.marks.score),
        }
    }
}

#[cfg(test)]
mod tests;
