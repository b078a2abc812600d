//! `lab2048 arena` with the real binary: the records do not depend on threads or interruptions.

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{Place, Ran, ended};

/// The command line of a contest whose records go to a file.
fn contest(line: &str, file: &Path) -> String {
    let file = file.to_str().expect("the test folder's name is text");
    format!("arena {line} -o {}", file.replace(' ', "%20"))
}

fn run(place: &Place, line: &str, file: &Path) -> Ran {
    place.run(&contest(line, file), "")
}

fn succeed(place: &Place, line: &str, file: &Path) -> String {
    let ran = run(place, line, file);
    assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
    ran.out
}

/// The message of a command that must be refused. The file must not change.
fn refusal(place: &Place, line: &str, file: &Path) -> String {
    let before = fs::read(file).expect("the file exists");
    let said = place.fails(&contest(line, file), "", 2);
    assert!(fs::read(file).expect("the file exists") == before, "{line} touched the file");
    said
}

/// The lines of a log without the time, which must be the last field of every record.
fn plain(file: &Path) -> Vec<String> {
    let log = fs::read_to_string(file).expect("the log exists");
    assert!(log.ends_with('\n'));
    let mut lines = log.lines();
    let header = lines.next().expect("the log has a header").to_owned();
    assert!(header.starts_with("{\"lab2048\":\"arena\",\"version\":2,"), "{header}");
    let records = lines.map(|line| {
        let (plain, time) = line.split_once(",\"time\":{\"ms\":").expect("every record has its timing");
        assert!(time.trim_end_matches("}}").parse::<f64>().is_ok(), "{line}");
        format!("{plain}}}")
    });
    std::iter::once(header).chain(records).collect()
}

