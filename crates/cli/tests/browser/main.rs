//! `lab2048 browser` in a real browser, against pages of ours and a build of the original game.
//!
//! `./test` installs Chromium and fetches the original; then it runs these tests with `--ignored`.
//! `LAB2048_BROWSER=firefox` runs them in Firefox.

#[path = "../support/mod.rs"]
mod support;

mod server;

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Place, Ran, ended, signal};

/// The address of the pages.
static PAGES: LazyLock<String> = LazyLock::new(|| {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/pages");
    server::serve(vec![here, fetched()])
});

/// Where `fetch` puts the original.
fn fetched() -> PathBuf {
    env::var_os("LAB2048_PAGES")
        .map_or_else(|| support::project().join("target/browser-pages"), PathBuf::from)
}

fn browser() -> String {
    env::var("LAB2048_BROWSER").unwrap_or_else(|_| "chrome".to_owned())
}

/// Starts the command on a page of the tests.
fn start(place: &Place, page: &str, options: &str) -> Child {
    start_at(place, &format!("{}/{page}", *PAGES), options)
}

/// Starts the command on a page. Browser and driver keep their files in the place.
fn start_at(place: &Place, url: &str, options: &str) -> Child {
    let browser = browser();
    Command::new(env!("CARGO_BIN_EXE_lab2048"))
        .args(["browser", url, "--headless", "--browser", &browser])
        .args(options.split(' ').filter(|word| !word.is_empty()))
        .current_dir(place.path(""))
        .env("TMPDIR", place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

fn run(place: &Place, page: &str, options: &str) -> Ran {
    ended(start(place, page, options))
}

/// Runs a command that should succeed and returns its JSON.
fn json(place: &Place, page: &str, options: &str) -> Value {
    let ran = run(place, page, &format!("{options} --json"));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    serde_json::from_str(&ran.out).expect("JSON")
}

/// All processes that run, with a file about each of them.
fn all_processes(file: &str) -> Vec<(i32, String)> {
    let all = std::fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let about = |pid: i32| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    numbers.map(|pid| (pid, String::from_utf8_lossy(&about(pid)).into_owned())).collect()
}

/// The processes of the browser: its profile is in the place.
fn browsers(place: &Place) -> Vec<i32> {
    let needle = place.path("lab2048-browser-").display().to_string();
    let ours = all_processes("cmdline").into_iter().filter(|(_, line)| line.contains(&needle));
    ours.map(|(pid, _)| pid).collect()
}

/// Everything that was started with the place as its temporary folder: the command, the driver and
/// the browser.
fn descendants(place: &Place) -> Vec<i32> {
    let needle = format!("TMPDIR={}", place.path("").display());
    let ours = all_processes("environ").into_iter().filter(|(_, variables)| variables.contains(&needle));
    ours.map(|(pid, _)| pid).collect()
}

/// The child processes of a process, by name.
fn children(parent: u32, name: &str) -> Vec<i32> {
    let found = Command::new("pgrep").args(["-P", &parent.to_string(), name]).output().expect("pgrep");
    String::from_utf8_lossy(&found.stdout).lines().filter_map(|line| line.parse().ok()).collect()
}

fn kill(pid: i32) {
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
}

/// Waits until something holds.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited for {what} in vain");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Nothing of the browser is left: no process, no folder.
fn assert_nothing_left(place: &Place) {
    wait_for("browser and driver to end", || browsers(place).is_empty() && descendants(place).is_empty());
    let left = std::fs::read_dir(place.path("")).expect("a folder").flatten();
    let left: Vec<_> =
        left.filter(|file| file.file_name().to_string_lossy().starts_with("lab2048-browser")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[ignore = "needs a browser"]
fn three_games_of_the_original_until_4096_without_a_wrong_board() {
    let place = Place::new();
    let options = "--games 3 --until 4096 --fast --save game.2048 -o games.jsonl";
    let result = json(&place, "original.html", options);
    let games = result["games"].as_array().expect("a list");
    assert_eq!(games.len(), 3);
    for game in games {
        // The page decides the tiles, so a game may end before 4096.
        assert!(game["error"].is_null() && game["largest"].as_u64() >= Some(2048), "{game}");
    }
    assert!(result["share_of_bare"].as_f64() > Some(0.0));
    for name in ["game.2048", "game-2.2048", "game-3.2048"] {
        assert!(place.ok(&format!("replay {name} --verify"), "").contains("is valid"));
    }
    let records = place.read("games.jsonl");
    assert!(
        records.starts_with("{\"lab2048\":\"browser\",\"version\":1,\"url\":\"http://127.0.0.1:"),
        "{records}"
    );
    assert_eq!(records.lines().count(), 4);
    let refusal = place.fails("arena random --games 1 -o games.jsonl", "", 2);
    assert!(refusal.contains("not a file of arena records"), "{refusal}");
    assert_nothing_left(&place);
}

#[test]
#[ignore = "needs a browser"]
fn keys_play_the_original_past_2048() {
    let place = Place::new();
    let result = json(&place, "original.html", "--games 1 --until 4096 --max-moves 1300");
    assert!(result["games"][0]["error"].is_null(), "{result}");
    // Every move adds 2 or 4, so there was a 2048 before move 1,000 in almost every game.
    assert!(result["games"][0]["moves"].as_u64() >= Some(1000), "{result}");
}

#[test]
#[ignore = "needs a browser"]
fn every_way_to_keep_a_game_is_found() {
    let cases = [
        ("original.html", "--page storage", 40),
        ("original.html", "--page tiles", 15),
        ("clone.html", "", 100),
        ("clone.html?goal=32", "", 100),
        ("clone.html?keep=tiles&size=5", "", 20),
        ("clone.html?size=3", "--fast", 100),
        ("clone.html?slow=40", "", 20),
        ("store.html?goal=32", "", 60),
        ("store.html?goal=32", "--fast", 150),
        ("board.html", "", 100),
    ];
    for (page, options, moves) in cases {
        let place = Place::new();
        let result = json(&place, page, &format!("{options} --player greedy --max-moves {moves} --games 2"));
        for game in result["games"].as_array().expect("a list") {
            assert!(game["moves"].as_u64() > Some(4), "{page} {options}: {game}");
            // Also past the winning tile of the page.
            let end = game["end"].as_str();
            assert!(matches!(end, Some("max-moves" | "no-moves")), "{page} {options}: {game}");
        }
    }
}

/// `lab2048 serve`, which ends with this value.
struct Serving {
    process: Child,
    url: String,
}

impl Serving {
    fn start() -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_lab2048"))
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("the server says where it is");
        let url = line.split(' ').find(|word| word.starts_with("http://")).expect("an address").to_owned();
        Serving { process, url }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "needs a browser"]
fn our_own_page_is_played_by_every_model_of_the_original() {
    let serving = Serving::start();
    let cases = [
        ("#play?seed=3", "--fast", 400),
        ("#play?seed=3", "", 100),
        ("#play?seed=4", "--page storage", 60),
        ("#play?seed=4", "--page tiles", 20),
        ("#play?size=3x3&seed=5", "--fast", 200),
        ("#play?size=2x5&seed=5", "--fast", 200),
        ("#play?board=1024 1024 0/0 0 0/0 0 0&seed=6", "--fast", 60),
    ];
    for (address, options, moves) in cases {
        let place = Place::new();
        let url = format!("{}{}", serving.url, address.replace(' ', "%20"));
        let options = format!("{options} --player greedy --max-moves {moves} --games 2 --json");
        let ran = ended(start_at(&place, &url, &options));
        assert_eq!(ran.code, Some(0), "{address} {options}\n{}\n{}", ran.out, ran.err);
        let result: Value = serde_json::from_str(&ran.out).expect("JSON");
        for game in result["games"].as_array().expect("a list") {
            assert!(
                game["error"].is_null() && game["moves"].as_u64() > Some(4),
                "{address} {options}: {game}"
            );
        }
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_page_without_a_game_is_told_what_was_looked_for() {
    let place = Place::new();
    let ran = run(&place, "nothing.html", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    for part in ["title 'Nothing here'", "GameManager", "grid.cells", "play2048.co", "tile elements"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let ran = ended(start(&place, "", "--page object"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_nothing_left(&place);
}

#[test]
#[ignore = "needs a browser"]
fn pages_that_cheat_are_reported_and_the_other_games_go_on() {
    let cases = [
        ("merge", " where "),
        ("spawns", "2 tiles appeared instead of one"),
        ("tile", " has 3 where "),
        ("score", "the score is "),
    ];
    for (cheat, words) in cases {
        let place = Place::new();
        let page = format!("clone.html?cheat={cheat}");
        let ran = run(&place, &page, "--player greedy --games 2 --max-moves 60 --fast --json");
        let result: Value = serde_json::from_str(&ran.out).expect("nothing but JSON");
        let shown = &result["impossible"][0];
        assert!(shown["game"] == 1 && shown["before"] != shown["after"], "{result}");
        let ran = run(&place, &page, "--player greedy --games 2 --max-moves 60 --fast");
        assert_eq!(ran.code, Some(1), "{cheat}: {}\n{}", ran.out, ran.err);
        assert!(ran.err.contains("1 of 2 games failed") && ran.err.contains(words), "{cheat}: {}", ran.err);
        assert!(ran.out.contains("game 1: before ") && ran.out.contains("after it:"), "{cheat}: {}", ran.out);
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_page_that_is_reloaded_goes_on() {
    let place = Place::new();
    for options in ["--fast", ""] {
        let result =
            json(&place, "clone.html?reload=12", &format!("--player greedy --max-moves 40 {options}"));
        assert!(result["games"][0]["error"].is_null(), "{result}");
        assert_eq!(result["games"][0]["moves"], 40, "{result}");
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_page_that_stumbles_is_asked_again() {
    let place = Place::new();
    for page in ["clone.html?glitch=5", "clone.html?deaf=5", "clone.html?late=5", "clone.html?alert=5"] {
        for options in ["--fast", ""] {
            let result = json(&place, page, &format!("--player greedy --max-moves 20 {options}"));
            assert!(result["games"][0]["error"].is_null(), "{page}: {result}");
        }
    }
}

#[test]
#[ignore = "needs a browser"]
fn a_question_of_the_page_is_answered() {
    let place = Place::new();
    let result = json(&place, "clone.html?ask", "--player greedy --max-moves 20 --games 3");
    assert!(result["games"].as_array().is_some_and(|games| games.iter().all(|game| game["moves"] == 20)));
}

/// Starts a long game and waits until it is under way.
fn long_game(place: &Place) -> Child {
    let child = start(place, "clone.html?slow=20", "--player greedy --games 2 --max-moves 90 -o games.jsonl");
    // The file is opened with the first game.
    wait_for("the first game", || place.path("games.jsonl").exists());
    thread::sleep(Duration::from_millis(300));
    child
}

fn assert_second_game_was_played(place: &Place, ran: &Ran, words: &str) {
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out, ran.err);
    assert!(ran.err.contains(words) && ran.err.contains("starting it again"), "{}", ran.err);
    let records = place.read("games.jsonl");
    let lines: Vec<&str> = records.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].contains("\"failed\"") && lines[2].contains("\"max-moves\""),
        "{records}"
    );
    assert_nothing_left(place);
}

#[test]
#[ignore = "needs a browser"]
fn a_browser_that_is_killed_costs_one_game() {
    let place = Place::new();
    let child = long_game(&place);
    browsers(&place).into_iter().for_each(kill);
    assert_second_game_was_played(&place, &ended(child), "the browser window is gone");
}

#[test]
#[ignore = "needs a browser"]
fn a_driver_that_is_killed_costs_one_game() {
    let place = Place::new();
    let child = long_game(&place);
    let driver = if browser() == "firefox" { "geckodriver" } else { "chromedriver" };
    let drivers = children(child.id(), driver);
    assert_eq!(drivers.len(), 1);
    drivers.into_iter().for_each(kill);
    assert_second_game_was_played(&place, &ended(child), "does not answer");
}

#[test]
#[ignore = "needs a browser"]
fn signals_leave_nothing_behind() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("QUIT", 131)] {
        let place = Place::new();
        let child = long_game(&place);
        signal(&child, name);
        assert_eq!(ended(child).code, Some(code));
        assert_nothing_left(&place);
    }
    // While the page loads.
    let place = Place::new();
    let child = start(&place, "hangs", "--player greedy");
    wait_for("the browser", || !browsers(&place).is_empty());
    signal(&child, "INT");
    assert_eq!(ended(child).code, Some(130));
    assert_nothing_left(&place);
    // The second signal ends the command at once.
    let place = Place::new();
    let child = long_game(&place);
    signal(&child, "INT");
    thread::sleep(Duration::from_millis(250));
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert_eq!(ended(child).code, Some(130));
    assert_nothing_left(&place);
}

#[test]
#[ignore = "needs a browser"]
fn a_person_plays_in_the_terminal() {
    let place = Place::new();
    let mut child = start(&place, "clone.html", "--player human --json");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all("w\na\ns\nd\nw\na\ns\nd\nq\n".as_bytes()).expect("it listens");
    let ran = ended(child);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    let result: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(
        result["games"][0]["end"] == "quit" && result["games"][0]["moves"].as_u64() >= Some(2),
        "{result}"
    );
}

#[test]
#[ignore = "needs a browser"]
fn hints_follow_the_person_in_the_browser() {
    let place = Place::new();
    let mut child = start(&place, "clone.html?plays=300", "--hint --player greedy");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    assert_eq!(lines.by_ref().filter(|line| line.starts_with("best: ")).take(3).count(), 3);
    signal(&child, "INT");
    // The rest of its output, so that it can end.
    lines.for_each(drop);
    assert_eq!(ended(child).code, Some(130));
    assert_nothing_left(&place);
}

/// A driver of somebody else is used and stays.
#[test]
#[ignore = "needs a browser"]
fn a_running_driver_is_used_and_not_ended() {
    if browser() == "firefox" {
        return;
    }
    let place = Place::new();
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .env("TMPDIR", place.path(""))
        .spawn()
        .expect("chromedriver");
    let mut lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
    let port = lines.find_map(|line| {
        let line = line.expect("text");
        Some(line.split_once("successfully on port ")?.1.trim_end_matches('.').to_owned())
    });
    let url = format!("http://localhost:{}", port.expect("it says its port"));
    for _ in 0..2 {
        let options = format!("--driver {url} --player greedy --max-moves 10");
        assert_eq!(json(&place, "clone.html", &options)["games"][0]["moves"], 10);
    }
    assert!(driver.try_wait().expect("it can be asked").is_none(), "it still runs");
    driver.kill().expect("it can be ended");
    driver.wait().expect("it ends");
}

/// A server that is not a driver.
#[test]
fn answers_that_are_not_of_a_driver_are_refused() {
    use std::net::TcpListener;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().expect("a connection"));
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let _ =
                (&stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n[1]");
        }
    });
    let place = Place::new();
    let sentence = place.fails(&format!("browser http://localhost:1/ --player greedy --driver {url}"), "", 1);
    assert!(sentence.contains("cannot start the browser") && sentence.contains("no value"), "{sentence}");
}

#[test]
fn bad_input_is_one_sentence() {
    let place = Place::new();
    let refused = |line: &str| place.fails(line, "", 2);
    assert!(refused("browser play2048.co").contains("must begin with http://"));
    assert!(refused("browser http://localhost:1/ --player clairvoyant").contains("a page does not tell"));
    assert!(refused("browser http://localhost:1/ --player nobody").contains("nobody"));
    assert!(refused("browser --player greedy --driver ftp://x").contains("not the address of a driver"));
    assert!(refused("browser --player human --hint").contains("needs an adviser"));
    let gone = place.fails("browser http://localhost:1/ --player greedy --driver http://127.0.0.1:1", "", 1);
    assert!(gone.contains("the driver at http://127.0.0.1:1 does not answer"), "{gone}");
}
