//! `lab2048 report` with the real binary, and where `arena` writes its result.

mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::{Place, project};

/// A folder with the records of two players over 40 seeds in `runs.jsonl`.
fn place_with_runs() -> Place {
    let place = Place::new();
    place.ok("arena random greedy --games 40 --seed 1 -o runs.jsonl", "");
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The scores of a player in a file of records, read without lab2048.
fn scores(place: &Place, file: &str, player: &str) -> Vec<f64> {
    let records = place.read(file);
    let records = records.lines().skip(1).map(json).filter(|record| record["player"] == player);
    records.map(|record| record["score"].as_f64().expect("a score")).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is not a number"));
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found} instead of {expected}");
}

/// Runs a Python program on a text and returns what it prints.
fn python(program: &str, input: &str) -> String {
    let place = Place::new();
    place.write("input", input);
    let ran = Command::new("python3").args(["-c", program]).arg(place.path("input")).output();
    let ran = ran.expect("python3 is needed");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

/// The number of elements of each class in an SVG, as an XML parser finds them, and all its texts.
fn elements(svg: &str) -> Value {
    let program = "import collections, json, sys, xml.etree.ElementTree as tree\n\
        all = list(tree.parse(sys.argv[1]).getroot().iter())\n\
        print(json.dumps({'classes': collections.Counter(one.get('class') for one in all if one.get('class')),\n\
        'texts': [one.text for one in all if one.tag.endswith('}text')]}))";
    json(&python(program, svg))
}

/// What a terminal of this width shows.
#[cfg(target_os = "linux")]
fn in_terminal(place: &Place, columns: usize, line: &str) -> String {
    let command = format!("stty cols {columns} rows 40; exec {} {line}", env!("CARGO_BIN_EXE_lab2048"));
    let ran = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(place.path(""))
        .env("LAB2048_HOME", place.path(""))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("script is needed: apt-get install bsdutils");
    String::from_utf8(ran.stdout).expect("text").replace("\r\n", "\n")
}

#[test]
fn a_report_has_the_tables_of_the_arena() {
    let place = place_with_runs();
    let arena = place.ok("arena random greedy --games 40 --seed 1", "");
    let report = place.ok("report runs.jsonl", "");
    assert!(
        report.starts_with("Report: 80 games of 2 players in 1 file; 4x4, original rules\n\n"),
        "{report}"
    );
    // The speeds differ.
    let tables = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.contains("moves/s")).map(str::to_owned);
        lines.filter(|line| line.contains('±') || line.contains(" to ") && line.contains('%')).collect()
    };
    let of_arena: Vec<String> =
        tables(&arena).into_iter().filter(|line| !line.contains("brackets")).collect();
    assert!(of_arena.len() >= 6, "{arena}");
    for line in &of_arena {
        assert!(report.contains(line.as_str()), "{line}\n{report}");
    }
    let digest = |text: &str| text.split("SHA-256").nth(1).map(|rest| rest.trim()[..64].to_owned());
    assert_eq!(digest(&report), digest(&arena));
    let difference =
        report.lines().find(|line| line.starts_with("random minus greedy")).expect("a difference");
    assert!(difference.contains(" 40  "), "{difference}");
    assert!(report.contains("greedy is better"), "{report}");
}

