//! Practice with the tables of the data folder.

use std::fs;

use lab2048::solve::{Job, Place as Target, Standing, SubGame, Table, solve_to_file};
use serde_json::{Value, json};

use crate::client::{Server, encoded};
use crate::support::Place;

/// The table that [`solve`] makes.
pub(crate) const NAME: &str = "walls-0123456789-32";

/// Solves an endgame of six cells into the data folder of a place.
pub(crate) fn solve(place: &Place) {
    let walls = "0,1,2,3,4,5,6,7,8,9".parse().expect("walls");
    let game = SubGame::endgame(walls, 32, Target::Beside).expect("it can be won");
    assert_eq!(game.name(), NAME);
    let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
    fs::create_dir_all(place.path("tables")).expect("a writable folder");
    solve_to_file(&game, &place.path(&format!("tables/{NAME}.table")), &job).expect("it is solved");
}

/// A server with that table, and the table.
fn server() -> (Server, Table) {
    let place = Place::new();
    solve(&place);
    let table = Table::open(&place.path(&format!("tables/{NAME}.table"))).expect("a table");
    (Server::start_in(place, "serve"), table)
}

fn draw(seed: u64) -> String {
    format!("/api/practice/draw?table={NAME}&seed={seed}&from=0.2&to=0.9")
}

#[test]
fn tables_are_listed_and_judge_as_the_engine_does() {
    let (server, table) = server();
    let listed = json!({
        "table": NAME,
        "goal": "chance to make 32 beside the inner wall with the walls 0,1,2,3,4,5,6,7,8,9",
        "size": "4x4",
        "tile": 32,
        "four": 0.1,
        "start": table.info().start,
    });
    assert_eq!(server.get("/api/tables").json(), json!([listed]));
    for seed in 0..20 {
        let drawn = server.get(&draw(seed)).json();
        let body = json!({ "table": NAME, "seed": seed.to_string(), "from": 0.2, "to": "0.9" });
        assert_eq!(server.post("/api/practice/draw", &body.to_string()).json(), drawn, "the seed decides");
        let value = drawn["exact"]["value"].as_f64().expect("a chance");
        assert!((0.2..=0.9).contains(&value), "{drawn}");
        let board: Vec<Vec<u64>> = serde_json::from_value(drawn["board"].clone()).expect("rows");
        let board = lab2048::board::parse_board(&json!(board).to_string(), None).expect("a board");
        let standing = json!(Standing::of(&table, &board).expect("a board of the table"));
        let judge = json!({ "table": NAME, "board": drawn["board"] });
        assert_eq!(server.post("/api/practice/judge", &judge.to_string()).json(), standing);
        let text = encoded(&drawn["board"].to_string());
        let got = server.get(&format!("/api/practice/judge?table={NAME}&board={text}"));
        assert_eq!((got.status, got.json()), (200, standing.clone()));
        assert_eq!((&drawn["state"], &drawn["exact"]), (&json!("open"), &standing["exact"]));
    }
    let lost = format!("/api/practice/judge?table={NAME}&board=0+0+0+2/0+0+0+0/0+0+0+0/0+0+0+2");
    assert_eq!(server.get(&lost).json(), json!({ "state": "over", "exact": null }));
}

#[test]
fn without_tables_the_list_is_empty() {
    let server = Server::start();
    assert_eq!(server.get("/api/tables").json(), json!([]));
    let answer = server.get(&draw(1));
    assert_eq!(answer.status, 404);
    assert!(answer.error().starts_with("there is no table 'walls-0123456789-32'"), "{}", answer.error());
}

#[test]
fn wrong_questions_about_tables_are_refused() {
    let (server, _) = server();
    let judge = |more: &str| format!("/api/practice/judge?table={NAME}{more}");
    for (path, status, words) in [
        ("/api/practice/draw?seed=1".to_owned(), 400, "'table' is missing"),
        (format!("/api/practice/draw?table={NAME}"), 400, "'seed' is missing"),
        (format!("{}&from=x", draw(1).replace("&from=0.2", "")), 400, "from=x: it must be a number from 0"),
        (draw(1).replace("from=0.2", "from=-1"), 400, "from=-1: it must be a number from 0"),
        (draw(1).replace("to=0.9", "to=nan"), 400, "to=nan: it must be a number from 0"),
        (draw(1).replace("seed=1", "seed=-1"), 400, "seed=-1: it must be a whole number"),
        (draw(1).replace("from=0.2", "from=0.95"), 422, "try a wider one"),
        (format!("{}&board=2", draw(1)), 400, "there is no parameter 'board'"),
        (judge(""), 400, "'board' is missing"),
        (judge("&board=2+x"), 400, "not a board: "),
        (judge("&board=2+4/0+2"), 400, "is of a board of 4x4, not 2x2"),
        (judge("&board=2+4/0+2&player=auto"), 400, "there is no parameter 'player'"),
        ("/api/practice/judge?table=3x3&board=2+4/0+2".to_owned(), 404, "there is no table '3x3'"),
        ("/api/practice/draw?table=..&seed=1".to_owned(), 400, "is not the name of a table"),
        ("/api/practice/draw?table=../tables/x&seed=1".to_owned(), 400, "is not the name of a table"),
        ("/api/practice/draw?table=%2fetc%2fpasswd&seed=1".to_owned(), 400, "is not the name of a table"),
        ("/api/practice/draw?table=&seed=1".to_owned(), 400, "is not the name of a table"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert!(answer.error().contains(words), "{path}: {}", answer.error());
    }
}

#[test]
fn a_damaged_table_is_one_sentence() {
    let (server, _) = server();
    let file = server.place.path(&format!("tables/{NAME}.table"));
    let bytes = fs::read(&file).expect("the table");
    // A file is replaced, never written in place: the server has mapped it.
    let replace = |bytes: &[u8]| {
        let new = server.place.path("new");
        fs::write(&new, bytes).expect("a writable folder");
        fs::rename(&new, &file).expect("a writable folder");
    };
    replace(&bytes[..bytes.len() / 2]);
    let listed = server.get("/api/tables").json();
    let sentence = listed[0]["error"].as_str().expect("a sentence").to_owned();
    assert!(sentence.starts_with("the table cannot be used: it is damaged: "), "{sentence}");
    let answer = server.get(&draw(1));
    assert_eq!((answer.status, answer.error()), (500, sentence));
    let mut flipped = bytes.clone();
    for place in (64..bytes.len() / 2).step_by(64) {
        flipped[place] ^= 1;
    }
    replace(&flipped);
    let answer = server.get(&draw(1));
    assert_eq!(answer.status, 500);
    let sentence = answer.error();
    assert!(sentence.contains("a layer has the wrong checksum"), "{sentence}");
    assert!(!sentence.contains('/'), "no path of this machine: {sentence}");
    replace(b"");
    assert_eq!(
        server.get("/api/tables").json()[0]["error"],
        "the table cannot be used: it is not a table of lab2048"
    );
    replace(&bytes);
    assert_eq!(server.get(&draw(1)).status, 200, "and once it is whole again, it is used");
    assert_eq!(server.get("/api/tables").json()[0]["error"], Value::Null);
}
