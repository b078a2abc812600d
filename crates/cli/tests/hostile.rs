//! Hostile input from users, files and pipes. Every case ends with one clear sentence and the right
//! exit code, never with a panic, and changes no existing file.

mod support;

use std::fs;

use support::{Place, ended};

/// One bad input.
struct Case {
    /// The command line, split at blanks. It runs in the test's folder.
    line: &'static str,
    /// The standard input.
    input: &'static [u8],
    /// The exit code.
    code: i32,
    /// A part of the message that must be printed after the program's name.
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
    bad("bench --seconds 0", "a number from 0.01 to 600"),
    bad("bench --seconds nan", "a number from 0.01 to 600"),
    bad("bench --no-such-option", "unexpected argument '--no-such-option'"),
    bad("players nobody", "there is no player or evaluator 'nobody'; there are: auto, "),
    // Players and their parameters.
    bad("arena", "arguments were not provided: <PLAYER>... "),
    bad("tune expectimax --generations 1 -o /dev/null", "is not a plain file"),
    bad("watch gredy", "did you mean 'greedy'?"),
    bad("watch %20", "the player is missing"),
    bad("watch :depth=3", "the player is missing"),
    bad("watch random:depth=3", "random has no parameter 'depth'"),
    bad("watch greedy:depth", "is not a parameter: write key=value"),
    bad("watch exec", "exec needs cmd=...: program and arguments"),
    bad("watch exec:cmd=\"open", "the quotes in 'exec:cmd=\"open' do not match"),
    bad("watch exec:cmd=true,tiem=1s", "did you mean 'time'?"),
    bad("watch exec:cmd=true,time=5", "a time like"),
    bad("watch exec:cmd=true,time=-1s", "a time like"),
    bad("watch exec:cmd=true,cmd=false", "given twice"),
    bad("arena", "arguments were not provided: <PLAYER>..."),
    bad("arena random nobody --games 1", "there is no player 'nobody'"),
    bad("watch clairvoyant:depth=11", "a depth above 10 needs beam=N"),
    bad("arena clairvoyant:depth=11", "a depth above 10 needs beam=N"),
    bad("arena expectimax:eval=position,matrix=1", "position: "),
    bad("watch expectimax:eval=position,matrix=\"1%202/3%204\"", "2x2"),
    bad("arena expectimax:eval=position,matrix=\"1%202/3%204\"", "2x2"),
    bad("play --hint ntuple:net=/nonexistent", "cannot read the network /nonexistent: "),
    bad("watch ntuple:net=text", "cannot use text as a network: "),
    bad("tune clairvoyant:eval=weighted,depth=11", "a depth above 10 needs beam=N"),
    // Sizes, chances, numbers.
    bad("watch random --size 1x4", "both sides must be from 2 to 8"),
    bad("watch random --size 9", "both sides must be from 2 to 8"),
    bad("watch random --size 4by4", "is not a board size"),
    bad("watch random --size 99999999999999999999x4", "is not a board size"),
    bad("watch random --size -4", "'-4' is not a board size"),
    bad("watch random --four 1.5", "a number from 0 to 1"),
    bad("watch random --four nan", "a number from 0 to 1"),
    bad(
        "watch random --seed -1",
        "invalid value '-1' for '--seed <N>': it must be a whole number of at least 0",
    ),
    bad(
        "watch random --seed 18446744073709551616",
        "for '--seed <N>': it is too large; the largest number is 18,446,744,073,709,551,615",
    ),
    bad("watch random --rules chess", "the rules are original and course"),
    bad("watch random --until 0", "for '--until <TILE>': it must be a whole number of at least 1"),
    bad("arena random --games 0", "for '--games <N>': it must be a whole number of at least 1"),
    bad("arena random --games many", "invalid value 'many' for '--games <N>'"),
    bad(
        "arena random --games 10 --threads 0",
        "for '--threads <N>': it must be a whole number from 1 to 1,024",
    ),
    bad("arena random --games 2 --seed 18446744073709551615", "are too many: seeds end at 2^64-1"),
    // Boards.
    bad("watch random --board 2%204/8", "row 2 has 1 cell, but row 1 has 2"),
    bad("watch random --board 2%204%208%2016%2032", "needs a board size"),
    typed("watch random --board -", b"", "not a board: the board is empty"),
    bad("watch random --board 0%200/0%200", "the board has no tiles"),
    bad("watch random --board 2%20-2/0%200", "row 1, column 2: -2 is negative"),
    bad("watch random --board 2%2099999999999999999999/0%200", "too large"),
    bad("watch random --board 2%20999999999999999999999999999999999999999999/0%200", "too large"),
    bad("watch random --board 2%20two/0%200", "'two' is not a whole number"),
    bad("watch random --board 2%202.5/0%200", "'2.5' is not a whole number"),
    bad("arena random --board 2%204/4%202", "the game is over on this board: no moves left"),
    bad("tune expectimax --board 2%204/4%202", "the game is over on this board: no moves left"),
    bad("watch random --board [[2,0],[0]]", "row 2 has 1 cell"),
    bad("watch random --board [[2,0],[0,0]", "the JSON ends too early"),
    bad("watch random --board {\"rows\":1}", "it has none of 'board', 'grid',"),
    bad("watch random --board 0x123", "the hex code '0x123' has 3 digits after 0x"),
    bad("best 2%204/0%202 --jsno", "unexpected argument '--jsno'; did you mean '--json'?"),
    bad("best @good.2048 2 4", "more words beside the file '@good.2048'"),
    bad("best --batch no-such-file", "cannot read no-such-file: no such file"),
    bad("best --batch a b", "with --batch, BOARD is one file"),
    bad("watch random --board [[2,true],[0,0]]", "'true' is not a whole number"),
    bad("watch random --size 4x4 --board 2%200/0%202", "the board is 2x2, but it must be 4x4"),
    bad("watch random --size 3x3 --board 2%200%200%202", "a 3x3 board has 9 cells, but 4 are given"),
    bad("watch random --board @no-such-file", "cannot read no-such-file: no such file"),
    bad("watch random --board @.", "cannot read .: it is a folder"),
    typed("watch random --board -", b"2 \xff/0 0", "not a board: it is not UTF-8 text"),
    bad("watch random --board @noise", "not a board: it is not UTF-8 text"),
    bad("watch random --board @/dev/zero", "/dev/zero is larger than 65536 bytes"),
    typed(
        "watch random --board -",
        &[0; 100_000],
        "the standard input is too long for a board: more than 65536 bytes",
    ),
    // Files.
    bad("replay no-such-file", "cannot read no-such-file: no such file"),
    bad("replay .", "cannot read .: it is a folder"),
    bad("replay empty", "empty: line 1: this is not a replay of lab2048"),
    bad("replay noise", "noise: line 1: this is not a replay of lab2048"),
    bad("replay text", "text: line 1: this is not a replay of lab2048"),
    bad("replay torn.2048", "torn.2048: line 2: the file ends without its checksum: it was cut off"),
    bad("replay changed.2048", "changed.2048: line 6: the checksum is "),
    bad("replay future.2048", "this replay has version 99, but only version 1 can be read"),
    bad("replay --import 2048verse noise", "noise: this is not a replay of 2048verse"),
    bad("replay --import nothing noise", "invalid value 'nothing' for '--import <FORMAT>'"),
    bad("arena random --games 10 -o text", "'text' is not a file of arena records"),
    bad("arena random --games 10 -o noise", "'noise' is not a file of arena records"),
    bad("arena greedy --games 10 --seed 1 -o runs.jsonl", "its list of players is random, not greedy"),
    bad("arena random --games 10 --seed 2 -o runs.jsonl", "its first seed is 1, not 2"),
    bad("arena random --games 2 --seed 1 -o runs.jsonl", "already holds 5 games, more than the 2 requested"),
    bad(
        "arena random --games 5 --seed 1 -o damaged.jsonl",
        "is damaged: line 3 is seed 3 by random instead of seed 2",
    ),
    bad("arena random --games 10 -o no-such-folder/runs.jsonl", "runs.jsonl: the folder does not exist"),
    bad("watch random --max-moves 5 --save no-such-folder/game.2048", "game.2048: the folder does not exist"),
    bad("watch random --max-moves 5 --save runs.jsonl", "runs.jsonl is a misleading name for a replay"),
    bad("play --save text", "is not a replay of lab2048; choose another name"),
    #[cfg(target_os = "linux")]
    fails("play --save /proc/game.2048", "cannot write /proc/game.2048: no such file"),
    // Names that promise another kind of file.
    bad("gif good.2048 -o x.png", "x.png is a misleading name for a GIF; use the ending .gif"),
    bad("gif good.2048 -o x.txt", "x.txt is a misleading name for a GIF; use the ending .gif"),
    bad(
        "replay good.2048 --svg x.png",
        "x.png is a misleading name for an SVG picture of lab2048; use the ending .svg",
    ),
    bad(
        "replay good.2048 -o x.csv",
        "x.csv is a misleading name for a replay of lab2048; use the ending .2048",
    ),
    bad(
        "watch random --save x.gif",
        "x.gif is a misleading name for a replay of lab2048; use the ending .2048",
    ),
    bad(
        "review good.2048 --html x.csv",
        "x.csv is a misleading name for a review page; use the ending .html",
    ),
    bad(
        "tree 2%204/4%200 -o x.csv",
        "x.csv is a misleading name for an SVG picture of lab2048; use the ending .svg",
    ),
    bad("evolve -o x.svg", "x.svg is a misleading name for an evolved program; use the ending .gp"),
    bad(
        "evolve --curve x.PNG",
        "x.PNG is a misleading name for an SVG picture of lab2048; use the ending .svg",
    ),
    bad("evolve --checkpoint x.csv", "x.csv is a misleading name for a checkpoint; use the ending .json"),
    bad("evolve show best.gp -o x.html", "x.html is a misleading name for an SVG picture"),
    bad("import x.w -o x.gif", "x.gif is a misleading name for a network; use the ending .net"),
    bad("tune expectimax:eval=weighted -o x.csv", "x.csv is a misleading name for the results of tune"),
    bad("arena random -o x.html", "write the records to a file such as runs.jsonl"),
    bad("arena random -o x.2048", "write the records to a file such as runs.jsonl"),
    bad("arena random --format csv -o x.md", "x.md is a misleading name for a CSV file of the arena"),
    bad("report runs.jsonl --json -o x.csv", "x.csv is a misleading name for a report in JSON"),
    bad("browser http://localhost -o x.csv", "x.csv is a misleading name for a file of browser records"),
    bad("browser http://localhost -o old.csv", "old.csv already exists and is not a file of browser records"),
    // Practice.
    bad(
        "practice --json",
        "name a sub-game: a board size like 3x3, an endgame like block --tile 512, or a table like",
    ),
    bad("practice block", "an endgame needs the tile to make, like --tile 512"),
    bad(
        "practice block --tile 512",
        "there is no table 'block-512'; compute it with: lab2048 solve block-512",
    ),
    bad("practice 3x3", "there is no table '3x3'; compute it with: lab2048 solve 3x3"),
    bad("practice block-512 --tile 256", "--tile cannot be combined with the name of a table"),
    bad("practice ../../etc/passwd", "is not known: use a board like 3x3"),
    bad("practice tower-64", "'tower-64' is not the name of a table"),
    bad("practice 9x9", "'9x9' is not known: use a board like 3x3"),
    bad("practice 5x5 --tile 64", "both sides must be from 2 to 4"),
    bad("practice --walls 0,0 --tile 64", "'0,0' is not a formation"),
    bad("practice 2x3 --tile 64 --from 2", "--from is a chance from 0 to 1, not 2"),
    bad("practice 2x3 --tile 64 --from nan", "it must be a number from 0 to"),
    bad("practice 2x3 --tile 64 --from 0.9 --to 0.1", "--from 0.9 is larger than --to 0.1"),
    bad("practice 2x2 --from 1e9", "no position of the table 2x2 was found with a value from"),
    bad("practice 2x2 --tile 16 --board 2%204/4%202", "the table 2x2-16 does not know this board, or"),
    bad("practice 2x2 --board 2%204%200/0%200%200", "the table 2x2 is of a board of 2x2, not 2x3"),
    bad("practice 2x3 --board 2%204%208%208/2%200%200%202", "the table 2x3 is of a board of 2x3, not 2x4"),
    bad("practice 2x2 --board 2%203/0%200", "the table 2x2 does not know this board, or"),
    bad("practice 2x2 --board @no-such-file", "cannot read no-such-file: no such file"),
    bad("practice t --tile 64", "tables/t-64.table: it is not a table of lab2048"),
    bad("practice --mistakes", "no mistakes are collected yet"),
    bad("practice --mistakes --board 2%202/0%200", "cannot be used with"),
    bad("practice --list --from 0.5", "cannot be used with"),
    bad("practice 2x2 --games 0", "a whole number of at least 1"),
    // Bots that break the protocol.
    bad("watch exec:cmd=/no/such/bot", "exec (/no/such/bot): the program does not start"),
    fails("watch exec:cmd=true", "exec (true): it ended (exit status: 0) instead of answering"),
    fails("watch exec:cmd=\"echo%20sideways\"", "exec (echo sideways): it "),
    fails("watch exec:cmd=\"sleep%20100\",time=50ms", "exec (sleep 100): it did not answer within 50ms"),
];