#[test]
fn piped_tables_have_80_columns() {
    let place = place_with_runs();
    let long = "expectimax:eval=corner,depth=1,empty=1 greedy";
    place.run(&format!("arena {long} --games 3 --max-moves 40 -o long.jsonl"), "");
    for line in [
        "report runs.jsonl",
        "arena random greedy --games 5",
        "arena expectimax:depth=1 minimax:depth=1 random --games 3 --max-moves 30",
    ] {
        let text = place.ok(line, "");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}\n{text}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn tables_follow_the_width_of_the_terminal() {
    let place = place_with_runs();
    let blocks = |text: &str| text.lines().filter(|line| line.starts_with("player  ")).count();
    for (columns, most_blocks) in [(34, 8), (50, 4), (60, 3), (80, 2), (120, 1), (200, 1)] {
        for line in ["report runs.jsonl", "arena random greedy --games 40 --seed 1"] {
            let text = in_terminal(&place, columns, line);
            assert!(text.contains("mean score"), "{text}");
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= columns, "{columns}: {widest}\n{text}");
            assert!((1..=most_blocks).contains(&blocks(&text)), "{columns}\n{text}");
        }
    }
    let wide = in_terminal(&place, 120, "report runs.jsonl");
    let head = wide.lines().find(|line| line.starts_with("player ")).expect("a table");
    assert!(head.contains("games") && head.ends_with("moves/s"), "{head}");
}

#[test]
fn every_figure_is_what_the_records_give() {
    let place = place_with_runs();
    let told = json(&place.ok("report runs.jsonl --json", ""));
    assert_eq!((&told["lab2048"], &told["version"]), (&Value::from("report"), &Value::from(1)));
    assert_eq!(told["files"][0]["records"], 80);
    let (random, greedy) = (scores(&place, "runs.jsonl", "random"), scores(&place, "runs.jsonl", "greedy"));
    let contest = &told["contests"][0];
    for (player, scores) in contest["players"].as_array().expect("players").iter().zip([&random, &greedy]) {
        near(&player["mean"], mean(scores));
        near(&player["deviation"], variance(scores).sqrt());
        assert_eq!(player["games"], 40);
    }
    let pairs: Vec<f64> = random.iter().zip(&greedy).map(|(a, b)| a - b).collect();
    let difference = &contest["differences"][0];
    assert_eq!(difference["pairing"], "paired");
    near(&difference["mean"], mean(&pairs));
    near(&difference["error"], (variance(&pairs) / 40.0).sqrt());
    // Student's t for 39 degrees of freedom is 2.02269.
    let half = 2.022_691 * (variance(&pairs) / 40.0).sqrt();
    let low = difference["interval"]["low"].as_f64().expect("an end");
    assert!((low - (mean(&pairs) - half)).abs() < 0.1, "{low}");
    // 2.8016 = 1.95996 + 0.84162; the second term is 1.95996² / 2.
    let needed = (2.801_585f64 * variance(&pairs).sqrt() / mean(&pairs)).powi(2) + 1.920_73;
    assert_eq!(difference["games_needed"], needed.ceil());
}

#[test]
fn other_seeds_are_compared_by_their_means() {
    let place = Place::new();
    place.ok("arena random --games 60 --seed 1 -o low.jsonl", "");
    place.ok("arena random --games 30 --seed 1001 -o high.jsonl", "");
    let told = json(&place.ok("report low.jsonl high.jsonl --json", ""));
    let (low, high) = (scores(&place, "low.jsonl", "random"), scores(&place, "high.jsonl", "random"));
    let difference = &told["contests"][0]["differences"][0];
    assert_eq!((&difference["pairing"], &difference["games"]), (&Value::from("unpaired"), &Value::from(30)));
    near(&difference["mean"], mean(&low) - mean(&high));
    near(&difference["error"], (variance(&low) / 60.0 + variance(&high) / 30.0).sqrt());
    let text = place.ok("report low.jsonl high.jsonl", "");
    assert!(text.contains("unpaired") && text.contains("(Welch)"), "{text}");
    assert!(difference["better"].is_null(), "the same player on other seeds: {difference}");
    let needed = difference["games_needed"].as_u64().expect("a number");
    let digits: String = text.chars().filter(|letter| *letter != ',').collect();
    assert!(digits.contains(&format!("needs {} more", needed - 30)), "{needed}\n{text}");
    let more = json(&place.ok("report low.jsonl high.jsonl --json --power 0.95", ""));
    let needed = |told: &Value| told["contests"][0]["differences"][0]["games_needed"].as_u64();
    assert!(needed(&more) > needed(&told));
}

