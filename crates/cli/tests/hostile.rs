//! Hostile input: whatever a user, a file or a pipe may throw at the command ends with one clear sentence and the right
//! exit code, never with a panic, and costs nothing that was there before.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// One bad input.
struct Case {
    /// The command line, split at blanks; `DIR` is the test's own folder.
    line: &'static str,
    /// What is typed.
    input: &'static [u8],
    /// The exit code.
    code: i32,
    /// A piece of the sentence that must be printed.
    says: &'static str,
}

const fn bad(line: &'static str, says: &'static str) -> Case {
    Case { line, input: b"", code: 2, says }
}

const fn fails(line: &'static str, says: &'static str) -> Case {
    Case { line, input: b"", code: 1, says }
}

const fn typed(line: &'static str, input: &'static [u8], says: &'static str) -> Case {
    Case { line, input, code: 2, says }
}

/// `%20` stands for a blank inside an argument.
const CASES: &[Case] = &[
    // The command line itself.
    bad("benhc", "unrecognized subcommand 'benhc'"),
    bad("bench --seconds 0", "a number of seconds"),
    bad("bench --seconds nan", "a number of seconds"),
    bad("bench --no-such-option", "--no-such-option"),
    bad("players nobody", "there is no player 'nobody'"),
    // Players and their parameters.
    bad("watch", "PLAYER"),
    bad("watch gredy", "did you mean 'greedy'?"),
    bad("watch %20", "the player is missing"),
    bad("watch :depth=3", "the player is missing"),
    bad("watch random:depth=3", "random has no parameter 'depth'"),
    bad("watch greedy:depth", "is not a parameter: write key=value"),
    bad("watch exec", "exec needs cmd="),
    bad("watch exec:cmd=\"open", "quotes"),
    bad("watch exec:cmd=true,tiem=1s", "did you mean 'time'?"),
    bad("watch exec:cmd=true,time=5", "a time like"),
    bad("watch exec:cmd=true,time=-1s", "a time like"),
    bad("watch exec:cmd=true,cmd=false", "given twice"),
    bad("arena", "PLAYER"),
    bad("arena random nobody --games 1", "there is no player 'nobody'"),
    // Sizes, chances, numbers.
    bad("watch random --size 1x4", "both sides must be from 2 to 8"),
    bad("watch random --size 9", "both sides must be from 2 to 8"),
    bad("watch random --size 4by4", "is not a board size"),
    bad("watch random --size 99999999999999999999x4", "is not a board size"),
    bad("watch random --size -4", "-4"),
    bad("watch random --four 1.5", "a number from 0 to 1"),
    bad("watch random --four nan", "a number from 0 to 1"),
    bad("watch random --seed -1", "-1"),
    bad("watch random --seed 18446744073709551616", "18446744073709551616"),
    bad("watch random --rules chess", "original or course"),
    bad("watch random --until 0", "0"),
    bad("arena random --games 0", "0"),
    bad("arena random --games many", "many"),
    bad("arena random --games 10 --threads 0", "0"),
    bad("arena random --games 2 --seed 18446744073709551615", "seed"),
    // Boards.
    bad("watch random --board 2%204/8", "row 2 has 1 cells, but row 1 has 2"),
    bad("watch random --board 2%204%208%2016", "together with a size"),
    typed("watch random --board -", b"", "not a board"),
    bad("watch random --board 0%200/0%200", "the board has no tiles"),
    bad("watch random --board 2%20-2/0%200", "row 1, column 2: -2 is negative"),
    bad("watch random --board 2%2099999999999999999999/0%200", "too large"),
    bad("watch random --board 2%20999999999999999999999999999999999999999999/0%200", "too large"),
    bad("watch random --board 2%20two/0%200", "'two' is not a whole number"),
    bad("watch random --board 2%202.5/0%200", "'2.5' is not a whole number"),
    bad("watch random --board [[2,0],[0]]", "row 2 has 1 cells"),
    bad("watch random --board [[2,0],[0,0]", "not a board in JSON"),
    bad("watch random --board {\"rows\":1}", "it is not an array"),
    bad("watch random --board [[2,true],[0,0]]", "'true' is not a whole number"),
    bad("watch random --size 4x4 --board 2%200/0%202", "the board is 2x2, but 4x4 is asked for"),
    bad("watch random --size 3x3 --board 2%200%200%202", "a 3x3 board has 9 cells, but 4 are given"),
    bad("watch random --board @DIR/no-such-file", "cannot read the board"),
    bad("watch random --board @DIR", "cannot read the board"),
    typed("watch random --board -", b"2 \xff/0 0", "cannot read the board"),
    // Files.
    bad("replay DIR/no-such-file", "no-such-file"),
    bad("replay DIR", "DIR"),
    bad("replay DIR/empty", "empty"),
    bad("replay DIR/noise", "noise"),
    bad("replay DIR/text", "text"),
    bad("replay DIR/torn.2048", "torn.2048"),
    bad("replay DIR/changed.2048", "changed.2048"),
    bad("replay DIR/future.2048", "version"),
    bad("replay --import 2048verse DIR/noise", "noise"),
    bad("replay --import nothing DIR/noise", "nothing"),
    bad("arena random --games 10 -o DIR/text", "text"),
    bad("arena random --games 10 -o DIR/noise", "noise"),
    bad("arena greedy --games 10 --seed 1 -o DIR/runs.jsonl", "runs.jsonl"),
    bad("arena random --games 10 --seed 2 -o DIR/runs.jsonl", "runs.jsonl"),
    bad("arena random --games 2 --seed 1 -o DIR/runs.jsonl", "runs.jsonl"),
    bad("arena random --games 5 --seed 1 -o DIR/damaged.jsonl", "damaged.jsonl"),
    fails("arena random --games 10 -o DIR/no-such-folder/runs.jsonl", "no-such-folder"),
    fails("watch random --max-moves 5 --save DIR/no-such-folder/game.2048", "no-such-folder"),
    bad("watch random --max-moves 5 --save DIR/runs.jsonl", "is not a replay; choose another name"),
    bad("play --save DIR/text", "is not a replay; choose another name"),
    // Bots that do not do what a bot should.
    fails("watch exec:cmd=/no/such/bot", "/no/such/bot"),
    fails("watch exec:cmd=true", "exec"),
    fails("watch exec:cmd=\"echo%20sideways\"", "sideways"),
    fails("watch exec:cmd=\"sleep%20100\",time=50ms", "50"),
];

