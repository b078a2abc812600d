//! A running submission: one Python process for all its games, asked over descriptors of its own.
//!
//! Inside, `runner.py` imports `NextMove` and passes questions and answers on. Outside, nothing waits longer than the
//! grading may take, and what is left of the process and its descendants is ended with this value.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use lab2048::board::Board;
use lab2048::parallel;
use lab2048_exec::{BotProcess, Trouble, one_line};

use super::fence::{self, Allowance, Group, Place, Who};
use super::folder::WorkFolder;
use super::output::Output;
use super::python::Python;
use super::{removal, sources};
use crate::failure::{Failure, Outcome, warn};
use crate::interrupt::{self, LastAct};

const RUNNER: &str = include_str!("runner.py");

/// The exit status by which the runner says that the descriptors of the protocol are gone.
const CONNECTION_LOST: i32 = 74;
/// The word by which the runner is told that there is no limit.
const NO_LIMIT: &str = "-";
/// How often we look at what a submission does besides answering.
const GLANCE: Duration = Duration::from_millis(50);
/// A look at the processes of a busy machine may take long: it gets at most this part of the time.
const SHARE_OF_LOOKING: u32 = 30;

/// As the grader's own user a submission shares the limit of processes with everything else of that user, of which there may be more later than
/// when they were counted. We count its own ones all the same.
const SLACK: u64 = 256;

/// The unit in which files take room.
const PAGE: u64 = 4096;
/// What the system may need for a submission besides the memory that it may use: without it the
/// system would kill a process that is about to be told that there is no memory left.
const SLACK_OF_MEMORY: u64 = 64 << 20;

/// What a submission may use, and whether what it prints is of interest.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceLimits {
    /// The time for all games together, the start of the process included.
    pub(super) time: Duration,
    /// The bytes of memory of all its processes, and of the files that it makes.
    pub(super) memory: u64,
    /// Whether it may use the network.
    pub(super) network: bool,
    /// Whether what it prints is kept.
    pub(super) keeps_output: bool,
}

/// Why a question has no answer that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// An exception, or an answer that is no integer: it costs this game.
    Error(String),
    /// The process is gone or has to go: it costs this game and all that were to come.
    Gone(String),
    /// The time for all games is over.
    Late,
    /// The user wants to stop.
    Interrupted,
}

/// A running submission. It ends, with all its descendants, when this value is dropped.
pub(super) struct Submission {
    process: Option<BotProcess>,
    /// What it prints, if that is kept.
    output: Option<Output>,
    /// The questions asked so far.
    questions: u64,
    limits: ResourceLimits,
    /// The most processes at a time.
    most_processes: usize,
    started: Instant,
    next_look: Instant,
    /// As whom it runs.
    place: Place,
    /// Its working folder, removed with it.
    folder: WorkFolder,
    /// The bytes of the files that it handed in.
    handed_in: u64,
    /// The group by which the system limits the memory of all its processes, if there is one.
    group: Option<Group>,
    /// What is done if the user presses Ctrl-C again while we are at it.
    _last_act: LastAct,
}