#[test]
fn the_same_player_of_two_files_is_named_with_its_file() {
    let place = place_with_runs();
    place.ok("arena greedy --games 20 --seed 11 -o later.jsonl", "");
    let told = json(&place.ok("report runs.jsonl later.jsonl --json", ""));
    let players = told["contests"][0]["players"].as_array().expect("players").clone();
    let names: Vec<&str> = players.iter().map(|player| player["player"].as_str().expect("a name")).collect();
    assert_eq!(names, ["random", "greedy (runs.jsonl)", "greedy (later.jsonl)"]);
    assert_eq!(
        (&players[2]["spec"], &players[2]["file"]),
        (&Value::from("greedy"), &Value::from("later.jsonl"))
    );
    // Seeds 11 to 30 are in both files, with the same games.
    let differences = told["contests"][0]["differences"].as_array().expect("differences").clone();
    assert_eq!(
        (&differences[2]["games"], &differences[2]["deviation"]),
        (&Value::from(20), &Value::from(0.0))
    );
    assert!(place.ok("report runs.jsonl later.jsonl", "").contains("the same scores"));
    assert_eq!(place.fails("report runs.jsonl ./runs.jsonl", "", 2), "'./runs.jsonl' is given twice");
}

#[test]
fn different_rules_are_shown_separately() {
    let place = place_with_runs();
    place.ok("arena random greedy --games 10 --size 3x3 --until 64 -o small.jsonl", "");
    let text = place.ok("report runs.jsonl small.jsonl", "");
    assert!(text.contains("The files have different rules, so they are shown separately.\n"), "{text}");
    assert!(text.contains("Rules: 4x4, original rules (runs.jsonl)\n"), "{text}");
    assert!(text.contains("Rules: 3x3, until 64 (small.jsonl)\n"), "{text}");
    assert_eq!(text.matches(" minus ").count(), 2, "no player is compared across the rules\n{text}");
    let told = json(&place.ok("report runs.jsonl small.jsonl --json", ""));
    assert_eq!(told["contests"].as_array().map(Vec::len), Some(2));
    let said = place.fails("report runs.jsonl small.jsonl -o x.svg", "", 2);
    assert!(said.contains("different rules (4x4, original rules; 3x3, until 64)"), "{said}");
    assert!(!place.path("x.svg").exists());
}

#[test]
fn the_games_as_csv_are_read_by_python() {
    let place = place_with_runs();
    let said = place.ok("report runs.jsonl --format games -o games.csv", "");
    assert_eq!(said, "games.csv: 80 games as csv\n");
    let csv = place.read("games.csv");
    assert_eq!(place.ok("report runs.jsonl --format games", ""), csv);
    let program = "import csv, json, sys\n\
        rows = list(csv.DictReader(open(sys.argv[1], newline='')))\n\
        print(json.dumps([[row['player'], int(row['seed']), int(row['score']), int(row['largest']), int(row['sum']),\n\
        int(row['moves']), row['end'], round(float(row['ms']), 6), row['file']] for row in rows]))";
    let rows = json(&python(program, &csv));
    let records = place.read("runs.jsonl");
    let expected: Vec<Value> = records
        .lines()
        .skip(1)
        .map(json)
        .map(|record| {
            let mut row: Vec<Value> = ["player", "seed", "score", "largest", "sum", "moves", "end"]
                .iter()
                .map(|name| record[*name].clone())
                .collect();
            row.extend([record["time"]["ms"].clone(), Value::from("runs.jsonl")]);
            Value::from(row)
        })
        .collect();
    assert_eq!(rows, Value::from(expected));
}

/// The limit stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_names_the_file_and_reading_stops() {
    let place = Place::new();
    place.ok("arena random --games 3000 -o runs.jsonl", "");
    let damaged = place.read("runs.jsonl") + "not a record\n";
    place.write("runs.jsonl", &damaged);
    let ran = place.run_limited(0, "report runs.jsonl --format games -o games.csv");
    assert!(ran.err.starts_with("lab2048: cannot write games.csv: "), "{}", ran.err);
    assert_eq!((ran.code, ran.err.lines().count()), (Some(1), 1), "the damaged end is not read");
    assert!(!place.path("games.csv").exists());
}

