//! A foreign program that is asked questions, one line each way.
//!
//! The program may do anything: answer late or never, stop reading, write without end, leave children behind. So its
//! pipes belong to threads of their own that pass lines through short queues: nothing here waits longer than it was
//! told to, and no flood of text is kept.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is taken for an answer.
const LONGEST_LINE: u64 = 1000;
/// Lines in either direction that wait to be taken. A bot that follows the protocol has at most three before it.
const QUEUE: usize = 8;
/// How often a wait looks whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a program may take to leave once its input is closed.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a program that has closed its output may take to end by itself. A program that ends
/// closes its output a moment before its exit status is there.
const ENDING: Duration = Duration::from_millis(100);
/// The farewell after Ctrl-C, when a person waits for it.
const HURRIED_FAREWELL: Duration = Duration::from_millis(300);

/// Raised when the user wants to stop, if anyone says so.
static STOP: OnceLock<&AtomicBool> = OnceLock::new();

/// From now on nobody waits for a program once this flag is raised. The first flag counts.
pub fn heed(flag: &'static AtomicBool) {
    let _ = STOP.set(flag);
}

fn is_stopped() -> bool {
    STOP.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// The programs that run, by their process groups.
static RUNNING: Mutex<Running> = Mutex::new(Running { groups: BTreeSet::new(), is_over: false });

struct Running {
    groups: BTreeSet<u32>,
    /// We are leaving: no more programs are started.
    is_over: bool,
}

/// Ends all programs that still run, for good: those of players that were left behind in the middle of a thought, whose threads will
/// not end them any more. To be called when this process is about to end.
pub fn end_all() {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.is_over = true;
    let groups = std::mem::take(&mut running.groups);
    groups.iter().for_each(|&group| kill_group(group));
    groups.into_iter().for_each(wait_for);
}

/// Waits until a program that was killed is gone: whoever looks after us is to find nothing of it. A system that is busy may
/// take its time for that, but nobody waits for ever.
fn wait_for(killed: u32) {
    #[cfg(unix)]
    if let Ok(killed) = i32::try_from(killed) {
        use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
        let started = Instant::now();
        let is_there = || waitpid(nix::unistd::Pid::from_raw(killed), Some(WaitPidFlag::WNOHANG));
        while is_there() == Ok(WaitStatus::StillAlive) && started.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(1));
        }
    }
    #[cfg(not(unix))]
    let _ = killed;
}

/// Kills a process group. It has the number of the program that was started, and keeps it as long as anyone is in it.
fn kill_group(group: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(group) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// Whether a program was ended as [`kill_group`] does it.
fn was_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(nix::libc::SIGKILL);
    #[cfg(not(unix))]
    return !status.success();
}

type Started = io::Result<Child>;

/// Starts a program that ends with this process, even if this process is killed.
#[cfg(target_os = "linux")]
fn spawn(mut command: Command) -> Started {
    use std::sync::mpsc::Sender;

    /// A program to start, and where to send it.
    type Order = (Command, Sender<Started>);

    /// The thread that starts all programs. The system ends a program with the *thread* that
    /// started it (prctl(2)), so this one lives as long as the process. A forked process does not
    /// have the threads of its parent, so the number of the process is kept with it.
    static STARTER: Mutex<Option<(u32, Sender<Order>)>> = Mutex::new(None);

    end_with_parent(&mut command);
    let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
    let commands = match &mut *starter {
        Some((process, commands)) if *process == std::process::id() => commands,
        other => {
            // That of a parent is not even dropped: it may be in the middle of something.
            std::mem::forget(other.take());
            let (sender, commands) = mpsc::channel::<Order>();
            in_thread("bot-starter", move || {
                for (mut command, started) in commands {
                    let _ = started.send(command.spawn());
                }
            })?;
            &mut other.insert((std::process::id(), sender)).1
        }
    };
    let (sender, started) = mpsc::channel();
    let is_there = commands.send((command, sender));
    drop(starter);
    is_there.map_err(io::Error::other)?;
    started.recv().map_err(io::Error::other)?
}

/// Starts a program.
#[cfg(not(target_os = "linux"))]
fn spawn(mut command: Command) -> Started {
    command.spawn()
}

