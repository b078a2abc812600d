//! The terminal while screens are shown, and as it was before: whatever ends the program, raw mode, alternate screen and
//! cursor are put back.

use std::io::{self, BufWriter, Stdout, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;

/// Window manipulation of xterm (XTWINOPS): the window's title onto a stack, and back. Terminals without it ignore both.
const KEEP_TITLE: &str = "\x1b[22;0t";
const OLD_TITLE: &str = "\x1b[23;0t";

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal that shows screens. Dropping it puts everything back.
pub(super) struct Terminal(ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>);

impl Terminal {
    /// Takes the terminal. From now on also a panic of this thread puts it back, before it says its message; what panics in
    /// other threads would only spoil the picture, and is told by the screens.
    pub(super) fn take() -> io::Result<Terminal> {
        let ours = thread::current().id();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == ours {
                restore();
                before(info);
            }
        }));
        enter()?;
        // There is no guard yet that would put it back.
        fresh().map(Terminal).inspect_err(|_| restore())
    }

    /// Shows a picture: only what has changed is sent.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.0.draw(draw).map(drop)
    }

    /// Ctrl-Z: gives the terminal back, sleeps until the shell wakes us, and takes it again. Where no shell could, nothing
    /// happens.
    #[cfg(unix)]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        if !is_a_job() {
            return Ok(());
        }
        restore();
        // The signal for it, SIGTSTP, is what we have just heeded.
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP).map_err(io::Error::from)?;
        enter()?;
        // All of the picture is new to the terminal.
        self.0 = fresh()?;
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Terminal {
    /// After others have stopped us and let us go on: the terminal is still on our screen, and all else may have changed.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(io::stdout(), EnableBracketedPaste, cursor::Hide, Clear(ClearType::All))?;
        self.0 = fresh()?;
        Ok(())
    }
}

/// Whether a shell has us as one of its jobs: our parent is of our session, but not of our group. Without one (POSIX calls the
/// group an orphaned one) nobody would let a stopped program go on.
#[cfg(unix)]
fn is_a_job() -> bool {
    use nix::unistd::{getpgid, getpgrp, getppid, getsid};
    let parent = getppid();
    let same_session = getsid(Some(parent)).is_ok_and(|theirs| getsid(None) == Ok(theirs));
    same_session && getpgid(Some(parent)).is_ok_and(|theirs| theirs != getpgrp())
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn fresh() -> io::Result<ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>> {
    // A whole picture fits: it reaches the terminal in one piece, without flicker.
    ratatui::Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 18, io::stdout())))
}

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let entered = enable_raw_mode().and_then(|()| {
        execute!(
            io::stdout(),
            Print(KEEP_TITLE),
            SetTitle("lab2048"),
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )
    });
    if entered.is_err() {
        restore();
    }
    entered
}

/// Puts the terminal back if it is ours; may be called by anyone at any time.
pub(super) fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    // If the terminal is gone, there is nothing to put back.
    let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show, Print(OLD_TITLE));
    let _ = disable_raw_mode();
    let _ = out.flush();
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    /// What the other test runs in a terminal.
    #[test]
    #[ignore = "it panics, in a terminal of another test"]
    fn panics_on_its_screen() {
        let mut terminal = Terminal::take().unwrap();
        terminal.draw(|frame| frame.render_widget("the screen", frame.area())).unwrap();
        crossterm::event::read().unwrap();
        panic!("on purpose");
    }

    fn tmux(folder: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        let ran = command.arg("-S").arg(folder.join("tmux")).args(arguments).env_remove("TMUX").output();
        String::from_utf8_lossy(&ran.expect("tmux is there: apt-get install tmux").stdout).into_owned()
    }

    fn wait_for(folder: &Path, what: &str, wanted: impl Fn() -> bool) {
        let started = Instant::now();
        while !wanted() {
            let screen = || tmux(folder, &["capture-pane", "-p", "-t", "test"]);
            assert!(started.elapsed() < Duration::from_secs(60), "{what} did not appear:\n{}", screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_panic_gives_the_terminal_back_and_is_read_after_that() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let program = std::env::current_exe().unwrap().display().to_string();
        let lines = format!(
            "stty -a > before\n'{program}' --ignored --exact --nocapture tui::terminal::tests::panics_on_its_screen\n\
             stty -a > now\nmv now after\ncat\n"
        );
        fs::write(folder.join("lines"), lines).unwrap();
        let home = folder.display().to_string();
        let session = ["-f", "/dev/null", "new-session", "-d", "-s", "test", "-x", "100", "-y", "40"];
        tmux(folder, &[&session[..], &["-c", &home, "sh lines"]].concat());
        let shows = |text: &str| tmux(folder, &["capture-pane", "-p", "-t", "test"]).contains(text);
        let state = || {
            let flags = "#{alternate_on} #{cursor_flag}";
            tmux(folder, &["display-message", "-p", "-t", "test", flags]).trim().to_owned()
        };
        wait_for(folder, "the screen", || shows("the screen"));
        assert_eq!(state(), "1 0");
        tmux(folder, &["send-keys", "-t", "test", "x"]);
        wait_for(folder, "the end", || folder.join("after").exists());
        wait_for(folder, "the message", || shows("on purpose"));
        let (seen, read) = (state(), |name: &str| fs::read_to_string(folder.join(name)).unwrap());
        let (before, after) = (read("before"), read("after"));
        tmux(folder, &["kill-server"]);
        assert_eq!(seen, "0 1");
        assert_eq!(after, before);
    }
}
