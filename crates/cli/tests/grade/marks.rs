//! Marks, the leaderboard, the course's rules as a submission or a bot sees them, and bad
//! arguments.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value;

use crate::class::{AMPLE, Class, decent, fixture};
use crate::support::{Place, ended};

/// File names may contain anything. No control characters reach the terminal.
#[test]
fn names_are_shown_as_plain_text() {
    let class = Class::new();
    class.hand_in("one\u{1b}[2J\u{202e}\n", decent());
    let shown = class.run("--compare in --games 1").out;
    assert!(shown.contains("one?[2J??  "), "{shown:?}");
    fs::write(class.place.path("marks"), "\u{feff}one\u{1b}[2J\u{202e}\n,50\n")
        .expect("the folder can be written");
    assert_eq!(
        class.run("--compare in --games 1 --reports marks").code,
        Some(2),
        "a name with a line break cannot match a line"
    );
    class.hand_in("two", decent());
    fs::remove_file(class.place.path("in/one\u{1b}[2J\u{202e}\n.py")).expect("the folder can be written");
    fs::write(class.place.path("marks"), "\u{feff}two,50\n").expect("the folder can be written");
    assert_eq!(class.json("--compare in --games 1 --reports marks")["submissions"][0]["report"], 50.0);
}

#[test]
fn games_are_counted_as_their_tiles_say() {
    let class = Class::new();
    for name in ["random_player", "first_legal"] {
        class.hand_in("one", fixture(name));
        let grade = class.json(&format!("in/one.py --time {AMPLE}"));
        let games = grade["games"].as_array().expect("games");
        assert_eq!((games.len(), grade["code"].as_f64(), &grade["reason"]), (10, Some(100.0), &Value::Null));
        assert_eq!((&grade["seconds_allowed"], &grade["memory_allowed_mib"]), (&300.0.into(), &4096.into()));
        let sum: f64 = games.iter().filter_map(|game| game["largest"].as_f64()).sum();
        assert_eq!(grade["game_score"], sum / 10.0);
        let score = sum / 10.0;
        assert!(score < 1024.0, "{name} plays too well for the first line of the table: {score}");
        let play = if score < 128.0 { 0.0 } else { 20.0 + 60.0 * (score - 128.0) / 896.0 };
        assert!((grade["play"].as_f64().expect("a number") - play).abs() < 1e-9);
        assert!(games.iter().all(|game| game["end"] == "no-moves" || game["end"] == "no-room"), "{games:?}");
        assert_eq!(class.json(&format!("in/one.py --time {AMPLE}"))["games"], grade["games"], "{name}");
    }
    let text = class.run(&format!("in/one.py --time {AMPLE}")).out;
    assert!(
        text.contains("game score (mean of the largest tiles)") && text.contains("no moves left"),
        "{text}"
    );
}

/// The rules as a submission sees them: steps count from 1 in each game, a game starts with two
/// 2-tiles, one process plays all games, a code that does nothing leaves the grid and still adds a
/// tile, and a full grid ends the game.
#[test]
fn a_submission_sees_the_rules_of_the_course() {
    let class = Class::new();
    let text = "\
import copy
last, steps, starts, told = None, 0, [], 0

def NextMove(Grid, Step):
    global last, steps, told
    assert type(Grid) is list and [len(row) for row in Grid] == [4] * 4 and type(Step) is int
    cells = [cell for row in Grid for cell in row]
    if Step == 1:
        assert sorted(cells) == [0] * 14 + [2, 2] and Grid not in starts, Grid
        starts.append(copy.deepcopy(Grid))
    else:
        assert Step == steps + 1
        changed = [(old, new) for old, new in zip(last, cells) if old != new]
        assert changed in ([(0, 2)], [(0, 4)]), changed
    last, steps = cells, Step
    return [5, -1, 10 ** 30][Step % 3]
";
    class.hand_in("one", text);
    let grade = class.json(&format!("in/one.py --games 30 --time {AMPLE}"));
    assert_eq!(grade["reason"], Value::Null, "{grade:#}");
    let games = grade["games"].as_array().expect("games");
    for game in games {
        // 14 empty cells are filled. Then the grid either has no move, or it has one that is not
        // made.
        let moves = game["moves"].as_u64().expect("a number");
        assert!(
            moves == 14 && game["end"] == "no-moves" || moves == 15 && game["end"] == "no-room",
            "{game}"
        );
    }
    assert!(games.iter().any(|game| game["end"] == "no-room"));
}

