//! A running submission: one Python process that plays all games over its own pipes.
//!
//! Inside the process, `runner.py` imports `NextMove` and passes on questions and answers. On the
//! outside, no wait exceeds the time limit of the grading. Dropping the value ends the process and
//! all its descendants.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use lab2048::board::Board;
use lab2048::parallel;
use lab2048::text::{in_words, one_line};
use lab2048_exec::{BotProcess, Trouble};
use serde::{Deserialize, Serialize};

use super::fence::{self, Allowance, Group, Place, Who};
use super::folder::WorkFolder;
use super::output::Output;
use super::python::Python;
use super::{removal, sources};
use crate::failure::{Failure, Outcome, warn};
use crate::interrupt::{self, LastAct};

const RUNNER: &str = include_str!("runner.py");

/// The exit status of the runner if the file descriptors of the protocol are closed.
const CONNECTION_LOST: i32 = 74;
/// The argument that tells the runner that there is no limit.
const NO_LIMIT: &str = "-";
/// How often the processes and files of a submission are checked.
const GLANCE: Duration = Duration::from_millis(50);
/// A check may be slow on a busy machine. The pause after it is this many times as long.
const SHARE_OF_LOOKING: u32 = 30;

/// Extra processes for a submission that runs as the grader's user. It shares the process limit
/// with that user's other programs, whose number may grow after the count. The submission's own
/// processes are counted separately.
const SLACK: u64 = 256;

/// The unit in which files occupy space.
const PAGE: u64 = 4096;
/// Extra memory for the control group. Without it the kernel could kill a process before its own
/// limit makes an allocation fail.
const SLACK_OF_MEMORY: u64 = 64 << 20;

/// The limits of a submission, and whether its output is kept.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct ResourceLimits {
    /// The time for all games together, including the start of the process.
    pub(super) time: Duration,
    /// The bytes of memory for all its processes and for the files that it creates.
    pub(super) memory: u64,
    /// Whether it may use the network.
    pub(super) network: bool,
    /// Whether its output is kept.
    pub(super) keeps_output: bool,
}

/// Why a question has no valid answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// An exception, or an answer that is not an integer. It ends this game only.
    Error(String),
    /// The process is gone or must be killed. It ends this game and all later ones.
    Gone(String),
    /// The time for all games is over.
    Late,
    /// The user wants to stop.
    Interrupted,
}

/// A running submission. Dropping this value ends it with all its descendants.
pub(super) struct Submission {
    process: Option<BotProcess>,
    /// Its output, if that is kept.
    output: Option<Output>,
    /// The number of questions asked so far.
    questions: u64,
    limits: ResourceLimits,
    /// The maximum number of simultaneous processes.
    most_processes: usize,
    started: Instant,
    next_look: Instant,
    /// The user and the file system that it runs with.
    place: Place,
    /// Its working folder, removed with this value.
    folder: WorkFolder,
    /// The size of the files that were handed in, in bytes.
    handed_in: u64,
    /// The control group that limits the memory of all its processes, if there is one.
    group: Option<Group>,
    /// The cleanup for a second Ctrl-C during the grading.
    _last_act: LastAct,
}

