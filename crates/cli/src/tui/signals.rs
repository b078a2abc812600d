//! Signals that would leave the terminal as the screens have it: those that end a program by themselves, and those that stop
//! it and let it go on.

use std::thread;

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGCONT, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
};
use signal_hook::iterator::Signals;

use super::events::{Event, Mail};
use crate::interrupt;

/// Tells the screens of signals from now on, besides those that every command listens to.
pub(super) fn listen(mail: Mail) {
    let signals = Signals::new([
        SIGABRT, SIGALRM, SIGCONT, SIGPROF, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    ]);
    // Where nobody can listen, the system's own behaviour remains.
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
