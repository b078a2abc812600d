//! Grades several submissions at the same time, each by a worker (`worker.rs`): another process of
//! this program, with processors, a user and a fence of its own.
//!
//! Signals reach this process alone. It passes them on, and it ends after its workers. If it is
//! killed, the system signals the workers. If a worker is killed, its submission ends with it; this
//! process adopts and ends what has detached itself, and starts another worker.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lab2048::text::in_words;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::fence::{self, Apart, Who};
use super::folder::{SharedFolder, remove_leftovers_in};
use super::grading::{Grade, GradingPlan};
use super::python::Python;
use super::removal;
use super::sources::Source;
use super::worker::{self, Orders, Report};

use crate::failure::{Failure, Outcome, warn};
use crate::interrupt::{self, LastAct};
use crate::progress::Progress;

/// How often the wait for workers checks whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// How long workers may take to clean up after a second signal: as long as they need to remove the
/// files of a submission, and some time to end it.
const PATIENCE: Duration = removal::HURRY.saturating_add(Duration::from_secs(30));

/// The process ids of the workers, for signals.
static WORKERS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

fn with_workers<T>(act: impl FnOnce(&mut Vec<i32>) -> T) -> T {
    act(&mut WORKERS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Passes a signal on to all workers. Each counts it as its own Ctrl-C.
fn signal_workers() {
    for worker in with_workers(|workers| workers.clone()) {
        // A worker that has ended needs no signal. Its id is still its own: it is collected only
        // when it is removed from the list.
        let _ = kill(Pid::from_raw(worker), Signal::SIGTERM);
    }
}

/// Waits until all workers have ended, collected or not.
fn wait_for_workers() {
    let runs = |worker: &i32| {
        let stat = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    let started = Instant::now();
    while with_workers(|workers| workers.iter().any(runs)) && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(5));
    }
}

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It prepares itself.
    Starting,
    Idle,
    /// It grades the submission with this number, and `done` of its games are done.
    Busy {
        submission: usize,
        done: u64,
    },
    /// It has ended or is about to.
    Over,
}

struct Worker {
    process: Child,
    /// `None` when there are no more orders.
    orders: Option<ChildStdin>,
    state: State,
    /// The user of its submissions, if that is not ours.
    user: Option<u32>,
}

/// A report of the worker in a place of the team. `None`: it has closed its output.
type News = (usize, Option<Report>);

/// Several workers. Dropping this value ends them.
pub(super) struct Team<'a> {
    plan: &'a GradingPlan,
    python: &'a Python,
    /// The processors of each worker.
    shares: &'a [Vec<usize>],
    workers: Vec<Worker>,
    sender: Sender<News>,
    news: Receiver<News>,
    /// Why a worker could not start, if one could not.
    refusal: Option<String>,
    /// The temporary folder of the workers.
    folder: SharedFolder,
    _last_act: LastAct,
}

/// What happened to a submission.
pub(super) type Graded = Result<Grade, String>;

