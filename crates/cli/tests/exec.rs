//! The player `exec` with real processes, well-behaved and misbehaving.
#![cfg(unix)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Place, project};

/// The first code block of a language's section in the protocol description.
fn example(language: &str) -> String {
    let page = fs::read_to_string(project().join("docs/reference/bot-protocol.md"))
        .expect("the protocol page can be read");
    let section = page.split_once(&format!("\n## {language}\n")).expect("the page has the section").1;
    let block = section.split_once("```").expect("the section has a block").1;
    let (_, code) = block.split_once('\n').expect("the block has lines");
    code.split_once("```").expect("the block has an end").0.to_owned()
}

fn ends(text: &str) -> Vec<Value> {
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    events.filter(|event| event["event"] == "end").collect()
}

#[test]
fn the_bots_of_the_documentation_play_and_agree() {
    let place = Place::new();
    place.write("bot.py", &example("Python"));
    place.write("bot.sh", &example("Shell"));
    for language in ["Python", "Shell"] {
        let lines = example(language).lines().filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= 11, "{language}: {lines} lines");
    }
    let games = |bot: &str| {
        ends(&place.ok(&format!("watch exec:cmd={bot},time=60s --games 3 --seed 5 --every 0 --json"), ""))
    };
    let python = games("python3%20bot.py");
    assert_eq!(python.len(), 3);
    assert!(
        python.iter().all(|end| end["end"] == "no-moves" && end["score"].as_u64() > Some(100)),
        "{python:?}"
    );
    assert_eq!(games("sh%20bot.sh"), python, "both answer the same on every board");
    for size in ["2x2", "2x5", "5x3"] {
        let ends = ends(&place.ok(
            &format!(
                "watch exec:cmd=python3%20bot.py,time=60s --size {size} --max-moves 50 --every 0 --json"
            ),
            "",
        ));
        assert_ne!(ends[0]["end"], "failed");
    }
}

/// A bot that logs its start and every line it reads, and runs `ANSWER` for each question.
fn noting_bot(place: &Place, answer: &str) -> &'static str {
    let text = "echo start >> log\nwhile read -r kind words; do\n  echo \"$kind $words\" >> log\n  case $kind in move) ANSWER;; esac\ndone\necho leave >> log\n";
    place.write("bot.sh", &text.replace("ANSWER", answer));
    "exec:cmd=sh%20bot.sh,time=60s"
}

#[test]
fn one_process_plays_all_games_and_hears_all_of_them() {
    let place = Place::new();
    let bot = noting_bot(&place, "echo U");
    place.ok(
        &format!("watch {bot} --board 2%200/2%204 --seed 1 --games 2 --max-moves 1 --four 0.25 --every 0"),
        "",
    );
    let log = place.read("log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines,
        [
            "start",
            "new 2x2 four=0.25 idle=refused",
            "move 2,0/2,4 0",
            "end 4 4",
            "new 2x2 four=0.25 idle=refused",
            "move 2,0/2,4 0",
            "end 4 4",
            "leave",
        ]
    );
}

#[test]
fn a_bot_that_fails_is_started_anew_for_the_next_game() {
    let place = Place::new();
    let bot = noting_bot(&place, "echo 'I cannot think' >&2; exit 3");
    let said = place.fails(&format!("watch {bot} --seed 1 --games 3 --every 0 --save g.2048"), "", 1);
    assert_eq!(
        said,
        "3 of 3 games failed; the first error: exec (sh bot.sh): it ended (exit status: 3) instead of answering; \
         its last line on standard error: I cannot think"
    );
    assert_eq!(place.read("log").matches("start").count(), 3);
    assert!(place.ok("replay g-3.2048", "").contains("note     exec (sh bot.sh): it ended"));
}