/// Fills the folder with valid and damaged files.
fn prepare(place: &Place) {
    for line in [
        "watch random --seed 1 --max-moves 50 --save good.2048",
        "arena random --games 5 --seed 1 -o runs.jsonl",
    ] {
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
    }
    let (replay, records) = (place.read("good.2048"), place.read("runs.jsonl"));
    let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::create_dir(place.path("tables")).expect("a writable folder");
    fs::write(place.path("tables/t-64.table"), &noise).expect("a writable folder");
    fs::write(place.path("noise"), noise).expect("a writable folder");
    place.write("empty", "");
    place.write("old.csv", "name,rank\n");
    place.write("text", "Dear diary,\ntoday I played 2048.\n");
    place.write("torn.2048", &replay[..replay.len() / 2]);
    place.write("changed.2048", &replay.replacen(" U", " R", 1));
    place.write("future.2048", &replay.replacen("replay 1", "replay 99", 1));
    let mut lines: Vec<&str> = records.lines().collect();
    lines.swap(2, 3);
    place.write("damaged.jsonl", &format!("{}\n", lines.join("\n")));
}

#[test]
fn every_bad_input_gets_one_sentence_and_changes_no_file() {
    let place = Place::new();
    prepare(&place);
    let snapshot = || contents(&place.path("."));
    let before = snapshot();
    let mut wrong = Vec::new();
    for case in CASES {
        let ran = place.run(case.line, case.input);
        let sentence = ran.err.strip_prefix("lab2048: ").and_then(|said| said.strip_suffix('\n'));
        let clear = sentence.is_some_and(|said| !said.contains('\n') && said.contains(case.says));
        if ran.code != Some(case.code) || !clear {
            wrong.push(format!("{} -> {:?}\n    {}", case.line, ran.code, ran.err));
        }
        if snapshot() != before {
            wrong.push(format!("{} changed a file", case.line));
            break;
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

/// Commands that write a file, and the name of the file. If it exists already, it is of the right
/// kind.
#[cfg(unix)]
const WRITERS: &[(&str, &str)] = &[
    ("gif good.2048 --every 10 -o film.gif", "film.gif"),
    ("tree 2%200/0%204 --player clairvoyant --depth 2 -o tree.svg", "tree.svg"),
    ("replay good.2048 -o copy.2048", "copy.2048"),
    ("replay good.2048 --svg board.svg", "board.svg"),
    ("review good.2048 --judge ntuple:depth=1 --html page.html", "page.html"),
    ("evolve --population 10 --generations 1 --trial 1 -o champion.txt", "champion.txt"),
    ("evolve --population 10 --generations 1 --trial 1 --curve course.svg", "course.svg"),
    ("evolve --population 10 --generations 1 --trial 1 --checkpoint evolution.json", "evolution.json"),
    ("watch random --seed 1 --max-moves 50 --save game.2048", "game.2048"),
    ("play --seed 1 --save played.2048", "played.2048"),
    ("arena random --games 5 -o records.jsonl", "records.jsonl"),
    ("tune expectimax:eval=rows,depth=1 --size 2x2 --games 1 --generations 1 -o tune.jsonl", "tune.jsonl"),
    ("train run --size 2x2 --threads 1 --games 10", "run/network.net"),
];

/// The names and contents of all files in a folder, except locks.
fn contents(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files.extend(contents(&path));
        } else if path.extension().is_none_or(|extension| extension != "lock") {
            files.push((path.clone(), fs::read(&path).expect("the file can be read")));
        }
    }
    files.sort();
    files
}

/// The limit of file sizes (`ulimit -f`) stands for a full disk. By default the process would be
/// ended by a signal.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_is_one_sentence_and_leaves_nothing() {
    for (line, file) in WRITERS {
        let place = Place::new();
        prepare(&place);
        let before = contents(&place.path("."));
        let ran = place.run_limited(0, line);
        let sentence = ran.err.strip_prefix("lab2048: ").and_then(|said| said.strip_suffix('\n'));
        let clear = sentence.is_some_and(|said| {
            said.starts_with("cannot write ") && said.contains("too large") && !said.contains('\n')
        });
        assert!(ran.code == Some(1) && clear, "{line}: {:?} {}", ran.code, ran.err);
        assert!(contents(&place.path(".")) == before, "{line} left something");
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        let written = fs::read(place.path(file)).expect("it was written");
        let more = line.replace("--games 5", "--games 50").replace("--games 10", "--games 100");
        let more = more.replace("--generations 1", "--generations 2");
        let ran = place.run_limited(0, &more);
        assert!(matches!(ran.code, Some(1 | 2)), "{more}: {:?} {}", ran.code, ran.err);
        assert!(fs::read(place.path(file)).expect("the file exists") == written, "{more}");
    }
}

