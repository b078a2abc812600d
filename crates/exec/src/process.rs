//! An external program that receives lines on its standard input and answers with lines on its
//! standard output.
//!
//! The program may misbehave: answer late or never, stop reading, write endlessly, or leave
//! children behind. Separate threads own its pipes and pass lines through short queues. So no call
//! here waits longer than its timeout, and a flood of output stays in the pipe.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is accepted as an answer, in bytes. Standard error is cut at it, too.
const LONGEST_LINE: u64 = 1000;
/// Capacity of the line queue in each direction. A bot that follows the protocol has at most three
/// lines waiting.
const QUEUE: usize = 8;
/// How often a wait checks whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a program may take to exit after its input is closed.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a program that has closed its output may take to exit by itself. An exiting program
/// closes its output shortly before its exit status is available.
const ENDING: Duration = Duration::from_millis(100);
/// How many held lines of standard error are kept.
const MOST_HELD: usize = 200;
/// The exit timeout after Ctrl-C, when the user is waiting.
const HURRIED_FAREWELL: Duration = Duration::from_millis(300);

/// The flag that is raised when the user wants to stop, if one was registered.
static STOP: OnceLock<&AtomicBool> = OnceLock::new();

/// Registers a flag that interrupts all waits for programs once it is raised. Only the first
/// registered flag counts.
pub fn heed(flag: &'static AtomicBool) {
    let _ = STOP.set(flag);
}