/// The words mean the same in both commands.
#[test]
fn csv_means_figures_in_the_arena_and_in_a_report() {
    let place = Place::new();
    let arena = place.ok("arena random greedy --games 40 --seed 1 --format csv -o runs.jsonl", "");
    // What only the arena knows: what it played now, and whether a player knew the coming tiles.
    let only = ["games in the file before", "games played now", "knows the coming tiles"];
    let figures = arena.lines().filter(|line| !only.iter().any(|only| line.contains(only)));
    let figures: String = figures.map(|line| format!("{line}\n")).collect();
    assert_eq!(place.ok("report runs.jsonl --format csv", ""), figures);
    place.ok("report runs.jsonl -o x.csv", "");
    assert_eq!(place.read("x.csv"), figures);
}

#[test]
fn pictures_have_a_bar_for_every_tile_and_a_point_for_every_difference() {
    let place = place_with_runs();
    let told = json(&place.ok("report runs.jsonl --json", ""));
    let said = place.ok("report runs.jsonl -o all.svg", "");
    assert!(said.starts_with("all.svg: report as svg, "), "{said}");
    let found = elements(&place.read("all.svg"));
    let contest = &told["contests"][0];
    let rates = |player: usize| -> Vec<f64> {
        let tiles = contest["players"][player]["tiles"].as_array().expect("tiles").clone();
        tiles.iter().map(|tile| tile["rate"].as_f64().expect("a rate")).collect()
    };
    let certain = rates(0).iter().zip(rates(1)).take_while(|(a, b)| **a == 1.0 && *b == 1.0).count();
    let shown = rates(0).len() - certain.saturating_sub(1);
    assert_eq!(found["classes"]["rate"], 2 * shown);
    assert_eq!(
        (&found["classes"]["curve"], &found["classes"]["difference"]),
        (&Value::from(2), &Value::from(1))
    );
    assert_eq!(found["classes"]["interval"], 2 * shown + 1);
    let texts: Vec<&str> =
        found["texts"].as_array().expect("texts").iter().filter_map(Value::as_str).collect();
    for text in ["80 games of 2 players", "Scores", "random minus greedy", "random", "greedy"] {
        assert!(texts.contains(&text), "{text}\n{texts:?}");
    }
    for (plot, class) in
        [("scores", "bin"), ("cumulative", "curve"), ("tiles", "rate"), ("differences", "difference")]
    {
        let classes = &elements(&place.ok(&format!("report runs.jsonl --plot {plot}"), ""))["classes"];
        let names: Vec<&String> = classes.as_object().expect("classes").keys().collect();
        assert!(names.iter().all(|name| *name == class || *name == "interval"), "{plot}: {names:?}");
        assert!(classes[class].as_u64() > Some(0), "{plot}");
    }
    let two = elements(&place.ok("report runs.jsonl --plot scores,differences", ""));
    assert!(two["classes"]["bin"].as_u64() > Some(0) && two["classes"]["difference"] == 1, "{two}");
    assert_eq!(two["classes"]["curve"], Value::Null);
    place.ok("arena random --games 3 -o one.jsonl", "");
    place.ok("report one.jsonl -o one.svg", "");
    let said = place.fails("report one.jsonl --plot differences", "", 2);
    assert_eq!(said, "there is only one player, so there is no difference to draw");
}