/// A program that we start does not inherit our handling of signals.
#[cfg(target_os = "linux")]
#[test]
fn a_bot_starts_with_the_usual_signals() {
    let place = Place::new();
    place.write("bot.sh", "grep SigIgn /proc/self/status > signals\n");
    let ran = place.run("watch exec:cmd=\"sh%20bot.sh\"", "");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let ignored = place.read("signals");
    let ignored = u64::from_str_radix(ignored.trim_start_matches("SigIgn:").trim(), 16).expect("a mask");
    let file_size = 1 << (25 - 1);
    assert_eq!(ignored & file_size, 0, "{ignored:x}");
}

/// Every command, with arguments that end it quickly even if the tested option has a good value.
/// Those of them that are the tested option are left out.
const QUICK: &[(&str, &[&str])] = &[
    ("play", &[]),
    ("watch", &["random"]),
    ("replay", &["no/such/file"]),
    ("review", &["no/such/file"]),
    ("statistics", &[]),
    ("gif", &["no/such/file", "--output=no/such/film.gif"]),
    ("practice", &["2x2"]),
    ("best", &["2 2/0 0"]),
    ("browser", &["--driver=http://127.0.0.1:9"]),
    ("serve", &["no/such/folder"]),
    ("page", &["--output=no/such/folder"]),
    ("solve", &["2x2"]),
    ("arena", &["random", "--games=2"]),
    ("report", &["no/such/file"]),
    ("train", &["text/run"]),
    ("import", &["no/such/file", "--output=no/such/file.net"]),
    ("tune", &["nobody"]),
    ("evolve", &["--generations=1", "--population=10", "--trial=1"]),
    ("evolve show", &["no/such/file"]),
    ("evolve sweep", &["--grid=mutation=0", "--generations=1", "--population=10", "--trial=1", "--runs=1"]),
    ("evolve reproduce", &["--populations=1", "--generations=1", "--again=1", "--random-games=65"]),
    ("tree", &["2 4/0 2", "--output=no/such/tree.svg"]),
    ("grade", &["no/such/file"]),
    ("players", &["nobody"]),
    ("bench", &["--seconds=0.01"]),
    ("completions", &["no/such/shell"]),
    ("man", &["nothing"]),
];

