use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::*;
use crate::arena::stand_ins::{First, Random};
use crate::arena::{Arena, GameLimits, GameSetup, PlannedPlayer, Workload};
use crate::game::{GameResult, Probability, Rules};

const GAMES: u64 = 20;

fn plan() -> ContestPlan {
    ContestPlan::of_names(GameSetup::default(), 5, ["random", "first"])
}

fn records(games: u64, done: u64) -> Vec<Record> {
    let arena = Arena::new(plan(), vec![Box::new(|| Ok(Box::new(Random))), Box::new(|| Ok(Box::new(First)))]);
    let mut records = Vec::new();
    let work = Workload { games, done, threads: 1 };
    let finish = arena.run(&work, &AtomicBool::new(false), &mut |batch| {
        // A fixed time, so that whole files can be compared.
        records.extend(batch.iter().map(|r| Record { time: Duration::from_micros(7), ..r.clone() }));
        Ok(())
    });
    finish.unwrap();
    records
}

/// A path for a log, and the content of a complete log.
fn fixture() -> (TempDir, PathBuf, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("whole.jsonl");
    let mut log = open(&path, &plan(), GAMES).unwrap();
    records(GAMES, 0).chunks(7).for_each(|batch| log.append(batch).unwrap());
    let whole = fs::read(&path).unwrap();
    let path = dir.path().join("log.jsonl");
    (dir, path, whole)
}

fn open(path: &Path, plan: &ContestPlan, games: u64) -> Result<Log, LogError> {
    Log::open(path, plan, games, &mut |_| ())
}

/// Opens a file with this content, which must be rejected and left unchanged.
fn refusal(path: &Path, content: &[u8], plan: &ContestPlan, games: u64) -> String {
    fs::write(path, content).unwrap();
    let error = open(path, plan, games).unwrap_err().to_string();
    assert!(fs::read(path).unwrap() == content, "a rejected file was changed");
    error.replace(&path.display().to_string(), "FILE")
}

#[test]
fn the_file_is_the_documented_one() {
    let (_dir, _, whole) = fixture();
    let text = String::from_utf8(whole).unwrap();
    assert_eq!(text.lines().count() as u64, 1 + 2 * GAMES);
    assert_eq!(
        text.lines().next().unwrap(),
        r#"{"lab2048":"arena","version":2,"rules":{"size":"4x4","four":0.1,"start":"two-spawns","idle":"refused","goal":2048},"board":null,"seed":5,"players":["random","first"],"until":null,"max_moves":null}"#
    );
    assert!(text.ends_with("}\n"));
}

#[test]
fn a_log_killed_at_any_byte_can_be_continued_to_the_same_file() {
    let (_dir, path, whole) = fixture();
    let all = records(GAMES, 0);
    for length in (0..whole.len()).step_by(13).chain(whole.len() - 2..=whole.len()) {
        fs::write(&path, &whole[..length]).unwrap();
        let mut seen = Vec::new();
        let mut log = Log::open(&path, &plan(), GAMES, &mut |record| seen.push(record.clone())).unwrap();
        assert_eq!(log.records(), seen.len() as u64);
        assert_eq!(seen, all[..seen.len()]);
        log.append(&all[seen.len()..]).unwrap();
        assert_eq!(log.records(), 2 * GAMES);
        drop(log);
        assert!(fs::read(&path).unwrap() == whole, "cut at {length}");
    }
}

#[test]
fn a_longer_contest_extends_a_shorter_one() {
    let (_dir, path, whole) = fixture();
    fs::write(&path, &whole).unwrap();
    let mut log = open(&path, &plan(), GAMES + 5).unwrap();
    log.append(&records(GAMES + 5, log.records())).unwrap();
    let digest = log.digest();
    let mut other = Log::without_file(&plan());
    other.append(&records(GAMES + 5, 0)).unwrap();
    assert_eq!(digest, other.digest());
    drop(log);
    assert_eq!(open(&path, &plan(), GAMES + 5).unwrap().digest(), digest, "the file gives the same digest");
}

#[test]
fn fewer_games_than_there_are_refused() {
    let (_dir, path, whole) = fixture();
    assert_eq!(
        refusal(&path, &whole, &plan(), GAMES - 1),
        "'FILE' already holds 20 games, more than the 19 requested; request at least 20"
    );
}

