//! The terminal while screens are shown. However the program ends, raw mode, alternate screen and
//! cursor are restored.

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

/// Window manipulation of xterm (XTWINOPS): push the window title onto a stack, and pop it.
/// Terminals without it ignore both.
const KEEP_TITLE: &str = "\x1b[22;0t";
const OLD_TITLE: &str = "\x1b[23;0t";

/// Clicks and the wheel, in the form without limits of the window (xterm: 1000, 1006). Movements
/// are not reported.
#[cfg(not(windows))]
const CLICKS: Print<&str> = Print("\x1b[?1000h\x1b[?1006h");
#[cfg(not(windows))]
const NO_CLICKS: Print<&str> = Print("\x1b[?1006l\x1b[?1000l");
#[cfg(windows)]
const CLICKS: crossterm::event::EnableMouseCapture = crossterm::event::EnableMouseCapture;
#[cfg(windows)]
const NO_CLICKS: crossterm::event::DisableMouseCapture = crossterm::event::DisableMouseCapture;

/// Whether the terminal is currently set up for screens.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal that shows screens. Dropping it restores everything.
pub(super) struct Terminal {
    window: Window,
    /// Whether clicks are reported.
    clicks: bool,
}

type Window = ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>;

impl Terminal {
    /// Sets up the terminal. A panic of this thread now restores it before the message is printed.
    /// A panic in another thread prints nothing, because it would only spoil the screen. The
    /// screens report it.
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
        // No guard exists yet that would restore it.
        let window = fresh().inspect_err(|_| restore())?;
        Ok(Terminal { window, clicks: false })
    }

    /// Draws a frame. Only the changes are sent.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.window.draw(draw).map(drop)
    }

    /// Asks the terminal to report clicks, or no longer.
    pub(super) fn take_clicks(&mut self, clicks: bool) -> io::Result<()> {
        if clicks == self.clicks {
            return Ok(());
        }
        self.clicks = clicks;
        if clicks { execute!(io::stdout(), CLICKS) } else { execute!(io::stdout(), NO_CLICKS) }
    }

    /// Ctrl-Z: restores the terminal, stops until the shell resumes the program, and sets it up
    /// again. Does nothing if no shell could resume it.
    #[cfg(unix)]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        if !is_a_job() {
            return Ok(());
        }
        restore();
        // SIGTSTP is the signal that we have just handled, so SIGSTOP stops the program.
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP).map_err(io::Error::from)?;
        enter()?;
        // The whole screen must be drawn again, and clicks be asked for.
        self.window = fresh()?;
        self.clicks = false;
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Terminal {
    /// Called after the program was stopped and resumed from outside. The terminal still shows our
    /// screen, but everything else may have changed.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(io::stdout(), EnableBracketedPaste, cursor::Hide, Clear(ClearType::All))?;
        self.window = fresh()?;
        // Another program may have taken the mouse.
        self.clicks = !self.clicks;
        self.take_clicks(!self.clicks)
    }
}

/// Whether we are a job of a shell: our parent is in our session but not in our process group.
/// Otherwise (POSIX calls the group orphaned) nothing would resume a stopped program.
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

fn fresh() -> io::Result<Window> {
    // The buffer holds a whole frame, which reaches the terminal in one piece, without flicker.
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

/// Restores the terminal if it was set up. Can be called from any thread at any time.
pub(super) fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    // If the terminal is gone, there is nothing to restore.
    let _ =
        execute!(out, NO_CLICKS, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show, Print(OLD_TITLE));
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

    /// The other test runs this one in a terminal.
    #[test]
    #[ignore = "it panics; another test runs it in a terminal"]
    fn panics_on_its_screen() {
        let mut terminal = Terminal::take().unwrap();
        terminal.draw(|frame| frame.render_widget("the screen", frame.area())).unwrap();
        crossterm::event::read().unwrap();
        panic!("on purpose");
    }

    fn tmux(folder: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        let ran = command.arg("-S").arg(folder.join("tmux")).args(arguments).env_remove("TMUX").output();
        String::from_utf8_lossy(&ran.expect("tmux is needed: apt-get install tmux").stdout).into_owned()
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
