//! The examples of `docs/reference/serve.md` are real.

use std::fs;

use serde_json::Value;

use crate::client::{Answer, Server};
use crate::practice::solve;
use crate::support::{Place, project};

/// The commands and their output in the fenced examples of a document.
fn examples(text: &str) -> Vec<(String, String)> {
    let blocks =
        text.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let mut examples: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (None, None) => panic!("an example begins with a command: {line}"),
        }
    }
    examples
}

/// The words of a command, with quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(letter),
        }
    }
    words
}

/// Runs a command line of curl: `curl -s [-H HEADER] [-d BODY] URL`.
fn curl(server: &Server, command: &str) -> Answer {
    let words = words(command);
    assert_eq!(words[..2], ["curl", "-s"], "{command}");
    let (mut headers, mut body, mut path) = (server.host(), None, None);
    let mut rest = words[2..].iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-H" => headers.push_str(&format!("{}\r\n", rest.next().expect("a header"))),
            "-d" => body = rest.next(),
            url => path = url.strip_prefix("http://127.0.0.1:2048"),
        }
    }
    let path = path.unwrap_or_else(|| panic!("no address: {command}"));
    let method = if body.is_some() { "POST" } else { "GET" };
    server.send(&format!("{method} {path}"), &headers, body.map_or(b"", |body| body.as_bytes()))
}

/// Removes what differs from machine to machine.
fn comparable(mut value: Value) -> Value {
    for field in ["seconds", "threads"] {
        if let Some(found) = value.get_mut(field) {
            assert!(found.is_number(), "{field}");
            found.take();
        }
    }
    value
}

#[test]
fn the_examples_of_the_reference_are_real() {
    let text = fs::read_to_string(project().join("docs/reference/serve.md")).expect("the reference");
    let place = Place::new();
    fs::create_dir(place.path("runs")).expect("a writable folder");
    solve(&place);
    place.ok("watch greedy --seed 7 --max-moves 3 --save runs/game.2048", "");
    let server = Server::start_in(place, "serve runs");
    let examples = examples(&text);
    assert!(examples.len() >= 6, "{examples:?}");
    for (command, output) in examples {
        let answer = curl(&server, &command);
        if answer.header("content-type") == Some("application/json") {
            let expected: Value =
                serde_json::from_str(&output).unwrap_or_else(|error| panic!("{command}: {error}"));
            assert_eq!(comparable(answer.json()), comparable(expected), "{command}");
        } else {
            assert_eq!(String::from_utf8(answer.body).expect("a text"), output, "{command}");
        }
    }
}
