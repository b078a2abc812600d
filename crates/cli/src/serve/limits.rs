//! The limits of the server, a stream that gives up on a client that takes nothing, and the table
//! of open connections.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, sleep};

/// The largest body of a request.
pub(super) const MOST_BODY: usize = 64 * 1024;

/// The longest address of a request.
pub(super) const MOST_ADDRESS: usize = 8 * 1024;

/// The largest head of a request.
pub(super) const MOST_HEAD: usize = 16 * 1024;

/// The longest time between the answer to a request and the end of the next request's head. It
/// includes the time that a connection is idle.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(15);

/// The longest time for the body of a request.
pub(super) const BODY_TIME: Duration = Duration::from_secs(10);

/// The longest time in which a client takes nothing of its answer.
pub(super) const STALL_TIME: Duration = Duration::from_secs(15);

/// The longest time of a thought.
pub(super) const THINKING_TIME: Duration = Duration::from_secs(10);

/// The longest time for reading the network of a player. It happens once.
pub(super) const LOADING_TIME: Duration = Duration::from_secs(60);

/// The longest time for which a request waits until it may think.
pub(super) const WAITING_TIME: Duration = Duration::from_secs(5);

/// The number of open connections.
const MOST_CONNECTIONS: usize = 256;

/// A connection that fails if the client takes nothing for [`STALL_TIME`].
#[derive(Debug)]
pub(super) struct Patient {
    stream: TcpStream,
    stall: Pin<Box<Sleep>>,
    stalled: bool,
}

impl Patient {
    pub(super) fn new(stream: TcpStream) -> Patient {
        Patient { stream, stall: Box::pin(sleep(STALL_TIME)), stalled: false }
    }

    /// Starts the timer when a write has to wait, and stops it when something was written.
    fn watched<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = false;
            return written;
        }
        if !self.stalled {
            self.stalled = true;
            self.stall.as_mut().reset(Instant::now() + STALL_TIME);
        }
        match self.stall.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Whether a connection is waiting for its own answer. Such a connection is not closed for a new
/// one.
#[derive(Clone, Debug, Default)]
pub(super) struct Busy(Arc<AtomicBool>);

impl Busy {
    /// The connection is busy until the result is dropped.
    pub(super) fn begin(&self) -> BusyNow {
        self.0.store(true, Ordering::Relaxed);
        BusyNow(self.clone())
    }
}

/// See [`Busy::begin`].
#[derive(Debug)]
pub(super) struct BusyNow(Busy);

impl Drop for BusyNow {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Relaxed);
    }
}

/// The open connections, oldest first. If there are too many, the oldest that is not busy is
/// closed, so that clients which hold connections open cannot lock out others.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Vec<(AbortHandle, Busy)>>,
}

impl Connections {
    /// Makes room for one more. Returns false if there is none, because all are busy.
    pub(super) fn make_room(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(connection, _)| !connection.is_finished());
        if open.len() < MOST_CONNECTIONS {
            return true;
        }
        let idle = open.iter().position(|(_, busy)| !busy.0.load(Ordering::Relaxed));
        if let Some(place) = idle {
            open.remove(place).0.abort();
        }
        idle.is_some()
    }

    /// Adds a connection.
    pub(super) fn add(&self, connection: AbortHandle, busy: Busy) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push((connection, busy));
    }
}
