//! `lab2048 train`: trains a network. The files of a run are in one folder, from which it can be
//! resumed.

mod curve;
mod live;
mod options;
mod origin;
mod picture;

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lab2048::files::{self, LockError, LockedFile, write_whole};
use lab2048::learn::{
    CheckpointError, Finished, Limit, Mixed, Progress, Training, UpdateRule, resume_or_before,
};
use lab2048::ntuple::NetworkFile;
use lab2048::text::in_words;
use serde_json::json;

use crate::failure::{Failure, Outcome, warn};
use crate::{interrupt, out};
use curve::{Curve, Point};
use live::Live;
pub(crate) use options::Arguments;
use origin::{Origin, Relation};

/// How often the run is checked for progress, interruption and limits.
const GLANCE: Duration = Duration::from_secs(1);
/// A point of the learning curve covers the games of this many seconds.
const BETWEEN_POINTS: f64 = 20.0;
/// With `--average`, the weights are added to their mean at this interval.
const BETWEEN_WEIGHTS: Duration = Duration::from_secs(60);
/// The number of games in the live figures.
const RECENT: usize = 1000;

/// The files of a run.
#[derive(Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    fn checkpoint(&self) -> PathBuf {
        self.0.join("training.checkpoint")
    }

    fn lock(&self) -> PathBuf {
        self.0.join("training.lock")
    }

    fn curve(&self) -> PathBuf {
        self.0.join("curve.csv")
    }

    fn picture(&self) -> PathBuf {
        self.0.join("curve.svg")
    }

    fn network(&self) -> PathBuf {
        self.0.join("network.net")
    }

    /// Locks the run for this session, until the file is dropped. Two sessions at once would
    /// overwrite each other's checkpoints.
    fn take(&self) -> Outcome<LockedFile> {
        let path = self.lock();
        if self.0.exists() && !self.0.is_dir() {
            return Err(Failure::BadInput(format!("{} is not a folder", self.0.display())));
        }
        let failed =
            |error: &dyn Display| Failure::Failed(format!("cannot write {}: {error}", path.display()));
        fs::create_dir_all(&self.0).map_err(|error| failed(&in_words(&error)))?;
        LockedFile::open(&path).map_err(|error| match error {
            LockError::Busy => {
                let folder = self.0.display();
                Failure::Failed(format!("the run in {folder} is being trained by another process"))
            }
            error => failed(&error),
        })
    }

    /// The paths that [`Folder::take`] would create: the lock, the folder and its missing parents,
    /// innermost first.
    fn missing(&self) -> Vec<PathBuf> {
        let lock = self.lock();
        let missing = lock.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        missing.map(Path::to_owned).collect()
    }

    /// Removes what [`Folder::take`] created, unless a folder now holds other files.
    fn give_up(&self, made: &[PathBuf]) {
        let remove =
            |path: &PathBuf| if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        let _ = made.iter().try_for_each(remove);
    }

    /// Whether the folder holds a run: a checkpoint or the previous one.
    fn has_run(&self) -> bool {
        self.checkpoint().exists() || self.checkpoint().with_extension("previous").exists()
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let folder = Folder(arguments.folder.clone());
    let missing = folder.missing();
    let _taken = folder.take()?;
    let session = begin(&arguments, &folder)
        .and_then(|begun| Session::new(&arguments, folder.clone(), begun))
        .inspect_err(|_| folder.give_up(&missing));
    let mut session = session?;
    session.train();
    let network = session.keep().inspect_err(|_| {
        if !folder.has_run() {
            folder.give_up(&missing);
        }
    })?;
    session.conclude(network)
}

/// A run that is ready for a session.
struct Begun {
    training: Box<dyn Training>,
    /// The origin of the checkpoint that the run was resumed from.
    checkpoint: Option<Origin>,
    /// Whether stages were added to the network just now.
    reshaped: bool,
}

/// What happened to network.net at the end of a session.
enum Kept {
    /// It was written, or it already belonged to the checkpoint.
    Network,
    /// An earlier network of the run was replaced by the weights of the checkpoint.
    WrittenAgain,
    /// A network that does not belong to the run was renamed first.
    SetAside(PathBuf),
    /// It comes from later in the run than the remaining checkpoint.
    Later,
}

impl Kept {
    /// A remark for people.
    fn words(&self) -> String {
        match self {
            Kept::Network => String::new(),
            Kept::WrittenAgain => " (written again; the old one was from an earlier checkpoint)".to_owned(),
            Kept::SetAside(aside) => format!(" (the old file was renamed to {})", aside.display()),
            Kept::Later => " (kept: it is from later in the run than the checkpoint)".to_owned(),
        }
    }