fn is_stopped() -> bool {
    STOP.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// What programs wrote to their standard error, while it is held back.
static HELD: Mutex<Option<HeldErrors>> = Mutex::new(None);

/// Lines that programs wrote to their standard error while it was held back.
#[derive(Debug, Default)]
pub struct HeldErrors {
    /// The last lines.
    pub lines: VecDeque<String>,
    /// How many lines came before them.
    pub dropped: u64,
}

impl HeldErrors {
    fn push(&mut self, line: String) {
        if self.lines.len() == MOST_HELD {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line);
    }
}

/// From now on, standard error that is to be shown is held back: it would spoil a full screen. Call
/// it before programs start.
pub fn hold_errors() {
    held().get_or_insert_default();
}

/// What was held back so far. More may follow.
pub fn take_held_errors() -> HeldErrors {
    held().as_mut().map(std::mem::take).unwrap_or_default()
}

fn held() -> MutexGuard<'static, Option<HeldErrors>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The running programs, by process group.
static RUNNING: Mutex<Running> = Mutex::new(Running { groups: BTreeSet::new(), is_over: false });

struct Running {
    groups: BTreeSet<u32>,
    /// This process is exiting: no more programs are started.
    is_over: bool,
}

/// Kills all programs that are still running and prevents new ones from starting. Call it when this
/// process is about to exit: players that are still thinking then have no thread left to end their
/// program.
pub fn end_all() {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.is_over = true;
    let groups = std::mem::take(&mut running.groups);
    groups.iter().for_each(|&group| kill_group(group));
    groups.into_iter().for_each(wait_for);
}

/// Waits until a killed program is gone, so that no trace of it is left when this process exits. A
/// busy system may need some time for that. The wait ends after [`FAREWELL`] in any case.
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

/// Kills a process group. The group id is the process id of the program that was started, and stays
/// valid while the group has members.
fn kill_group(group: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(group) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// Whether a program was ended by [`kill_group`] or in the same way.
fn was_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(nix::libc::SIGKILL);
    #[cfg(not(unix))]
    return !status.success();
}

type Started = io::Result<Child>;

/// Starts a program that is killed when this process ends, even if this process is itself killed.
#[cfg(target_os = "linux")]
fn spawn(mut command: Command) -> Started {
    use std::sync::mpsc::Sender;

    /// A program to start, and the channel for the result.
    type Order = (Command, Sender<Started>);

    /// The thread that starts all programs. The system kills a program when the *thread* that
    /// started it ends (prctl(2)), so this thread lives as long as the process. A forked process
    /// does not inherit its parent's threads, so the id of the owning process is stored with the
    /// channel.
    static STARTER: Mutex<Option<(u32, Sender<Order>)>> = Mutex::new(None);

    end_with_parent(&mut command);
    let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
    let commands = match &mut *starter {
        Some((process, commands)) if *process == std::process::id() => commands,
        other => {
            // A channel inherited from the parent process is not even dropped: the parent may have
            // been using it during the fork.
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

#[cfg(not(target_os = "linux"))]
fn spawn(mut command: Command) -> Started {
    command.spawn()
}

/// Makes a program end when the thread that started it ends.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn end_with_parent(command: &mut Command) {
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::signal::Signal;
    use nix::unistd::{getpid, getppid};

    let parent = getpid();
    let attach = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // The parent may have died before the call.
        if getppid() != parent {
            return Err(io::Error::from_raw_os_error(nix::libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: between fork and exec, only async-signal-safe calls are allowed: no locks, no
    // allocation (signal-safety(7)). The closure makes two system calls and returns an error that
    // is a plain number.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, attach);
    }
}

/// A running program. Dropping this value ends the program and everything it has started in its
/// process group.
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
    /// It closed its output, usually because it exited.
    Closed,
    /// It does not read its input.
    Deaf,
    /// No answer in time.
    Late(Duration),
    /// A line that is too long.
    TooLong,
    /// A line without a question.
    Unasked(String),
    /// The user wants to stop.
    Interrupted,
}

impl BotProcess {
    /// Starts a program. Of its standard error only the last line is kept, or all is shown, unless
    /// it is [held back](hold_errors).
    pub fn start(words: &[String], show_errors: bool) -> io::Result<BotProcess> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let holds = show_errors && held().is_some();
        command.stderr(if show_errors && !holds { Stdio::inherit() } else { Stdio::piped() });
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        BotProcess::holding(spawn(command)?, holds)
    }

    /// Takes over a program whose standard input and output are pipes. The program must lead its
    /// own process group, or start doing so before it starts other programs.
    pub fn around(child: Child) -> io::Result<BotProcess> {
        BotProcess::holding(child, false)
    }

    /// The same. `holds` says whether its standard error is held back.
    fn holding(mut child: Child, holds: bool) -> io::Result<BotProcess> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_over {
            child.kill()?;
            return Err(io::ErrorKind::Interrupted.into());
        }
        running.groups.insert(child.id());
        drop(running);
        let input = child.stdin.take().expect("the input is piped");
        let output = child.stdout.take().expect("the output is piped");
        let last_words = LastWords::of(child.stderr.take(), holds)?;
        let (input_sender, input_receiver) = mpsc::sync_channel(QUEUE);
        let (answer_sender, answers) = mpsc::sync_channel(QUEUE);
        let process = BotProcess { child, input: Some(input_sender), answers, last_words, ended: false };
        in_thread("bot-input", move || pass_on(&input_receiver, input))?;
        in_thread("bot-output", move || listen(output, &answer_sender))?;
        Ok(process)
    }

    /// Sends a line to the program.
    pub fn tell(&self, line: String) -> Result<(), Trouble> {
        let input = self.input.as_ref().ok_or(Trouble::Closed)?;
        input.try_send(line).map_err(|error| match error {
            TrySendError::Full(_) => Trouble::Deaf,
            TrySendError::Disconnected(_) => Trouble::Closed,
        })
    }

    /// A line that the program has written without being asked, if there is one.
    pub fn unasked(&self) -> Result<Option<String>, Trouble> {
        match self.answers.try_recv() {
            Ok(Answer::Line(line)) => Ok(Some(line)),
            Ok(Answer::TooLong) => Err(Trouble::TooLong),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Trouble::Closed),
        }
    }

    /// Waits for the next line. Without a limit, it waits forever.
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

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the program has exited. Its children may still be running.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Ends a program that has closed its output. Returns its exit status, if it exited by itself,
    /// and the last line of its standard error.
    pub fn how_it_ended(&mut self) -> (Option<ExitStatus>, Option<String>) {
        let patience = Instant::now();
        while !self.has_ended() && patience.elapsed() < ENDING {
            thread::sleep(Duration::from_millis(1));
        }
        let by_itself = self.has_ended();
        // After this, no process in its group keeps its standard error open. A child in another
        // session may still do so, so the wait for the last line is short.
        let status = self.end_group();
        // On a slow system the program may have needed longer than ENDING to exit. Killing a
        // program that is already exiting does not change its status.
        (status.filter(|&status| by_itself || !was_killed(status)), self.last_words.take(ENDING))
    }

    /// Closes the program's input and waits a moment for it to close its output.
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

    /// Kills the program at once, without closing its input first.
    pub fn kill(mut self) {
        let _ = self.end_group();
    }

    /// Kills the program and its group, unless that is done already. Returns its exit status.
    fn end_group(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return self.child.wait().ok();
        }
        self.ended = true;
        // This must happen before the wait: afterwards the process id may be reused.
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
    // These threads are never joined. Each ends when its pipe closes.
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Writes lines to the program until it is gone or the sender is dropped.
fn pass_on(lines: &Receiver<String>, mut input: ChildStdin) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines from the program until it is gone, the receiver is dropped or a line is too long.
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

/// The last line that a program wrote to its standard error. It usually says what went wrong.
struct LastWords {
    line: Arc<Mutex<Option<String>>>,
    /// Disconnected once everything has been read.
    finished: Receiver<()>,
}

impl LastWords {
    fn of(errors: Option<ChildStderr>, holds: bool) -> io::Result<LastWords> {
        let line = Arc::new(Mutex::new(None));
        let (finish, finished) = mpsc::channel();
        if let Some(errors) = errors {
            let line = Arc::clone(&line);
            in_thread("bot-errors", move || {
                keep_last_line(errors, &line, holds);
                drop(finish);
            })?;
        }
        Ok(LastWords { line, finished })
    }

    /// The last line so far. Waits until everything has been read, but at most `patience`.
    fn take(&self, patience: Duration) -> Option<String> {
        let _ = self.finished.recv_timeout(patience);
        self.line.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Keeps the last line that is not empty. If `holds` is set, all lines are held back.
fn keep_last_line(errors: ChildStderr, last: &Mutex<Option<String>>, holds: bool) {
    let mut errors = BufReader::new(errors);
    // Whether the beginning of the current line has been read.
    let mut is_begun = false;
    loop {
        let mut line = Vec::new();
        // One byte more: a line feed there ends a line that is not too long.
        let read = errors.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line);
        if read.is_err() || line.is_empty() {
            return;
        }
        let goes_on = std::mem::replace(&mut is_begun, !line.ends_with(b"\n"));
        // Of a line that is too long, the beginning is kept: it names the error.
        let is_cut = is_begun && line.len() as u64 > LONGEST_LINE;
        if is_cut {
            line.truncate(last_boundary(&line));
        }
        if goes_on {
            continue;
        }
        let dots = if is_cut { "..." } else { "" };
        let text = String::from_utf8_lossy(&line);
        if holds {
            held().get_or_insert_default().push(text.trim_end().to_owned() + dots);
        }
        let text = text.trim().to_owned();
        if !text.is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(text + dots);
        }
    }
}

/// Where the last character of a text in UTF-8 begins. It may be incomplete.
fn last_boundary(text: &[u8]) -> usize {
    let last = text.len().saturating_sub(1);
    // A character has at most three bytes after its first.
    let begins = |&place: &usize| text.get(place).is_some_and(|byte| byte & 0xC0 != 0x80);
    (last.saturating_sub(3)..=last).rev().find(begins).unwrap_or(last)
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
        // Larger than any pipe buffer: the writing thread blocks and the queue fills up.
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

    /// The only test here that holds errors back: the setting is that of the whole process.
    #[test]
    fn errors_that_are_held_back_are_the_last_lines() {
        hold_errors();
        let script = "for i in $(seq 205); do echo \" line $i\" >&2; done; exit 4".to_owned();
        let mut bot = BotProcess::start(&["sh".to_owned(), "-c".to_owned(), script], true).unwrap();
        assert!(matches!(bot.answer(None), Err(Trouble::Closed)));
        assert_eq!(bot.how_it_ended().1.as_deref(), Some("line 205"));
        let held = take_held_errors();
        assert_eq!((held.dropped, held.lines.len()), (5, MOST_HELD));
        assert_eq!(held.lines.front().map(String::as_str), Some(" line 6"), "the indent is kept");
        assert!(take_held_errors().lines.is_empty(), "they are taken once");
    }

    #[test]
    fn long_last_words_keep_their_beginning() {
        let last_words = |line: &str| {
            let mut bot = start(&["sh", "-c", "printf %s \"$1\" >&2; exit 1", "sh", line]);
            assert!(matches!(bot.answer(None), Err(Trouble::Closed)));
            bot.how_it_ended().1.expect("there is a line")
        };
        for length in [900, 999, 1000] {
            let line = format!("Error: {}", "x".repeat(length - 7));
            assert_eq!(last_words(&line), line);
            assert_eq!(last_words(&format!("{line}\n")), line, "the line feed does not count");
        }
        for length in [1001, 1002, 2003, 5000] {
            let line = format!("Error: {}", "x".repeat(length - 7));
            assert_eq!(last_words(&line), format!("{}...", &line[..1000]));
            assert_eq!(last_words(&format!("{line}\n")), format!("{}...", &line[..1000]));
        }
        // Characters of three bytes: a whole one ends at 999 or 1000 bytes, or begins at 998.
        for (before, kept) in [("", 999), ("a", 1000), ("aa", 998)] {
            let line = format!("{before}{}", "\u{20ac}".repeat(500));
            assert_eq!(last_words(&line), format!("{}...", &line[..kept]));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_cut_all_the_same() {
        let line = vec![0x80; 1001];
        assert_eq!(last_boundary(&line), 1000);
        assert_eq!(last_boundary(b""), 0);
    }

    /// A child in another session can keep the standard error open forever.
    #[test]
    fn last_words_do_not_wait_for_the_end_of_the_output() {
        let (_never_dropped, finished) = mpsc::channel();
        let line = Arc::new(Mutex::new(Some("last".to_owned())));
        assert_eq!(LastWords { line, finished }.take(Duration::ZERO).as_deref(), Some("last"));
    }
}