#[test]
fn the_log_of_another_contest_is_refused_by_what_differs() {
    let (_dir, path, whole) = fixture();
    let base = plan();
    let with_network = PlannedPlayer { network: Some("5eb5".to_owned()), ..PlannedPlayer::named("random") };
    let with = |setup: GameSetup| ContestPlan { setup, ..plan() };
    let rules = |rules: Rules| with(GameSetup::new(rules));
    let limits = |until, max_moves| {
        with(GameSetup { limits: GameLimits { until, max_moves }, ..GameSetup::default() })
    };
    let board = |text: &str| with(GameSetup::from_board(Rules::default(), text.parse().unwrap()));
    let cases = [
        (ContestPlan { seed: 6, ..plan() }, "first seed is 5, not 6"),
        (
            ContestPlan { players: vec![PlannedPlayer::named("random")], ..plan() },
            "list of players is random first, not random",
        ),
        (
            ContestPlan { players: vec![with_network, PlannedPlayer::named("first")], ..plan() },
            "list of networks is none, not {\"random\":\"5eb5\"}",
        ),
        (limits(Some(64), None), "tile to stop at is none, not 64"),
        (limits(None, Some(9)), "limit of moves is none, not 9"),
        (board("2 0/0 2"), "board size is 4x4, not 2x2"),
        (
            board("2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 2"),
            "start board is none, not [[2,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,2]]",
        ),
        (
            rules(Rules { four: Probability::new(0.2).unwrap(), ..base.setup.rules.clone() }),
            "chance of a 4 is 0.1, not 0.2",
        ),
        (rules(Rules::COURSE), "kind of start tiles is \"two-spawns\", not \"two-twos\""),
        (
            rules(Rules { idle: Rules::COURSE.idle, ..base.setup.rules.clone() }),
            "rule for idle moves is \"refused\", not \"spawns\"",
        ),
        (rules(Rules { goal: 512, ..base.setup.rules.clone() }), "winning tile is 2048, not 512"),
    ];
    for (asked, words) in cases {
        let expected = format!(
            "'FILE' was made by another command: its {words}; repeat that command or name another file"
        );
        assert_eq!(refusal(&path, &whole, &asked, GAMES), expected);
    }
}

#[test]
fn files_that_are_no_logs_are_refused() {
    let (_dir, path, whole) = fixture();
    let foreign = "'FILE' is not a file of arena records; name another file";
    let long_line = vec![b'x'; 3 << 20];
    let contents: [&[u8]; 7] = [
        b"hello\n",
        b"hello",
        b"{}\n",
        b"\n",
        b"{\"lab2048\":\"replay\",\"version\":1}\n",
        b"\xff\xfe\0",
        &long_line,
    ];
    for content in contents {
        assert_eq!(refusal(&path, content, &plan(), GAMES), foreign);
    }
    let text = String::from_utf8(whole).unwrap();
    assert_eq!(
        refusal(&path, text.replace("\"version\":2", "\"version\":3").as_bytes(), &plan(), GAMES),
        "'FILE' has version 3 of the arena records; this program knows versions 1 and 2"
    );
    assert_eq!(
        refusal(&path, text.replace("\"seed\":5,\"players\"", "\"players\"").as_bytes(), &plan(), GAMES),
        "'FILE' is damaged: line 1 is not a valid header"
    );
}

#[test]
fn damaged_lines_are_named() {
    let (_dir, path, whole) = fixture();
    let text = String::from_utf8(whole).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without = |gone: usize| [&lines[..gone], &lines[gone + 1..]].concat().concat();
    let with = |at: usize, line: &str| [&lines[..at], &[line], &lines[at + 1..]].concat().concat();
    let refused = |text: String| refusal(&path, text.as_bytes(), &plan(), GAMES);
    assert_eq!(
        refused(without(4)),
        "'FILE' is damaged: line 5 is seed 7 by random instead of seed 6 by first"
    );
    assert_eq!(
        refused(with(40, lines[39])),
        "'FILE' is damaged: line 41 is seed 24 by random instead of seed 24 by first"
    );
    assert_eq!(refused(with(9, "{\"seed\":\n")), "'FILE' is damaged: line 10 is not a record: it is cut off");
    assert!(
        refused(with(9, "\0\0\0\0\n")).starts_with("'FILE' is damaged: line 10 is not a record: expected")
    );
    assert!(
        refused(with(40, "nonsense\n")).starts_with("'FILE' is damaged: line 41 is not a record: expected")
    );
    let long = "x".repeat(3 << 20);
    assert!(refused(with(9, &long)).starts_with("'FILE' is damaged: line 10 is not a record: "));
}