impl Submission {
    /// Starts a process in a fresh folder with the files of the submission. Messages call its
    /// `search.py` by `file_name`. A failure here is a failure of the grader.
    pub(super) fn start(
        python: &Python,
        files: &[(PathBuf, Vec<u8>)],
        file_name: &OsStr,
        limits: ResourceLimits,
    ) -> Outcome<Submission> {
        let cannot = |error: std::io::Error| {
            Failure::Failed(format!("cannot start a submission: {}", in_words(&error)))
        };
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
        // The grader's clock ends the process in time. This limit is for the case that the grader
        // is gone.
        let processor_seconds = (limits.time.as_secs() + 60) * cores;
        // Some for the submission, and some for the threads that a library starts per core.
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
        let mut command = fence::program(&python.path, place, &python.apart, allowance);
        command
            // Output that is shown must not be buffered: the process may be killed first.
            .args(if limits.keeps_output { &["-u"][..] } else { &[] })
            .args(["-B", "-s", "-c", RUNNER])
            .args(settings)
            .arg(file_name)
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
        // The process joins the group before it receives its first line, for which it waits.
        // Without the group, only the grader's own memory checks remain.
        let taken = group.as_ref().map_or(Ok(()), |group| group.take_in(child.id()));
        let group = group.filter(|_| taken.is_ok());
        if let Err(error) = taken {
            warn(&format!("a submission runs without a control group: {}", in_words(&error)));
        }
        let process = BotProcess::around(child).map_err(cannot)?;
        let output = printed.map(Output::of).transpose().map_err(cannot)?;
        if let Some(word) = fence::first_word().map_err(cannot)? {
            // If it has already ended, the wait for its import notices.
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

    /// Waits until the submission has been imported. Calls `waiting` meanwhile.
    pub(super) fn import(&mut self, waiting: &mut dyn FnMut()) -> Result<(), NoAnswer> {
        self.answer(waiting).map(drop)
    }

    /// Asks for the code of the next move. Calls `waiting` meanwhile.
    pub(super) fn next_move(
        &mut self,
        board: &Board,
        step: u64,
        waiting: &mut dyn FnMut(),
    ) -> Result<i64, NoAnswer> {
        self.questions += 1;
        // If the process has ended, one of its children must not answer in its place.
        if self.process.as_mut().is_none_or(BotProcess::has_ended) {
            return Err(self.explain(&Trouble::Closed));
        }
        let grid = board.to_grid();
        let tiles: Vec<String> = grid.rows().flatten().map(u64::to_string).collect();
        let question = format!("{} {step} {}\n", self.questions, tiles.join(" "));
        match self.process.as_ref().map_or(Err(Trouble::Closed), |process| process.tell(question)) {
            // If it no longer reads, `answer` finds out how it ended.
            Ok(()) | Err(Trouble::Closed) => self.answer(waiting),
            Err(trouble) => Err(self.explain(&trouble)),
        }
    }

    /// Waits for the answer to the last question, and checks the limits meanwhile.
    fn answer(&mut self, waiting: &mut dyn FnMut()) -> Result<i64, NoAnswer> {
        let mut over = false;
        loop {
            let left = self.limits.time.saturating_sub(self.started.elapsed());
            let process =
                self.process.as_mut().ok_or_else(|| NoAnswer::Gone("its process has ended".to_owned()))?;
            let answer = process.answer(Some(left.min(GLANCE)));
            // Its children may keep the pipe open, so its end is checked too. A last answer may
            // still arrive, so the loop waits once more.
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

    /// Checks the number of processes, their memory and the files.
    fn look(&mut self) -> Result<(), NoAnswer> {
        let before = Instant::now();
        // If they cannot be counted, the limits inside the process remain.
        let census = fence::census().unwrap_or_default();
        let process = self.process.as_ref().map_or(0, BotProcess::id);
        let files = fence::files(self.place, process, self.folder.outer());
        let now = Instant::now();
        self.next_look = now + GLANCE.max((now - before) * SHARE_OF_LOOKING);
        if census.processes > self.most_processes {
            let reason = format!("it had more than {} processes at the same time", self.most_processes);
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

    /// Whether the kernel killed one of its processes because the memory limit was reached.
    fn was_out_of_memory(&self) -> bool {
        self.group.as_ref().is_some_and(Group::was_exceeded)
    }

    fn too_much(&self, what: &str) -> String {
        format!("it used more than {} MiB of {what}", self.limits.memory >> 20)
    }

    /// Parses a line from the runner.
    fn read(&self, line: &str) -> Result<i64, NoAnswer> {
        let (number, answer) = line.split_once(' ').unwrap_or((line, ""));
        let rubbish = || NoAnswer::Gone(format!("it wrote '{}' instead of an answer", one_line(line, 40)));
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
                    "it closed its connection to the grader".to_owned()
                }
                Some(status) => format!("its process ended ({status}) instead of answering"),
                None => "it closed its connection to the grader".to_owned(),
            },
            Trouble::Deaf => "it does not read its input".to_owned(),
            Trouble::TooLong => "it wrote a line that is too long instead of an answer".to_owned(),
            Trouble::Late(_) | Trouble::Unasked(_) => "it did not answer in turn".to_owned(),
        };
        NoAnswer::Gone(reason)
    }

    /// The time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ends the submission and everything it has started. Returns its output if that was kept. An
    /// error means that some of its processes are left.
    pub(super) fn end(mut self) -> (std::io::Result<()>, Option<String>) {
        let ended = self.end_all();
        (ended, self.output.take().map(|output| output.text()))
    }

    fn end_all(&mut self) -> std::io::Result<()> {
        match self.process.take() {
            Some(process) => {
                process.kill();
                let ended = fence::end_descendants(&[]);
                fence::sweep(self.place.who);
                ended
            }
            None => Ok(()),
        }
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        // This does work only after a failure, which has been reported already.
        let _ = self.end_all();
    }
}

/// The space that files occupy, without folders.
fn room_of(files: &[(PathBuf, Vec<u8>)]) -> u64 {
    files.iter().map(|(_, bytes)| (bytes.len() as u64).next_multiple_of(PAGE)).sum()
}

/// Ends all processes of a submission and removes its files, whatever their state. The grader may
/// be doing the same at the same time.
fn clear_away(folder: &Path, who: Who, group: Option<&Path>) {
    // The user has interrupted twice, so only files that stay behind are reported.
    let _ = fence::end_descendants(&[]);
    fence::sweep(who);
    if let Some(group) = group {
        fence::remove_group(group);
    }
    if let Err(left) = removal::remove(folder, removal::HURRY) {
        warn(&left.to_string());
    }
}
