//! `lab2048 evolve`: the result does not depend on threads or interruptions, and programs can play
//! and be drawn.

mod support;

use serde_json::Value;
use support::Place;

/// A small evolution of each genome.
const DIRECTIONS: &str =
    "evolve --genome directions --population 12 --tournament 3 --generations 3 --trial 20 --seed 4 --json";
const EVALUATOR: &str = "evolve --population 12 --tournament 3 --games 2 --tuning 3 --proof 5 --generations 3 --trial 20 --seed 4 --json";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn threads_make_no_difference() {
    let place = Place::new();
    for line in [DIRECTIONS, EVALUATOR] {
        let one = json(&place.ok(&format!("{line} --threads 1 --runs 2"), ""));
        assert_eq!(json(&place.ok(&format!("{line} --threads 3 --runs 2"), "")), one);
        assert_eq!(one["runs"].as_array().map(Vec::len), Some(2));
        assert_eq!(one["comparisons"][0]["baseline"], "random");
    }
}

#[test]
fn a_checkpoint_is_continued() {
    let place = Place::new();
    let whole = json(&place.ok(&format!("{EVALUATOR} --runs 2"), ""));
    place.ok(&format!("{EVALUATOR} --runs 1 --checkpoint run.json"), "");
    assert_eq!(json(&place.ok(&format!("{EVALUATOR} --runs 2 --checkpoint run.json"), "")), whole);
    let other = place.fails("evolve --population 13 --generations 1 --checkpoint run.json", "", 2);
    assert!(other.ends_with("it was made with other settings"), "{other}");
    let other = place.fails(
        &format!("{EVALUATOR} --trial 21 --runs 2 --checkpoint run.json").replace("--trial 20 ", ""),
        "",
        2,
    );
    assert!(other.ends_with("its champions have played 20 fresh games"), "{other}");
    let kept = place.read("run.json");
    for (from, to) in [
        ("\"finished\":[{\"seed\":4", "\"finished\":[{\"seed\":77"),
        ("\"scores\":[", "\"scores\":[999999,"),
        ("\"generation\":1", "\"generation\":7"),
    ] {
        assert!(kept.contains(from), "{from}: {kept}");
        place.write("run.json", &kept.replacen(from, to, 1));
        let damaged = place.fails(&format!("{EVALUATOR} --runs 2 --checkpoint run.json"), "", 2);
        assert!(damaged.contains("its result for seed"), "{damaged}");
    }
    place.write("run.json", "{}");
    let damaged = place.fails(&format!("{EVALUATOR} --checkpoint run.json"), "", 2);
    assert!(damaged.contains("is not the checkpoint of this evolution: it is "), "{damaged}");
    assert!(!damaged.contains("line 1"), "{damaged}");
}

/// Another name is only refused for a new file.
#[test]
fn a_checkpoint_is_continued_under_any_name() {
    let place = Place::new();
    let line = format!("{DIRECTIONS} --checkpoint x.csv");
    let said = place.fails(&line, "", 2);
    assert_eq!(said, "x.csv is a misleading name for a checkpoint; use the ending .json");
    let first = place.ok(&format!("{DIRECTIONS} --checkpoint run.json"), "");
    std::fs::rename(place.path("run.json"), place.path("x.csv")).expect("it can be renamed");
    assert_eq!(place.ok(&line, ""), first);
}

/// The name of the lock may belong to another file, whose content must stay.
#[test]
fn a_lock_empties_no_file() {
    let place = Place::new();
    place.write("Cargo.lock", "not ours");
    place.ok(&format!("{DIRECTIONS} --checkpoint Cargo"), "");
    assert_eq!(place.read("Cargo.lock"), "not ours");
}