#[test]
fn half_a_record_with_a_new_line_is_cut_off_at_the_end() {
    let (_dir, path, whole) = fixture();
    let mut torn = whole.clone();
    torn.extend_from_slice(b"{\"seed\":25,\"pla\n");
    fs::write(&path, &torn).unwrap();
    assert_eq!(open(&path, &plan(), GAMES).unwrap().records(), 2 * GAMES);
    assert!(fs::read(&path).unwrap() == whole);
}

#[test]
fn a_log_is_written_by_one_run_at_a_time() {
    let (_dir, path, _) = fixture();
    let log = open(&path, &plan(), GAMES).unwrap();
    assert!(matches!(open(&path, &plan(), GAMES), Err(LogError::Busy(_))));
    drop(log);
    open(&path, &plan(), GAMES).unwrap();
}

#[test]
fn a_contest_without_records_leaves_nothing_behind() {
    let (_dir, path, _) = fixture();
    drop(open(&path, &plan(), GAMES).unwrap());
    assert!(!path.exists());
    fs::write(&path, "").unwrap();
    drop(open(&path, &plan(), GAMES).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"", "an existing file stays, without a header");
    drop(open(&path, &ContestPlan { seed: 99, ..plan() }, GAMES).unwrap());
}

#[test]
fn what_is_not_a_plain_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = open(dir.path(), &plan(), GAMES).unwrap_err();
    assert!(matches!(error, LogError::NotAFile(_)));
    let error = open(&dir.path().join("no/such/place.jsonl"), &plan(), GAMES).unwrap_err().to_string();
    assert!(error.starts_with("cannot open '"), "{error}");
}

/// A plan with a bot that has these files (names and hashes).
fn plan_of_bot(files: &[(&str, &str)]) -> ContestPlan {
    let files = files
        .iter()
        .map(|(file, sha256)| PlayerFile { file: (*file).to_owned(), sha256: (*sha256).to_owned() });
    let first = PlannedPlayer { files: files.collect(), ..PlannedPlayer::named("first") };
    ContestPlan { players: vec![PlannedPlayer::named("random"), first], ..plan() }
}