impl Submission {
    /// Starts a process, in a fresh folder with the files of the submission. Failures here are the grader's.
    pub(super) fn start(
        python: &Python,
        files: &[(PathBuf, Vec<u8>)],
        limits: ResourceLimits,
    ) -> Outcome<Submission> {
        let cannot = |error: std::io::Error| Failure::Failed(format!("cannot start a submission: {error}"));
        let folder = WorkFolder::new().map_err(cannot)?;
        sources::unpack(files, folder.path()).map_err(cannot)?;
        fence::hand_over(folder.path(), python.place.who).map_err(cannot)?;
        fence::prepare().map_err(cannot)?;
        let place = python.place;
        let handed_in = room_of(files);
        let group = Group::new(limits.memory + handed_in + SLACK_OF_MEMORY);
        let last_act = {
            let (path, group) =
                (folder.outer().to_owned(), group.as_ref().map(|group| group.folder().to_owned()));
            interrupt::before_leaving(move || clear_away(&path, place.who, group.as_deref()))
        };
        let cores = parallel::cores() as u64;
        // The clock outside ends it in time; this one is for the case that nobody is there any more to look at that clock.
        let processor_seconds = (limits.time.as_secs() + 60) * cores;
        // Some for the submission, some for the threads that a library starts for every core.
        let most_processes = 64 + 4 * cores;
        let processes = match place.who {
            Who::SameUser => {
                let others = fence::processes_of_user().map_err(cannot)?;
                others.map(|others| others + most_processes + SLACK)
            }
            Who::OwnUser { .. } => Some(most_processes),
        };
        let settings = [
            limits.memory.to_string(),
            processor_seconds.to_string(),
            processes.map_or_else(|| NO_LIMIT.to_owned(), |processes| processes.to_string()),
            u8::from(limits.keeps_output).to_string(),
        ];
        let allowance = Allowance { files: limits.memory + handed_in, network: limits.network };
        let mut command = fence::program(&python.path, place, allowance);
        command
            // What is shown is not held back until there is more of it: the process may be killed before.
            .args(if limits.keeps_output { &["-u"][..] } else { &[] })
            .args(["-B", "-s", "-c", RUNNER])
            .args(settings)
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .env("LANG", "C.UTF-8")
            // The order of a set is the same in every grading.
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if limits.keeps_output { Stdio::piped() } else { Stdio::null() });
        let started = Instant::now();
        let mut child = command.spawn().map_err(cannot)?;
        let printed = child.stderr.take();
        // Before it hears the first word, for which it waits. Without the group, the grader's own
        // look at the memory remains.
        let taken = group.as_ref().map_or(Ok(()), |group| group.take_in(child.id()));
        let group = group.filter(|_| taken.is_ok());
        if let Err(error) = taken {
            warn(&format!("a submission runs without a control group: {error}"));
        }
        let process = BotProcess::around(child).map_err(cannot)?;
        let output = printed.map(Output::of).transpose().map_err(cannot)?;
        if let Some(word) = fence::first_word().map_err(cannot)? {
            // One that does not hear it has ended, which the wait for its import finds out.
            let _ = process.tell(word);
        }
        Ok(Submission {
            process: Some(process),
            output,
            questions: 0,
            limits,
            most_processes: most_processes as usize,
            started,
            next_look: started,
            place,
            folder,
            handed_in,
            group,
            _last_act: last_act,
        })
    }

    /// Waits until it has been imported, and calls back meanwhile.
    pub(super) fn import(&mut self, waiting: &mut dyn FnMut()) -> Result<(), NoAnswer> {
        self.answer(waiting).map(drop)
    }

    /// Asks for the code of the next move, and calls back while it waits.
    pub(super) fn next_move(
        &mut self,
        board: &Board,
        step: u64,
        waiting: &mut dyn FnMut(),
    ) -> Result<i64, NoAnswer> {
        self.questions += 1;
        // A child that answers in the place of a process that is gone is another submission.
        if self.process.as_mut().is_none_or(BotProcess::has_ended) {
            return Err(self.explain(&Trouble::Closed));
        }
        let grid = board.to_grid();
        let tiles: Vec<String> = grid.rows().flatten().map(u64::to_string).collect();
        let question = format!("{} {step} {}\n", self.questions, tiles.join(" "));
        match self.process.as_ref().map_or(Err(Trouble::Closed), |process| process.tell(question)) {
            // One that listens no more may still have something to say: that it ended.
            Ok(()) | Err(Trouble::Closed) => self.answer(waiting),
            Err(trouble) => Err(self.explain(&trouble)),
        }
    }

    /// Waits for the answer to the last question, with an eye on what else it does.
    fn answer(&mut self, waiting: &mut dyn FnMut()) -> Result<i64, NoAnswer> {
        let mut over = false;
        loop {
            let left = self.limits.time.saturating_sub(self.started.elapsed());
            let process = self.process.as_mut().ok_or_else(|| NoAnswer::Gone("it has ended".to_owned()))?;
            let answer = process.answer(Some(left.min(GLANCE)));
            // Its children may hold its end of the pipe open; a last answer may be on the way.
            let ended_before = std::mem::replace(&mut over, process.has_ended());
            if left.is_zero() {
                return Err(NoAnswer::Late);
            }
            if Instant::now() >= self.next_look {
                self.look()?;
            }
            match answer {
                Ok(line) => return self.read(&line),
                Err(Trouble::Late(_)) if ended_before => return Err(self.explain(&Trouble::Closed)),
                Err(Trouble::Late(_)) => waiting(),
                Err(trouble) => return Err(self.explain(&trouble)),
            }
        }
    }

    /// Looks at the number of its processes, their memory and its files.
    fn look(&mut self) -> Result<(), NoAnswer> {
        let before = Instant::now();
        // Where it cannot be looked at, the limits inside remain.
        let census = fence::census().unwrap_or_default();
        let process = self.process.as_ref().map_or(0, BotProcess::id);
        let files = fence::files(self.place, process, self.folder.outer());
        let now = Instant::now();
        self.next_look = now + GLANCE.max((now - before) * SHARE_OF_LOOKING);
        if census.processes > self.most_processes {
            let reason = format!("it had more than {} processes at a time", self.most_processes);
            return Err(NoAnswer::Gone(reason));
        }
        let files = files.map_err(NoAnswer::Gone)?.saturating_sub(self.handed_in);
        if census.memory > self.limits.memory || self.was_out_of_memory() {
            return Err(NoAnswer::Gone(self.too_much("memory")));
        }
        if census.memory + files > self.limits.memory {
            return Err(NoAnswer::Gone(self.too_much("memory and files")));
        }
        Ok(())
    }

    /// Whether the system had to kill one of its processes because there was no memory left for it.
    fn was_out_of_memory(&self) -> bool {
        self.group.as_ref().is_some_and(Group::was_exceeded)
    }

    fn too_much(&self, what: &str) -> String {
        format!("it took more than {} MiB of {what}", self.limits.memory >> 20)
    }

    /// What a line of the runner says.
    fn read(&self, line: &str) -> Result<i64, NoAnswer> {
        let (number, answer) = line.split_once(' ').unwrap_or((line, ""));
        let rubbish =
            || NoAnswer::Gone(format!("it wrote '{}' where its answer belongs", one_line(line, 40)));
        match number.parse::<u64>() {
            Ok(number) if number == self.questions => {}
            Ok(_) => return Err(NoAnswer::Gone("it answered a question that was not asked".to_owned())),
            Err(_) => return Err(rubbish()),
        }
        match answer.strip_prefix("! ") {
            Some(reason) => Err(NoAnswer::Error(one_line(reason, 400))),
            None => answer.parse().map_err(|_| rubbish()),
        }
    }

    fn explain(&mut self, trouble: &Trouble) -> NoAnswer {
        let reason = match trouble {
            Trouble::Interrupted => return NoAnswer::Interrupted,
            Trouble::Closed if self.was_out_of_memory() => self.too_much("memory"),
            Trouble::Closed => match self.process.as_mut().and_then(|process| process.how_it_ended().0) {
                Some(status) if status.code() == Some(CONNECTION_LOST) => {
                    "it closed the descriptors to the grader".to_owned()
                }
                Some(status) => format!("its process ended ({status}) instead of answering"),
                None => "it closed the descriptors to the grader".to_owned(),
            },
            Trouble::Deaf => "it does not listen".to_owned(),
            Trouble::TooLong => "it wrote a line that does not end where its answer belongs".to_owned(),
            Trouble::Late(_) | Trouble::Unasked(_) => {
                "it did not keep to the order of question and answer".to_owned()
            }
        };
        NoAnswer::Gone(reason)
    }

    /// How long it has been running.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ends it and everything it has started, and returns what it printed, if that was kept. An error means that something of
    /// it is left.
    pub(super) fn end(mut self) -> (std::io::Result<()>, Option<String>) {
        let ended = self.end_all();
        (ended, self.output.take().map(|output| output.text()))
    }

    fn end_all(&mut self) -> std::io::Result<()> {
        match self.process.take() {
            Some(process) => {
                process.kill();
                let ended = fence::end_descendants();
                fence::sweep(self.place.who);
                ended
            }
            None => Ok(()),
        }
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        // Only on the way out of a failure, which is told already.
        let _ = self.end_all();
    }
}

/// The room that files take, folders left out.
fn room_of(files: &[(PathBuf, Vec<u8>)]) -> u64 {
    files.iter().map(|(_, bytes)| (bytes.len() as u64).next_multiple_of(PAGE)).sum()
}

/// Ends all that runs of a submission and removes its files, in whatever state it is. The one whose
/// work this is may be at it at the same time.
fn clear_away(folder: &Path, who: Who, group: Option<&Path>) {
    // The user has asked twice to end, and only what stays is worth a word.
    let _ = fence::end_descendants();
    fence::sweep(who);
    if let Some(group) = group {
        fence::remove_group(group);
    }
    if let Err(left) = removal::remove(folder, removal::HURRY) {
        warn(&left.to_string());
    }
}
