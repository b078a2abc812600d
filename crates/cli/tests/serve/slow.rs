//! Clients that are slow, silent or gone, and thoughts that do not end.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::client::{Server, read, timeless};

/// A search that would take years.
const ENDLESS: &str = "/api/best?board=2+4+8+16/0+2+4+8/0+0+2+4/0+0+0+2&player=";

/// Sends the beginning of something and does not go on.
fn begin(server: &Server, text: &str) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(text.as_bytes()).expect("the server reads");
    stream
}

#[test]
fn clients_that_hold_connections_open_lock_nobody_out() {
    let server = Server::start();
    let host = server.host();
    let mut held: Vec<TcpStream> = Vec::new();
    for number in 0..300 {
        held.push(match number % 4 {
            0 => server.connect(),
            1 => begin(&server, "GE"),
            2 => begin(&server, &format!("GET / HTTP/1.1\r\n{host}X: ")),
            // Answered, and then idle.
            _ => begin(&server, &format!("GET / HTTP/1.1\r\n{host}\r\n")),
        });
        if number % 50 == 49 {
            server.assert_alive();
        }
    }
    server.assert_alive();
}

#[test]
fn slow_clients_are_cut_off() {
    let server = Server::start();
    let host = server.host();
    let half = "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"board\"";
    // Silence, half a head, and silence after an answer: closed without an answer.
    let silent = [
        server.connect(),
        begin(&server, &format!("GET / HTTP/1.1\r\n{host}")),
        begin(&server, &format!("GET /api/version HTTP/1.1\r\n{host}\r\n")),
    ];
    let body = begin(&server, &format!("POST /api/best HTTP/1.1\r\n{host}{half}"));
    // A client that does not read: more than fits into the buffers of the system.
    let mut deaf = begin(&server, &format!("GET /networks/full.net HTTP/1.1\r\n{host}\r\n"));
    // A head that grows all the time but never ends.
    let mut drip = begin(&server, &format!("GET / HTTP/1.1\r\n{host}X: "));
    let dripping = thread::spawn(move || {
        while drip.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    for mut stream in silent {
        let mut text = String::new();
        // A reset is an end, too.
        let _ = stream.read_to_string(&mut text);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 "), "{text}");
    }
    let late = read(body);
    assert_eq!((late.status, late.error().as_str()), (408, "the body did not arrive in time"));
    dripping.join().expect("the server ends it");
    wait_until("the answer is given up", || connections(&server) == 0);
    let mut rest = Vec::new();
    let _ = deaf.read_to_end(&mut rest);
    assert!(rest.len() < 45_000_000, "{}", rest.len());
    server.assert_alive();
}

/// The number of sockets of the server, without the one that listens.
#[cfg(target_os = "linux")]
fn connections(server: &Server) -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the connections of this machine");
    let port = server.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
    let port: u16 = port;
    let (own, established) = (format!("0100007F:{port:04X}"), "01");
    let of_server = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some(own.as_str()) && words.nth(1) == Some(established)
    };
    table.lines().filter(of_server).count()
}

#[cfg(not(target_os = "linux"))]
fn connections(_: &Server) -> usize {
    0
}

/// Waits; a minute is a bug.
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_true() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("waited too long until {what}");
}

#[test]
fn an_endless_thought_ends_and_its_core_is_free_again() {
    let server = Server::start();
    for player in ["sum:depth=10", "expectimax:depth=50", "minimax:depth=60"] {
        let answer = server.get(&format!("{ENDLESS}{player}"));
        assert_eq!(answer.status, 422, "{player}: {answer:?}");
        assert!(
            answer.error().starts_with("after 10 seconds the player is still thinking"),
            "{}",
            answer.error()
        );
    }
    let threads = server.get("/api/version").json()["threads"].as_u64().expect("a number");
    for _ in 0..threads {
        assert_eq!(server.get("/api/best?board=2+4/0+2&player=expectimax").status, 200);
    }
    wait_until("no thread thinks", || !is_thinking(&server));
}

/// Whether a thread of the server is using a core.
#[cfg(target_os = "linux")]
fn is_thinking(server: &Server) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.id())).expect("it runs");
    tasks.flatten().any(|task| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
    })
}

#[cfg(not(target_os = "linux"))]
fn is_thinking(_: &Server) -> bool {
    false
}

#[test]
fn a_thought_ends_when_its_client_is_gone() {
    let server = Server::start();
    let threads = server.get("/api/version").json()["threads"].as_u64().expect("a number");
    let asking = |_| begin(&server, &format!("GET {ENDLESS}sum:depth=10 HTTP/1.1\r\n{}\r\n", server.host()));
    let clients: Vec<TcpStream> = (0..threads).map(asking).collect();
    wait_until("they think", || cfg!(not(target_os = "linux")) || is_thinking(&server));
    // Everything that needs no thought is answered meanwhile.
    server.assert_alive();
    drop(clients);
    wait_until("nobody thinks", || !is_thinking(&server));
    let quick = server.get("/api/best?board=2+4/0+2&player=greedy");
    assert_eq!((quick.status, timeless(quick.json())["depth"].as_u64()), (200, Some(1)));
}

#[test]
fn when_all_cores_think_others_are_told_to_come_again() {
    let server = Server::start();
    let threads = server.get("/api/version").json()["threads"].as_u64().expect("a number");
    let asking = |_| begin(&server, &format!("GET {ENDLESS}sum:depth=10 HTTP/1.1\r\n{}\r\n", server.host()));
    let clients: Vec<TcpStream> = (0..threads).map(asking).collect();
    wait_until("they think", || cfg!(not(target_os = "linux")) || is_thinking(&server));
    let busy = server.get("/api/best?board=2+4/0+2&player=greedy");
    assert_eq!((busy.status, busy.header("retry-after")), (503, Some("1")));
    assert_eq!(busy.error(), "all cores are thinking; ask again in a moment");
    drop(clients);
}

#[test]
fn it_ends_at_once_even_while_it_thinks() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let server = Server::start();
        let _client = begin(&server, &format!("GET {ENDLESS}sum:depth=10 HTTP/1.1\r\n{}\r\n", server.host()));
        let _idle = server.connect();
        wait_until("it thinks", || cfg!(not(target_os = "linux")) || is_thinking(&server));
        let ran = server.end(signal);
        assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{signal}");
    }
}