/// Makes a program end when the thread that starts it ends.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn end_with_parent(command: &mut Command) {
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::signal::Signal;
    use nix::unistd::{getpid, getppid};

    let parent = getpid();
    let attach = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // We may have ended before that.
        if getppid() != parent {
            return Err(io::Error::from_raw_os_error(nix::libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: between fork and exec a process may do only what needs no lock and no memory
    // (signal-safety(7)). This is two system calls and an error that is a plain number.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, attach);
    }
}

/// A running program. It ends, with everything it has started in its process group, when this value is dropped.
pub struct BotProcess {
    child: Child,
    input: Option<SyncSender<String>>,
    answers: Receiver<Answer>,
    last_words: LastWords,
    ended: bool,
}

enum Answer {
    Line(String),
    TooLong,
}

/// What went wrong with a program.
#[derive(Debug)]
pub enum Trouble {
    /// It has closed its output, mostly because it ended.
    Closed,
    /// It does not read what it is told.
    Deaf,
    /// No answer in time.
    Late(Duration),
    /// A line without end.
    TooLong,
    /// A line that nobody asked for.
    Unasked(String),
    /// The user wants to stop.
    Interrupted,
}

impl BotProcess {
    /// Starts a program. What it writes to its standard error is shown, or only the last line of it is kept.
    pub fn start(words: &[String], show_errors: bool) -> io::Result<BotProcess> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(if show_errors { Stdio::inherit() } else { Stdio::piped() });
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        BotProcess::around(spawn(command)?)
    }

    /// Takes over a program whose standard input and output are pipes, and which leads a process group of its own (or
    /// will, before it starts others).
    pub fn around(mut child: Child) -> io::Result<BotProcess> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_over {
            child.kill()?;
            return Err(io::ErrorKind::Interrupted.into());
        }
        running.groups.insert(child.id());
        drop(running);
        let input = child.stdin.take().expect("the input is piped");
        let output = child.stdout.take().expect("the output is piped");
        let last_words = LastWords::of(child.stderr.take())?;
        let (input_sender, input_receiver) = mpsc::sync_channel(QUEUE);
        let (answer_sender, answers) = mpsc::sync_channel(QUEUE);
        let process = BotProcess { child, input: Some(input_sender), answers, last_words, ended: false };
        in_thread("bot-input", move || pass_on(&input_receiver, input))?;
        in_thread("bot-output", move || listen(output, &answer_sender))?;
        Ok(process)
    }

    /// Tells it a line.
    pub fn tell(&self, line: String) -> Result<(), Trouble> {
        let input = self.input.as_ref().ok_or(Trouble::Closed)?;
        input.try_send(line).map_err(|error| match error {
            TrySendError::Full(_) => Trouble::Deaf,
            TrySendError::Disconnected(_) => Trouble::Closed,
        })
    }

    /// A line that it has written without having been asked, if there is one.
    pub fn unasked(&self) -> Result<Option<String>, Trouble> {
        match self.answers.try_recv() {
            Ok(Answer::Line(line)) => Ok(Some(line)),
            Ok(Answer::TooLong) => Err(Trouble::TooLong),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Trouble::Closed),
        }
    }

    /// Waits for its next line; without a limit, for ever.
    pub fn answer(&self, limit: Option<Duration>) -> Result<String, Trouble> {
        let started = Instant::now();
        loop {
            let left = limit.map_or(GLANCE, |limit| limit.saturating_sub(started.elapsed()));
            match self.answers.recv_timeout(left.min(GLANCE)) {
                Ok(Answer::Line(line)) => return Ok(line),
                Ok(Answer::TooLong) => return Err(Trouble::TooLong),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Closed),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_stopped() {
                return Err(Trouble::Interrupted);
            }
            if let Some(limit) = limit.filter(|&limit| started.elapsed() >= limit) {
                return Err(Trouble::Late(limit));
            }
        }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended, however many of its children may be left.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Ends a program that has closed its output. Returns how it ended, if it did so by itself, and
    /// the last line of its complaints.
    pub fn how_it_ended(&mut self) -> (Option<ExitStatus>, Option<String>) {
        let patience = Instant::now();
        while !self.has_ended() && patience.elapsed() < ENDING {
            thread::sleep(Duration::from_millis(1));
        }
        let by_itself = self.has_ended();
        // After this nobody in its group keeps its standard error open. A child in another session
        // may, so the wait for the last words is short.
        let status = self.end_group();
        // A slow system may take longer to end it. The status of a program that is ending does not
        // change any more.
        (status.filter(|&status| by_itself || !was_killed(status)), self.last_words.take(ENDING))
    }

    /// Closes its input and waits a moment for it to close its output.
    fn say_goodbye(&mut self) {
        self.input = None;
        let patience = if is_stopped() { HURRIED_FAREWELL } else { FAREWELL };
        let started = Instant::now();
        while let Some(left) = patience.checked_sub(started.elapsed()) {
            match self.answers.recv_timeout(left) {
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// Ends it at once, without a goodbye.
    pub fn kill(mut self) {
        let _ = self.end_group();
    }

    /// Ends it with its group, unless that is done. Returns how it ended.
    fn end_group(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return self.child.wait().ok();
        }
        self.ended = true;
        // Before it is waited for: after that its number may be another's.
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).groups.remove(&self.child.id());
        kill_group(self.child.id());
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.ended {
            self.say_goodbye();
            let _ = self.end_group();
        }
    }
}

fn in_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Nobody waits for these threads: they end with the pipe that they serve.
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Writes line after line to the program, until it is gone or nothing more will come.
fn pass_on(lines: &Receiver<String>, mut input: ChildStdin) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads line after line of the program, until it is gone, or nobody listens, or a line is too long.
fn listen(output: ChildStdout, answers: &SyncSender<Answer>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.is_err() || line.is_empty() {
            return;
        }
        let too_long = line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n");
        let answer = if too_long {
            Answer::TooLong
        } else {
            Answer::Line(String::from_utf8_lossy(&line).trim().to_owned())
        };
        if answers.send(answer).is_err() || too_long {
            return;
        }
    }
}

