//! Ctrl-C and termination signals raise a flag; long work looks at it and ends cleanly.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

static RAISED: AtomicBool = AtomicBool::new(false);

/// Whether nobody looks at the flag.
static UNHEEDED: AtomicBool = AtomicBool::new(false);

/// Who wants to be told of a signal at once, instead of looking at the flag.
static TOLD: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// What has to be done before the process ends at once.
static LAST_ACT: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The signal that asked us to end: that of Ctrl-C, unless another one is known.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| Arc::new(AtomicUsize::new(2)));

/// Signals so close to each other are one: `timeout` sends its own to the process and to its group.
const TOGETHER: Duration = Duration::from_millis(200);

/// Work that ends sooner after a signal needs no words.
const PATIENCE: Duration = Duration::from_secs(1);

/// When the first signal came.
static FIRST: OnceLock<Instant> = OnceLock::new();

/// Starts listening. A second signal ends the process at once, for work that does not look at the flag.
pub(crate) fn listen() {
    lab2048_exec::heed(&RAISED);
    // Where no handler can be set, the system's own behaviour remains: the signal ends the process.
    let _ = ctrlc::set_handler(hear);
    // The handler is not told which signal it was. One that is set later calls the one that was there before.
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(&SIGNAL), signal as usize);
    }
    #[cfg(unix)]
    outlive_file_size_limit();
}

/// Makes writing beyond the limit of file sizes (`ulimit -f`) an error like any other instead of a signal that ends the
/// process without a word. Nobody looks at the flag. A handler, unlike ignoring the signal, is not inherited by the
/// programs that we start.
#[cfg(unix)]
fn outlive_file_size_limit() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// A signal has come.
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

/// From now on SIGQUIT (Ctrl-\) is a signal like the others: for commands that must not leave
/// anything behind. Elsewhere it keeps its meaning, the end at once.
pub(crate) fn heed_quit() {
    #[cfg(unix)]
    {
        let quit = signal_hook::consts::SIGQUIT;
        // Without a thread to hear it, the system's own behaviour remains.
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

/// Notes another signal that asks us to end, for the exit code.
#[cfg(unix)]
pub(crate) fn note(signal: i32) {
    SIGNAL.store(signal as usize, Ordering::Relaxed);
}

/// The exit code of a command that was interrupted, as shells have it: 128 and the signal.
pub(crate) fn exit_code() -> u8 {
    u8::try_from(128 + SIGNAL.load(Ordering::Relaxed)).unwrap_or(130)
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
    lab2048_exec::end_all();
    let act = LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(act) = act {
        act();
    }
    std::process::exit(exit_code().into());
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
