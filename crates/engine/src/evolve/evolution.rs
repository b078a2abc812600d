//! Breeding programs: generation after generation, the same on any number of threads.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::games::{Played, play_games};
use super::operators::{Garden, move_constants};
use super::program::Program;
use super::settings::{Fitness, Settings, SettingsError};
use crate::game::Stream;

/// What the games of a program came to, as means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// What it is selected by, before anything is taken off for its size.
    pub fitness: f64,
    /// The score.
    pub score: f64,
    /// The largest tile.
    pub largest: f64,
}

impl Marks {
    /// The means of some games.
    pub fn of(games: &[Played], fitness: Fitness) -> Marks {
        let mean =
            |of: &dyn Fn(&Played) -> f64| games.iter().map(of).sum::<f64>() / games.len().max(1) as f64;
        Marks {
            fitness: mean(&|game| fitness.of(game)),
            score: mean(&|game| game.score as f64),
            largest: mean(&|game| game.largest as f64),
        }
    }
}

/// The one who judges programs.
pub trait Examiner: Sync {
    /// What a program of a generation is worth.
    fn examine(&self, program: &Program, seeds: &mut dyn Iterator<Item = u64>) -> Marks;
}

/// Judges programs by the games they play.
#[derive(Clone, Copy, Debug)]
pub struct Games(pub Fitness);

impl Examiner for Games {
    fn examine(&self, program: &Program, seeds: &mut dyn Iterator<Item = u64>) -> Marks {
        Marks::of(&play_games(program, seeds), self.0)
    }
}

/// A program and what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Individual {
    /// The program.
    pub program: Program,
    /// Its marks in the games of its generation.
    pub marks: Marks,
}

/// What a generation came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Its number, from 0: the first one was grown.
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
    /// Which part of the programs differ from all before them.
    pub diversity: f64,
    /// The mean number of nodes.
    pub size: f64,
    /// The mean score of the champion in its further games.
    pub champion_score: f64,
}

/// The best program so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Champion {
    /// The program.
    pub program: Program,
    /// The generation that it comes from.
    pub generation: u64,
    /// What made it champion: its further games, or those of its generation where there are none.
    pub marks: Marks,
}

/// An evolution as it stands between two generations. Written as JSON it is a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    settings: Settings,
    /// The last generation that was judged; nothing before the first.
    judged: Vec<Individual>,
    champion: Option<Champion>,
    reports: Vec<Report>,
}

/// The purposes of seeds: "games" and "proof" in ASCII.
const GAMES: u64 = 0x0067_616d_6573;
const PROOF: u64 = 0x0070_726f_6f66;

/// How often a child that another one equals is mutated at most.
const MOST_MUTATIONS: usize = 5;

impl Evolution {
    /// An evolution that is about to begin.
    pub fn new(settings: Settings) -> Result<Evolution, SettingsError> {
        settings.check()?;
        Ok(Evolution { settings, judged: Vec::new(), champion: None, reports: Vec::new() })
    }

