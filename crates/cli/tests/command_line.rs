//! The command line itself: help pages, their examples, versions, completions and manual pages.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Place, Ran, ended};

/// The commands that a page lists: the lines under headings of groups, or under "Commands".
fn listed(page: &str) -> Vec<String> {
    let mut is_list = false;
    let mut names = Vec::new();
    for line in page.lines() {
        if !line.starts_with(' ') {
            is_list = line.ends_with(':') && !["Options:", "Arguments:"].contains(&line);
        } else if is_list && line.starts_with("  ") && line.as_bytes()[2].is_ascii_lowercase() {
            names.extend(line.split_whitespace().next().map(str::to_owned));
        }
    }
    names.retain(|name| name != "help" && name != "lab2048");
    names
}

/// All commands as words: `arena`, `evolve show`.
fn commands(place: &Place) -> Vec<String> {
    let outer = listed(&place.ok("--help", ""));
    assert!(outer.len() > 20, "{outer:?}");
    let mut all = Vec::new();
    for name in outer {
        let page = place.ok(&format!("{name} --help"), "");
        let inner = if page.contains("\nCommands:\n") { listed(&page) } else { Vec::new() };
        all.extend(inner.into_iter().map(|inner| format!("{name} {inner}")));
        all.push(name);
    }
    assert!(all.contains(&"evolve show".to_owned()), "{all:?}");
    all
}

/// The lines of a help page that are examples.
fn examples(page: &str) -> Vec<String> {
    let blocks = page
        .split("\n\n")
        .filter(|block| block.lines().any(|line| line.starts_with("Example") || line.starts_with("Recipes")));
    let lines = blocks.flat_map(|block| {
        block.lines().skip_while(|line| !line.starts_with("Example") && !line.starts_with("Recipes")).skip(1)
    });
    lines.map(|line| line.trim().to_owned()).filter(|line| line.contains("lab2048")).collect()
}

/// The lines of a help page that describe options.
fn options(page: &str) -> usize {
    page.lines().filter(|line| line.trim_start().starts_with('-') && line.contains("--")).count()
}

/// Whether a program is installed. If not, the test says what it leaves out.
#[allow(clippy::print_stderr, reason = "a test that leaves something out should say so")]
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        eprintln!("skipped: {program} is not installed");
    }
    found.is_ok()
}

