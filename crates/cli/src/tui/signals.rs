//! Signals that would leave the terminal in raw mode: those that end a program by default, and
//! those that stop and resume it.

use std::thread;

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGCONT, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
};
use signal_hook::iterator::Signals;

use super::events::{Event, Mail};
use crate::interrupt;

/// Starts passing signals to the screens, in addition to those that every command handles.
pub(super) fn listen(mail: Mail) {
    let signals = Signals::new([
        SIGABRT, SIGALRM, SIGCONT, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    ]);
    // If the handlers cannot be set, the default behaviour remains.
    let Ok(mut signals) = signals else { return };
    let _ = thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            mail.send(match signal {
                SIGTSTP => Event::Suspend,
                SIGCONT => Event::Continue,
                signal => {
                    interrupt::note(signal);
                    Event::Signal
                }
            });
        }
    });
}
