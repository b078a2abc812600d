//! What a row says about a submission that cannot be played: plain words instead of Python's.

use std::fs;

use serde_json::Value;

use crate::class::{AMPLE, Class};

/// A file, how its first game ends, and what its row says. FILE stands for the name of the file.
type Case = (&'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    ("", "not-played", "FILE defines no NextMove"),
    (
        "def next_move(Grid, Step):\n    return 0\n",
        "not-played",
        "FILE defines no NextMove, but next_move; the name must be exactly NextMove",
    ),
    (
        "x = 1\n\ndef NextMove(Grid, Step)\n    return 0\n",
        "not-played",
        "FILE has a syntax error in line 3: ",
    ),
    (
        "def NextMove(Grid, Step):\nreturn 0\n",
        "not-played",
        "FILE has a syntax error in line 2: expected an indented block",
    ),
    (
        "import json\nimport no_such_package.inner\n",
        "not-played",
        "it imports 'no_such_package', which is not installed here (FILE, line 2)",
    ),
    ("from json import nothing\n", "not-played", "FILE cannot be imported: ImportError: cannot import name"),
    ("1 / 0\n", "not-played", "FILE cannot be imported: ZeroDivisionError: division by zero (FILE, line 1)"),
    (
        "def main():\n    exit(1)\nmain()\n",
        "not-played",
        "it ends the program while it is imported (FILE, line 2)",
    ),
    (
        "name = input('Your name? ')\n",
        "not-played",
        "it asks for input while it is imported, and there is none (FILE, line 1)",
    ),
    (
        "NextMove = [0, 1]\n",
        "error",
        "an error ended 2 of 2 games, first in game 1: NextMove is not a function, but an object of type list",
    ),
    (
        "def NextMove(Grid):\n    return 0\n",
        "error",
        "first in game 1: NextMove takes one argument instead of two, Grid and Step",
    ),
    ("def NextMove():\n    return 0\n", "error", "NextMove takes no arguments instead of two, Grid and Step"),
    (
        "def NextMove(Grid, Step, Depth):\n    return 0\n",
        "error",
        "NextMove takes 3 arguments instead of two, Grid and Step",
    ),
    // The error is in the function, not in the call.
    (
        "def NextMove(Grid, Step, Depth=3):\n    return len(Depth)\n",
        "error",
        "first in game 1: TypeError: object of type 'int' has no len() (FILE, line 2)",
    ),
];

#[test]
fn what_is_wrong_is_said_in_plain_words() {
    let class = Class::new();
    for (number, (text, ..)) in CASES.iter().enumerate() {
        class.hand_in(&format!("{number:02}"), text);
    }
    let board = class.json(&format!("--compare in --games 2 --memory 512 --time {AMPLE}"));
    let rows = board["submissions"].as_array().expect("rows");
    for (number, (text, end, says)) in CASES.iter().enumerate() {
        let row = rows.iter().find(|row| row["name"] == format!("{number:02}")).expect("the row is there");
        let reason = row["reason"].as_str().unwrap_or("nothing happened");
        let says = &says.replace("FILE", &format!("{number:02}.py"));
        assert!(reason.contains(says), "{text}\n{reason}");
        assert_eq!((&row["games"][0]["end"], &row["code"]), (&(*end).into(), &0.0.into()), "{text}");
        // Only the last part of a sentence is Python's.
        assert!(says.contains("Error") || !reason.contains("Error"), "{text}\n{reason}");
    }
}

/// What is printed disturbs nothing, not even on the descriptors themselves. Arguments beyond the
/// two may have defaults, and everything that can be called is called.
#[test]
fn what_is_unusual_but_works_is_graded() {
    let class = Class::new();
    for (name, text) in [
        (
            "prints",
            "import os, sys\nprint('hello')\nos.write(1, b'0 0\\n')\nprint('oh', file=sys.stderr)\ndef NextMove(Grid, Step):\n    print(Grid)\n    return 4\n",
        ),
        ("default", "def NextMove(Grid, Step, Depth=3):\n    return 4\n"),
        ("any", "def NextMove(*arguments, **named):\n    return 4\n"),
        (
            "method",
            "class Player:\n    def move(self, Grid, Step):\n        return 4\nNextMove = Player().move\n",
        ),
        (
            "object",
            "class Player:\n    def __call__(self, Grid, Step):\n        return 4\nNextMove = Player()\n",
        ),
        (
            "lazy",
            "def __getattr__(name):\n    if name == 'NextMove':\n        return lambda Grid, Step: 4\n    raise AttributeError(name)\n",
        ),
        ("main", "def NextMove(Grid, Step):\n    return 4\nif __name__ == '__main__':\n    exit(1)\n"),
    ] {
        class.hand_in(name, text);
    }
    let board = class.json(&format!("--compare in --games 2 --memory 512 --time {AMPLE}"));
    for row in board["submissions"].as_array().expect("rows") {
        assert_eq!((&row["reason"], &row["games"][1]["end"]), (&Value::Null, &"quit".into()), "{row:#}");
    }
}

/// A file has its own name in every message. In a folder it is search.py.
#[test]
fn a_file_is_called_by_the_name_of_the_student() {
    let class = Class::new();
    let faulty = "import search\ndef NextMove(Grid, Step):\n    raise ValueError(search.__file__)\n";
    class.hand_in("Doe, Jane", faulty);
    fs::create_dir(class.place.path("in/joe")).expect("it can be written");
    class.place.write("in/joe/search.py", faulty);
    let board = class.json(&format!("--compare in --games 1 --memory 512 --time {AMPLE}"));
    for (name, file) in [("Doe, Jane", "Doe, Jane.py"), ("joe", "search.py")] {
        let rows = board["submissions"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["name"] == name).expect("the row is there");
        let reason = row["reason"].as_str().expect("a reason");
        assert!(reason.ends_with(&format!("ValueError: {file} ({file}, line 3)")), "{reason}");
    }
    class.hand_in("one", "def NextMove(Grid, Step):\n    return Grid[9]\n");
    let shown = class.run(&format!("in/one.py --games 1 --show-output --time {AMPLE}")).out;
    assert!(shown.contains("File \"one.py\", line 2") && !shown.contains("search.py"), "{shown}");
}