#[test]
fn a_class_is_ranked_with_weights_and_bonuses() {
    let class = Class::new();
    class.hand_in("alice", fixture("first_legal"));
    class.hand_in("bob", fixture("random_player"));
    class.hand_in("carol", "def NextMove(Grid, Step):\n    return 4\n");
    class.hand_in("dave", "NextMove = lambda Grid, Step: 4\n");
    // This name would shadow a Python module if the folder were searched for modules.
    class.hand_in("random", "def NextMove(Grid, Step):\n    raise ValueError\n");
    fs::create_dir_all(class.place.path("in/erin/tools")).expect("it can be written");
    class.place.write("in/erin/search.py", "from tools.moves import NextMove\n");
    class
        .place
        .write("in/erin/tools/moves.py", "def NextMove(Grid, Step):\n    return 4 if Step > 1 else 3\n");
    fs::create_dir_all(class.place.path("in/frank")).expect("it can be written");
    class.place.write("in/notes.txt", "not a submission");
    class.place.write("in/_template.py", "not one either, by its name");
    class.place.write("in/.hidden.py", "nor this");
    class.place.write("marks.csv", "# of 100\nalice,80\nbob, 50.5\n");
    let result = class.json(&format!("--compare in --reports marks.csv --games 5 --time {AMPLE}"));
    let rows = result["submissions"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("the row is there");
    assert_eq!(rows.len(), 7);
    let number = |name: &str, field: &str| row(name)[field].as_f64().expect("a number");
    for name in ["alice", "bob", "carol", "dave", "erin", "frank", "random"] {
        let report = row(name)["report"].as_f64().unwrap_or(0.0);
        let mark = 0.2 * report + 0.2 * number(name, "code") + 0.6 * number(name, "play");
        assert!((number(name, "mark") - mark).abs() < 1e-9, "{name}");
        assert!((number(name, "total") - mark - number(name, "bonus")).abs() < 1e-9, "{name}");
    }
    assert_eq!(
        (number("alice", "rank"), number("alice", "bonus"), number("alice", "report")),
        (1.0, 50.0, 80.0)
    );
    assert_eq!((number("bob", "rank"), number("bob", "bonus"), number("bob", "report")), (2.0, 25.0, 50.5));
    // One move from the start may make a 4, and a player that quits at once keeps the 2. Equal
    // scores get equal ranks and bonuses.
    assert_eq!(number("carol", "rank"), number("dave", "rank"));
    assert_eq!(number("carol", "bonus"), number("dave", "bonus"));
    assert_eq!((row("erin")["reason"].clone(), number("erin", "code")), (Value::Null, 100.0));
    assert_eq!(row("frank")["reason"], "it does not contain search.py");
    assert_eq!((number("frank", "game_score"), number("frank", "bonus")), (0.0, 0.0));
    let text = class.run(&format!("--compare in --reports marks.csv --games 5 --time {AMPLE}")).out;
    assert!(
        text.starts_with("submission") && text.lines().nth(1).is_some_and(|line| line.starts_with("alice"))
    );
}

/// Spreadsheets quote names that contain commas. People do not.
#[test]
fn report_marks_may_come_from_a_spreadsheet() {
    let class = Class::new();
    class.hand_in("Doe, Jane", decent());
    for line in ["\"Doe, Jane\",70", "\"Doe, Jane\",\"70\"", "Doe, Jane,70"] {
        class.place.write("marks.csv", &format!("{line}\r\n"));
        let board = class.json("--compare in --reports marks.csv --games 1");
        assert_eq!(board["submissions"][0]["report"], 70.0, "{line}");
    }
}

/// The message has the file and the line of the innermost frame in the student's own code.
#[test]
fn an_exception_is_shown_with_its_file_and_line() {
    let class = Class::new();
    fs::create_dir_all(class.place.path("in/erin/tools")).expect("it can be written");
    class.place.write(
        "in/erin/search.py",
        "import json\nfrom tools import helper\n\ndef NextMove(Grid, Step):\n    return helper.move(Step)\n",
    );
    class
        .place
        .write("in/erin/tools/helper.py", "import json\n\ndef move(step):\n    return json.loads('x')\n");
    let reason = |line: &str| {
        let grade = class.json(&format!("{line} --games 1"));
        grade["reason"].as_str().unwrap_or_default().to_owned()
    };
    let erin = reason("in/erin");
    assert!(erin.contains("JSONDecodeError") && erin.ends_with(" (tools/helper.py, line 4)"), "{erin}");
    class.hand_in("one", "def NextMove(Grid, Step):\n    return Grid[9]\n");
    assert!(reason("in/one.py").ends_with("list index out of range (one.py, line 2)"));
    class.hand_in("one", "x = 1\ndef NextMove(:\n");
    let syntax = reason("in/one.py");
    assert!(syntax.starts_with("one.py has a syntax error in line 2: "), "{syntax}");
    assert_eq!(syntax.matches("line").count(), 1, "{syntax}");
    // A module that exists beside the file gets a hint that it was not copied. Any other missing
    // module does not.
    class.hand_in("one", "import helper\n");
    class.hand_in("helper", "");
    let hint = "; to grade a submission of several files, put one.py, renamed to search.py, and helper into one folder";
    let missing = reason("in/one.py");
    assert!(missing.starts_with("it imports 'helper', which is not installed here"), "{missing}");
    assert!(missing.ends_with(hint), "{missing}");
    class.hand_in("one", "import no_such_module\n");
    assert!(!reason("in/one.py").contains("folder"));
}

/// With --show-output, the output is shown with tracebacks, limited in size, as plain text.
/// Otherwise it is discarded.
#[test]
fn output_is_shown_on_request() {
    let class = Class::new();
    let text = "\
import sys
print('imported \\x1b[2J')

def NextMove(Grid, Step):
    if Step == 1:
        print('here', file=sys.stderr)
        sys.stdout.write('.' * (1 << 20))
        return 0
    return inner()

def inner():
    raise ValueError('what I did')
";
    class.hand_in("one", text);
    let shown = class.run(&format!("in/one.py --games 2 --time {AMPLE} --show-output"));
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    let (_, printed) = shown.out.split_once("Output, with tracebacks:\n").expect("it is shown");
    assert!(printed.starts_with("imported ?[2J\nhere\n....") && printed.contains("bytes omitted]\n"));
    assert!(printed.len() < 100_000, "{}", printed.len());
    let traceback =
        "Traceback (most recent call last):\n  File \"one.py\", line 9, in NextMove\n    return inner()";
    assert!(printed.contains(traceback), "{}", &printed[printed.len() - 1000..]);
    assert!(printed.ends_with("ValueError: what I did\n"));
    let grade = class.json(&format!("in/one.py --games 2 --time {AMPLE} --show-output"));
    assert!(grade["output"].as_str().is_some_and(|output| output.contains("ValueError: what I did")));
    assert_eq!(class.json(&format!("in/one.py --games 2 --time {AMPLE}"))["output"], Value::Null);
    // A silent submission whose child holds the pipe open.
    class.hand_in("one", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(98765)\ndef NextMove(Grid, Step):\n    return 4\n");
    let quiet = class.run("in/one.py --games 1 --show-output").out;
    assert!(quiet.ends_with("\nThe submission printed nothing.\n"), "{quiet}");
    class.assert_nothing_left("the child");
}

#[test]
fn our_own_players_are_graded_by_the_same_rules() {
    let class = Class::new();
    let grade = class.json("--player greedy --games 10");
    assert_eq!((&grade["name"], &grade["code"]), (&"greedy".into(), &100.0.into()));
    assert_eq!(grade["games"], class.json("--player greedy --games 10")["games"]);
    let ran = class.run("--player clairvoyant --games 1");
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let late = class.json("--player expectimax:depth=40 --games 10 --time 1ms");
    assert_eq!((&late["games"][0]["end"], &late["game_score"]), (&"time".into(), &0.0.into()));
}

/// A bot that logs the first word of each line it reads and answers a move with this script.
fn bot(class: &Class, answer: &str) {
    let text = format!(
        "#!/bin/sh\nwhile read -r kind rest; do\n  printf '%s ' \"$kind\" >>heard\n  \
         [ \"$kind\" = move ] || continue\n  asked=$((asked + 1))\n  {answer}\ndone\n"
    );
    class.place.write("bot", &text);
    fs::set_permissions(class.place.path("bot"), fs::Permissions::from_mode(0o755))
        .expect("the file is ours");
}

/// A quick first answer does not exempt a bot from the time limit. The program is ended when the
/// time is over.
#[test]
fn a_bot_that_is_quick_once_and_then_endless_is_stopped_by_the_clock() {
    let class = Class::new();
    bot(&class, "[ $asked = 2 ] && exec sleep 98765\n  echo up");
    let late = class.json("--player exec:cmd=./bot,time=none --games 2 --time 2s");
    class.assert_nothing_left("the bot");
    assert_eq!((&late["games"][0]["end"], &late["games"][1]["end"]), (&"time".into(), &"not-played".into()));
    assert_eq!((&late["game_score"], &late["games"][0]["moves"]), (&0.0.into(), &1.into()));
}

/// A bot is told when a game is over. Before the first game, one is started and ended as a test.
#[test]
fn a_bot_hears_of_the_end_of_a_game() {
    let class = Class::new();
    bot(&class, "echo quit");
    class.json("--player exec:cmd=./bot --games 2");
    class.assert_nothing_left("the bot");
    assert_eq!(class.place.read("heard"), "new end new move end new move end ");
}

#[test]
fn a_seed_is_fresh_unless_it_is_given_and_always_told() {
    let class = Class::new();
    let program = class.program();
    let grade = |words: &[&str], input: &str| -> Value {
        let words =
            [&[program.to_str().expect("a plain path"), "grade", "--player", "greedy"], words].concat();
        let mut command = class.command(&words);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let typed = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
        // A command that needs no input may have exited already.
        drop(typed);
        let ran = ended(child);
        assert_eq!(ran.code, Some(0), "{words:?}");
        serde_json::from_str(&ran.out).expect("JSON")
    };
    let fresh = grade(&["--games", "2", "--json"], "");
    let seed = fresh["seed"].to_string();
    assert_ne!(fresh["seed"], grade(&["--games", "2", "--json"], "")["seed"]);
    let given = grade(&["--games", "2", "--json", "--seed", &seed], "");
    let typed = grade(&["--games", "2", "--json", "--seed", "-"], &format!("{seed}\n"));
    assert_eq!((&given["games"], &typed["games"]), (&fresh["games"], &fresh["games"]));
    let text = class.run("--player greedy --games 1 --seed 20480").out;
    assert!(text.ends_with("seed  20480\n"), "{text}");
    class.hand_in("one", decent());
    let text = class.run("--compare in --games 1 --seed 20480").out;
    assert!(text.ends_with("seed  20480\n"), "{text}");
}

#[test]
fn bad_input_gets_one_sentence() {
    let place = Place::new();
    fs::create_dir_all(place.path("nothing")).expect("it can be written");
    fs::create_dir_all(place.path("class/twice")).expect("it can be written");
    fs::create_dir_all(place.path("good")).expect("it can be written");
    place.write("class/twice.py", "");
    place.write("class/twice/search.py", "");
    place.write("good/alice.py", "");
    fs::create_dir_all(place.path("several/carol")).expect("it can be written");
    for file in ["alice.py", "bob.py", "carol/search.py"] {
        place.write(&format!("several/{file}"), "");
    }
    place.write("good.csv", "alice,200\n");
    place.write("other.csv", "mallory,20\n");
    let cases = [
        ("grade", "<SUBMISSION|--player <PLAYER>|--compare <FOLDER>>"),
        ("grade good/alice.py --player greedy", "cannot be used with"),
        ("grade good/alice.py --reports good.csv", "--reports"),
        ("grade --player greedy --memory 512", "'--player <PLAYER>' cannot be used with"),
        ("grade --player greedy --python python3", "'--player <PLAYER>' cannot be used with"),
        ("grade --player greedy --show-output", "cannot be used with"),
        ("grade --compare good --show-output", "cannot be used with"),
        ("grade good/alice.py -o grades.csv", "cannot be used with"),
        ("grade good/alice.py --jobs 2", "cannot be used with"),
        ("grade --player greedy --format csv", "cannot be used with"),
        ("grade --compare good --json --format csv", "cannot be used with"),
        ("grade --compare good --fresh", "--output"),
        ("grade --compare good --jobs 0", "it must be a whole number from 1 to 1,024"),
        ("grade --compare good --jobs 1024", "every submission needs a processor of its own"),
        ("grade --compare good -o grades", "the format of grades is not clear"),
        ("grade --compare good -o grades.results --format csv", "choose another ending"),
        ("grade --compare good -o good.csv", "good.csv already exists and is not a gradebook in CSV"),
        ("grade no-such-file.py", "cannot read no-such-file.py: no such file"),
        ("grade nothing", "nothing: it does not contain search.py"),
        (
            "grade several",
            "several: it does not contain search.py; to grade each submission in it, use --compare several",
        ),
        ("grade /dev/null", "/dev/null: it is not a plain file"),
        ("grade --compare nothing", "there are no submissions in nothing"),
        ("grade --compare no-such-folder", "cannot read the folder no-such-folder"),
        ("grade --compare class", "remove one of them"),
        (
            "grade --compare good --reports good.csv",
            "good.csv: line 1: the mark must be a number from 0 to 100",
        ),
        ("grade --compare good --reports other.csv", "there is no submission 'mallory'"),
        ("grade --compare good --reports missing.csv", "cannot read missing.csv"),
        ("grade good/alice.py --python /no/such/python", "cannot use /no/such/python as Python: "),
        ("grade good/alice.py --python true", "cannot use true as Python: it is not a working Python 3"),
        ("grade good/alice.py --games 0", "it must be a whole number from 1 to 10,000"),
        ("grade good/alice.py --time 40", "a time like 200ms, 1.5s or 40min"),
        ("grade good/alice.py --time 0s", "a time like 200ms, 1.5s or 40min"),
        ("grade good/alice.py --memory 1", "it must be a whole number from 64"),
        ("grade good/alice.py --seed 18446744073709551615", "are too many: seeds end at 2^64-1"),
        ("grade --player gredy", "did you mean 'greedy'?"),
        ("grade --player greedy --seed -1", "it must be a whole number of at least 0"),
        ("grade --player greedy --seed -", "the seed on standard input: it must be a whole number"),
    ];
    for (line, says) in cases {
        let said = place.fails(line, "", 2);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert_eq!(place.read("good.csv"), "alice,200\n");
    assert!(!place.path("good.results").exists() && !place.path("grades.results").exists());
}

/// Python files in one folder are more often the modules of one submission than submissions.
#[test]
fn a_folder_without_search_py_gets_the_hint_that_fits() {
    let place = Place::new();
    let missing = "it does not contain search.py";
    let one_each = "; to grade each submission in it, use --compare";
    for (folder, files, says) in [
        ("folders", &["carol/search.py", "dave/search.py"][..], format!("{missing}{one_each} folders")),
        ("mixed", &["alice.py", "carol/search.py", "notes.txt"], format!("{missing}{one_each} mixed")),
        (
            "modules",
            &["main.py", "helper.py"],
            format!("{missing}; if every .py file is a submission of its own, use --compare modules"),
        ),
        (
            "misnamed",
            &["Search.py", "helper.py"],
            "it contains Search.py, which must be named search.py".to_owned(),
        ),
        ("single", &["main.py", "_draft.py"], missing.to_owned()),
        ("notes", &["a.txt", "b/c.txt", "d/e.txt"], missing.to_owned()),
    ] {
        for file in files {
            let path = format!("{folder}/{file}");
            fs::create_dir_all(place.path(&path).parent().expect("a folder")).expect("it can be written");
            place.write(&path, "");
        }
        assert_eq!(place.fails(&format!("grade {folder}"), "", 2), format!("{folder}: {says}"));
    }
}