#[test]
fn bad_files_are_refused_with_file_and_line() {
    let place = place_with_runs();
    let records = place.read("runs.jsonl");
    let lines: Vec<&str> = records.lines().collect();
    let header = format!("{}\n", lines[0]);
    let half = &lines[1][..lines[1].len() / 2];
    for (content, says) in [
        (String::new(), "'bad' is empty"),
        ("Dear diary,\n".to_owned(), "'bad' is not a file of arena records"),
        (header.clone(), "'bad' has no games: line 1 is the only whole line"),
        (format!("{header}{half}"), "'bad' has no games: line 1 is the only whole line"),
        (records.replacen("\"version\":2", "\"version\":7", 1), "'bad' has version 7 of the arena records"),
        (records.replacen("\"seed\":20,", "\"seed\":21,", 1), "'bad' is damaged: line 40 is seed 21"),
        (format!("{records}{records}"), "'bad' is damaged: line 82 is the header of another file of records"),
        (format!("{header}{half}\n{}\n", lines[2]), "'bad' is damaged: line 2 is not a record"),
        (records.replacen("\"score\":1288", "\"score\":1289", 1), "'bad' is damaged: line 2 is not possible"),
    ] {
        place.write("bad", &content);
        for line in ["report runs.jsonl bad", "report bad --json"] {
            let said = place.fails(line, "", 2);
            assert!(said.starts_with(says), "{said}");
        }
        place.write(
            "old.csv",
            "file,player,seed,score,largest,sum,moves,end,error,ms,moves_per_second\nold\n",
        );
        let said = place.fails("report runs.jsonl bad --format games -o old.csv", "", 2);
        assert!(said.starts_with(says), "{said}");
        assert!(place.read("old.csv").ends_with("\nold\n"), "a failure leaves the old file");
    }
    assert_eq!(place.fails("report .", "", 2), "cannot read '.': it is a folder");
    assert!(place.fails("report none.jsonl", "", 2).starts_with("cannot read 'none.jsonl': "));

    place.write("cut", &records[..records.len() - 20]);
    let ran = place.run("report cut --json", "");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "lab2048: 'cut' line 81 is cut off; its game is left out\n")
    );
    let told = json(&ran.out);
    assert_eq!(
        (&told["files"][0]["complete"], &told["files"][0]["records"]),
        (&Value::from(false), &Value::from(79))
    );
    let told = json(&place.ok("report - --json", &records));
    assert_eq!(told["files"][0]["records"], 80);
}

#[test]
fn a_report_replaces_only_a_report_of_its_kind() {
    let place = place_with_runs();
    let made = ["x.txt", "x.md", "x.csv", "x.json", "x.svg"];
    for name in made {
        place.ok(&format!("report runs.jsonl -o {name}"), "");
        place.ok(&format!("report runs.jsonl -o {name}"), "");
        let content = place.read(name);
        fs::copy(place.path("runs.jsonl"), place.path(name)).expect("a writable folder");
        let said = place.fails(&format!("report runs.jsonl -o {name}"), "", 2);
        assert!(said.contains(&format!("{name} already exists and is not ")), "{said}");
        assert_eq!(place.read(name), place.read("runs.jsonl"));
        place.write(name, &content);
    }
    assert!(place.read("x.txt").lines().all(|line| line.chars().count() <= 80));
    assert!(place.read("x.csv").starts_with("player,figure,value,low,high\nrandom,mean,"));
    place.ok("report runs.jsonl --format games -o games.csv", "");
    assert!(place.read("games.csv").starts_with("file,player,seed,"));
    let said = place.fails("report runs.jsonl -o games.csv", "", 2);
    assert!(said.contains("is not a CSV file of figures"), "{said}");
    let said = place.fails("report runs.jsonl --format games -o x.csv", "", 2);
    assert!(said.contains("is not a CSV file of games"), "{said}");
    for line in
        ["--format csv -o y.svg", "--plot scores -o y.png", "--plot scores -o y.csv", "--json -o y.md"]
    {
        let said = place.fails(&format!("report runs.jsonl {line}"), "", 2);
        assert!(said.contains("is a misleading name for "), "{said}");
    }
    let said = place.fails("report runs.jsonl -o runs.jsonl", "", 2);
    assert!(said.contains("does not say what to write"), "{said}");
    place.fails("report runs.jsonl --format json -o runs.jsonl", "", 2);
    assert!(place.fails("report runs.jsonl -o no/x.csv", "", 2).contains("the folder does not exist"));
}