    /// What decides its course.
    pub fn settings(&self) -> &Settings {
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

    /// What every generation came to.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Whether what was read from a file holds together.
    pub fn check(&self) -> Result<(), SettingsError> {
        let garden = self.settings.garden()?;
        let right =
            |program: &Program| program.style() == garden.style && program.trees().len() == garden.trees;
        let whole = self.reports.is_empty() || self.judged.len() == self.settings.population;
        let numbered = self.reports.iter().zip(0..).all(|(report, number)| report.generation == number);
        let fits = self.judged.iter().all(|individual| right(&individual.program))
            && self.champion.iter().all(|champion| right(&champion.program))
            && self.champion.is_some() != self.reports.is_empty();
        if whole && numbered && fits {
            return Ok(());
        }
        Err(SettingsError::Range("the programs are not those of the settings".to_owned()))
    }

    /// Breeds and judges the next generation by the games of its programs. `None` if `cancel` was raised before the end of it;
    /// the evolution is then as it was.
    pub fn step(&mut self, threads: usize, cancel: &AtomicBool) -> Option<&Report> {
        self.step_by(&Games(self.settings.fitness), threads, cancel)
    }

    /// The same with another judge.
    pub fn step_by(&mut self, judge: &impl Examiner, threads: usize, cancel: &AtomicBool) -> Option<&Report> {
        let garden = self.settings.garden().expect("the settings were checked");
        let generation = self.reports.len() as u64;
        let programs = self.bred(&garden, generation);
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

    /// The programs of the next generation.
    fn bred(&self, garden: &Garden, generation: u64) -> Vec<Program> {
        let Settings { population, elite, .. } = self.settings;
        if self.judged.is_empty() {
            let grow = |number| garden.grow(&mut Dice::new(self.settings.seed, generation, number));
            return (0..population as u64).map(grow).collect();
        }
        let mut order: Vec<usize> = (0..self.judged.len()).collect();
        order.sort_by(|&a, &b| self.worth(&self.judged[b]).total_cmp(&self.worth(&self.judged[a])));
        let mut children: Vec<Program> =
            order.iter().take(elite).map(|&place| self.judged[place].program.clone()).collect();
        // Two children come from two parents. With two measures, half of the parents are the best by one and half by the
        // other; a parent of each kind makes a couple, so the merged halves meet.
        let mut couple = 0;
        let mut seen: HashSet<String> = children.iter().map(Program::to_string).collect();
        while children.len() < population {
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
                if self.settings.distinct {
                    for _ in 0..MOST_MUTATIONS {
                        if seen.insert(child.to_string()) {
                            break;
                        }
                        child = garden.mutate(&child, self.settings.mutate, dice);
                    }
                }
                children.push(child);
            }
            couple += 1;
        }
        children
    }

    /// The winner of a tournament: by fitness, or for the second parent of a couple under `vega` by largest tile.
    fn selected(&self, second: bool, dice: &mut Dice) -> usize {
        let by_tile = second && self.settings.fitness == Fitness::Vega;
        let worth = |place: usize| {
            let individual = &self.judged[place];
            if by_tile { individual.marks.largest } else { self.worth(individual) }
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

    /// Fitness less what the nodes cost.
    fn worth(&self, individual: &Individual) -> f64 {
        individual.marks.fitness * (1.0 - self.settings.parsimony * individual.program.size() as f64)
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
        let Settings { seed, games, common, .. } = self.settings;
        let of_generation = Stream::with_purpose(seed, GAMES).draw(generation);
        let stream = Stream::with_purpose(of_generation, if common { 0 } else { number });
        (0..games).map(move |game| stream.draw(game))
    }

    /// Judges programs, each with the number that decides its seeds, on several threads.
    fn examined(
        &self,
        judge: &impl Examiner,
        jobs: Vec<(Program, u64)>,
        generation: u64,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<Vec<Individual>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while !cancel.load(Ordering::Relaxed) {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some((program, number)) = jobs.get(place) else { break };
                done.push((place, judge.examine(program, &mut self.seeds(generation, *number))));
            }
            done
        };
        let mut marks = vec![None; jobs.len()];
        thread::scope(|scope| {
            let others = 1..threads.clamp(1, jobs.len().max(1));
            // With fewer threads than asked for, the same programs are judged, only later.
            let helpers: Vec<_> =
                others.filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let own = work();
            let theirs = helpers.into_iter().flat_map(|helper| match helper.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            for (place, mark) in own.into_iter().chain(theirs) {
                marks[place] = Some(mark);
            }
        });
        let individual = |((program, _), marks): ((Program, u64), Option<Marks>)| {
            Some(Individual { program, marks: marks? })
        };
        jobs.into_iter().zip(marks).map(individual).collect()
    }

    /// Tries variants of the best program with other constants in the games that it played; a better one takes its place.
    fn tune_best(
        &self,
        judge: &impl Examiner,
        judged: &mut [Individual],
        generation: u64,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<()> {
        let best = self.best_of(judged);
        let variants = (0..self.settings.tuning as u64).map(|number| {
            // Numbers beyond every couple's.
            let dice = &mut Dice::new(self.settings.seed, generation, (1 << 40) + number);
            // Wide and narrow steps, of one constant and of all.
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

    /// The marks of one program over many seeds, on several threads; the same on any number of them.
    fn proven(
        &self,
        judge: &impl Examiner,
        program: &Program,
        seeds: Vec<u64>,
        threads: usize,
        cancel: &AtomicBool,
    ) -> Option<Marks> {
        // Always in the same pieces, so that sums are rounded alike.
        let pieces: Vec<&[u64]> = seeds.chunks(25).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                if cancel.load(Ordering::Relaxed) {
                    break;
                }
                let marks = judge.examine(program, &mut piece.iter().copied());
                done.push((piece.as_ptr() as usize, piece.len() as f64, marks));
            }
            done
        };
        let mut done = thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads.clamp(1, pieces.len().max(1)))
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut done = work();
            for helper in helpers {
                match helper.join() {
                    Ok(more) => done.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        if done.len() < pieces.len() {
            return None;
        }
        done.sort_by_key(|(place, ..)| *place);
        let mean = |of: fn(&Marks) -> f64| {
            done.iter().map(|(_, games, marks)| games * of(marks)).sum::<f64>() / seeds.len() as f64
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
mod tests {
    use super::*;
    use crate::evolve::Node;

    fn cancel() -> AtomicBool {
        AtomicBool::new(false)
    }

    fn run(settings: Settings, generations: u64, threads: usize) -> Evolution {
        let mut evolution = Evolution::new(settings).unwrap();
        for _ in 0..generations {
            evolution.step(threads, &cancel()).unwrap();
        }
        evolution
    }

    fn small(settings: Settings) -> Settings {
        Settings {
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
            small(Settings { crossover: 0.7, elite: 1, ..Settings::document() }),
            small(Settings {
                bounds: crate::evolve::Bounds { least: 2, most: 5, size: 30 },
                ..Settings::evaluator()
            }),
        ] {
            let one = run(settings.clone(), 3, 1);
            assert_eq!(run(settings.clone(), 3, 3), one);
            assert_ne!(run(Settings { seed: 2, ..settings }, 3, 1).judged, one.judged);
        }
    }

    #[test]
    fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
        let whole = run(small(Settings::document()), 4, 1);
        let half = run(small(Settings::document()), 2, 1);
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

    /// Counts the nodes `max`; the more the better.
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
            let settings = Settings { crossover, fitness: Fitness::Score, elite: 1, ..Settings::document() };
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
        let settings = Settings { elite: 2, fitness: Fitness::Score, ..small(Settings::document()) };
        let mut evolution = run(settings, 1, 1);
        let mut before = evolution.judged.clone();
        before.sort_by(|a, b| b.marks.score.total_cmp(&a.marks.score));
        evolution.step(1, &cancel()).unwrap();
        for kept in &before[..2] {
            assert!(evolution.judged[..2].iter().any(|now| now.program == kept.program));
        }
    }

    #[test]
    fn settings_without_sense_are_refused() {
        let base = Settings::document;
        for settings in [
            Settings { population: 1, ..base() },
            Settings { tournament: 66, ..base() },
            Settings { mutation: 1.5, ..base() },
            Settings { adfs: 2, ..base() },
            Settings { elite: 65, ..base() },
            Settings { nodes: vec!["up".to_owned()], ..base() },
            Settings { nodes: vec!["nothing".to_owned()], ..base() },
            Settings { bounds: crate::evolve::Bounds { least: 4, most: 3, size: 9 }, ..base() },
        ] {
            assert!(Evolution::new(settings.clone()).is_err(), "{settings:?}");
        }
    }
}