#[test]
fn a_bot_that_cannot_be_started_again_loses_only_the_games_it_misses() {
    let place = Place::new();
    // The bot removes the link to its own shell after the first game.
    std::os::unix::fs::symlink("/bin/sh", place.path("shell")).expect("the folder can be written");
    noting_bot(&place, "echo up;; end) rm shell; exit 0");
    let line = "watch exec:cmd=./shell%20bot.sh,time=60s --board 2%200/2%204 --seed 1 --games 3 --max-moves 1 --every 0";
    let ran = place.run(&format!("{line} --json --save g.2048"), "");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let says =
        "lab2048: 2 of 3 games failed; the first error: exec (./shell bot.sh): the program does not start";
    assert!(ran.err.starts_with(says) && ran.err.lines().count() == 1, "{}", ran.err);
    let words: Vec<_> = ends(&ran.out).iter().map(|end| end["end"].clone()).collect();
    assert_eq!(words, ["max-moves", "failed", "failed"]);
    let total: Value = serde_json::from_str(ran.out.lines().last().expect("there are lines")).expect("JSON");
    assert_eq!((&total["event"], &total["games"], &total["score"]), (&"total".into(), &3.into(), &4.into()));
    assert!(place.ok("replay g-3.2048", "").contains("the program does not start"));
}

