//! Ctrl-C and termination signals raise a flag. Long work checks it and ends cleanly.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

static RAISED: AtomicBool = AtomicBool::new(false);

/// Whether no code checks the flag, so that the first signal must end the process.
static UNHEEDED: AtomicBool = AtomicBool::new(false);

/// A callback for code that must react to a signal at once instead of checking the flag.
static TOLD: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// An action to run before the process is ended at once.
static LAST_ACT: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The signal that asked us to end: SIGINT (Ctrl-C), unless another one is known.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| Arc::new(AtomicUsize::new(2)));

/// Signals this close together count as one: `timeout` signals both the process and its group.
const TOGETHER: Duration = Duration::from_millis(200);

/// Work that ends within this time after a signal needs no explanation.
const PATIENCE: Duration = Duration::from_secs(1);

/// When the first signal came.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// Starts listening. A second signal ends the process at once, in case the work does not check the
/// flag.
pub(crate) fn listen() {
    lab2048_exec::heed(&RAISED);
    // If no handler can be set, the default remains: the signal ends the process.
    let _ = ctrlc::set_handler(hear);
    // The handler of `ctrlc` does not learn which signal it was. These handlers record it. A
    // handler that is registered later calls the earlier one.
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(&SIGNAL), signal as usize);
    }
    #[cfg(unix)]
    outlive_file_size_limit();
}

/// Turns writing beyond the limit of file sizes (`ulimit -f`) into an ordinary error. By default
/// the signal ends the process silently. The flag itself is never read. Ignoring the signal would
/// be inherited by the programs that we start; a handler is not.
#[cfg(unix)]
fn outlive_file_size_limit() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Handles a signal.
fn hear() {
    RAISED.store(true, Ordering::Relaxed);
    if let Some(tell) = TOLD.get() {
        tell();
    }
    let again = FIRST.get_or_init(Instant::now).elapsed() >= TOGETHER;
    if again || UNHEEDED.load(Ordering::Relaxed) {
        leave();
    }
}

/// From now on SIGQUIT (Ctrl-\) is handled like the other signals, for commands that must clean up.
/// Elsewhere it keeps its default and ends the process at once.
pub(crate) fn heed_quit() {
    #[cfg(unix)]
    {
        let quit = signal_hook::consts::SIGQUIT;
        // Without a thread to handle it, the default remains.
        let Ok(mut signals) = signal_hook::iterator::Signals::new([quit]) else { return };
        let handle = signals.handle();
        let heard = move || {
            for signal in signals.forever() {
                note(signal);
                hear();
            }
        };
        if thread::Builder::new().name("quit".to_owned()).spawn(heard).is_err() {
            handle.close();
        }
    }
}

/// Records another signal that asks us to end, for the exit code.
#[cfg(unix)]
pub(crate) fn note(signal: i32) {
    SIGNAL.store(signal as usize, Ordering::Relaxed);
}

/// The exit code of an interrupted command, as in shells: 128 plus the signal.
pub(crate) fn exit_code() -> u8 {
    u8::try_from(128 + SIGNAL.load(Ordering::Relaxed)).unwrap_or(130)
}

/// Calls `tell` at every signal from now on, from another thread. Only the first registered
/// callback is used.
pub(crate) fn tell(tell: impl Fn() + Send + Sync + 'static) {
    let _ = TOLD.set(Box::new(tell));
}

/// Prints an explanation if the work does not end soon after a signal. For work that checks the
/// flag only between moves.
pub(crate) fn explain_delay() {
    tell(|| {
        // A separate thread, so that a second signal is handled meanwhile. If it cannot start, only
        // the explanation is missing.
        let _ = thread::Builder::new().name("patience".to_owned()).spawn(|| {
            thread::sleep(PATIENCE);
            // If the standard error is closed, nobody can read it.
            let words = "lab2048: stopping after the current moves; press Ctrl-C again to stop now";
            let _ = writeln!(std::io::stderr(), "{words}");
        });
    });
}

/// From now on the first signal ends the process at once, for commands that think long and have
/// nothing to save.
pub(crate) fn end_at_once() {
    UNHEEDED.store(true, Ordering::Relaxed);
    if raised() {
        leave();
    }
}

/// Ends bots and does the last act now: for work that was abandoned in another thread.
pub(crate) fn clean_up() {
    lab2048_exec::end_all();
    let act = LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(act) = act {
        act();
    }
}

fn leave() -> ! {
    clean_up();
    std::process::exit(exit_code().into());
}

/// While this value lives, an action runs before a second signal ends the process. It removes what
/// must not be left behind.
pub(crate) struct LastAct(());

/// Registers the action to run before a second signal ends the process. There is only one at a
/// time.
pub(crate) fn before_leaving(act: impl FnOnce() + Send + 'static) -> LastAct {
    *LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
    LastAct(())
}

impl Drop for LastAct {
    fn drop(&mut self) {
        *LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// How to continue long work that was interrupted, depending on whether a file holds its results.
pub(crate) fn how_to_go_on(has_file: bool) -> &'static str {
    match has_file {
        true => "run the same command to resume",
        false => "use -o FILE to be able to resume",
    }
}

/// The flag, for calls of the engine that can be cancelled.
pub(crate) fn flag() -> &'static AtomicBool {
    &RAISED
}

/// Whether the user wants to stop.
pub(crate) fn raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}