impl<'a> Team<'a> {
    /// Starts a worker for each share of the processors.
    pub(super) fn start(
        plan: &'a GradingPlan,
        python: &'a Python,
        shares: &'a [Vec<usize>],
    ) -> Outcome<Team<'a>> {
        // Orphans of a worker that is killed become ours.
        fence::prepare().map_err(Failure::failed)?;
        let folder = SharedFolder::new().map_err(|error| {
            Failure::Failed(format!("cannot make a temporary folder: {}", in_words(&error)))
        })?;
        interrupt::tell(signal_workers);
        let (sender, news) = mpsc::channel();
        let path = folder.path().to_owned();
        let _last_act = interrupt::before_leaving(move || {
            wait_for_workers();
            // The workers have removed what was in it.
            if let Err(left) = removal::remove(&path, removal::HURRY) {
                warn(&left.to_string());
            }
        });
        let workers = Vec::new();
        let mut team = Team { plan, python, shares, workers, sender, news, refusal: None, folder, _last_act };
        (team.workers, team.refusal) = until_refused(shares.len(), |place| team.new_worker(place));
        Ok(team)
    }

    fn new_worker(&self, place: usize) -> Outcome<Worker> {
        let cannot =
            |error: io::Error| Failure::Failed(format!("cannot start another grader: {}", in_words(&error)));
        let mut command = Command::new("/proc/self/exe");
        command.args(["grade-worker", "--grader", &std::process::id().to_string()]);
        command.env("TMPDIR", self.folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: Ctrl-C in the terminal reaches us alone, and we pass it on.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = with_workers(|workers| {
            let process = command.spawn()?;
            workers.push(process.id().cast_signed());
            Ok(process)
        })
        .map_err(cannot)?;
        let (orders, reports) = (process.stdin.take(), process.stdout.take());
        let mut worker = Worker { process, orders, state: State::Starting, user: None };
        let sender = self.sender.clone();
        let listen = move || {
            for line in reports.into_iter().flat_map(|reports| BufReader::new(reports).lines()) {
                let report = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                let is_last = report.is_none();
                if sender.send((place, report)).is_err() || is_last {
                    return;
                }
            }
            // If nobody listens any more, nothing is missed.
            let _ = sender.send((place, None));
        };
        if let Err(error) = thread::Builder::new().name("worker".to_owned()).spawn(listen) {
            worker.end();
            return Err(cannot(error));
        }
        let apart = Apart {
            processors: self.shares[place].clone(),
            shared: Some(self.folder.path().to_owned()),
            ..self.python.apart.clone()
        };
        let orders = Orders { plan: *self.plan, python: self.python.path.clone(), apart };
        let sent = worker.orders.as_mut().map_or(Ok(()), |out| worker::write_line(out, &orders));
        match sent {
            // A worker that has already ended reports so.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                worker.end();
                Err(cannot(error))
            }
            _ => {
                // A signal may have come before the worker was in the list.
                if interrupt::raised() {
                    signal_workers();
                }
                Ok(worker)
            }
        }
    }

    /// Grades submissions from the queue until it is empty, the user interrupts, or no worker is
    /// left. What is not graded stays in the queue or, if it was interrupted, is not reported.
    pub(super) fn grade(
        &mut self,
        sources: &[Source],
        queue: &mut VecDeque<usize>,
        progress: &mut Progress,
        graded: &mut dyn FnMut(usize, Graded),
    ) {
        let total = queue.len() as u64 * self.plan.games;
        let before = sources.len() as u64 * self.plan.games - total;
        let mut games = before;
        let mut words = String::new();
        loop {
            for place in 0..self.workers.len() {
                if self.workers[place].state == State::Idle && !interrupt::raised() {
                    self.give_work(place, sources, queue);
                }
            }
            let is_waiting = |worker: &Worker| match worker.state {
                State::Starting | State::Busy { .. } => true,
                State::Idle | State::Over => false,
            };
            if !self.workers.iter().any(is_waiting) {
                return;
            }
            let (place, report) = match self.news.recv_timeout(GLANCE) {
                Ok(news) => news,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match report {
                None => {
                    if let Some((submission, reason)) = self.replace(place) {
                        games += self.plan.games;
                        graded(submission, Err(reason));
                    }
                }
                Some(report) => {
                    if let Some((submission, grade)) = self.hear(place, report, sources, &mut words) {
                        games += self.plan.games;
                        graded(submission, grade);
                    }
                }
            }
            let running = self.workers.iter().map(|worker| match worker.state {
                State::Busy { done, .. } => done,
                _ => 0,
            });
            progress.set(games + running.sum::<u64>(), &words);
        }
    }

    /// Takes a report. Returns the submission that is graded now.
    fn hear(
        &mut self,
        place: usize,
        report: Report,
        sources: &[Source],
        words: &mut String,
    ) -> Option<(usize, Graded)> {
        let worker = &mut self.workers[place];
        let submission = match worker.state {
            State::Busy { submission, .. } => Some(submission),
            _ => None,
        };
        let grade = match report {
            Report::Ready { user } => {
                worker.user = user;
                worker.state = State::Idle;
                return None;
            }
            Report::Refused(reason) => {
                worker.state = State::Over;
                worker.orders = None;
                self.refusal.get_or_insert(reason);
                return None;
            }
            Report::News { done, words: told } => {
                if let State::Busy { done: so_far, .. } = &mut worker.state {
                    *so_far = done;
                    *words = told;
                }
                return None;
            }
            Report::Graded(grade) => {
                let name = submission.map_or("", |submission| sources[submission].name.as_str());
                grade
                    .grade(name, self.plan)
                    .ok_or_else(|| "the grader reported an impossible grade".to_owned())
            }
            Report::Failed(reason) => Err(reason),
        };
        worker.state = State::Idle;
        submission.map(|submission| (submission, grade))
    }

    fn give_work(&mut self, place: usize, sources: &[Source], queue: &mut VecDeque<usize>) {
        let worker = &mut self.workers[place];
        let Some(submission) = queue.pop_front() else { return };
        worker.state = State::Busy { submission, done: 0 };
        if let Some(orders) = &mut worker.orders {
            // If it has ended, it closes its output, and that is noticed.
            let _ = worker::send(orders, &sources[submission]);
        }
    }

    /// Cleans up after a worker that has ended, and starts another one if it was needed. Returns
    /// the submission that it was grading, with the reason why that has no grade.
    fn replace(&mut self, place: usize) -> Option<(usize, String)> {
        let before = std::mem::replace(&mut self.workers[place].state, State::Over);
        let worker = &mut self.workers[place];
        let (status, user) = (worker.end(), worker.user);
        let State::Busy { submission, .. } = before else {
            if before == State::Starting {
                self.refusal.get_or_insert_with(|| format!("another grader ended ({status})"));
            }
            return None;
        };
        let others: Vec<u32> = self.workers.iter().map(|worker| worker.process.id()).collect();
        let left =
            fence::end_descendants(&others).err().map(|error| format!("; {error}")).unwrap_or_default();
        if let Some(user) = user {
            fence::sweep(Who::OwnUser { user, reads_all: false });
        }
        remove_leftovers_in(self.folder.path());
        if !interrupt::raised() {
            match self.new_worker(place) {
                Ok(worker) => self.workers[place] = worker,
                Err(failure) => self.refusal = Some(failure.to_string()),
            }
        }
        Some((submission, format!("the process that graded it ended ({status}){left}")))
    }

    /// Why fewer workers could start than were asked for.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }
}