#[test]
fn a_changed_bot_is_refused_by_the_name_of_its_file() {
    let (_dir, path, _) = fixture();
    let asked = plan_of_bot(&[("sh", "5eb5"), ("bot.sh", "a1")]);
    open(&path, &asked, GAMES).unwrap().append(&records(GAMES, 0)).unwrap();
    let whole = fs::read(&path).unwrap();
    assert!(
        String::from_utf8_lossy(&whole)
            .contains(r#""bots":{"first":[{"file":"sh","sha256":"5eb5"},{"file":"bot.sh","sha256":"a1"}]}"#)
    );
    assert_eq!(open(&path, &asked, GAMES).unwrap().records(), 2 * GAMES);
    let cases: [(&[(&str, &str)], &str); 4] = [
        (&[("sh", "5eb5"), ("bot.sh", "a2")], "'bot.sh' has changed; restore it or"),
        (&[("sh", "5eb6"), ("bot.sh", "a1")], "'sh' has changed; restore it or"),
        (&[("sh", "5eb5")], "'bot.sh' is gone; restore it or"),
        (&[("sh", "5eb5"), ("weights", "77"), ("bot.sh", "a1")], "'weights' is new;"),
    ];
    for (files, change) in cases {
        assert_eq!(
            refusal(&path, &whole, &plan_of_bot(files), GAMES),
            format!("'FILE' has games of another version of first: the file {change} name another file")
        );
    }
}

#[test]
fn a_log_of_version_1_is_continued_and_stays_one() {
    let (_dir, path, whole) = fixture();
    let old = String::from_utf8(whole).unwrap().replacen("\"version\":2", "\"version\":1", 1).into_bytes();
    for asked in [plan(), plan_of_bot(&[("sh", "5eb5")])] {
        let half = old.len() / 2;
        fs::write(&path, &old[..half]).unwrap();
        let mut log = open(&path, &asked, GAMES).unwrap();
        assert!(!log.checks_bots());
        assert!((1..2 * GAMES).contains(&log.records()));
        let rest = records(GAMES, log.records());
        log.append(&rest).unwrap();
        drop(log);
        assert!(fs::read(&path).unwrap() == old, "the header is unchanged");
    }
    assert_eq!(
        refusal(&path, &old, &ContestPlan { seed: 6, ..plan() }, GAMES),
        "'FILE' was made by another command: its first seed is 5, not 6; repeat that command or name another file"
    );
    fs::write(&path, &old[..30]).unwrap();
    let log = open(&path, &plan(), GAMES).unwrap();
    assert_eq!((log.records(), log.checks_bots()), (0, true), "an incomplete header is rewritten");
}

#[test]
fn a_log_started_anew_sets_the_old_one_aside_with_its_first_records() {
    let (dir, path, whole) = fixture();
    for (old, name) in [(&b"Dear diary,\n"[..], "log-2.jsonl"), (&whole, "log-3.jsonl")] {
        fs::write(&path, old).unwrap();
        let log = Log::start_anew(&path, &plan()).unwrap();
        assert!(matches!(open(&path, &plan(), GAMES), Err(LogError::Busy(_))));
        assert_eq!(log.set_aside(), None);
        drop(log);
        assert!(fs::read(&path).unwrap() == old, "without records nothing changes");
        let mut log = Log::start_anew(&path, &plan()).unwrap();
        records(GAMES, 0).chunks(7).for_each(|batch| log.append(batch).unwrap());
        assert_eq!(log.set_aside(), Some(&*dir.path().join(name)));
        assert!(matches!(open(&path, &plan(), GAMES), Err(LogError::Busy(_))));
        drop(log);
        assert!(fs::read(&path).unwrap() == whole);
        assert!(fs::read(dir.path().join(name)).unwrap() == old);
    }
    let nothing = dir.path().join("nothing.jsonl");
    drop(Log::start_anew(&nothing, &plan()).unwrap());
    assert!(!nothing.exists());
    assert!(matches!(Log::start_anew(dir.path(), &plan()), Err(LogError::NotAFile(_))));
}

#[cfg(unix)]
#[test]
fn a_link_to_an_old_log_stays() {
    let (dir, path, whole) = fixture();
    let file = dir.path().join("whole.jsonl");
    std::os::unix::fs::symlink(&file, &path).unwrap();
    let mut log = Log::start_anew(&path, &plan()).unwrap();
    log.append(&records(1, 0)).unwrap();
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(whole.starts_with(&fs::read(&file).unwrap()));
    assert!(fs::read(dir.path().join("whole-2.jsonl")).unwrap() == whole);
}

#[test]
fn impossible_figures_are_refused_with_their_line() {
    let (_dir, path, whole) = fixture();
    let text = String::from_utf8(whole).unwrap();
    let line = text.lines().nth(6).unwrap();
    let GameResult { score, largest, sum, moves } = records(GAMES, 0)[5].result;
    for (field, value, why) in [
        ("largest", u128::from(largest) + 1, format!("its largest tile {} is not possible", largest + 1)),
        ("largest", 1 << 20, "its largest tile 1048576 is not possible".to_owned()),
        ("sum", sum + 2, format!("its sum {} does not follow from {moves} moves", sum + 2)),
        ("moves", u128::from(moves) + 1, format!("its sum {sum} does not follow from {} moves", moves + 1)),
        ("score", u128::from(score) + 2, format!("its score {} is not possible", score + 2)),
        ("score", 0, "its score 0 is not possible".to_owned()),
        ("score", u128::from(u64::MAX), format!("its score {} is not possible", u64::MAX)),
    ] {
        let mut changed: Value = serde_json::from_str(line).unwrap();
        let was = changed[field].take().to_string();
        let changed = line.replace(&format!("\"{field}\":{was},"), &format!("\"{field}\":{value},"));
        assert_ne!(changed, line);
        let said = refusal(&path, text.replace(line, &changed).as_bytes(), &plan(), GAMES);
        assert!(said.starts_with(&format!("'FILE' is damaged: line 7 is not possible: {why}")), "{said}");
    }
}