/// A folder and the names of two files in it.
fn files() -> (Place, PathBuf, PathBuf) {
    let place = Place::new();
    let (one, two) = (place.path("one.jsonl"), place.path("two.jsonl"));
    (place, one, two)
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

/// Starts a run and waits until its file is longer than `bytes`.
fn start_until(place: &Place, line: &str, file: &Path, bytes: u64) -> Child {
    wait_until_longer(place.start(&contest(line, file)), file, bytes)
}

fn wait_until_longer(mut child: Child, file: &Path, bytes: u64) -> Child {
    while length(file) <= bytes {
        let ended = child.try_wait().expect("try_wait works");
        assert!(ended.is_none(), "it ended before it could be interrupted: {ended:?}");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

/// The file of the network is a pipe without a writer.
#[cfg(target_os = "linux")]
#[test]
fn one_signal_ends_the_wait_for_a_network() {
    let place = Place::new();
    place.pipe_without_writer("never.net");
    let child = place.start("arena ntuple:net=never.net --games 1");
    support::wait_until_it_listens(&child);
    support::interrupt(&child);
    assert_eq!(support::ended(child).code, Some(130));
}

/// The seeds of the original game give these games for ever. The digest covers the records without
/// their times. It may change only if the spawns or the random player change, which would break a
/// promise.
#[test]
fn the_first_thousand_random_games_never_change() {
    let (place, file, _) = files();
    let shown: Value =
        serde_json::from_str(&succeed(&place, "random --games 1000 --seed 1 --json", &file)).expect("JSON");
    assert_eq!(shown["digest"], "3837eb1eee1369896d52510c4e52b7ed57862545bffcc4e6b8ac5ba3ccc9df30");
    let lines = plain(&file);
    assert_eq!(
        lines[1],
        r#"{"seed":1,"player":"random","score":1288,"largest":128,"sum":290,"moves":133,"end":"no-moves"}"#
    );
    assert_eq!(lines.len(), 1001);
}

#[test]
fn the_number_of_threads_changes_nothing_but_the_timing() {
    let (place, one, two) = files();
    let line = "random greedy --games 3000 --seed 42 --json";
    let digest = |out: String| serde_json::from_str::<Value>(&out).expect("JSON")["digest"].clone();
    let first = digest(succeed(&place, &format!("{line} --threads 1"), &one));
    for threads in [2, 5] {
        let _ = fs::remove_file(&two);
        assert_eq!(digest(succeed(&place, &format!("{line} --threads {threads}"), &two)), first);
        assert!(plain(&one) == plain(&two), "{threads} threads give other records");
    }
}

#[test]
fn a_run_killed_three_times_ends_with_the_same_records() {
    let (place, whole, killed) = files();
    let line = "random --games 100000 --seed 1 --threads 2 --json";
    let shown: Value = serde_json::from_str(&succeed(&place, line, &whole)).expect("JSON");
    // Known from a million games of another program: mean score 1,094.2, mean largest tile 107.2.
    let figure = |name: &str| shown["players"][0][name].as_f64().expect("a number");
    assert!((figure("mean") - 1094.2).abs() < 4.0, "{}", figure("mean"));
    assert!((figure("mean_largest") - 107.2).abs() < 0.5, "{}", figure("mean_largest"));

    let full = length(&whole);
    for part in [0, full / 8, full / 4] {
        let mut child = start_until(&place, line, &killed, part);
        child.kill().expect("the child can be killed");
        let status = child.wait().expect("the child ends");
        assert!(!status.success(), "it was not killed in the middle");
        assert!((1..full).contains(&length(&killed)));
    }
    let again: Value = serde_json::from_str(&succeed(&place, line, &killed)).expect("JSON");
    assert_eq!(again["digest"], shown["digest"]);
    assert!(plain(&whole) == plain(&killed));
}

#[cfg(unix)]
/// During an endless move, the first Ctrl-C waits and says so. The second one stops at once.
#[test]
fn a_second_ctrl_c_stops_a_long_move() {
    // It is not visible from outside when the move has started. An earlier signal would end the run
    // without a message.
    let heard = [1, 10, 60].into_iter().any(|seconds| {
        let mut child = Place::new().start("arena minimax:depth=60 --games 1 --threads 1");
        support::wait_until_it_listens(&child);
        thread::sleep(Duration::from_secs(seconds));
        support::interrupt(&child);
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().expect("stderr is piped"));
        said.read_line(&mut line).expect("readable output");
        support::interrupt(&child);
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        line == "lab2048: stopping after the current moves; press Ctrl-C again to stop now\n"
    });
    assert!(heard);
}

#[test]
fn ctrl_c_shows_the_results_so_far_and_the_contest_can_be_resumed() {
    let (place, whole, stopped) = files();
    let line = |games: usize| format!("random greedy --threads 2 --games {games}");
    let child = start_until(&place, &line(1_000_000_000), &stopped, 0);
    support::interrupt(&child);
    let ran = ended(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let records = plain(&stopped).len() - 1;
    let expected =
        format!("lab2048: interrupted after {records} of 2000000000 games; run the same command to resume\n");
    assert!(ran.err.ends_with(&expected), "{}", ran.err);
    assert!(ran.out.starts_with("player "), "the table so far is shown");
    succeed(&place, &line(records), &stopped);
    succeed(&place, &line(records), &whole);
    assert!(plain(&whole) == plain(&stopped));
}

/// The bot counts its games in a file, so that the interruption comes after some of them.
#[cfg(unix)]
#[test]
fn part_of_a_result_is_shown_and_does_not_replace_a_whole_one() {
    let place = Place::new();
    place.ok("arena random --games 3 -o x.csv", "");
    let whole = place.read("x.csv");
    place.write(
        "bot.sh",
        "while read -r kind words; do case $kind in move) echo up;; end) echo >> ended;; esac; done\n",
    );
    let line = "exec:cmd=sh%20bot.sh,time=60s --board 2%200/2%204 --max-moves 1 --games 1000000 --threads 1";
    let child = wait_until_longer(place.start(&format!("arena {line} -o x.csv")), &place.path("ended"), 3);
    support::interrupt(&child);
    let ran = ended(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.out.contains("player") && ran.out.contains("sh bot.sh"), "the table so far: {}", ran.out);
    let hint = " of 1000000 games; write records to a file such as runs.jsonl to be able to resume\n";
    assert!(ran.err.ends_with(hint), "{}", ran.err);
    assert_eq!(place.read("x.csv"), whole);
}

/// Nothing is played: the bot would write a file.
#[cfg(unix)]
#[test]
fn a_read_only_result_is_refused_before_the_games() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.ok("arena random --games 3 -o x.csv", "");
    fs::set_permissions(place.path("x.csv"), fs::Permissions::from_mode(0o444)).expect("our own file");
    place.write("bot.sh", "echo > played\nexit 1\n");
    let said = place.fails("arena exec:cmd=sh%20bot.sh --games 3 -o x.csv", "", 1);
    assert!(said.starts_with("cannot write x.csv: "), "{said}");
    assert!(!place.path("played").exists());
}

#[test]
fn more_games_extend_a_file_and_fewer_are_refused() {
    let (place, one, two) = files();
    succeed(&place, "random greedy --games 80 --seed 3", &one);
    succeed(&place, "random greedy --games 50 --seed 3", &two);
    succeed(&place, "random greedy --games 80 --seed 3", &two);
    assert_eq!(plain(&one), plain(&two));
    let before = fs::read(&one).expect("the file exists");
    succeed(&place, "random greedy --games 80 --seed 3 --threads 1", &one);
    assert!(fs::read(&one).expect("the file exists") == before, "a complete file is only read");
    let said = refusal(&place, "random greedy --games 79 --seed 3", &one);
    assert!(said.contains("already holds 80 games, more than the 79 requested"), "{said}");
}

#[test]
fn the_refusal_of_a_file_names_the_setting_that_differs() {
    let (place, file, _) = files();
    succeed(&place, "random greedy --games 5 --seed 3", &file);
    for (line, words) in [
        ("greedy random --games 5 --seed 3", "list of players is random greedy, not greedy random"),
        ("random greedy --games 5", "first seed is 3, not 1"),
        ("random greedy --games 5 --seed 3 --size 5x5", "board size is 4x4, not 5x5"),
        ("random greedy --games 5 --seed 3 --four 0.25", "chance of a 4 is 0.1, not 0.25"),
        ("random greedy --games 5 --seed 3 --rules course", "kind of start tiles is"),
        ("random greedy --games 5 --seed 3 --until 64", "tile to stop at is none, not 64"),
        ("random greedy --games 5 --seed 3 --max-moves 9", "limit of moves is none, not 9"),
    ] {
        let said = refusal(&place, line, &file);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn foreign_and_damaged_files_are_refused_and_untouched() {
    let (place, good, bad) = files();
    let line = "random --games 50 --seed 1";
    succeed(&place, line, &good);
    let log = fs::read_to_string(&good).expect("the log exists");
    let foreign =
        ["Dear diary,\n", "no new line", "{}\n", "{\"lab2048\":\"replay\",\"version\":1}\n", "\0\0\0\0"];
    for content in foreign {
        fs::write(&bad, content).expect("a writable folder");
        let said = refusal(&place, line, &bad);
        assert!(said.contains("is not a file of arena records"), "{said}");
    }
    let damaged = [
        log.replacen("\"seed\":20,", "\"seed\":21,", 1),
        log.replacen("\"score\"", "\"socre\"", 1),
        log.replacen("\"player\":\"random\"", "\"player\":\"greedy\"", 1),
        log.lines()
            .enumerate()
            .filter(|(index, _)| *index != 7)
            .map(|(_, line)| format!("{line}\n"))
            .collect(),
    ];
    for (content, number) in damaged.into_iter().zip([21, 2, 2, 8]) {
        fs::write(&bad, content).expect("a writable folder");
        let said = refusal(&place, line, &bad);
        assert!(said.contains(&format!("is damaged: line {number} ")), "{said}");
    }
    fs::write(&bad, &log[..log.len() - 30]).expect("a writable folder");
    succeed(&place, line, &bad);
    assert_eq!(plain(&good), plain(&bad), "an incomplete last line is not damage");
}

#[test]
fn a_file_that_cannot_be_opened_is_one_sentence() {
    let place = Place::new();
    let said = place.fails("arena random --games 5 -o no/such/folder.jsonl", "", 2);
    assert_eq!(said, "cannot write no/such/folder.jsonl: the folder does not exist");
    let said = place.fails("arena random --games 5 -o .", "", 2);
    assert!(said.contains("is not a plain file"), "{said}");
}

#[test]
fn records_do_not_go_to_the_standard_output() {
    let place = Place::new();
    let said = place.fails("arena random --games 3 -o -", "", 2);
    assert!(said.contains("does not write records to the standard output"), "{said}");
    assert!(!place.path("-").exists());
}

#[test]
fn a_contest_follows_the_common_options() {
    let (place, file, _) = files();
    succeed(&place, "random --games 40 --size 3x5 --until 32 --max-moves 30 --four 1", &file);
    for line in &plain(&file)[1..] {
        let record: Value = serde_json::from_str(line).expect("a record is JSON");
        let number = |name: &str| record[name].as_u64().expect("a number");
        match record["end"].as_str() {
            Some("until") => assert!(number("largest") >= 32 && number("moves") <= 30),
            Some("max-moves") => assert!(number("largest") < 32 && number("moves") == 30),
            Some("no-moves") => assert!(number("largest") < 32 && number("moves") < 30),
            other => panic!("{other:?}"),
        }
        // Only 4s appear: two at the start and one after each move.
        assert_eq!(number("sum"), 8 + 4 * number("moves"), "{line}");
    }
}

#[test]
fn the_same_player_twice_is_refused() {
    let (place, file, _) = files();
    let said = place.fails(&contest("random random --games 5", &file), "", 2);
    assert_eq!(said, "the player random is given twice");
    assert!(!file.exists());
}

#[test]
fn every_format_tells_the_same_mean() {
    let (place, file, _) = files();
    let line = "random greedy --games 20";
    let json: Value =
        serde_json::from_str(&succeed(&place, &format!("{line} --format json"), &file)).expect("JSON");
    let mean = json["players"][1]["mean"].as_f64().expect("a number");
    assert_eq!(json["differences"].as_array().map(Vec::len), Some(1));
    assert!(
        succeed(&place, &format!("{line} --format csv"), &file).contains(&format!("greedy,mean,{mean},"))
    );
    let shown = (mean * 10.0).round() / 10.0;
    for format in ["table", "markdown"] {
        let text = succeed(&place, &format!("{line} --format {format}"), &file).replace(',', "");
        assert!(text.contains(&format!("{shown:.1} ±")), "{text}");
    }
}

/// A bot that always gives the same answer. With the rules of the course, no answer is refused.
#[cfg(unix)]
fn write_bot(place: &Place, answer: &str) {
    let bot = format!("while read -r kind words; do case $kind in move) echo {answer};; esac; done\n");
    place.write("bot.sh", &bot);
}

#[cfg(unix)]
#[test]
fn games_of_a_bot_that_was_edited_are_not_continued() {
    let (place, file, _) = files();
    let line =
        |games: u64| format!("exec:cmd=sh%20bot.sh,time=60s --rules course --games {games} --seed 3 --json");
    write_bot(&place, "up");
    let count = |out: String| {
        let shown = serde_json::from_str::<Value>(&out).expect("JSON");
        ["before", "played"].map(|name| shown[name].as_u64().expect("a number"))
    };
    assert_eq!(count(succeed(&place, &line(3), &file)), [0, 3]);
    assert_eq!(count(succeed(&place, &line(3), &file)), [3, 0]);
    assert_eq!(count(succeed(&place, &line(5), &file)), [3, 2]);
    let header: Value = serde_json::from_str(&plain(&file)[0]).expect("JSON");
    let names: Vec<&Value> = header["bots"]["exec:cmd=sh bot.sh,time=60s"]
        .as_array()
        .unwrap_or_else(|| panic!("{header}"))
        .iter()
        .map(|named| &named["file"])
        .collect();
    assert_eq!(names, ["sh", "bot.sh"]);

    write_bot(&place, "down");
    for games in [5, 8] {
        let said = refusal(&place, &line(games), &file);
        let words = "the file 'bot.sh' has changed; restore it or name another file, or start a new file with --fresh";
        assert!(said.contains(words), "{said}");
    }
    let said = refusal(&place, &line(5).replace("60s", "60s,version=2"), &file);
    assert!(said.contains("its list of players is"), "{said}");

    let old = fs::read(&file).expect("the file exists");
    let ran = run(&place, &format!("{} --fresh", line(2)), &file);
    let aside = place.path("one-2.jsonl");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.err, format!("lab2048: the old file was renamed to '{}'\n", aside.display()));
    assert_eq!(count(ran.out), [0, 2]);
    assert!(fs::read(&aside).expect("the old file exists") == old);
    assert_eq!(plain(&file).len(), 3);
    write_bot(&place, "up");
    assert!(refusal(&place, &line(2), &file).contains("'bot.sh' has changed"));
}

/// The table is shown first, with the whole error. CSV does not say why, so the message does.
#[cfg(unix)]
#[test]
fn a_player_that_fails_in_every_game_is_a_failure() {
    let place = Place::new();
    let error = format!("ValueError: {}the end", "a long reason, ".repeat(30));
    let bot =
        |answer: &str| format!("while read -r kind words; do case $kind in move) {answer};; esac; done\n");
    place.write("bot.sh", &bot(&format!("echo '{error}' >&2; exit 1")));
    let line = "arena random exec:cmd=sh%20bot.sh --games 3";
    let message = "lab2048: exec:cmd=sh bot.sh failed in all of its games";
    let ran = place.run(line, "");
    assert_eq!((ran.code, ran.err), (Some(1), format!("{message}\n")));
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "B failed in 3 games, first with seed 1: exec (sh bot.sh): it ended";
    assert!(text.contains(note) && text.contains(&error), "{}", ran.out);
    assert!(text.contains("best game of A: seed") && !text.contains("best game of B"), "{text}");
    let ran = place.run(&format!("{line} --format csv"), "");
    assert_eq!(ran.code, Some(1));
    let beginning = format!("{message}: exec (sh bot.sh): it ended (exit status: 1)");
    assert!(ran.err.starts_with(&beginning) && ran.err.ends_with("the end\n"), "{}", ran.err);
    // The same records later. One good game is enough.
    place.write("once.sh", &bot("[ -e played ] && exit 1; touch played; echo quit"));
    for games in [1, 3] {
        let ran =
            place.run(&format!("arena exec:cmd=sh%20once.sh --threads 1 --games {games} -o x.jsonl"), "");
        assert_eq!(ran.code, Some(0), "{games}: {}", ran.err);
    }
    assert_eq!(place.run(&format!("{line} -o y.jsonl"), "").code, Some(1));
    assert_eq!(place.run(&format!("{line} -o y.jsonl"), "").code, Some(1));
}

/// A file of records may come from anywhere, and so may the errors in it.
#[cfg(unix)]
#[test]
fn each_player_that_always_failed_is_told_with_its_own_error_on_one_line() {
    let (place, file, _) = files();
    let bot = |words: &str| {
        format!("while read -r kind rest; do case $kind in move) echo '{words}' >&2; exit 1;; esac; done\n")
    };
    place.write("one.sh", &bot("no answer"));
    place.write("two.sh", &bot("no board"));
    let line = "exec:cmd=sh%20one.sh random exec:cmd=sh%20two.sh --games 2 --format csv";
    assert_eq!(run(&place, line, &file).code, Some(1));
    let records = fs::read_to_string(&file).expect("the records exist");
    assert!(records.contains("no answer"), "{records}");
    fs::write(&file, records.replace("no answer", "no\\nanswer \\u001b[31m")).expect("it can be written");
    let ran = run(&place, line, &file);
    assert_eq!(ran.code, Some(1));
    let said = ran.err.lines().last().expect("a message");
    let (one, two) = said.split_once("; exec:").expect("two players");
    let message = |bot: &str| format!("cmd=sh {bot} failed in all of its games: exec (sh {bot}): it ended");
    assert!(one.starts_with(&format!("lab2048: exec:{}", message("one.sh"))), "{said}");
    assert!(one.ends_with("no?answer ?[31m"), "{said}");
    assert!(two.starts_with(&message("two.sh")) && two.ends_with("no board"), "{said}");
}

#[test]
fn a_board_without_moves_is_refused() {
    let place = Place::new();
    let said = place.fails("arena random --games 3 --board 2%204/4%202 -o x.jsonl", "", 2);
    assert_eq!(said, "the game is over on this board: no moves left");
    assert!(!place.path("x.jsonl").exists());
}

/// The bot exits after every game, and replaces itself by another bot after the first.
#[cfg(unix)]
#[test]
fn a_bot_that_is_edited_during_a_run_ends_it() {
    let (place, file, _) = files();
    place.write("next.sh", "while read -r kind words; do case $kind in move) echo down;; esac; done\n");
    place.write(
        "bot.sh",
        "while read -r kind words; do\n  case $kind in\n    move) echo up; moved=1;;\n    \
         end) [ -z \"$moved\" ] || mv next.sh bot.sh; exit;;\n  esac\ndone\n",
    );
    let line = "exec:cmd=sh%20bot.sh,time=60s --board 2%200/2%204 --max-moves 1 --games 4 --threads 1";
    let said = place.fails(&contest(line, &file), "", 1);
    assert_eq!(
        said,
        "exec:cmd=sh bot.sh,time=60s changed during the run: the file 'bot.sh' has changed; \
         the games played before are kept"
    );
    assert_eq!(plain(&file).len(), 2, "only the game of the first bot is in the file");
}

/// The bot itself removes or replaces the file of records.
#[cfg(unix)]
#[test]
fn records_that_are_lost_during_a_run_are_a_failure() {
    for change in ["rm -f one.jsonl", "mv one.jsonl moved; echo other >one.jsonl"] {
        let (place, file, _) = files();
        place.write(
            "bot.sh",
            &format!("while read -r kind words; do\n  case $kind in move) {change}; echo up;; esac\ndone\n"),
        );
        let line = "exec:cmd=sh%20bot.sh,time=60s --board 2%200/2%204 --max-moves 1 --games 1";
        let ran = run(&place, line, &file);
        assert_eq!(ran.code, Some(1), "{change}: {}", ran.err);
        let file = file.display();
        let says =
            format!("lab2048: cannot write to '{file}': the file was removed or replaced during the run\n");
        assert_eq!(ran.err, says);
        assert!(ran.out.contains("mean score"), "the result is shown: {}", ran.out);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_missing_file_is_kept() {
    let (place, file, link) = files();
    std::os::unix::fs::symlink(&file, &link).expect("a writable folder");
    place.fails(&contest("exec:cmd=/no/such/bot --games 5", &link), "", 2);
    assert!(link.is_symlink() && !file.exists());
    succeed(&place, "random --games 5", &link);
    assert!(link.is_symlink());
    assert_eq!(plain(&file).len(), 6);
}

#[test]
fn a_fresh_start_that_fails_leaves_the_old_file_alone() {
    let (place, file, other) = files();
    succeed(&place, "random --games 5", &file);
    let before = fs::read(&file).expect("the file exists");
    let said = place.fails(&contest("exec:cmd=/no/such/bot --games 5 --fresh", &file), "", 2);
    assert!(said.contains("does not start"), "{said}");
    assert!(fs::read(&file).expect("the file exists") == before);
    assert!(!place.path("one-2.jsonl").exists());
    let ran = run(&place, "random --games 5 --fresh", &other);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "no message without an old file");
    let says = "games of each player in the file before: 0; played now: 5\n";
    assert!(ran.out.contains(says), "{}", ran.out);
    let without = place.ok("arena random greedy --games 5", "");
    assert!(!without.contains("in the file"), "{without}");
    place.fails("arena random --fresh", "", 2);
}

#[test]
fn a_file_of_version_1_is_continued_with_a_warning() {
    let (place, whole, old) = files();
    succeed(&place, "random --games 50 --seed 1", &whole);
    let log = fs::read_to_string(&whole).expect("the log exists");
    let first = log.replacen("\"version\":2", "\"version\":1", 1);
    fs::write(&old, &first[..first.len() / 2]).expect("a writable folder");
    let ran = run(&place, "random --games 50 --seed 1", &old);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("has version 1 of the arena records") && ran.err.lines().count() == 1,
        "{}",
        ran.err
    );
    let continued = fs::read_to_string(&old).expect("the log exists");
    assert!(continued.starts_with("{\"lab2048\":\"arena\",\"version\":1,"));
    assert_eq!(continued.lines().count(), 51);
}

#[test]
fn impossible_records_are_refused_with_their_line() {
    let (place, file, _) = files();
    let line = "random --games 3 --seed 1";
    succeed(&place, line, &file);
    let log = fs::read_to_string(&file).expect("the log exists");
    // The first game is the one in `the_first_thousand_random_games_never_change`.
    for (from, to, why) in [
        ("\"largest\":128", "\"largest\":100", "its largest tile 100 is not possible"),
        ("\"largest\":128", "\"largest\":512", "its largest tile 512 is not possible"),
        ("\"sum\":290", "\"sum\":292", "its sum 292 does not follow from 133 moves"),
        ("\"score\":1288", "\"score\":999999", "its score 999999 is not possible"),
    ] {
        assert!(log.contains(from));
        fs::write(&file, log.replacen(from, to, 1)).expect("a writable folder");
        let said = refusal(&place, line, &file);
        assert!(said.contains(&format!("is damaged: line 2 is not possible: {why}")), "{said}");
    }
}