/// Starts one worker after the other. If one cannot start, those before it go to work, and the
/// reason is returned with them.
fn until_refused<W>(places: usize, mut start: impl FnMut(usize) -> Outcome<W>) -> (Vec<W>, Option<String>) {
    let mut started = Vec::new();
    for place in 0..places {
        match start(place) {
            Ok(worker) => started.push(worker),
            Err(failure) => return (started, Some(failure.to_string())),
        }
    }
    (started, None)
}

impl Worker {
    /// Waits for its end and returns how it ended.
    fn end(&mut self) -> String {
        self.orders = None;
        let status = self.process.wait();
        let id = self.process.id().cast_signed();
        with_workers(|workers| workers.retain(|&worker| worker != id));
        status.map_or_else(|error| in_words(&error), |status| status.to_string())
    }
}

impl Drop for Team<'_> {
    fn drop(&mut self) {
        // A worker ends when its orders end, or after a signal that was passed on to it.
        self.workers.iter_mut().for_each(|worker| worker.orders = None);
        self.workers.iter_mut().for_each(|worker| drop(worker.end()));
        // What a worker should have ended and removed, but could not: it may have been killed, and
        // it does not know our temporary folder.
        let _ = fence::end_descendants(&[]);
        for user in self.workers.iter().filter_map(|worker| worker.user) {
            fence::sweep(Who::OwnUser { user, reads_all: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_that_run_are_kept_if_another_one_cannot_start() {
        let start = |running: usize| {
            move |place| if place < running { Ok(place) } else { Err(Failure::Failed("no room".to_owned())) }
        };
        assert_eq!(until_refused(3, start(3)), (vec![0, 1, 2], None));
        assert_eq!(until_refused(3, start(2)), (vec![0, 1], Some("no room".to_owned())));
        assert_eq!(until_refused(3, start(0)), (vec![], Some("no room".to_owned())), "then one at a time");
    }
}