#[test]
fn the_arena_writes_records_or_its_result_by_the_name() {
    let place = Place::new();
    let line = "arena random greedy --games 5 --seed 1";
    let said = place.ok(&format!("{line} --format csv -o x.csv"), "");
    assert!(said.starts_with("x.csv: result as csv, "), "{said}");
    let csv = place.read("x.csv");
    assert!(csv.starts_with("player,figure,value,low,high\nrandom,mean,"), "{csv}");
    place.ok(&format!("{line} -o x.csv"), "");
    place.ok(&format!("{line} -o x.md"), "");
    assert!(place.read("x.md").starts_with("| player | games |"));
    place.ok(&format!("{line} --json -o x.json"), "");
    assert_eq!(json(&place.read("x.json"))["records"], 10);
    place.ok(&format!("{line} -o x.txt"), "");
    assert!(place.read("x.txt").starts_with("player "));

    let table = place.ok(&format!("{line} --format csv -o runs.jsonl"), "");
    assert!(
        table.starts_with("player,figure,") && place.read("runs.jsonl").starts_with("{\"lab2048\":\"arena\"")
    );
    place.ok(&format!("{line} -o records.json"), "");
    assert!(place.read("records.json").starts_with("{\"lab2048\":\"arena\""), "as before");

    place.write("notes.csv", "my notes\n");
    let said = place.fails(&format!("{line} --format csv -o notes.csv"), "", 2);
    assert_eq!(said, "notes.csv already exists and is not a CSV file of the arena; choose another name");
    assert_eq!(place.read("notes.csv"), "my notes\n");
    let said = place.fails(&format!("{line} --json -o records.json"), "", 2);
    assert!(said.contains("is not a JSON result of the arena"), "{said}");
    for (options, says) in [
        (
            "--json -o x.csv",
            "x.csv is a misleading name for a JSON result of the arena; use the ending .json",
        ),
        ("-o x.svg", "then show, convert or plot them with `lab2048 report`"),
        ("-o y.csv --fresh", "--fresh starts a new file of records"),
    ] {
        let said = place.fails(&format!("{line} {options}"), "", 2);
        assert!(said.contains(says), "{said}");
    }
    assert!(!place.path("x.svg").exists() && !place.path("y.csv").exists());
}

/// Records of both versions that lie under benchmarks/, with summaries that older programs wrote.
#[test]
fn the_records_of_the_benchmarks_give_their_summaries() {
    let place = Place::new();
    for name in [
        "2026-11-16-searching/expectimax-rows",
        "2026-11-16-networks/ntuple-3",
        "2026-11-17-networks/ntuple-3",
        "2026-11-18-small/small-1",
    ] {
        let records = project().join("benchmarks").join(format!("{name}.jsonl"));
        let summary = fs::read_to_string(records.with_extension("json")).expect("a summary");
        let summary = json(&summary);
        let told = json(&place.ok(&format!("report {} --json", records.display()), ""));
        assert_eq!(told["files"][0]["digest"], summary["digest"], "{name}");
        let player = &told["contests"][0]["players"][0];
        near(&player["mean"], summary["mean"].as_f64().expect("a mean"));
        near(&player["deviation"], summary["deviation"].as_f64().expect("a deviation"));
        assert_eq!(player["games"], summary["games"], "{name}");
    }
    let file =
        |day: &str| project().join(format!("benchmarks/{day}-networks/ntuple-3.jsonl")).display().to_string();
    let text = place.ok(&format!("report {} {}", file("2026-11-16"), file("2026-11-17")), "");
    assert!(text.contains("B has another network than A\n"), "{text}");
    assert!(text.contains("A  ntuple:depth=3 (2026-11-16-networks/ntuple-3.jsonl)\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
