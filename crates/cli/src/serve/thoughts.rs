//! Thoughts of players: in threads of their own, at most one for each core, for a limited time.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderValue, RETRY_AFTER};
use lab2048::parallel;
use lab2048::players::Registry;
use lab2048::search::CancelCheck;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::content::Problem;
use super::limits::WAITING_TIME;
use crate::players;

thread_local! {
    /// Whether the thought in this thread is no longer needed.
    static OVER: RefCell<Arc<AtomicBool>> = RefCell::default();
}

/// Ends the search in this thread if nobody needs its result any more.
fn check() {
    if OVER.with_borrow(|over| over.load(Ordering::Relaxed)) {
        resume_unwind(Box::new("abandoned"));
    }
}

/// The players of the server, whose searches can be abandoned.
pub(super) fn registry() -> Registry {
    players::registry().with_cancel(CancelCheck::new(check))
}

/// Tells a thought that it is over when this is dropped: the result is there, the time is up, or
/// the client is gone.
struct Asked(Arc<AtomicBool>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Where players think.
#[derive(Debug)]
pub(super) struct Thoughts {
    places: Arc<Semaphore>,
}

impl Thoughts {
    pub(super) fn new() -> Thoughts {
        Thoughts { places: Arc::new(Semaphore::new(parallel::cores())) }
    }

    /// Runs `work` in another thread. If it takes longer than `most`, or if nobody waits for it any
    /// more, it is abandoned. It keeps its place until it has ended. `late` says what takes long
    /// and what to do.
    pub(super) async fn think<T: Send + 'static>(
        &self,
        most: Duration,
        late: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let place = timeout(WAITING_TIME, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Err(busy()) };
        let asked = Asked(Arc::default());
        let over = Arc::clone(&asked.0);
        let thought = spawn_blocking(move || {
            OVER.set(over);
            let result = work();
            drop(place);
            result
        });
        match timeout(most, thought).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => {
                Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the player crashed on this board"))
            }
            Err(_) => {
                let sentence = format!("after {} seconds {late}", most.as_secs());
                Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, sentence))
            }
        }
    }
}

fn busy() -> Problem {
    let sentence = "all cores are thinking; ask again in a moment";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, sentence).with(RETRY_AFTER, HeaderValue::from_static("1"))
}
