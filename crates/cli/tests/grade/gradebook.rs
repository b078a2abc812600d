//! The gradebook: CSV and HTML, with names and messages that students chose.

use std::fs;

use crate::class::{AMPLE, Class, decent};

/// Names that mean something to a spreadsheet, a page or a terminal.
const NAMES: [&str; 6] = [
    "=cmd|' calc'!A1",
    "Doe, Jane \"JD\"",
    "<script>alert(1)<!--",
    "@SUM(A1)",
    "José & Søn",
    "-1+\u{202e}2\n3",
];

fn class_of_names() -> Class {
    let class = Class::new();
    for name in NAMES {
        class.hand_in(name, decent());
    }
    class.hand_in("+raises", "def NextMove(Grid, Step):\n    raise ValueError('<b>=1,\"x\"</b>')\n");
    class.place.write("marks.csv", "\"Doe, Jane \"\"JD\"\"\",80\n");
    class
}

/// The fields of each line (RFC 4180).
fn fields(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            _ => field.push(letter),
        }
    }
    assert!(!is_quoted && line.is_empty() && field.is_empty(), "the last line is complete");
    lines
}

#[test]
fn a_spreadsheet_gets_texts_and_no_formulas() {
    let class = class_of_names();
    let line = format!("--compare in --reports marks.csv --games 2 --time {AMPLE} --memory 512");
    let ran = class.run(&format!("{line} --format csv"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = ran.out.strip_prefix('\u{feff}').expect("a byte order mark");
    let lines = fields(text);
    let head = [
        "name",
        "rank",
        "game_score",
        "report",
        "code",
        "play",
        "mark",
        "bonus",
        "total",
        "largest_tiles",
        "what_happened",
    ];
    assert_eq!((lines[0].as_slice(), lines.len()), (&head.map(str::to_owned)[..], NAMES.len() + 2));
    for line in &lines {
        assert_eq!(line.len(), head.len(), "{line:?}");
        for cell in line {
            assert!(!cell.trim_start().starts_with(['=', '+', '-', '@']), "{line:?}");
            assert!(!cell.chars().any(|letter| letter.is_control() || letter == '\u{202e}'), "{line:?}");
        }
    }
    let row = |name: &str| lines.iter().find(|line| line[0] == name).expect("the row is there");
    let json = class.json(&line);
    let rows = json["submissions"].as_array().expect("rows");
    let jane = rows.iter().find(|row| row["name"] == NAMES[1]).expect("the row is there");
    let number = |field: &str| format!("{:.2}", jane[field].as_f64().expect("a number"));
    let there = row(NAMES[1]);
    for (column, field) in
        [(2, "game_score"), (3, "report"), (4, "code"), (5, "play"), (6, "mark"), (8, "total")]
    {
        assert_eq!(there[column], number(field), "{field}");
    }
    let tiles: Vec<String> =
        jane["games"].as_array().expect("games").iter().map(|game| game["largest"].to_string()).collect();
    assert_eq!(there[9], tiles.join(" "));
    for name in ["'=cmd|' calc'!A1", "<script>alert(1)<!--", "'@SUM(A1)", "José & Søn", "'-1+?2?3"] {
        assert_eq!(row(name)[10], "");
    }
    let raises = &row("'+raises")[10];
    assert!(raises.contains("ValueError: <b>=1,\"x\"</b> (+raises.py, line 2)"), "{raises}");
}

#[test]
fn a_page_shows_names_as_text_and_runs_nothing() {
    let class = class_of_names();
    let line = format!("--compare in --games 2 --time {AMPLE} --memory 512 -o grades.html");
    let ran = class.run(&line);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("submission "), "the table is shown too: {}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    assert!(ran.out.lines().next().is_some_and(|head| head.contains("  game score  ")), "{}", ran.out);
    assert!(class.place.read("grades.html").contains("<th>Game score</th>"));
    let page = class.place.read("grades.html");
    for name in [
        "=cmd|&#39; calc&#39;!A1",
        "Doe, Jane &quot;JD&quot;",
        "&lt;script&gt;alert(1)&lt;!--",
        "@SUM(A1)",
        "José &amp; Søn",
        "-1+?2?3",
        "+raises",
    ] {
        assert_eq!(page.matches(&format!("<bdi>{name}</bdi>")).count(), 1, "{name}");
    }
    assert!(page.contains("ValueError: &lt;b&gt;=1,&quot;x&quot;&lt;/b&gt; (+raises.py, line 2)"));
    assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("http://"), "{page}");
    assert!(page.contains("default-src 'none'") && page.starts_with("<!doctype html>"));
    // Rank 1 stands first, and the one that fails last.
    let place = |text: &str| page.find(text).expect("it is on the page");
    assert!(place("<tr><td>1</td>") < place("+raises"));
    assert_eq!(page.matches("<tr><td>").count(), NAMES.len() + 1);
    // The same file is written again, and another is not replaced.
    assert_eq!(class.run(&line).code, Some(0));
    assert_eq!(class.place.read("grades.html"), page);
    class.place.write("notes.html", "<html>my notes</html>");
    let ran = class.run(&line.replace("grades.html", "notes.html"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(class.place.read("notes.html"), "<html>my notes</html>");
}

/// The format follows from the name of the file. --format decides where the name says nothing.
#[test]
fn the_name_of_the_file_says_its_format() {
    let class = Class::new();
    class.hand_in("one", decent());
    for (file, option, beginning) in [
        ("a.csv", "", "\u{feff}name,rank,"),
        ("a.HTML", "", "<!doctype html>"),
        ("a.json", "", "{\n  \"rules\": \"course\","),
        ("a.txt", "", "submission  rank"),
        ("a", " --format csv", "\u{feff}name,rank,"),
        ("b.csv", " --format csv", "\u{feff}name,rank,"),
        ("b.json", " --json", "{\n  \"rules\": \"course\","),
    ] {
        for _ in 0..2 {
            let ran = class.run(&format!("--compare in --games 1 -o {file}{option}"));
            assert_eq!(ran.code, Some(0), "{file}: {}", ran.err);
        }
        let text = fs::read_to_string(class.place.path(file)).expect("it was written");
        assert!(text.starts_with(beginning), "{file}: {text}");
    }
    for (file, option, format) in [
        ("c.csv", "--format html", "in HTML; use the ending .html"),
        ("c.html", "--json", "in JSON; use the ending .json"),
        ("c.svg", "--format csv", "in CSV; use the ending .csv"),
        ("c.md", "--format table", "as text; use the ending .txt"),
    ] {
        let ran = class.run(&format!("--compare in --games 1 -o {file} {option}"));
        let says = format!("lab2048: {file} is a misleading name for a gradebook {format}\n");
        assert_eq!((ran.code, ran.err), (Some(2), says));
        assert!(!class.place.path(file).exists());
    }
}

#[test]
fn a_dash_is_the_standard_output() {
    let class = Class::new();
    class.hand_in("one", decent());
    let ran = class.run("--compare in --games 1 -o - --format csv");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("\u{feff}name,rank,"), "{}", ran.out);
    let says =
        "lab2048: --fresh starts a new file of grades, but the standard output has none; leave it out\n";
    assert_eq!(class.run("--compare in --games 1 -o - --fresh").err, says);
    assert!(!class.place.path("-").exists() && !class.place.path("-.results").exists());
}