fn run(arguments: &[String], input: &[u8], dir: &Path) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lab2048"))
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The command may end before it has read its input.
    let _ = child.stdin.take().expect("stdin is piped").write_all(input);
    child.wait_with_output().expect("the binary ends")
}

fn words(line: &str, dir: &Path) -> Vec<String> {
    let dir = dir.to_str().expect("the test folder's name is text");
    line.split(' ').map(|word| word.replace("%20", " ").replace("DIR", dir)).collect()
}

/// Fills the folder with files that look right at first sight.
fn prepare(dir: &Path) {
    let ok = |line: &str| {
        let output = run(&words(line, dir), b"", dir);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    };
    ok("watch random --seed 1 --max-moves 50 --save DIR/good.2048");
    ok("arena random --games 5 --seed 1 -o DIR/runs.jsonl");
    let replay = fs::read_to_string(dir.join("good.2048")).expect("the replay is there");
    let records = fs::read_to_string(dir.join("runs.jsonl")).expect("the records are there");
    let write =
        |name: &str, bytes: &[u8]| fs::write(dir.join(name), bytes).expect("the folder can be written");
    write("empty", b"");
    write("text", b"Dear diary,\ntoday I played 2048.\n");
    write("noise", &(0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect::<Vec<_>>());
    write("torn.2048", &replay.as_bytes()[..replay.len() / 2]);
    write("changed.2048", replay.replacen(" U", " R", 1).as_bytes());
    write("future.2048", replay.replacen("replay 1", "replay 99", 1).as_bytes());
    let mut lines: Vec<&str> = records.lines().collect();
    lines.swap(2, 3);
    write("damaged.jsonl", format!("{}\n", lines.join("\n")).as_bytes());
}

#[test]
fn every_bad_input_gets_one_sentence_and_costs_nothing() {
    assert!(CASES.len() >= 40);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    prepare(dir);
    let snapshot = || {
        let mut files: Vec<_> = fs::read_dir(dir)
            .expect("the folder is there")
            .map(|entry| entry.expect("the entry can be read").path())
            .map(|path| (path.clone(), fs::read(&path).expect("the file can be read")))
            .collect();
        files.sort();
        files
    };
    let before = snapshot();
    let mut wrong = Vec::new();
    for case in CASES {
        let output = run(&words(case.line, dir), case.input, dir);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let says = case.says.replace("DIR", dir.to_str().expect("a text"));
        let sentence = said.lines().count() == 1 && said.starts_with("lab2048: ") && said.contains(&says);
        let right = output.status.code() == Some(case.code) && sentence && !said.contains("panicked");
        if !right {
            wrong.push(format!("{} -> {:?}\n    {said}", case.line, output.status.code()));
        }
        if snapshot() != before {
            wrong.push(format!("{} changed a file", case.line));
            break;
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

/// A reader that goes away ends the command quietly.
#[test]
fn a_closed_pipe_is_no_failure() {
    for line in ["players", "watch random --seed 1", "arena random --games 3", "--help"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lab2048"))
            .args(line.split(' '))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the binary ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !said.contains("panicked"), "{line}: {:?} {said}", output.status);
    }
}

/// Without a terminal and without input, everything that asks takes the end of the input for an answer.
#[test]
fn no_terminal_and_no_input_is_an_end_not_a_hang() {
    for line in ["play --seed 1", "watch human --seed 1", "arena human --games 1 --seed 1"] {
        let output = Command::new(env!("CARGO_BIN_EXE_lab2048"))
            .args(line.split(' '))
            .env("TERM", "dumb")
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code().is_some_and(|code| code <= 2) && !said.contains("panicked"),
            "{line}: {said}"
        );
    }
}
