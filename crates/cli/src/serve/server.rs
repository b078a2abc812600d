//! Connections: taking them, their limits, and the end of the server.

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener as Listener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lab2048::parallel;
use lab2048::players::Registry;
use lab2048::text::in_words;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::content::Reply;
use super::files::Folder;
use super::guard::Guard;
use super::limits::{Busy, Connections, HEAD_TIME, MOST_HEAD, Patient};
use super::networks::NetworkFiles;
use super::router::Router;
use super::thoughts::{Thoughts, registry};
use crate::failure::{Failure, Outcome, warn};
use crate::{interrupt, out};

/// The port that is tried first.
const PORT: u16 = 2048;

/// The threads that may wait for a disk, besides those that think.
const DISK_THREADS: usize = 4;

/// How `serve` was asked to run.
#[derive(Debug)]
pub(crate) struct ServeOptions {
    /// The folder whose files the page may read.
    pub(crate) folder: Option<PathBuf>,
    /// The address to listen at.
    pub(crate) address: IpAddr,
    /// The port; without one, 2048 or a free one.
    pub(crate) port: Option<u16>,
    /// Whether to open the page in a browser.
    pub(crate) open: bool,
    /// Whether to print a line for each request.
    pub(crate) log: bool,
}

/// Serves the page until Ctrl-C or another signal.
pub(crate) fn serve(options: ServeOptions) -> Outcome<()> {
    let open_page = options.open;
    let server = Server::open(options)?;
    let stop = Arc::new(Notify::new());
    let stopping = Arc::clone(&stop);
    interrupt::tell(move || stopping.notify_one());
    let url = server.url.clone();
    server.run(&stop, || {
        out::print(&format!("lab2048 is at {url} (Ctrl-C to stop)\n"))?;
        if open_page {
            open(&url);
        }
        if interrupt::raised() {
            stop.notify_one();
        }
        Ok(())
    })?;
    Err(Failure::Interrupted(None))
}

/// A server that listens, and answers while it runs.
pub(super) struct Server {
    listener: Listener,
    router: Arc<Router>,
    log: bool,
    /// The address of the page.
    pub(super) url: String,
}

impl Server {
    /// Opens the folder and listens.
    pub(super) fn open(options: ServeOptions) -> Outcome<Server> {
        Server::with_registry(options, registry())
    }

    /// The same with other players and tables.
    pub(super) fn with_registry(options: ServeOptions, registry: Registry) -> Outcome<Server> {
        let folder = options.folder.map(|path| {
            Folder::open(&path).map_err(|error| {
                Failure::BadInput(format!("cannot open the folder {}: {}", path.display(), in_words(&error)))
            })
        });
        let folder = folder.transpose()?;
        let listener = listen(options.address, options.port)?;
        let address = listener.local_addr().map_err(failed)?;
        let router = Arc::new(Router {
            guard: Guard::new(address),
            registry,
            thoughts: Thoughts::new(),
            networks: NetworkFiles::default(),
            folder,
        });
        Ok(Server { listener, router, log: options.log, url: format!("http://{address}/") })
    }

    /// Answers until it is told to stop. `started` is called once it does.
    pub(super) fn run(self, stop: &Notify, started: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(parallel::cores() + DISK_THREADS)
            .build()
            .map_err(failed)?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener).map_err(failed)?;
            tokio::spawn(accept(listener, self.router, self.log));
            started()?;
            stop.notified().await;
            Outcome::Ok(())
        })?;
        // Thoughts in progress end with the process.
        runtime.shutdown_background();
        Ok(())
    }
}

fn failed(error: io::Error) -> Failure {
    Failure::failed(in_words(&error))
}

/// Listens at the given port; without one, at the usual or else a free one.
fn listen(ip: IpAddr, port: Option<u16>) -> Outcome<Listener> {
    let bind = |port| Listener::bind(SocketAddr::new(ip, port));
    let bound = match (port, bind(port.unwrap_or(PORT))) {
        (None, Err(error)) if error.kind() == io::ErrorKind::AddrInUse => bind(0),
        (_, bound) => bound,
    };
    let listener = bound.map_err(|error| {
        let address = SocketAddr::new(ip, port.unwrap_or(PORT));
        Failure::Failed(format!("cannot listen at {address}: {}", in_words(&error)))
    })?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

/// Takes connections for ever.
async fn accept(listener: TcpListener, router: Arc<Router>, log: bool) {
    let connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) if connections.make_room() => {
                let busy = Busy::default();
                let task = tokio::spawn(talk(stream, Arc::clone(&router), busy.clone(), log));
                connections.add(task.abort_handle(), busy);
            }
            // All connections wait for their answers. This one is closed.
            Ok(_) => {}
            // The process has no more files, or the client is gone already.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Answers the requests of one connection.
async fn talk(stream: TcpStream, router: Arc<Router>, busy: Busy, log: bool) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, now) = (Arc::clone(&router), busy.begin());
        async move {
            let line = log.then(|| (format!("{} {}", request.method(), request.uri()), Instant::now()));
            let reply = router.reply(request).await;
            if let Some((line, began)) = line {
                say(&line, &reply, began);
            }
            drop(now);
            Ok::<Reply, Infallible>(reply)
        }
    });
    // Small answers are sent at once. If this cannot be set, they only take longer.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(MOST_HEAD)
        .max_buf_size(4 * MOST_HEAD)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    // A client that breaks off or does not speak HTTP harms only itself.
    let _ = connection.await;
}

/// A line about a request.
fn say(line: &str, reply: &Reply, began: Instant) {
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    // If the standard error is closed, nobody can read the line.
    let _ = writeln!(io::stderr(), "{line} {} {milliseconds:.1} ms", reply.status().as_u16());
}

/// Opens an address in the browser of the system.
fn open(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        Command::new("xdg-open")
    };
    let child = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match child {
        // Waiting for it leaves no zombie. Without a thread, one is left.
        Ok(mut child) => drop(thread::Builder::new().spawn(move || child.wait())),
        Err(error) => warn(&format!("cannot open a browser: {}", in_words(&error))),
    }
}
