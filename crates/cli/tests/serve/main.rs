//! `lab2048 serve` and `lab2048 page`: what they answer, what they refuse, and clients that are
//! slow, rude or many. Everything stays on this machine.

#[path = "../support/mod.rs"]
mod support;

mod client;
mod docs;
mod long;
mod practice;
mod refused;
mod site;
mod slow;

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use client::{Server, encoded, timeless};
use support::Place;

/// The headers that every answer has.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
         worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
];

/// The files of the page with their paths, as in the project.
pub(crate) fn page_files() -> Vec<(String, Vec<u8>)> {
    fn collect(folder: &Path, before: &str, files: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).expect("the folder of the page") {
            let entry = entry.expect("an entry");
            let name = format!("{before}{}", entry.file_name().to_str().expect("a plain name"));
            match entry.file_type().expect("a type").is_dir() {
                _ if ["build", "networks", "package.json"].contains(&name.as_str())
                    || name.starts_with('.') => {}
                false if [".md", ".test.js", ".test.mjs"].iter().any(|end| name.ends_with(end)) => {}
                true => collect(&entry.path(), &format!("{name}/"), files),
                false => files.push((name, fs::read(entry.path()).expect("a readable file"))),
            }
        }
    }
    let mut files = Vec::new();
    collect(&support::project().join("web"), "", &mut files);
    files
}

#[test]
fn every_file_of_the_page_is_served() {
    let server = Server::start();
    let files = page_files();
    assert!(files.iter().any(|(name, _)| name == "index.html"));
    // Where the server answers, a static site has files of its own.
    for (name, bytes) in files.into_iter().filter(|(name, _)| !name.starts_with("api/")) {
        let answer = server.get(&format!("/{name}"));
        assert_eq!((answer.status, &answer.body), (200, &bytes), "{name}");
        let mime = match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "webmanifest" => "application/manifest+json",
            "json" => "application/json",
            _ => answer.header("content-type").expect("a type"),
        };
        assert_eq!(answer.header("content-type"), Some(mime), "{name}");
        for (header, value) in HEADERS {
            assert_eq!(answer.header(header), Some(value), "{name}");
        }
    }
    let (start, index) = (server.get("/?x=1#play"), server.get("/index.html"));
    assert_eq!((start.status, start.body), (200, index.body));
}

#[test]
fn a_known_version_is_not_sent_again() {
    let server = Server::start();
    for path in ["/", "/networks/default.net"] {
        let tag = server.get(path).header("etag").expect("a tag").to_owned();
        let again = |tag: &str| {
            server.send(&format!("GET {path}"), &format!("{}If-None-Match: {tag}\r\n", server.host()), b"")
        };
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let answer = again(&known);
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{path} {known}");
            assert_eq!(answer.header("etag"), Some(tag.as_str()));
        }
        assert_eq!(again("\"other\"").status, 200);
    }
}

#[test]
fn a_head_is_the_answer_without_its_body() {
    let server = Server::start();
    for path in ["/", "/networks/list.json", "/networks/full.net", "/api/version", "/api/nothing"] {
        let head = server.send(&format!("HEAD {path}"), &server.host(), b"");
        let whole = server.get(path);
        assert_eq!((head.status, head.body.len()), (whole.status, 0), "{path}");
        for header in ["content-type", "content-length", "etag"] {
            assert_eq!(head.header(header), whole.header(header), "{path}");
        }
        assert_eq!(whole.header("content-length"), Some(whole.body.len().to_string().as_str()));
    }
}

#[test]
fn the_networks_are_listed_and_served() {
    let server = Server::start();
    let list = server.get("/networks/list.json").json();
    let list = list.as_array().expect("a list");
    assert!(list.iter().any(|network| network["name"] == "default"));
    assert!(list.iter().any(|network| network["name"] == "full"));
    for network in list {
        let file = network["file"].as_str().expect("a file").to_owned();
        assert_eq!(file, format!("{}.net", network["name"].as_str().expect("a name")));
        let answer = server.get(&format!("/networks/{file}"));
        let bytes = fs::read(support::project().join("nets").join(&file)).expect("the network");
        assert!(answer.status == 200 && answer.body == bytes, "{file}");
        assert_eq!(network["bytes"], bytes.len());
        assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
        let tag = format!("\"{}\"", network["sha256"].as_str().expect("a hash"));
        assert_eq!(answer.header("etag"), Some(tag.as_str()));
        server.place.write(&file, "");
        fs::write(server.place.path(&file), &bytes).expect("a writable folder");
        let hash = lab2048::files::hash_of(&server.place.path(&file)).expect("a readable file");
        assert_eq!(network["sha256"], hash.as_str());
    }
}