/// Two processes would overwrite each other's results.
#[test]
fn a_checkpoint_belongs_to_one_process() {
    let place = Place::new();
    let lock = std::fs::File::create(place.path("run.json.lock")).expect("a writable folder");
    lock.try_lock().expect("the lock is free");
    let said = place.fails(&format!("{EVALUATOR} --checkpoint run.json"), "", 1);
    assert_eq!(said, "run.json is in use by another evolution");
    drop(lock);
    place.ok(&format!("{EVALUATOR} --checkpoint run.json"), "");
}

#[cfg(unix)]
#[test]
fn finished_runs_are_shown_after_an_interruption() {
    let place = Place::new();
    let line = "evolve --population 30 --generations 30 --games 4 --tuning 0 --proof 10 --trial 20 --seed 4 \
                --runs 1000 --checkpoint part.json -o best.gp --curve best.svg";
    let mut child = place.start(line);
    while !place.path("part.json").exists() {
        assert!(child.try_wait().expect("try_wait works").is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    support::interrupt(&child);
    let ran = support::ended(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.out.starts_with("seed 4: champion of generation "), "{}", ran.out);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.contains("; best.gp holds the best program so far, from seed "), "{last}");
    assert!(last.contains("; best.svg holds the curve of the best run so far, from seed "), "{last}");
    assert!(place.read("best.svg").starts_with("<svg"));
    // The best of all runs so far, including the interrupted one.
    let kept = json(&place.read("part.json"));
    let champions = kept["finished"].as_array().expect("finished runs").iter().map(|run| &run["champion"]);
    let champions = champions.chain([&kept["current"]["champion"]]).filter(|champion| !champion.is_null());
    let fitness = |champion: &&Value| champion["marks"]["fitness"].as_f64().expect("a fitness");
    let best = champions.max_by(|a, b| fitness(a).total_cmp(&fitness(b))).expect("a champion");
    let text = place.read("best.gp");
    assert!(text.starts_with("; evolved by lab2048 "), "{text}");
    assert!(text.ends_with(best["program"].as_str().expect("a program")), "{text}\n{best}");
}

/// A file that cannot be written is refused before the work, which would take hours here.
#[test]
fn files_are_checked_before_the_work() {
    let place = Place::new();
    let long = "evolve --generations 1000000";
    for option in ["-o", "--curve", "--checkpoint"] {
        let said = place.fails(&format!("{long} {option} none/best"), "", 2);
        assert_eq!(said, "cannot write none/best: the folder does not exist");
    }
    place.write("old.gp", "kept");
    for (options, says) in [
        ("-o old.gp --curve old.gp", "-o and --curve cannot both write to old.gp"),
        ("-o old.gp --checkpoint old.gp", "-o and --checkpoint cannot both write to old.gp"),
        ("-o old.gp --checkpoint ./old.gp", "-o and --checkpoint cannot both write to ./old.gp"),
        (
            "-o old.json.lock --checkpoint old.json",
            "-o and the lock of --checkpoint cannot both write to old.json.lock",
        ),
        ("-o - --json", "-o and --json cannot both write to the standard output"),
        ("-o - --curve -", "-o and --curve cannot both write to -"),
        ("--checkpoint -", "the checkpoint must be a file, not the standard output"),
    ] {
        assert_eq!(place.fails(&format!("{long} {options}"), "", 2), says);
    }
    assert_eq!(place.read("old.gp"), "kept");
    let plain = EVALUATOR.replace(" --json", "");
    let program = place.ok(&format!("{plain} -o -"), "");
    assert!(program.starts_with("; evolved by lab2048 ") && program.ends_with(")\n"), "{program}");
    assert!(place.ok(&format!("{plain} --curve -"), "").starts_with("<svg"));
}

#[test]
fn files_of_another_kind_are_not_replaced() {
    let place = Place::new();
    place.write("game", "lab2048 replay");
    for option in ["-o", "--curve"] {
        let line = format!("evolve --generations 1 --population 10 {option} game");
        assert!(place.fails(&line, "", 2).contains("game already exists and is not"), "{option}");
        assert_eq!(place.read("game"), "lab2048 replay");
    }
}

/// Records of two different programs must not share a file.
#[test]
fn records_name_the_program() {
    let place = Place::new();
    place.write("x.gp", "(evaluator (value empty))");
    let line = |games: u32| format!("arena program:file=x.gp --games {games} -o runs.jsonl");
    place.ok(&line(3), "");
    place.write("x.gp", "; the same program\n(evaluator\n (value empty))");
    place.ok(&line(4), "");
    place.write("x.gp", "(evaluator (value largest))");
    let said = place.fails(&line(5), "", 2);
    assert!(said.contains("its list of networks"), "{said}");
}

/// A signal ends the wait for a file that is a pipe without a writer.
#[cfg(target_os = "linux")]
#[test]
fn one_signal_ends_show() {
    let place = Place::new();
    place.pipe_without_writer("never.gp");
    let child = place.start("evolve show never.gp");
    support::wait_until_it_listens(&child);
    support::interrupt(&child);
    assert_eq!(support::ended(child).code, Some(130));
}

/// A second signal ends work that does not check for the first. Two signals at once, as from
/// `timeout`, count as one.
#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_anything() {
    let place = Place::new();
    place.pipe_without_writer("never.json");
    let mut child = place.start("evolve --checkpoint never.json");
    support::wait_until_it_listens(&child);
    support::interrupt(&child);
    support::interrupt(&child);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(child.try_wait().expect("try_wait works"), None, "it still waits");
    support::interrupt(&child);
    assert_eq!(support::ended(child).code, Some(130));
}

