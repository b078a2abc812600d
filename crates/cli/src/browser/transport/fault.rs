//! What can go wrong between the command, the driver and the browser.

use std::time::Duration;

use lab2048::text::in_words;
use thiserror::Error;

/// Why a call to the browser failed.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// No driver program was found.
    #[error("cannot find {driver}; {how}")]
    NoDriver {
        /// The program that was looked for.
        driver: &'static str,
        /// How to install it.
        how: &'static str,
    },
    /// The driver program could not be started, or did not say where it listens.
    #[error("cannot start {driver}: {why}")]
    NotStarted {
        /// The program.
        driver: String,
        /// What happened.
        why: String,
    },
    /// The driver could not start a browser.
    #[error("{driver} cannot start the browser: {why}")]
    NoBrowser {
        /// The driver.
        driver: String,
        /// The driver's words.
        why: String,
    },
    /// The driver does not answer any more.
    #[error("the driver at {url} does not answer: {}", connection(source))]
    DriverGone {
        /// Where it listened.
        url: String,
        /// What the connection says.
        source: Box<ureq::Error>,
    },
    /// The window was closed, the tab crashed or the browser ended.
    #[error("the browser window is gone: {0}")]
    BrowserGone(String),
    /// A script or a page took too long.
    #[error("the page did not answer within {} s", .0.as_secs())]
    Slow(Duration),
    /// The page could not be opened.
    #[error("cannot open {url}: {why}")]
    NotOpened {
        /// The address.
        url: String,
        /// The browser's words.
        why: String,
    },
    /// A script failed inside the page.
    #[error("a script failed in the page: {0}")]
    Script(String),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
    /// A dialog of the page was in the way. The driver has accepted it.
    #[error("the page shows one dialog after another: {0}")]
    Dialog(String),
    /// An answer that is not what the protocol says.
    #[error("the driver's answer cannot be understood: {0}")]
    Protocol(String),
}

/// What a connection says.
fn connection(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => in_words(error),
        other => other.to_string(),
    }
}

impl Fault {
    /// Whether the session is lost, so that only a new browser helps. A page that does not answer
    /// a script will not answer the next one either.
    pub(crate) fn ends_session(&self) -> bool {
        matches!(self, Fault::DriverGone { .. } | Fault::BrowserGone(_) | Fault::Slow(_))
    }
}