    /// The new name of a network that was renamed.
    fn set_aside(&self) -> Option<&Path> {
        match self {
            Kept::SetAside(aside) => Some(aside),
            _ => None,
        }
    }
}

/// Parts that can fail without losing the training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Checkpoint,
    Curve,
    Picture,
    Mean,
}

impl Part {
    /// The consequence of a failure.
    fn consequence(self) -> &'static str {
        match self {
            Part::Checkpoint => "the training continues and will try again",
            Part::Curve | Part::Picture => "the training itself is not affected",
            Part::Mean => "these weights are not in the mean",
        }
    }
}

/// The share of the way from `begin` to `goal` that is done; 1 if the goal was reached before.
fn part(begin: f64, now: f64, goal: f64) -> f64 {
    if begin < goal { (now - begin) / (goal - begin) } else { 1.0 }
}

/// Resumes the run of the folder, or starts one.
fn begin(arguments: &Arguments, folder: &Folder) -> Outcome<Begun> {
    let (from, mix) = (arguments.from()?, arguments.mix()?);
    if folder.has_run() {
        let (mut training, lost) = resume_or_before(&folder.checkpoint()).map_err(Failure::bad_input)?;
        if let Some(lost) = lost {
            warn(&format!("{lost}; the run continues from the previous checkpoint"));
        }
        let shape = training.recipe().shape.clone();
        let checkpoint = Some(Origin::new(training.recipe(), training.progress()));
        arguments.apply_to(training.as_mut(), from.as_deref())?;
        mix.map_or(Ok(()), |mix| mix.into(training.as_mut()))?;
        let reshaped = training.recipe().shape != shape;
        return Ok(Begun { training, checkpoint, reshaped });
    }
    if let Some(path) = [folder.network(), folder.picture()].into_iter().find(|path| path.exists()) {
        return Err(Failure::BadInput(format!(
            "{} already exists, but the folder has no run that it could belong to; choose another folder",
            path.display()
        )));
    }
    let mut training = match from {
        Some(file) => arguments.start_from(&file),
        None => arguments.start(),
    }?;
    mix.map_or(Ok(()), |mix| mix.into(training.as_mut()))?;
    if interrupt::raised() {
        return Err(Failure::interrupted("interrupted before the run began"));
    }
    Ok(Begun { training, checkpoint: None, reshaped: false })
}