#[test]
fn a_trial_needs_no_more_threads_than_there_are_games() {
    let place = Place::new();
    place.ok(&format!("{DIRECTIONS} --threads 1024"), "");
}

/// Interrupts a command with a checkpoint after its first run, then resumes it.
#[cfg(unix)]
fn interrupted_and_continued(place: &Place, line: &str) -> String {
    let line = format!("{line} --checkpoint part.json");
    let mut child = place.start(&line);
    // The checkpoint is written when the first run is finished.
    while !place.path("part.json").exists() {
        let ended = child.try_wait().expect("try_wait works");
        assert!(ended.is_none(), "it ended before it could be interrupted: {ended:?}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    support::interrupt(&child);
    let ran = support::ended(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let last = ran.err.lines().last();
    assert_eq!(last, Some("lab2048: interrupted; run the same command to resume"));
    let kept: Value = json(&place.read("part.json"));
    assert!(!kept["finished"].as_array().expect("finished runs").is_empty());
    place.run(&line, "").out
}

#[cfg(unix)]
#[test]
fn sweeps_and_reproductions_resume_after_an_interruption() {
    let sweep = "evolve sweep --genome directions --population 40 --generations 15 --runs 2 --trial 50 \
                 --grid mutation=0,0.5,1 --grid max-depth=5,7 --json";
    let reproduction =
        "evolve reproduce --populations 2 --generations 10 --again 50 --random-games 65 --json";
    for line in [sweep, reproduction] {
        let place = Place::new();
        let whole = json(&place.run(line, "").out);
        assert_eq!(json(&interrupted_and_continued(&place, line)), whole);
        // A checkpoint with other settings is refused.
        let other = format!("{line} --seed 9 --checkpoint part.json");
        let said = place.fails(&other, "", 2);
        assert!(said.ends_with("it was made with other settings"), "{said}");
        let said = place.fails("evolve --generations 1 --checkpoint part.json", "", 2);
        assert!(said.contains("part.json is not the checkpoint of this evolution: it is"), "{said}");
    }
}

#[test]
fn every_option_is_a_setting() {
    let place = Place::new();
    let directions = "evolve --genome directions --population 6 --generations 2 --trial 2 --json";
    let evaluator = "evolve --population 6 --generations 2 --trial 2 --games 1 --tuning 0 --proof 0 --json";
    let cases = [
        (directions, "--tournament 3", "/tournament", json("3")),
        (directions, "--mutation 0.35", "/mutation", json("0.35")),
        (directions, "--mutate terminal", "/mutate", json("\"terminal\"")),
        (directions, "--mutate either", "/mutate", json("\"either\"")),
        (directions, "--mutate subtree", "/mutate", json("\"subtree\"")),
        (evaluator, "--mutate function", "/mutate", json("\"function\"")),
        (directions, "--crossover 0.9", "/crossover", json("0.9")),
        (directions, "--min-depth 1", "/bounds/least", json("1")),
        (directions, "--max-depth 4", "/bounds/most", json("4")),
        (directions, "--max-size 40", "/bounds/size", json("40")),
        (directions, "--elite 2", "/elite", json("2")),
        (directions, "--games 3", "/games", json("3")),
        (directions, "--common true", "/common", json("true")),
        (directions, "--fitness score", "/fitness", json("\"score\"")),
        (directions, "--fitness tile", "/fitness", json("\"tile\"")),
        (directions, "--fitness sum", "/fitness", json("\"sum\"")),
        (evaluator, "--fitness combined", "/fitness", json("\"combined\"")),
        (evaluator, "--fitness vega", "/fitness", json("\"vega\"")),
        (evaluator, "--parsimony 0.01", "/parsimony", json("0.01")),
        (evaluator, "--distinct false", "/distinct", json("false")),
        (evaluator, "--seed 18446744073709551615", "/seed", json("18446744073709551615")),
        (evaluator, "--rows false", "/rows", json("false")),
    ];
    for (line, option, pointer, value) in cases {
        let result = json(&place.ok(&format!("{line} {option}"), ""));
        assert_eq!(result["settings"].pointer(pointer), Some(&value), "{option}");
        let plain = json(&place.ok(line, ""));
        assert_ne!(plain["settings"].pointer(pointer), Some(&value), "{option} is the default");
    }
}

#[test]
fn options_of_nodes_and_dialects_are_seen_in_the_programs() {
    let place = Place::new();
    let program = |line: &str| {
        place.ok(&format!("{line} --tournament 2 --generations 2 --trial 2 -o best.gp"), "");
        place.read("best.gp")
    };
    let text = program(
        "evolve --genome directions --population 6 --adfs 4 --modulo 4 --sense slide --otherwise others --nodes max,up,left",
    );
    let words = |text: &str| -> Vec<String> {
        let code: String = text.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join(" ");
        code.split(['(', ')', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let found = words(&text);
    assert_eq!(found[..7], ["directions", "modulo", "4", "sense", "slide", "otherwise", "others"]);
    for tree in ["\n  (up", "\n  (right", "\n  (down", "\n  (left"] {
        assert_eq!(text.matches(tree).count(), 1, "{text}");
    }
    assert!(
        found[7..].iter().all(|word| ["max", "up", "left", "right", "down"].contains(&word.as_str())),
        "{text}"
    );
    let evaluator = "evolve --population 12 --games 1 --tuning 2 --proof 3";
    let text = program(&format!("{evaluator} --adfs 2 --without first,second,third,fourth --with ranks"));
    assert!(text.contains("(adf0") && text.contains("(adf1"), "{text}");
    assert!(!words(&text).iter().any(|word| ["first", "second", "third", "fourth"].contains(&word.as_str())));
    let shown = place.ok("evolve show best.gp", "");
    assert!(shown.ends_with("evaluation: a table of rows\n"), "{shown}");
}

#[test]
fn a_program_is_shown_with_every_option() {
    let place = Place::new();
    place.write("left.gp", "(directions (move (max left (add up down))))");
    let board = "--board 2%202%200%200/4%208%200%200/0%200%200%200/0%200%200%200";
    let shown = place.ok(&format!("evolve show left.gp {board} --seed 3"), "");
    assert!(shown.contains("left = 3, fired") && !shown.contains("up = 0, fired"), "{shown}");
    let others: Vec<String> =
        (1..20).map(|seed| place.ok(&format!("evolve show left.gp {board} --seed {seed}"), "")).collect();
    assert!(others.iter().any(|other| *other != others[0]), "chance depends on the seed");
    place.write("empty.gp", "(evaluator (value empty))");
    let shown = place.ok(&format!("evolve show empty.gp {board} --move down"), "");
    assert!(shown.contains("values of the nodes after down") && shown.contains("empty = 12"), "{shown}");
    let said = place.fails(&format!("evolve show empty.gp {board} --move up"), "", 2);
    assert_eq!(said, "up does not change the board");
    let said = place.fails(&format!("evolve show left.gp {board} --move left"), "", 2);
    assert!(said.starts_with("--move is for evaluators"), "{said}");
    assert!(place.ok("evolve show left.gp", "").contains("directions, modulo 3, sense merge, otherwise any"));
    place.write("adf.gp", "(evaluator (adf0 (square arg0)) (value (lines (adf0 empty 1))))");
    for options in ["", " -o -"] {
        let shown = place.ok(&format!("evolve show adf.gp {board} --move down{options}"), "");
        assert!(shown.contains("sums over all rows and columns, in ADFs also over all calls"), "{shown}");
        assert!(shown.contains("after down"), "{shown}");
        // Down leaves 2 2 below 4 8: rows with 4 4 2 2 empty cells, columns with 2 2 4 4.
        assert!(options.contains("-o") || shown.contains("square = 80\n└─ arg0 = 24\n"), "{shown}");
    }
    let svg = place.ok("evolve show empty.gp -o -", "");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
}

#[test]
fn the_champion_is_a_player_and_a_picture() {
    let place = Place::new();
    for line in [DIRECTIONS, EVALUATOR] {
        let result = json(&place.ok(&format!("{line} -o best.gp --curve curve.svg"), ""));
        assert!(place.read("curve.svg").contains("<polyline"));
        // The trial plays the same games as the arena.
        let arena = json(&place.ok("arena program:file=best.gp --games 20 --seed 1 --json", ""));
        assert_eq!(arena["players"][0]["mean"], result["mean_score"], "{arena}");
        let shown = place.ok("evolve show best.gp --board 2%204%208%2016/0%202%204%208/0%200%202%204/0%200%200%202 -o best.svg", "");
        assert!(shown.contains(" = "), "{shown}");
        assert!(place.read("best.svg").starts_with("<svg"));
    }
}

#[test]
fn a_watched_program_says_which_terminals_fired() {
    let place = Place::new();
    place.write("left.gp", "(directions (move (max left (random up down))))");
    let seen = place.ok("watch program:file=left.gp --seed 1 --max-moves 3", "");
    assert!(seen.contains("terminals fired: "), "{seen}");
    place.write("value.gp", "(evaluator (value (lines (subtract empty rough))))");
    let seen = place.ok("watch program:file=value.gp --seed 1 --max-moves 3", "");
    assert!(seen.contains("the program saw after ") && seen.contains(": empty "), "{seen}");
}

#[test]
fn a_sweep_has_a_row_for_every_combination() {
    let place = Place::new();
    let line = "evolve sweep --genome directions --population 8 --tournament 2 --generations 2 --runs 2 --trial 10 \
                --grid mutation=0,1 --grid max-depth=4,7 --markdown";
    let table = place.ok(line, "");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 2 + 4, "{table}");
    assert!(
        rows[0].starts_with("| mutation | max-depth | runs |") && rows[3].starts_with("| 0 | 7 | 2 |"),
        "{table}"
    );
}

#[test]
fn a_sweep_can_compare_genomes_generations_and_nodes() {
    let place = Place::new();
    let line = "evolve sweep --population 8 --tournament 2 --games 1 --proof 0 --elite 0 --runs 1 --trial 5 --json \
                --grid genome=directions,evaluator --grid generations=1,2 --grid without=max+min,add";
    let result = json(&place.ok(line, ""));
    let cells = result["cells"].as_array().expect("cells");
    let genomes: Vec<&Value> = cells.iter().map(|cell| &cell["settings"]["genome"]).collect();
    assert_eq!(genomes[3..5], ["directions", "evaluator"]);
    let generations: Vec<&Value> = cells.iter().map(|cell| &cell["generations"]).collect();
    assert_eq!(generations[..3], [1, 1, 2]);
    let has = |cell: usize, name: &str| {
        cells[cell]["settings"]["nodes"].as_array().expect("nodes").iter().any(|node| node == name)
    };
    assert!(has(0, "add") && !has(0, "max") && !has(0, "min") && has(1, "max") && !has(1, "add"));
}

#[test]
fn the_reproduction_has_every_test_of_the_paper() {
    let place = Place::new();
    let line = "evolve reproduce --populations 2 --generations 2 --again 10 --random-games 650 --json";
    let result = json(&place.ok(line, ""));
    let rows = result["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1 + 4 + 4);
    let figures: Vec<u64> = rows.iter().filter_map(|row| row["document"][0].as_u64()).collect();
    assert_eq!(figures, [1095, 3302, 2965, 3293, 2476]);
}

#[test]
fn what_cannot_be_evolved() {
    let place = Place::new();
    place.write("bad.gp", "(directions (move (add up)))");
    for (line, says) in [
        ("evolve --population 1", "from 2 to 100,000"),
        ("evolve --tournament 500", "the tournament size must be from 1 to the population size"),
        ("evolve --nodes add --rows false", "needs a terminal that returns a value of the board"),
        ("evolve --nodes add", "needs a terminal that returns a value of a line"),
        ("evolve --with nothing", "unknown node 'nothing'"),
        ("evolve --with corner", "corner reads the whole board; use it with --rows false"),
        ("evolve --genome directions --rows true", "--rows: directions programs are not sums over rows"),
        ("evolve --min-depth 5 --max-depth 4", "depths must be from 1 to 17"),
        ("evolve show bad.gp", "bad.gp is not a program: line 1: 'add' has only 1 of its 2 arguments"),
        ("evolve show none.gp", "cannot read none.gp"),
        ("evolve sweep --grid nothing=1", "--grid nothing=1: "),
        ("evolve sweep --grid mutation", "is not NAME=VALUE"),
        ("evolve sweep --grid mutation=0 --grid mutation=1", "--grid mutation is given twice"),
        ("evolve sweep --grid mutation=0,0", "--grid mutation has the value 0 twice"),
        ("evolve sweep --grid mutation=1,1.0", "--grid: 1 and 1.0 mean the same"),
        (
            "evolve sweep --mutation 0.5 --grid mutation=0,1",
            "--mutation and --grid mutation cannot both be given",
        ),
        ("evolve sweep --grid runs=1,2", "--grid runs=1: it is the same for the whole grid"),
        ("evolve --genome directions --max-size 3", "needs at least 7 nodes, but only 3 are allowed"),
        ("evolve --rows false --nodes lines,corner", "these nodes cannot make a tree of depth 2"),
        ("evolve --with up", "'up' is not a node of evaluators"),
        ("evolve --with up --rows false", "'up' is not a node of evaluators"),
        ("evolve --genome directions --with empty,corner", "'empty' is not a node of programs of directions"),
        ("evolve --genome directions --tuning 5", "--tuning: directions programs have no constants to tune"),
        ("evolve --modulo 4", "--modulo: evaluators add without a modulus"),
        ("evolve --sense slide", "--sense: evaluators do not sense directions"),
        ("evolve --without lines", "sums over rows need the node lines"),
        ("evolve --adfs 2 --without adf,arg", "ADFs need the node 'adf', which calls them"),
        ("evolve --with ranks --without ranks", "the node ranks cannot be both added and removed"),
        ("watch program", "file"),
    ] {
        let said = place.fails(line, "", 2);
        assert!(said.contains(says), "{line}: {said}");
    }
}