#[test]
fn a_game_that_cannot_begin_is_not_shown() {
    for line in ["watch exec:cmd=/no/such/bot", "watch exec:cmd=/no/such/bot --json"] {
        let ran = Place::new().run(line, "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    }
}

#[test]
fn a_bot_may_leave_after_a_game() {
    let place = Place::new();
    let bot = noting_bot(&place, "echo up;; end) exit 0");
    place.ok(&format!("watch {bot} --board 2%200/2%204 --seed 1 --games 5 --max-moves 1 --every 0"), "");
    assert_eq!(place.read("log").matches("start").count(), 5);
}

#[test]
fn what_the_rules_allow_a_bot_may_do() {
    let place = Place::new();
    let bot = noting_bot(&place, "echo quit");
    let ends_ = ends(&place.ok(&format!("watch {bot} --seed 1 --every 0 --json"), ""));
    assert_eq!(ends_[0]["end"], "quit");
    let bot = noting_bot(&place, "echo pass");
    let ends_ =
        ends(&place.ok(&format!("watch {bot} --seed 1 --every 0 --json --rules course --save g.2048"), ""));
    assert!(ends_[0]["end"] == "no-room" || ends_[0]["end"] == "no-moves", "{ends_:?}");
    place.ok("replay g.2048 --verify", "");
    let said = place.fails(&format!("watch {bot} --seed 1 --every 0"), "", 1);
    assert_eq!(said, "exec (sh bot.sh): it answered 'pass', but these rules do not allow a pass");
}

#[test]
fn bad_bots_lose_their_game_and_one_sentence_says_why() {
    let place = Place::new();
    let cases = [
        ("true", "it ended (exit status: 0) instead of answering"),
        ("sh%20-c%20'exit%207'", "it ended (exit status: 7) instead of answering"),
        ("sh%20-c%20'kill%20-9%20$$'", "it ended (signal: 9 (SIGKILL)) instead of answering"),
        ("sh%20-c%20'exec%201>&-;%20sleep%20100'", "it closed its output instead of answering"),
        (
            "sh%20-c%20'read%20a;%20read%20b;%20echo%20sideways;%20read%20c'",
            "it answered 'sideways', which is not one of",
        ),
        ("sh%20-c%20'read%20a;%20read%20b;%20echo;%20read%20c'", "it answered '', which is not one of"),
        (
            "sh%20-c%20'read%20a;%20read%20b;%20printf%20up'",
            "it answered 'up', which does not change the board",
        ),
        ("sh%20-c%20'echo%20hello;%20sleep%20100'", "hello"),
        ("yes", "'y'"),
        ("cat%20/dev/zero", "it wrote a line that is too long"),
        ("head%20-c%20999%20/dev/zero", "'????"),
    ];
    for (bot, says) in cases {
        let line = format!("watch exec:cmd=\"{bot}\",time=60s --board 2%204/0%200 --seed 1 --every 0");
        let said = place.fails(&line, "", 1);
        assert!(said.starts_with("exec (") && said.contains(says), "{bot}: {said}");
    }
    let said = place.fails("watch exec:cmd=sleep%20100,time=30ms --seed 1 --every 0", "", 1);
    assert_eq!(said, "exec (sleep 100): it did not answer within 30ms");
    let said = place.fails("watch exec:cmd=\"sh%20-c%20'oops\" --seed 1", "", 2);
    assert!(said.contains("its quotes do not match"), "{said}");
}

#[test]
fn complaints_are_shown_when_asked_for() {
    let place = Place::new();
    place.write("bot.sh", "echo first >&2\necho last >&2\nexit 1\n");
    let ran = place.run("watch exec:cmd=sh%20bot.sh,stderr=show --seed 1 --every 0", "");
    assert!(ran.err.starts_with("first\nlast\nlab2048: exec (sh bot.sh): it ended"), "{}", ran.err);
}

/// Whether a process exists and is alive. A zombie is not.
#[cfg(target_os = "linux")]
fn is_alive(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X'])))
}

/// Waits a reasonable time until a killed process is gone.
#[cfg(target_os = "linux")]
fn assert_gone(process: &str) {
    let patience = Instant::now();
    while is_alive(process) {
        assert!(patience.elapsed() < Duration::from_secs(30), "process {process} is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_of_a_bot_remains() {
    let place = Place::new();
    // The bot leaves a child behind, ignores signals to stop, gives a wrong answer and keeps
    // running.
    let stubborn = "trap '' INT TERM HUP\nsleep 1000 &\necho $! > child\necho $$ > own\nread -r new\nread -r move\n\
                    echo sideways\nwhile :; do sleep 1; done\n";
    place.write("bot.sh", stubborn);
    place.fails("watch exec:cmd=sh%20bot.sh,time=60s --seed 1 --every 0", "", 1);
    for name in ["child", "own"] {
        assert_gone(place.read(name).trim());
    }
    // The bot plays correctly but keeps running when its input is closed.
    let loyal = "sleep 1000 &\necho $! > child\necho $$ > own\nwhile read -r kind words; do case $kind in move) echo up;; esac; done\nwhile :; do sleep 1; done\n";
    place.write("bot.sh", loyal);
    place.ok("watch exec:cmd=sh%20bot.sh,time=60s --board 2%200/2%204 --max-moves 1 --every 0", "");
    for name in ["child", "own"] {
        assert_gone(place.read(name).trim());
    }
}

/// The bot closes its output and never exits by itself.
#[cfg(target_os = "linux")]
#[test]
fn a_bot_that_closes_its_output_is_ended() {
    let place = Place::new();
    place.write("bot.sh", "echo $$ > own\nexec 1>&-\nwhile :; do sleep 1; done\n");
    let said = place.fails("watch exec:cmd=sh%20bot.sh,time=10min --seed 1 --every 0", "", 1);
    assert_eq!(said, "exec (sh bot.sh): it closed its output instead of answering");
    assert_gone(place.read("own").trim());
}

/// After SIGKILL neither the arena nor its threads can end a bot. These bots do not read their
/// input, so they do not notice that it is closed.
#[cfg(target_os = "linux")]
#[test]
fn bots_end_with_an_arena_that_is_killed() {
    let place = Place::new();
    place.write("bot.sh", "trap '' INT TERM HUP PIPE\necho $$ >> pids\nwhile :; do sleep 1; done\n");
    let mut arena =
        place.start("arena exec:cmd=sh%20bot.sh,time=10min random --seed 1 --games 4 --threads 2");
    let patience = Instant::now();
    let pids = || fs::read_to_string(place.path("pids")).unwrap_or_default();
    while pids().lines().count() < 2 {
        assert!(patience.elapsed() < Duration::from_secs(60), "two bots start");
        std::thread::sleep(Duration::from_millis(10));
    }
    arena.kill().expect("the arena can be killed");
    arena.wait().expect("the arena ends");
    pids().lines().for_each(assert_gone);
}
