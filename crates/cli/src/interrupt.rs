//! Ctrl-C and termination signals raise a flag; long work looks at it and ends cleanly.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

static RAISED: AtomicBool = AtomicBool::new(false);

/// Whether nobody looks at the flag.
static UNHEEDED: AtomicBool = AtomicBool::new(false);

/// Who wants to be told of a signal at once, instead of looking at the flag.
static TOLD: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// What has to be done before the process ends at once.
static LAST_ACT: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Signals so close to each other are one: `timeout` sends its own to the process and to its group.
const TOGETHER: Duration = Duration::from_millis(200);

/// Work that ends sooner after a signal needs no words.
const PATIENCE: Duration = Duration::from_secs(1);

/// Starts listening. A second signal ends the process at once, for work that does not look at the flag.
pub(crate) fn listen() {
    let mut first: Option<Instant> = None;
    let handler = move || {
        RAISED.store(true, Ordering::Relaxed);
        if let Some(tell) = TOLD.get() {
            tell();
        }
        let again = first.get_or_insert_with(Instant::now).elapsed() >= TOGETHER;
        if again || UNHEEDED.load(Ordering::Relaxed) {
            leave();
        }
    };
    // Where no handler can be set, the system's own behaviour remains: the signal ends the process.
    let _ = ctrlc::set_handler(handler);
}

/// Calls `tell` at every signal from now on, from another thread. Only the first caller is heard.
pub(crate) fn tell(tell: impl Fn() + Send + Sync + 'static) {
    let _ = TOLD.set(Box::new(tell));
}

/// Says what happens, if the work does not end soon after a signal: for work that looks at the flag between moves only.
pub(crate) fn explain_delay() {
    tell(|| {
        // Another thread, so that a second signal is heard meanwhile. Without one there is only less to read.
        let _ = thread::Builder::new().name("patience".to_owned()).spawn(|| {
            thread::sleep(PATIENCE);
            // Who cannot be told need not be.
            let words = "lab2048: it ends after the moves under way; Ctrl-C again ends it at once";
            let _ = writeln!(std::io::stderr(), "{words}");
        });
    });
}

/// From now on the first signal ends the process at once: for commands that think long and have nothing to lose.
pub(crate) fn end_at_once() {
    UNHEEDED.store(true, Ordering::Relaxed);
    if raised() {
        leave();
    }
}

fn leave() -> ! {
    crate::players::process::end_all();
    let act = LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(act) = act {
        act();
    }
    std::process::exit(130);
}

/// While this value lives, something is done before a second signal ends the process: for what must not stay behind.
pub(crate) struct LastAct(());

/// Does this before a second signal ends the process. There is one such act at a time.
pub(crate) fn before_leaving(act: impl FnOnce() + Send + 'static) -> LastAct {
    *LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
    LastAct(())
}

impl Drop for LastAct {
    fn drop(&mut self) {
        *LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What to know about long work that was interrupted, by whether a file keeps what was done.
pub(crate) fn how_to_go_on(has_file: bool) -> &'static str {
    match has_file {
        true => "the same command goes on where it stopped",
        false => "with -o FILE it could go on where it stopped",
    }
}

/// The flag, for the engine's cancellable calls.
pub(crate) fn flag() -> &'static AtomicBool {
    &RAISED
}

/// Whether the user wants to stop.
pub(crate) fn raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}