/// The options of a command that have a value, from its help page.
fn options_with_values(page: &str) -> Vec<String> {
    let lines = page.lines().filter(|line| line.trim_start().starts_with('-'));
    let options = lines.filter_map(|line| {
        let (name, rest) = line.split_once("--")?.1.split_once(' ')?;
        rest.starts_with('<').then(|| name.to_owned())
    });
    options.collect()
}

/// Errors of the system have no numbers, and ranges no limits of a type.
#[test]
fn every_option_refuses_wrong_values_in_plain_words() {
    const WRONG: &[&str] = &["no/such/file", "@no/such/file", "-1", "99999999999999999999999"];
    let place = Place::new();
    place.write("text", "Dear diary,\n");
    let mut cases = Vec::new();
    for &(name, arguments) in QUICK {
        let typed = |arguments: &mut dyn Iterator<Item = String>| {
            name.split(' ').map(str::to_owned).chain(arguments).collect::<Vec<String>>()
        };
        cases.push(typed(&mut arguments.iter().map(|&argument| argument.to_owned())));
        for option in options_with_values(&place.ok(&format!("{name} --help"), "")) {
            let own = format!("--{option}=");
            for wrong in WRONG {
                let kept = arguments.iter().filter(|argument| !argument.starts_with(&own));
                let kept = kept.map(|&argument| argument.to_owned());
                cases.push(typed(&mut kept.chain([format!("{own}{wrong}")])));
            }
        }
    }
    assert!(cases.len() > 400, "{}", cases.len());
    let refused = std::sync::Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(4)) {
            let (place, refused) = (&place, &refused);
            scope.spawn(move || {
                for case in part {
                    let line = case.iter().map(|word| word.replace(' ', "%20")).collect::<Vec<_>>().join(" ");
                    let ran = place.run(&line, "");
                    let says = |part: &str| ran.err.contains(part) || ran.out.contains(part);
                    let technical = ["os error", "18446744073709551615", "4294967295", "2^64"].iter();
                    let is_plain = !technical.copied().any(says) && matches!(ran.code, Some(0..=2));
                    let is_sentence = ran.code != Some(2) || ran.err.lines().count() == 1;
                    let mut refused = refused.lock().expect("no thread has failed");
                    refused.0 += usize::from(ran.code != Some(0));
                    if !is_plain || !is_sentence {
                        refused.1.push(format!("{line} -> {:?}\n    {}", ran.code, ran.err));
                    }
                }
            });
        }
    });
    let (refused, wrong) = refused.into_inner().expect("no thread has failed");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(refused * 10 > cases.len() * 9, "only {refused} of {} were refused", cases.len());
}

