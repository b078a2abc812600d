//! The terminal while screens are shown, and as it was before: whatever ends the program, raw mode, alternate screen and
//! cursor are put back.

use std::io::{self, BufWriter, Stdout, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
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

    /// Ctrl-Z: gives the terminal back, sleeps until the shell wakes us, and takes it again.
    #[cfg(unix)]
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTSTP).map_err(io::Error::from)?;
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