/// The last line that a program writes to its standard error: mostly the one that says what went wrong.
struct LastWords {
    line: Arc<Mutex<Option<String>>>,
    /// Disconnected when all has been read.
    finished: Receiver<()>,
}

impl LastWords {
    fn of(errors: Option<ChildStderr>) -> io::Result<LastWords> {
        let line = Arc::new(Mutex::new(None));
        let (finish, finished) = mpsc::channel();
        if let Some(errors) = errors {
            let line = Arc::clone(&line);
            in_thread("bot-errors", move || {
                keep_last_line(errors, &line);
                drop(finish);
            })?;
        }
        Ok(LastWords { line, finished })
    }

    /// The last line so far, after all has been read or the patience is over.
    fn take(&self, patience: Duration) -> Option<String> {
        let _ = self.finished.recv_timeout(patience);
        self.line.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn keep_last_line(errors: ChildStderr, last: &Mutex<Option<String>>) {
    let mut errors = BufReader::new(errors);
    loop {
        let mut line = Vec::new();
        let read = errors.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.is_err() || line.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !text.is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        }
    }
}

/// Keeps foreign text to one readable line of at most so many letters.
pub fn one_line(text: &str, most: usize) -> String {
    // Also what would turn the direction of writing round (UAX #9).
    let turns = |letter| matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let clean = text.chars().map(|letter| if letter.is_control() || turns(letter) { '?' } else { letter });
    match text.chars().count() {
        length if length <= most => clean.collect(),
        _ => clean.take(most).chain("...".chars()).collect(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn start(words: &[&str]) -> BotProcess {
        BotProcess::start(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), false)
            .expect("the program starts")
    }

    #[test]
    fn lines_go_both_ways() {
        let bot = start(&["cat"]);
        for line in ["up", "", "two words"] {
            bot.tell(format!("{line}\n")).unwrap();
            assert_eq!(bot.answer(None).unwrap(), line);
        }
        assert!(matches!(bot.unasked(), Ok(None)));
    }

    #[test]
    fn a_program_that_does_not_read_cannot_block_us() {
        let bot = start(&["sleep", "1000"]);
        // Longer than any pipe's buffer: the thread that writes it waits, and the queue behind it fills up.
        let line = "x".repeat(1 << 20);
        let told = (0..=QUEUE + 1).map(|_| bot.tell(line.clone())).find(Result::is_err);
        assert!(matches!(told, Some(Err(Trouble::Deaf))));
        let limit = Duration::from_millis(1);
        assert!(matches!(bot.answer(Some(limit)), Err(Trouble::Late(late)) if late == limit));
        bot.kill();
    }

    #[test]
    fn a_flood_waits_in_the_pipe() {
        let bot = start(&["yes", "up"]);
        for _ in 0..1000 {
            assert_eq!(bot.answer(None).unwrap(), "up");
        }
        let bot = start(&["cat", "/dev/zero"]);
        assert!(matches!(bot.answer(None), Err(Trouble::TooLong)));
        assert!(matches!(bot.answer(None), Err(Trouble::Closed)), "nothing more is read");
    }

    #[test]
    fn the_last_words_of_a_program_that_ended() {
        let mut bot = start(&["sh", "-c", "echo first >&2; echo last >&2; echo >&2; exit 4"]);
        assert!(matches!(bot.answer(None), Err(Trouble::Closed)));
        let (status, words) = bot.how_it_ended();
        assert_eq!((status.and_then(|status| status.code()), words.as_deref()), (Some(4), Some("last")));
    }

    /// A child in another session can keep the standard error open for ever.
    #[test]
    fn last_words_do_not_wait_for_the_end_of_the_output() {
        let (_never_dropped, finished) = mpsc::channel();
        let line = Arc::new(Mutex::new(Some("last".to_owned())));
        assert_eq!(LastWords { line, finished }.take(Duration::ZERO).as_deref(), Some("last"));
    }
}
