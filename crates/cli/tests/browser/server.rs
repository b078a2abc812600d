//! A web server for the pages of the tests, on a free port of this machine.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// A page that never answers.
const HANGS: &str = "/hangs";

/// The address of a server of these folders; it serves until the tests end.
pub(crate) fn serve(folders: Vec<PathBuf>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folders = folders.clone();
            // A browser may drop a connection at any time.
            thread::spawn(move || drop(answer(stream, &folders)));
        }
    });
    format!("http://{address}")
}

/// Answers the requests of one connection.
fn answer(stream: TcpStream, folders: &[PathBuf]) -> std::io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(request) = lines.next() {
        let request = request?;
        for line in lines.by_ref() {
            if line?.is_empty() {
                break;
            }
        }
        let target = request.split(' ').nth(1).unwrap_or("/");
        if target == HANGS {
            thread::sleep(Duration::from_secs(600));
        }
        let path = target.split('?').next().unwrap_or(target).trim_start_matches('/');
        let found = folders.iter().map(|folder| folder.join(path)).find(|file| file.is_file());
        let body = found.as_ref().and_then(|file| fs::read(file).ok());
        let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
        let (body, kind) = (body.unwrap_or_default(), kind(Path::new(path)));
        write!(out, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len())?;
        out.write_all(&body)?;
    }
    Ok(())
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "application/octet-stream",
    }
}
