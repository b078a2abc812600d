//! A server of ours on a free port, and a client that can also be rude.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use serde_json::Value;

use crate::support::{Place, Ran, ended, signal};

/// A running server.
pub(crate) struct Server {
    pub(crate) place: Place,
    pub(crate) child: Option<Child>,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Starts `lab2048 serve` in an empty folder.
    pub(crate) fn start() -> Server {
        Server::start_in(Place::new(), "serve")
    }

    /// Starts the command and waits until it says its address.
    pub(crate) fn start_in(place: Place, line: &str) -> Server {
        let mut child = place.start(line);
        let mut said = String::new();
        let out = child.stdout.as_mut().expect("stdout is piped");
        BufReader::new(out).read_line(&mut said).expect("a line");
        let address = said.strip_prefix("lab2048 is at http://").and_then(|said| said.split_once('/'));
        let address = address.unwrap_or_else(|| panic!("it said: {said}")).0.to_owned();
        Server { place, child: Some(child), address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("the server listens")
    }

    /// Sends one request with these header lines, each ended by `\r\n`, and reads the answer.
    pub(crate) fn send(&self, request: &str, headers: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let head = format!("{request} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("the server reads");
        // A server that refuses a large body closes the connection.
        let _ = stream.write_all(body);
        read(stream)
    }

    /// A header line with the right host.
    pub(crate) fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &self.host(), b"")
    }

    /// Posts JSON.
    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let headers = format!("{}Content-Type: application/json\r\n", self.host());
        self.send(&format!("POST {path}"), &headers, body.as_bytes())
    }

    /// Asks for something that does not depend on anything.
    pub(crate) fn assert_alive(&self) {
        assert_eq!(self.get("/api/version").status, 200);
    }

    /// Ends the server with a signal.
    pub(crate) fn end(mut self, name: &str) -> Ran {
        let child = self.child.take().expect("it runs");
        signal(&child, name);
        ended(child)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Reads an answer until the server closes the connection.
pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection with unread bytes of ours is reset after the answer.
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).expect("the head is text");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head, body: bytes.split_off(end + 4) }
}

impl Answer {
    /// A header; its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The sentence of a refusal.
    pub(crate) fn error(&self) -> String {
        let json = self.json();
        assert_eq!(json.as_object().map(|object| object.len()), Some(1), "{json}");
        let sentence = json["error"].as_str().expect("a sentence").to_owned();
        assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence}");
        sentence
    }
}

/// An answer of `best` without the time that it took.
pub(crate) fn timeless(mut answer: Value) -> Value {
    assert!(answer["seconds"].take().is_number(), "{answer}");
    answer
}

/// A text in percent encoding.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}