#[test]
fn the_answer_is_that_of_best() {
    let server = Server::start();
    for (board, options) in [
        ("2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2", vec![("player", "expectimax:depth=2")]),
        ("2 4 8/0 2 4/0 0 2", vec![]),
        (
            "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2",
            vec![("player", "sum:depth=2"), ("four", "0.25"), ("score", "96")],
        ),
        (
            "0 2/2 0",
            vec![("player", "clairvoyant:depth=3"), ("seed", "18446744073709551615"), ("moves", "5")],
        ),
        ("2 4/2 0", vec![("player", "minimax:depth=2"), ("size", "2x2")]),
        ("[[3,3,0],[0,0,6]]", vec![("player", "greedy")]),
        ("2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2", vec![("player", "ntuple")]),
    ] {
        let mut line = format!("best {} --json", board.replace(' ', "%20"));
        let mut address = format!("/api/best?board={}", encoded(board));
        let mut body = json!({ "board": board });
        for (name, value) in options {
            line.push_str(&format!(" --{name} {value}"));
            address.push_str(&format!("&{name}={}", encoded(value)));
            body[name] = value.into();
        }
        let expected: Value = serde_json::from_str(&Place::new().ok(&line, "")).expect("JSON");
        let expected = timeless(expected);
        let answer = server.get(&address);
        assert_eq!((answer.status, timeless(answer.json())), (200, expected.clone()), "{address}");
        // Players are built anew, so the same question has the same answer.
        assert_eq!(timeless(server.get(&address).json()), expected);
        let posted = server.post("/api/best", &body.to_string());
        assert_eq!((posted.status, timeless(posted.json())), (200, expected), "{body}");
    }
}

#[test]
fn a_posted_board_can_be_rows_and_numbers_can_be_numbers() {
    let server = Server::start();
    let body = r#"{"board": [[2, 4, 8], [0, 2, 4]], "player": "clairvoyant:depth=2", "seed": 7, "moves": 1, "four": 0.5, "score": 1e1, "size": null}"#;
    let answer = server.post("/api/best", &body.replace("1e1", "10"));
    let text = "/api/best?board=2+4+8/0+2+4&player=clairvoyant:depth=2&seed=7&moves=1&four=0.5&score=10";
    assert_eq!(timeless(answer.json()), timeless(server.get(text).json()));
}

#[test]
fn the_server_says_what_it_is_and_which_players_it_offers() {
    let server = Server::start();
    let version = server.get("/api/version").json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert!(version["threads"].as_u64().is_some_and(|threads| threads > 0));
    let offered = server.get("/api/players").json();
    let mut all: Value = serde_json::from_str(&Place::new().ok("players --json", "")).expect("JSON");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    let left_out: Vec<String> = names(&all["players"])
        .into_iter()
        .filter(|name| !names(&offered["players"]).contains(name))
        .collect();
    assert_eq!(left_out, ["program", "human", "exec"]);
    for kind in ["players", "evaluators"] {
        all[kind]
            .as_array_mut()
            .expect("a list")
            .retain(|one| !["program", "human", "exec"].iter().any(|closed| one["name"] == *closed));
    }
    assert_eq!(offered, all);
}