/// Runs a line in a shell, as if pasted. `lab2048` is our binary, and the home is the folder.
fn paste(place: &Place, shell: &str, line: &str) -> Ran {
    let binary = Path::new(env!("CARGO_BIN_EXE_lab2048")).parent().expect("a folder").to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let child = Command::new(shell)
        .args(["-c", line])
        .current_dir(place.path("."))
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("HOME", place.path("."))
        .env("LAB2048_HOME", place.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    ended(child.expect("the shell starts"))
}

#[test]
fn the_page_of_the_program_fits_into_a_window() {
    let place = Place::new();
    let page = place.ok("--help", "");
    for line in ["-h", "help", "help --help", "help -h"] {
        assert_eq!(place.ok(line, ""), page, "{line}");
    }
    assert_eq!(place.run("", "").code, Some(2), "an empty word is not a command");
    assert!(page.starts_with("Usage: lab2048 [OPTIONS] [COMMAND]\n"), "{page}");
    let widest = page.lines().map(|line| line.chars().count()).max();
    assert!(page.lines().count() <= 40 && widest <= Some(80), "{widest:?}\n{page}");
    for heading in ["Play:", "Watch and ask:", "Study a recorded game:", "Measure:", "Train and solve:"] {
        assert!(page.contains(&format!("\n{heading}\n  ")), "{heading}\n{page}");
    }
    assert!(!page.contains("Others:") && !page.contains("fenced"), "{page}");
}

#[test]
fn every_page_begins_with_the_usage_and_has_examples() {
    let place = Place::new();
    for name in commands(&place) {
        let full = place.ok(&format!("{name} --help"), "");
        let brief = place.ok(&format!("{name} -h"), "");
        assert_eq!(place.ok(&format!("help {name}"), ""), full, "{name}");
        for page in [&full, &brief] {
            assert!(page.starts_with(&format!("Usage: lab2048 {name}")), "{page}");
            assert!(!examples(page).is_empty(), "{name} has no examples:\n{page}");
        }
        assert!(options(&brief) <= 8, "{name}: too many options\n{brief}");
        assert!(options(&brief) <= options(&full) && full.contains("--plain"), "{name}");
        // Examples are not broken, so that they can be pasted.
        let mut text = full.lines().filter(|line| !line.contains("lab2048 "));
        assert!(text.all(|line| line.chars().count() <= 100), "{name}\n{full}");
    }
    let watch = place.ok("watch -h", "");
    assert!(watch.contains("--seed") && !watch.contains("--max-moves"), "{watch}");
    let watch = place.ok("watch --help", "");
    assert!(watch.find("--seed") < watch.find("--every"), "{watch}");
    assert!(watch.find("More options:") < watch.find("--every"), "{watch}");
}

/// Examples that take long, need a network or a browser, or never end, and why.
const NOT_RUN: &[&str] = &[
    // They wait for somebody, or for the time to see a move.
    "--delay 200ms",
    "lab2048 serve",
    "lab2048 browser",
    // They work for minutes or hours.
    "lab2048 train",
    "lab2048 tune",
    "lab2048 evolve",
    "--games 1000000",
    "program:file=best.gp",
    "lab2048 solve block",
    "lab2048 practice block",
    "lab2048 bench",
    "lab2048 gif --player auto",
    "lab2048 review game*.2048 --judge",
    "--full",
    "--compare",
    // They play by the strongest player, in a slow build of the program.
    "lab2048 watch\0",
    // They need a bot, a submission, a table or a file of another program.
    "4x6patt",
    "./mybot",
    "lab2048 grade",
    "--import",
    "lab2048 practice --mistakes",
    "time=1s --json",
];

/// Every other example is pasted into a shell.
#[test]
fn the_examples_work() {
    let place = Place::new();
    place.ok("watch random --seed 1 --max-moves 120 --every 0 --save game.2048", "");
    place.write("board.txt", "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\n");
    place.write("boards.txt", "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\n\n2 4/0 2\n");
    place.write("lines.txt", "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\n2 4/0 2\n");
    for records in ["runs.jsonl", "old.jsonl", "new.jsonl"] {
        place.ok(&format!("arena random greedy --games 20 -o {records}"), "");
    }
    for folder in [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"] {
        fs::create_dir_all(place.path(folder)).expect("a writable folder");
    }
    let mut unused: BTreeSet<&str> = NOT_RUN.iter().copied().collect();
    let (mut failed, mut run) = (Vec::new(), 0);
    for name in commands(&place) {
        for line in examples(&place.ok(&format!("{name} --help"), "")) {
            let ended = format!("{line}\0");
            let is_run = !NOT_RUN.iter().any(|part| ended.contains(part));
            unused.retain(|part| !ended.contains(*part));
            if !is_run || line.contains("| man") && !has("man") {
                continue;
            }
            let ran = paste(&place, "sh", &line);
            run += 1;
            if ran.code != Some(0) {
                failed.push(format!("{line} -> {:?}\n{}", ran.code, ran.err));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(run > 20, "only {run} examples were run");
    assert!(unused.is_empty(), "no example has these any more: {unused:?}");
}

#[test]
fn a_typing_error_gets_a_question() {
    let place = Place::new();
    for (line, question) in [
        ("areena random", "unrecognized subcommand 'areena'; did you mean 'arena' or 'tree'?"),
        ("watch random --seeed 3", "unexpected argument '--seeed'; did you mean '--seed'?"),
        ("evolve reprduce", "did you mean 'reproduce'?"),
        ("completions bsh", "did you mean 'bash'"),
        ("man evolve shw", "lab2048 evolve has no command 'shw'; there are: show, sweep, reproduce"),
        ("man nothing", "lab2048 has no command 'nothing'; there are: play, "),
        ("man fenced", "lab2048 has no command 'fenced'"),
    ] {
        let said = place.fails(line, "", 2);
        assert!(said.contains(question), "{line}: {said}");
    }
}

#[test]
fn the_short_version_is_a_name_and_a_number() {
    let place = Place::new();
    assert_eq!(place.ok("-V", ""), concat!("lab2048 ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn the_long_version_says_what_was_built_and_what_is_here() {
    let place = Place::new();
    let said = |place: &Place| {
        let text = place.ok("--version", "");
        let field = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_else(|| panic!("no {name}: {text}")).trim().to_owned()
        };
        (
            text.clone(),
            [field("commit"), field("target"), field("features"), field("networks"), field("tables")],
        )
    };
    let (text, [commit, target, features, networks, tables]) = said(&place);
    assert!(text.starts_with(&place.ok("-V", "")), "{text}");
    if cfg!(debug_assertions) {
        assert_eq!(commit, "unknown", "a debug build does not look for it");
    }
    assert!(target.contains(std::env::consts::ARCH) && target.contains(" build"), "{target}");
    assert!(features.starts_with("files, threads, train, tune"), "{features}");
    assert!(networks.contains("default (") && networks.contains("small ("), "{networks}");
    let folder = place.path("tables");
    assert_eq!(tables, format!("none (in {})", folder.display()));
    place.ok("solve 2x4 --tile 16", "");
    let (_, [.., tables]) = said(&place);
    assert_eq!(tables, format!("2x4-16 (in {})", folder.display()));
}

#[test]
fn the_long_version_looks_for_the_large_network() {
    let place = Place::new();
    let ask = |nets: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_lab2048"))
            .arg("--version")
            .env("LAB2048_HOME", place.path("."))
            .env("LAB2048_NETS", nets)
            .output();
        String::from_utf8(output.expect("it runs").stdout).expect("text")
    };
    let nowhere = ask(&place.path("."));
    assert!(nowhere.contains("full not found; full ships as a separate file"), "{nowhere}");
    fs::write(place.path("full.net"), vec![0; 1_500_000]).expect("a writable folder");
    let found = ask(&place.path("."));
    let path = place.path(".").join("full.net");
    assert!(found.contains(&format!("full (1.5 MB) at {}", path.display())), "{found}");
}

/// What the completions for bash offer for the last of these words.
fn completed(place: &Place, words: &str) -> Vec<String> {
    let all: Vec<&str> = words.split(' ').collect();
    let (last, before) = (all[all.len() - 1], all[all.len() - 2]);
    let line = format!(
        "compopt() {{ :; }}; . ./lab2048.bash; COMP_WORDS=({words}); COMP_CWORD={}; \
         _lab2048 lab2048 '{last}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        all.len() - 1
    );
    let ran = paste(place, "bash", &line);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn completions_for_bash_know_commands_options_players_and_files() {
    if !has("bash") {
        return;
    }
    let place = Place::new();
    place.write("lab2048.bash", &place.ok("completions bash", ""));
    place.write("game.2048", "");
    assert_eq!(paste(&place, "bash", "bash -n lab2048.bash").err, "");
    for (words, offered) in [
        ("lab2048 wat", "watch"),
        ("lab2048 watch gre", "greedy"),
        ("lab2048 watch --del", "--delay"),
        ("lab2048 best --player exp", "expectimax"),
        ("lab2048 arena random cl", "clairvoyant"),
        ("lab2048 arena --format j", "json"),
        ("lab2048 evolve sw", "sweep"),
        ("lab2048 completions fi", "fish"),
        ("lab2048 watch --save ga", "game.2048"),
    ] {
        let found = completed(&place, words);
        assert!(found.iter().any(|word| word == offered), "{words}: {found:?}");
    }
    // No file is a seed, and the hidden command stays hidden.
    assert_eq!(completed(&place, "lab2048 watch --seed ga"), ["ga"]);
    assert!(!completed(&place, "lab2048 f").contains(&"fenced".to_owned()));
}

#[test]
fn completions_for_other_shells_are_valid() {
    let place = Place::new();
    for (shell, check) in [("zsh", "zsh -n script"), ("fish", "fish --no-execute script")] {
        let script = place.ok(&format!("completions {shell}"), "");
        assert!(script.contains("greedy") && script.contains("max-moves"), "{script}");
        assert!(!script.contains("fenced"), "{shell}");
        place.write("script", &script);
        if has(shell) {
            let ran = paste(&place, "sh", check);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{shell}");
        }
    }
    if has("fish") {
        place.write("script", &place.ok("completions fish", ""));
        let ran = paste(&place, "fish", "source script; complete -C 'lab2048 watch gre'");
        assert!(ran.out.starts_with("greedy\t"), "{}{}", ran.out, ran.err);
    }
    for shell in ["powershell", "elvish"] {
        let script = place.ok(&format!("completions {shell}"), "");
        assert!(script.contains("--max-moves") && !script.contains("fenced"), "{script}");
    }
}

#[test]
fn every_command_has_a_manual_page_without_warnings() {
    let place = Place::new();
    let said = place.ok("man -o pages/man1", "");
    let names: BTreeSet<String> = fs::read_dir(place.path("pages/man1"))
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    let mut expected: BTreeSet<String> =
        commands(&place).iter().map(|name| format!("lab2048-{}.1", name.replace(' ', "-"))).collect();
    expected.insert("lab2048.1".to_owned());
    assert_eq!(names, expected);
    assert_eq!(said, format!("{} manual pages are in pages/man1\n", names.len()));
    let (groff, mandoc) = (has("groff"), has("mandoc"));
    for name in &names {
        let path = format!("pages/man1/{name}");
        if groff {
            let ran = paste(&place, "sh", &format!("groff -man -Tutf8 -ww -z {path}"));
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        }
        if mandoc {
            let ran = paste(&place, "sh", &format!("mandoc -Tlint -Wwarning {path}"));
            // The date is that of the commit, which is unknown in a debug build.
            let warnings = ran.out.lines().filter(|line| !line.contains("missing date"));
            assert_eq!(warnings.collect::<Vec<_>>().join("\n"), "", "{name}");
        }
    }
    let page = place.read("pages/man1/lab2048-watch.1");
    for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "GAME", "EXAMPLES", "SEE ALSO"] {
        assert!(page.contains(&format!(".SH {heading}\n")) || page.contains(&format!(".SH \"{heading}\"\n")));
    }
    assert_eq!(place.ok("man watch", ""), page);
    assert_eq!(place.ok("man evolve show", ""), place.read("pages/man1/lab2048-evolve-show.1"));
    assert_eq!(place.ok("man", ""), place.read("pages/man1/lab2048.1"));
}

#[test]
fn manual_pages_replace_only_manual_pages() {
    let place = Place::new();
    place.ok("man -o pages", "");
    place.write("pages/lab2048-watch.1", ".\\\" A manual page of lab2048\nof an earlier version\n");
    place.ok("man -o pages", "");
    assert_eq!(place.read("pages/lab2048-watch.1"), place.ok("man watch", ""));
    place.write("pages/lab2048-watch.1", "my notes\n");
    fs::remove_file(place.path("pages/lab2048-arena.1")).expect("it can be removed");
    let said = place.fails("man -o pages", "", 2);
    assert!(said.contains("is not a manual page of lab2048; choose another name"), "{said}");
    assert_eq!(place.read("pages/lab2048-watch.1"), "my notes\n");
    assert!(!place.path("pages/lab2048-arena.1").exists(), "nothing was written");
    place.write("file", "");
    assert!(place.fails("man -o file", "", 1).starts_with("cannot create file: "));
}