/// One session of a run.
struct Session<'a> {
    arguments: &'a Arguments,
    folder: Folder,
    training: Box<dyn Training>,
    begin: Progress,
    /// The origin of the checkpoint that the run was resumed from.
    checkpoint: Option<Origin>,
    /// Whether stages were added to the network at the start of the session.
    reshaped: bool,
    curve: Curve,
    recent: VecDeque<Finished>,
    live: Live,
    /// How many times the weights were added to their mean.
    in_mean: u32,
    /// The parts whose last attempt failed. None of them stops the training.
    failing: BTreeSet<Part>,
    /// Whether network.net holds the last weights although their mean was requested.
    mean_is_lost: bool,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a Arguments, folder: Folder, begun: Begun) -> Outcome<Session<'a>> {
        let Begun { training, checkpoint, reshaped } = begun;
        arguments.check_goal(training.recipe())?;
        let begin = training.progress();
        let curve = Curve::open(&folder.curve(), begin.moves)?;
        let live = Live::new(&training.recipe().shape, curve.points());
        Ok(Session {
            arguments,
            folder,
            training,
            begin,
            checkpoint,
            reshaped,
            curve,
            recent: VecDeque::new(),
            live,
            in_mean: 0,
            failing: BTreeSet::new(),
            mean_is_lost: false,
        })
    }

    /// Whether the weights differ, or may differ, from those before this session.
    fn has_changed(&self) -> bool {
        let moves = self.training.progress().moves;
        let mixed = self.training.recipe().mixed.last().is_some_and(|mixed| mixed.moves == moves);
        mixed || self.reshaped || moves > self.begin.moves
    }

    /// The share of this session's goal that is done, from 0 to 1; `None` without a limit.
    fn share_done(&self) -> Option<f64> {
        let (begin, now) = (self.begin, self.training.progress());
        let limits = [
            self.arguments.minutes.map(|minutes| part(0.0, now.seconds - begin.seconds, 60.0 * minutes)),
            self.arguments.games.map(|games| part(begin.games as f64, now.games as f64, games as f64)),
            self.arguments.moves.map(|moves| part(begin.moves as f64, now.moves as f64, moves as f64)),
        ];
        limits.into_iter().flatten().reduce(f64::max)
    }

    /// Trains until the goal is reached, an interruption, or weights that are no longer finite.
    fn train(&mut self) {
        let threads = self.arguments.threads.count();
        let (mut saved, mut added) = (Instant::now(), Instant::now());
        let mut games = Vec::new();
        let mut point_begin = self.training.progress();
        while !interrupt::raised() && self.share_done().is_none_or(|share| share < 1.0) {
            let before = self.training.progress();
            let limit = Limit {
                games: self.arguments.games,
                moves: self.arguments.moves,
                until: Some(Instant::now() + GLANCE),
                cancel: Some(interrupt::flag()),
                episodes: None,
            };
            let finished = self.training.run(threads, limit);
            let now = self.training.progress();
            self.recent.extend(finished.iter().copied());
            self.recent.drain(..self.recent.len().saturating_sub(RECENT));
            games.extend(finished);
            if now.seconds - point_begin.seconds >= BETWEEN_POINTS && !games.is_empty() {
                self.curve.add(Point::new(now, &games));
                self.write_curve();
                games.clear();
                point_begin = now;
            }
            let speed = (now.moves - before.moves) as f64 / (now.seconds - before.seconds);
            let left = self
                .share_done()
                .filter(|&share| share > 0.0)
                .map(|share| (now.seconds - self.begin.seconds) * (1.0 - share).max(0.0) / share);
            self.live.show(now, speed, &self.recent, left, self.curve.points());
            if saved.elapsed().as_secs_f64() >= 60.0 * self.arguments.checkpoint_every {
                let written = self.save();
                if matches!(written, Err(CheckpointError::Diverged)) {
                    break;
                }
                self.note(Part::Checkpoint, written.map_err(|error| error.to_string()));
                self.write_picture();
                saved = Instant::now();
            }
            if added.elapsed() >= BETWEEN_WEIGHTS {
                self.add_to_mean();
                added = Instant::now();
            }
        }
        if !games.is_empty() {
            self.curve.add(Point::new(self.training.progress(), &games));
        }
        self.live.finish();
    }

    /// Adds the weights to their mean, if it was requested.
    fn add_to_mean(&mut self) {
        if self.arguments.average {
            let added = self.training.add_to_mean().map_err(|error| error.to_string());
            self.in_mean += u32::from(added.is_ok());
            self.note(Part::Mean, added);
        }
    }

    fn save(&self) -> Result<(), CheckpointError> {
        self.training.save(&self.folder.checkpoint())
    }

    /// Writes the results of a session: the checkpoint, the network that belongs to it, then the
    /// rest.
    fn keep(&mut self) -> Outcome<Kept> {
        let has_changed = self.has_changed();
        let relation = self.relation_of_network();
        // If nothing was left to do, the network of the checkpoint stays: it may be a mean, which
        // cannot be computed again. Otherwise network.net is missing or was not written by the
        // session that wrote the checkpoint.
        let is_stale = has_changed || !matches!(relation, Relation::Same | Relation::Later);
        // The checkpoint is missing if the run continued from the one before.
        if is_stale || !self.folder.checkpoint().exists() {
            self.save().map_err(Failure::failed)?;
        }
        self.failing.remove(&Part::Checkpoint);
        let kept = if is_stale {
            if has_changed {
                self.add_to_mean();
            } else {
                self.mean_is_lost = self.arguments.average;
            }
            self.replace_network(has_changed, relation)
        } else if relation == Relation::Later {
            Ok(Kept::Later)
        } else {
            Ok(Kept::Network)
        };
        self.write_curve();
        self.write_picture();
        kept
    }

    /// Writes network.net. Overwrites only an earlier network of the same run; any other file is
    /// renamed to a free numbered name first.
    fn replace_network(&self, has_changed: bool, relation: Relation) -> Outcome<Kept> {
        let path = self.folder.network();
        // `write_whole` handles everything that is not a plain file: it reports an error or does
        // not replace it.
        if !path.is_file() {
            return self.write_network().map(|()| Kept::Network);
        }
        if matches!(relation, Relation::Same | Relation::Earlier) {
            let kept = if has_changed { Kept::Network } else { Kept::WrittenAgain };
            return self.write_network().map(|()| kept);
        }
        let failed =
            |error| Failure::Failed(format!("cannot rename {}: {}", path.display(), in_words(&error)));
        let aside = files::set_aside(&path).map_err(failed)?;
        let (path, shown) = (path.display(), aside.display());
        warn(&format!("{path} is not an earlier network of this run; it was renamed to {shown}"));
        self.write_network().map(|()| Kept::SetAside(aside))
    }

    /// How network.net relates to the weights of the run. A file that cannot be read is foreign.
    fn relation_of_network(&self) -> Relation {
        // A session without work may have changed settings such as the rate. The weights are still
        // those of the checkpoint.
        let now = || Origin::new(self.training.recipe(), self.training.progress());
        let run = self.checkpoint.clone().filter(|_| !self.has_changed()).unwrap_or_else(now);
        let notes = NetworkFile::read_notes(&self.folder.network());
        let network = notes.ok().as_ref().and_then(Origin::of);
        network.map_or(Relation::Foreign, |network| network.relation_to(&run))
    }

    /// Writes the network to play with.
    fn write_network(&self) -> Outcome<()> {
        let quantisation = self.arguments.quantisation();
        let network = self.training.network(quantisation).map_err(Failure::failed)?;
        let recipe = self.training.recipe();
        let mut notes = Origin::new(recipe, self.training.progress()).notes().map_err(Failure::failed)?;
        // Plain temporal-difference learning does not count how often a weight is used, so thrift
        // has no effect on its rounding.
        let thrift =
            (recipe.rule == UpdateRule::Tc).then(|| (options::THRIFT, quantisation.thrift.to_string()));
        let mean = (self.in_mean > 0).then(|| ("mean_of", self.in_mean.to_string()));
        notes.extend(thrift.into_iter().chain(mean).map(|(name, value)| (name.to_owned(), value)));
        NetworkFile::write(&self.folder.network(), &network, notes).map_err(Failure::failed)
    }

    fn write_curve(&mut self) {
        let written = self.curve.write();
        self.note(Part::Curve, written);
    }

    /// Draws the curve, unless only a part of it is known.
    fn write_picture(&mut self) {
        if self.curve.is_known() {
            let written = write_picture(&self.folder.picture(), self.training.as_ref(), self.curve.points());
            self.note(Part::Picture, written);
        }
    }

    /// Records the result of a part that may fail. Warns at the first failure of a part only.
    fn note(&mut self, part: Part, done: Result<(), String>) {
        match done {
            Ok(()) => drop(self.failing.remove(&part)),
            Err(why) => {
                if self.failing.insert(part) {
                    self.live.say(&format!("{why}; {}", part.consequence()));
                }
            }
        }
    }

    /// Prints the result and how to continue.
    fn conclude(&self, network: Kept) -> Outcome<()> {
        let now = self.training.progress();
        let mean = live::mean(&self.recent);
        if self.arguments.json {
            out::print_json(&json!({
                "recipe": self.training.recipe(),
                "progress": now,
                "recent_games": self.recent.len(),
                "recent_mean_score": (!self.recent.is_empty()).then_some(mean),
                "checkpoint": self.folder.checkpoint(),
                "network": self.folder.network(),
                "set_aside": network.set_aside(),
                "mean_lost": self.mean_is_lost,
            }))?;
        } else {
            let recent = match self.recent.len() {
                0 => "no game finished in this session".to_owned(),
                count => format!("mean score of the last {count} training games {mean:.0}"),
            };
            let mixed = self.training.recipe().mixed.iter().map(|Mixed { network, share, moves }| {
                let name = network.get(..8).unwrap_or(network);
                format!("mixed       {share} of the way to the network {name} after {moves} moves\n")
            });
            out::print(&format!(
                "{} games, {} moves, {recent}\n{}checkpoint  {}\ncurve       {}\nnetwork     {}{}\n",
                now.games,
                now.moves,
                mixed.collect::<String>(),
                self.folder.checkpoint().display(),
                self.folder.picture().display(),
                self.folder.network().display(),
                network.words(),
            ))?;
        }
        if interrupt::raised() {
            let words = "the training was interrupted; run the same command to resume";
            return Err(Failure::interrupted(words));
        }
        if self.mean_is_lost {
            let network = self.folder.network();
            return Err(Failure::Failed(format!(
                "the mean was lost because the last session could not write {}; it now holds the last weights",
                network.display()
            )));
        }
        if self.failing.is_empty() { Ok(()) } else { Err(Failure::AlreadySaid) }
    }
}

fn write_picture(path: &Path, training: &dyn Training, points: &[Point]) -> Result<(), String> {
    let shape = &training.recipe().shape;
    let title = format!("{}, {}, {}", shape.patterns, shape.stages, training.recipe().rule);
    let picture = picture::draw(&title, points);
    write_whole(path, |out| out.write_all(picture.as_bytes())).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn the_part_that_is_done_is_that_of_this_session() {
        assert_eq!(
            [part(0.0, 25.0, 100.0), part(80.0, 90.0, 100.0), part(80.0, 120.0, 100.0)],
            [0.25, 0.5, 2.0]
        );
        assert_eq!(part(100.0, 100.0, 100.0), 1.0);
        assert_eq!(part(120.0, 120.0, 100.0), 1.0);
    }
}