#[test]
fn the_files_of_the_folder_are_offered_by_id() {
    let place = Place::new();
    fs::create_dir_all(place.path("runs/deep")).expect("a writable folder");
    for (name, text) in [
        ("runs/game.2048", "one"),
        ("runs/log.jsonl", "two"),
        ("runs/deep/inner.csv", "three"),
        ("runs/.hidden.json", "no"),
        ("runs/notes.txt", "no"),
        ("secret.json", "no"),
    ] {
        place.write(name, text);
    }
    let server = Server::start_in(place, "serve runs");
    assert_eq!(server.get("/api/version").json()["folder"], "runs");
    let list = server.get("/api/files").json();
    let files = list.as_array().expect("a list");
    let found: Vec<_> = files.iter().map(|file| (&file["name"], &file["bytes"], &file["kind"])).collect();
    let (three, five) = (&json!(3), &json!(5));
    assert_eq!(
        found,
        [
            (&json!("deep/inner.csv"), five, &json!("table")),
            (&json!("game.2048"), three, &json!("replay")),
            (&json!("log.jsonl"), three, &json!("records")),
        ]
    );
    let id = |place: usize| files[place]["id"].as_str().expect("an id");
    let game = server.get(&format!("/api/files/{}", id(1)));
    assert_eq!((game.status, game.body.as_slice()), (200, b"one".as_slice()));
    assert_eq!(game.header("content-type"), Some("text/plain; charset=utf-8"));
    let tag = game.header("etag").expect("a tag").to_owned();
    let again = format!("{}If-None-Match: {tag}\r\n", server.host());
    assert_eq!(server.send(&format!("GET /api/files/{}", id(1)), &again, b"").status, 304);
    server.place.write("runs/game.2048", "changed");
    let changed = server.send(&format!("GET /api/files/{}", id(1)), &again, b"");
    assert_eq!((changed.status, changed.body.as_slice()), (200, b"changed".as_slice()));
    for path in
        ["game.2048", "../secret.json", "%2e%2e%2fsecret.json", "", "deep/inner.csv", "0000000000000000"]
    {
        assert_eq!(server.get(&format!("/api/files/{path}")).status, 404, "{path}");
    }
    assert_eq!(server.get("/runs/game.2048").status, 404);
    let without = Server::start();
    assert_eq!(without.get("/api/files").json(), json!([]));
    assert_eq!(without.get("/api/version").json()["folder"], Value::Null);
}

#[test]
fn many_requests_at_once_are_all_answered() {
    let server = Server::start();
    let path = "/api/best?board=2+4+8/0+2+4/0+0+2&player=expectimax:depth=2";
    let expected = timeless(server.get(path).json());
    std::thread::scope(|scope| {
        for _ in 0..30 {
            scope.spawn(|| {
                let answer = server.get(path);
                assert_eq!((answer.status, timeless(answer.json())), (200, expected.clone()));
            });
        }
    });
}

#[test]
fn several_requests_can_use_one_connection() {
    use std::io::{Read as _, Write as _};

    let server = Server::start();
    let mut stream = server.connect();
    let one = format!("GET /api/version HTTP/1.1\r\n{}\r\n", server.host());
    let last = one.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
    stream.write_all(format!("{one}{one}{last}").as_bytes()).expect("the server reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("three answers");
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3, "{text}");
}

#[test]
fn a_taken_port_is_an_error_only_if_it_was_asked_for() {
    // Another program may have the usual port already.
    let taken = TcpListener::bind("127.0.0.1:2048");
    let server = Server::start();
    assert!(taken.is_err() || server.address != "127.0.0.1:2048");
    server.assert_alive();
    let port = server.address.rsplit_once(':').expect("a port").1;
    let sentence = Place::new().fails(&format!("serve --port {port}"), "", 1);
    assert!(sentence.starts_with(&format!("cannot listen at {}: ", server.address)), "{sentence}");
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("its address");
    let given = Server::start_in(Place::new(), &format!("serve --port {}", free.port()));
    assert_eq!(given.address, free.to_string());
}

#[test]
fn bad_options_are_refused() {
    let place = Place::new();
    place.write("file", "");
    for (line, words) in [
        ("serve nowhere", "cannot open the folder nowhere: "),
        ("serve file", "cannot open the folder file: "),
        ("serve --port 0", "it must be a whole number from 1 to 65,535"),
        ("serve --port x", "it must be a whole number from 1 to 65,535"),
        ("serve --address example.com", "invalid value 'example.com'"),
    ] {
        let sentence = place.fails(line, "", 2);
        assert!(sentence.contains(words), "{line}: {sentence}");
    }
}

#[test]
fn it_says_its_address_and_nothing_else_unless_asked() {
    let quiet = Server::start();
    quiet.assert_alive();
    let ran = quiet.end("INT");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(130), "", ""), "only the first line");
    let place = Place::new();
    let loud = Server::start_in(place, "serve --log");
    loud.assert_alive();
    assert_eq!(loud.get("/nowhere").status, 404);
    let ran = loud.end("TERM");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!((ran.code, lines.len()), (Some(143), 2), "{}", ran.err);
    assert!(lines[0].starts_with("GET /api/version 200 ") && lines[0].ends_with(" ms"), "{}", ran.err);
    assert!(lines[1].starts_with("GET /nowhere 404 "), "{}", ran.err);
}