/// The commands of the program and those of the list are the same.
#[test]
fn every_command_is_in_the_list() {
    let place = Place::new();
    for line in place.ok("--help", "").lines().filter(|line| line.starts_with("  ")) {
        let name = line.split_whitespace().next().unwrap_or_default();
        let is_command = line.as_bytes()[2].is_ascii_lowercase() && name != "lab2048";
        let is_known = QUICK.iter().any(|(known, _)| *known == name);
        assert!(!is_command || is_known, "{name}: add it to QUICK");
    }
}

/// If the reader of the output goes away, the command ends quietly.
#[test]
fn a_closed_pipe_is_not_a_failure() {
    let place = Place::new();
    for line in
        ["players", "watch random --seed 1", "arena random --games 3", "practice 2x2 --seed 1", "--help"]
    {
        let mut child = place.start(line);
        drop(child.stdout.take());
        let ran = ended(child);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
    }
}

/// Without a terminal and without input, every prompt takes the end of the input as its answer.
#[test]
fn no_terminal_and_no_input_is_an_end_not_a_hang() {
    let place = Place::new();
    for line in ["play --seed 1", "watch human --seed 1", "arena human --games 1 --seed 1"] {
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        // The player `human` shows the board on the standard error.
        let shown = if line.starts_with("play") { "" } else { "score 0\n" };
        assert!(ran.err.ends_with(shown) && ran.err.is_empty() == shown.is_empty(), "{line}: {}", ran.err);
    }
}
