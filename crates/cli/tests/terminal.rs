//! Tests the screens with the real binary in a real terminal. tmux runs it, presses the keys and
//! reads the screen.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "measurements are shown with --nocapture")]

mod support;

use std::fs;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use support::Place;

/// How long a screen may take to appear before the test fails and prints the actual screen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal of 100 columns and 30 rows that runs a shell, with its own folder for saved state.
struct Terminal {
    place: Place,
    socket: String,
}

impl Terminal {
    fn open() -> Terminal {
        Terminal::with("")
    }

    /// Opens a terminal with more environment variables: `NAME=value`, separated by spaces.
    fn with(variables: &str) -> Terminal {
        let place = Place::new();
        let socket = place.path("tmux").display().to_string();
        let terminal = Terminal { place, socket };
        // Players that are fast even in a debug build.
        terminal.place.write("state.json", "{\"version\": 1, \"coach\": \"greedy\", \"watch\": \"greedy\"}");
        let home = terminal.place.path("").display().to_string();
        let set = |line: &str| {
            line.split(' ')
                .filter(|word| !word.is_empty())
                .flat_map(|word| ["-e".to_owned(), word.to_owned()])
                .collect::<Vec<_>>()
        };
        let variables = [set(&format!("LAB2048_HOME={home}")), set(variables)].concat();
        let mut arguments: Vec<&str> =
            "-f /dev/null new-session -d -s test -x 100 -y 30".split(' ').collect();
        arguments.extend(variables.iter().map(String::as_str));
        arguments.extend(["-c", &home, "env PS1='$ ' ENV= sh"]);
        terminal.tmux(&arguments);
        terminal.wait_for("$");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let ran =
            Command::new("tmux").arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").output();
        let Output { status, stdout, stderr } = ran.expect("tmux is needed: apt-get install tmux");
        assert!(status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).expect("the screen is text")
    }

    /// Presses keys, by their tmux names.
    fn press(&self, keys: &str) {
        let mut arguments = vec!["send-keys", "-t", "test"];
        arguments.extend(keys.split(' '));
        self.tmux(&arguments);
    }

    /// Types a text literally.
    fn type_in(&self, text: &str) {
        self.tmux(&["send-keys", "-t", "test", "-l", text]);
    }

    /// Types a line for the shell. `lab2048` is the binary under test.
    fn run(&self, line: &str) {
        self.type_in(&line.replace("lab2048", env!("CARGO_BIN_EXE_lab2048")));
        self.press("Enter");
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "test"])
    }

    /// Waits until the screen satisfies a condition, and returns it.
    fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(started.elapsed() < PATIENCE, "{what} did not appear:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("'{text}'"), |screen| screen.contains(text))
    }

    /// Runs a line in the shell, waits until it has finished, and clears the screen.
    fn shell(&self, line: &str) {
        self.run(&format!("{line}; echo do'ne'"));
        // A prompt may come between the line and what it prints.
        self.wait_until("the end of a line", |screen| screen.lines().any(|line| line.ends_with("done")));
        self.run("clear");
        self.wait_until("an empty screen", |screen| !screen.contains("done"));
    }

    /// Saves the terminal settings in a file and returns them.
    fn stty(&self, name: &str) -> String {
        self.shell(&format!("stty -a > {name}"));
        self.place.read(name)
    }

    /// Whether the terminal shows the shell's own screen with its cursor.
    fn is_the_shells(&self) -> bool {
        let flags = ["display-message", "-p", "-t", "test", "#{alternate_on} #{cursor_flag}"];
        self.tmux(&flags).trim() == "0 1"
    }

    /// The id of the process that runs in the shell.
    fn pid(&self) -> u32 {
        let shell = self.tmux(&["display-message", "-p", "-t", "test", "#{pane_pid}"]);
        let shell = shell.trim();
        let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("Linux");
        children.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("a program runs")
    }

    /// Sends a signal to the program that runs in the shell.
    fn kill(&self, signal: &str) {
        let killed = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        assert!(killed.expect("kill runs").success());
    }

    /// The number of moves on the screen.
    fn moves(&self) -> u64 {
        moves(&self.screen()).expect("the moves are shown")
    }

    /// Presses keys until the screen shows this number of moves.
    fn play_to(&self, wanted: u64) {
        let mut keys = ["Left", "Up", "Right", "Down", "a", "w", "h", "k"].iter().cycle();
        let mut shown = self.moves();
        let started = Instant::now();
        while shown < wanted {
            self.press(keys.next().expect("the cycle never ends"));
            thread::sleep(Duration::from_millis(20));
            shown = self.moves();
            assert!(started.elapsed() < PATIENCE, "the keys do nothing:\n{}", self.screen());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output();
    }
}

/// The number of moves in a panel.
fn moves(screen: &str) -> Option<u64> {
    let line = screen.lines().find_map(|line| line.split_once("moves   "))?.1;
    line.split_whitespace().next()?.replace(',', "").parse().ok()
}

#[test]
fn menu_ten_moves_undo_hint_and_out_again() {
    let terminal = Terminal::open();
    let before = terminal.stty("before");
    terminal.run("lab2048");
    let menu = terminal.wait_for("Watch a player");
    assert!(menu.contains("Custom board") && menu.contains("Positions"), "{menu}");
    terminal.press("m");
    terminal.wait_for("score");
    terminal.play_to(10);
    let shown = terminal.moves();
    terminal.press("u");
    terminal.wait_until("one move less", |screen| moves(screen) == Some(shown - 1));
    terminal.press("r");
    terminal.wait_until("the move again", |screen| moves(screen) == Some(shown));
    terminal.press("?");
    let hint = terminal.wait_for("preference");
    assert!(hint.contains("▆"), "the values are bars:\n{hint}");
    terminal.press("q");
    terminal.wait_for("Continue your game");
    terminal.press("h");
    terminal.wait_for("undo a move");
    terminal.press("q");
    terminal.wait_for("Continue your game");
    terminal.press("q");
    terminal.wait_until("the shell", |screen| screen.contains("$") && !screen.contains("Custom board"));
    assert_eq!(terminal.stty("after"), before);
    terminal.run("lab2048 statistics");
    terminal.wait_for("no finished game yet");
    terminal.run("clear");
    terminal.run("lab2048 statistics --json");
    terminal.wait_for("\"best\":");
}

#[test]
fn a_bad_cell_then_a_player_to_its_end() {
    let terminal = Terminal::open();
    let before = terminal.stty("before");
    terminal.run("lab2048");
    terminal.wait_for("Custom board");
    terminal.press("c");
    terminal.wait_for("type a number into a cell");
    terminal.type_in("2 4x");
    terminal.wait_for("◄ '4x' is not a whole number");
    terminal.press("Enter");
    terminal.wait_for("row 1, column 2: '4x' is not a whole number");
    terminal.press("BSpace");
    terminal.type_in("/3 3");
    terminal.wait_for("ready");
    terminal.press("Enter");
    terminal.wait_for("who plays?");
    terminal.press("a");
    terminal.wait_for("parameters");
    terminal.press("Enter");
    terminal.wait_for("moves/s");
    terminal.press("Space");
    terminal.wait_for("paused");
    let paused = terminal.moves();
    terminal.press("Right");
    terminal.wait_until("one move more", |screen| moves(screen) == Some(paused + 1));
    terminal.press("t");
    let end = terminal.wait_for("total score");
    assert!(end.contains("total time") && end.contains("total moves"), "{end}");
    terminal.press("p");
    terminal.wait_for("player  greedy");
    terminal.press("End");
    terminal.wait_for("no moves left");
    terminal.press("q");
    terminal.wait_for("total score");
    terminal.press("m");
    terminal.wait_for("Watch a player");
    terminal.press("q");
    terminal.wait_until("the shell", |screen| !screen.contains("Custom board"));
    assert_eq!(terminal.stty("after"), before);
}

/// Clicks are reported only while a list is shown: elsewhere the terminal itself selects text.
#[test]
fn the_mouse_opens_entries_of_the_menu() {
    let terminal = Terminal::open();
    let reports = || terminal.tmux(&["display-message", "-p", "-t", "test", "#{mouse_standard_flag}"]);
    let wait_for_reports = |wanted: &str| terminal.wait_until("the mouse", |_| reports().trim() == wanted);
    terminal.run("lab2048");
    let menu = terminal.wait_for("Custom board");
    wait_for_reports("1");
    let row = 1 + menu.lines().position(|line| line.contains("Play  ")).expect("the entry");
    // A press and a release of the left button, as xterm reports them (SGR).
    terminal.type_in(&format!("\u{1b}[<0;40;{row}M\u{1b}[<0;40;{row}m"));
    terminal.wait_for("score");
    wait_for_reports("0");
    terminal.play_to(1);
    terminal.press("q");
    terminal.wait_for("Continue your game");
    wait_for_reports("1");
    // The wheel goes to the next entry: a new game, which asks first.
    terminal.type_in("\u{1b}[<65;40;10M");
    terminal.press("Enter");
    terminal.wait_for("press the same key again to abandon your game");
    terminal.press("C-c");
    terminal.wait_until("the shell", |screen| !screen.contains("Custom board"));
    wait_for_reports("0");
    assert!(terminal.is_the_shells());
}

/// The game that the screens keep is the one that plain `play` continues, and the other way round.
#[test]
fn screens_and_lines_share_the_unfinished_games() {
    let terminal = Terminal::open();
    terminal.run("lab2048 play --size 3x3");
    terminal.wait_for("score");
    terminal.play_to(3);
    terminal.press("q");
    terminal.wait_for("continues it");
    let out = terminal.place.ok("play", "w\na\ns\nd\n");
    assert!(out.contains("game 1, 3x3") && out.contains("this is your unfinished game"), "{out}");
    terminal.place.ok("play --size 4x4", "w\na\ns\nd\n");
    terminal.run("clear");
    terminal.run("lab2048");
    let menu = terminal.wait_for("Continue your game    4x4");
    assert!(menu.contains("also unfinished: 3x3"), "{menu}");
    terminal.press("Left");
    terminal.wait_for("Continue your game    3x3");
    terminal.press("m");
    let shown = terminal.wait_for("continuing your game");
    assert!(moves(&shown).is_some_and(|moves| moves > 3), "the moves of both:\n{shown}");
}

/// A terminal marks pasted text with escape sequences (bracketed paste).
#[test]
fn a_pasted_board_is_taken_as_a_whole() {
    let terminal = Terminal::open();
    terminal.run("lab2048");
    terminal.wait_for("Custom board");
    terminal.press("c");
    terminal.wait_for("type a number into a cell");
    terminal.tmux(&["set-buffer", "2 4 8\n16 -32 64\n"]);
    terminal.tmux(&["paste-buffer", "-p", "-t", "test"]);
    terminal.wait_for("◄ -32 is negative");
    terminal.tmux(&["set-buffer", "2,4,8\n16,33,64\n"]);
    terminal.tmux(&["paste-buffer", "-p", "-t", "test"]);
    terminal.wait_for("a board of 2x3");
}

/// A signal during a game restores the terminal, and the game can be resumed.
#[cfg(target_os = "linux")]
#[test]
fn signals_give_the_terminal_back() {
    let terminal = Terminal::open();
    let before = terminal.stty("before");
    // The exit code is 128 plus the signal number, as in shells.
    let signals =
        [("-TERM", 143), ("-HUP", 129), ("-INT", 130), ("-QUIT", 131), ("-USR1", 138), ("-ABRT", 134)];
    for (signal, code) in signals {
        terminal.run("lab2048 play; echo code=$?");
        terminal.wait_for("moves");
        let so_far = terminal.moves();
        terminal.play_to(so_far + 3);
        let shown = terminal.moves();
        assert!(!terminal.is_the_shells());
        terminal.kill(signal);
        terminal.wait_for(&format!("code={code}"));
        assert!(terminal.is_the_shells(), "{signal}");
        assert_eq!(terminal.stty("after"), before, "{signal}");
        terminal.run("lab2048 play; echo code=$?");
        let again = terminal.wait_for("continuing your game");
        assert_eq!(moves(&again), Some(shown), "{signal}");
        // Ctrl-C also works in raw mode, where the terminal sends it as a key.
        terminal.press("C-c");
        terminal.wait_for("code=130");
        assert!(terminal.is_the_shells());
        assert_eq!(terminal.stty("after"), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_returns() {
    let terminal = Terminal::open();
    terminal.shell("set -m");
    let before = terminal.stty("before");
    terminal.run("lab2048 play --seed 7");
    terminal.wait_for("moves");
    terminal.press("C-z");
    terminal.wait_for("Stopped");
    assert_eq!(terminal.stty("after"), before);
    terminal.run("fg");
    terminal.wait_for("score");
    // Other processes may stop it too, with either signal.
    terminal.kill("-TSTP");
    terminal.wait_for("Stopped");
    assert!(terminal.is_the_shells());
    assert_eq!(terminal.stty("after"), before);
    terminal.run("fg");
    terminal.wait_for("score");
    terminal.kill("-STOP");
    terminal.wait_for("Stopped");
    // The terminal is still in raw mode, where a line ends with a line feed.
    terminal.type_in("clear");
    terminal.press("C-j");
    terminal.wait_until("an empty screen", |screen| !screen.contains("score"));
    terminal.type_in("fg");
    terminal.press("C-j");
    terminal.wait_until("the whole picture", |screen| screen.contains("score") && !screen.contains("fg"));
    terminal.press("q");
    terminal.wait_for("points 0");
    assert!(terminal.is_the_shells());
    assert_eq!(terminal.stty("after"), before);
}

/// Without a shell, nothing could resume a stopped program.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_z_does_nothing_where_there_is_no_shell() {
    let terminal = Terminal::open();
    let program = format!("exec {} play --seed 7", env!("CARGO_BIN_EXE_lab2048"));
    terminal.type_in(&program);
    terminal.press("Enter");
    terminal.wait_for("score");
    terminal.press("C-z");
    terminal.play_to(1);
}

#[test]
fn windows_of_all_sizes() {
    let terminal = Terminal::open();
    terminal.run("lab2048 play --size 8x8 --seed 7");
    terminal.wait_for("score");
    let resize = |width: &str, height: &str| {
        terminal.tmux(&["resize-window", "-t", "test", "-x", width, "-y", height]);
    };
    resize("50", "12");
    terminal.wait_for("a board of 8x8 needs a window of 57 columns and 21");
    resize("60", "24");
    terminal.wait_for("score");
    resize("140", "50");
    terminal.wait_for("seed");
    terminal.press("q");
    terminal.wait_for("points 0");
}

#[test]
fn without_colours_and_without_screens() {
    let terminal = Terminal::with("NO_COLOR=1");
    terminal.run("lab2048 play --seed 7");
    terminal.wait_for("score");
    let colours = terminal.tmux(&["capture-pane", "-p", "-e", "-t", "test"]);
    let has_colour =
        |part: &str| matches!(part.as_bytes().first(), Some(b'3' | b'4' | b'9')) && part.len() > 1;
    for escape in colours.split("\u{1b}[").skip(1) {
        let codes = escape.split('m').next().unwrap_or("");
        assert!(!codes.split(';').any(|part| has_colour(part) && part != "39" && part != "49"), "{codes}");
    }
    terminal.press("q");
    terminal.wait_for("points 0");
    for command in
        ["TERM=dumb lab2048 play --seed 7", "lab2048 play --seed 7 --plain", "lab2048 --plain play --seed 7"]
    {
        terminal.run("clear");
        terminal.run(command);
        terminal.wait_until("a line to type in", |screen| {
            screen.contains("game 1, 4x4, seed 7") && screen.lines().any(|line| line == ">")
        });
        terminal.run("q");
        terminal.wait_for("points 0");
    }
    terminal.run("clear");
    for command in ["lab2048 --plain", "TERM=dumb lab2048"] {
        terminal.run(command);
        terminal.wait_for("your choice>");
        terminal.run("q");
        // Until it has ended, the program may read what is typed for the shell.
        terminal.wait_until("the prompt", |screen| screen.trim_end().ends_with("\n$"));
        terminal.run("clear");
        terminal.wait_until("the shell", |screen| !screen.contains("your choice"));
    }
}

#[test]
fn a_game_of_a_screen_overwrites_no_other_one() {
    let terminal = Terminal::open();
    terminal.place.ok("watch greedy --seed 7 --max-moves 20 --every 0 --save game.2048", "");
    let before = terminal.place.read("game.2048");
    terminal.run("lab2048 play --seed 7 --save game.2048; echo code=$?");
    terminal.wait_for("score");
    terminal.play_to(1);
    terminal.press("q");
    assert!(terminal.wait_for("code=0").contains("saved as game-2.2048"));
    terminal.run("clear");
    terminal.run("lab2048 watch greedy --seed 7 --max-moves 3 --delay 0ms --save game.2048; echo code=$?");
    terminal.wait_for("saved as game-3.2048");
    terminal.press("q");
    assert!(terminal.wait_for("code=0").contains("saved as game-3.2048"));
    assert_eq!(terminal.place.read("game.2048"), before);
    for number in [2, 3] {
        terminal.place.ok(&format!("replay game-{number}.2048 --verify"), "");
    }
}

/// The reason is printed when the screen is left. The exit codes are those of the plain command.
#[test]
fn a_bot_that_fails_is_an_error_after_the_screen() {
    let terminal = Terminal::open();
    terminal.place.write("bot.sh", "read a; read b; echo 'ValueError: no idea' >&2; exit 1\n");
    terminal.run("lab2048 watch 'exec:cmd=sh bot.sh' --seed 1 2> said; echo code=$?");
    terminal.wait_for("finished");
    terminal.press("q");
    assert!(terminal.wait_for("code=1").contains("exec:cmd=sh bot.sh: 1 game: total score 0"));
    let said = "lab2048: exec (sh bot.sh): it ended (exit status: 1) instead of answering; \
                its last line on standard error: ValueError: no idea\n";
    assert_eq!(terminal.place.read("said"), said);
    terminal.run("clear");
    terminal.run("lab2048 watch exec:cmd=/no/such/bot 2> said; echo code=$?");
    terminal.wait_for("finished");
    terminal.press("q");
    terminal.wait_for("code=2");
    assert!(
        terminal.place.read("said").starts_with("lab2048: exec (/no/such/bot): the program does not start")
    );
}

#[test]
fn standard_error_of_a_bot_is_shown_after_the_screen() {
    let terminal = Terminal::open();
    terminal.place.write("bot.sh", "read a; echo it begins >&2; read b; echo it ends >&2; exit 1\n");
    terminal.run("lab2048 watch 'exec:cmd=sh bot.sh,stderr=show' --seed 1; echo code=$?");
    let screen = terminal.wait_for("finished");
    assert!(!screen.contains("it begins"), "{screen}");
    terminal.press("q");
    let shell = terminal.wait_for("code=1");
    assert!(shell.contains("it begins\nit ends\n"), "{shell}");
}

/// A saved game is opened from the command line and from the menu.
#[test]
fn a_saved_game_is_seen_again() {
    let terminal = Terminal::open();
    terminal.place.ok("watch greedy --seed 7 --max-moves 20 --every 0 --save game.2048", "");
    terminal.run("lab2048 replay game.2048; echo code=$?");
    terminal.wait_for("0 of 20");
    terminal.press("End");
    terminal.wait_for("20 of 20");
    terminal.press("m");
    terminal.wait_for("Open a replay");
    terminal.press("r");
    terminal.wait_for("open a replay");
    terminal.type_in("game.2048x");
    terminal.press("Enter");
    terminal.wait_for("cannot read game.2048x");
    terminal.press("BSpace Enter");
    terminal.wait_for("player  greedy");
    terminal.press("g");
    terminal.wait_for("review by ntuple:depth=3");
    terminal.press("c");
    terminal.wait_for("who judges?");
    terminal.press("Escape");
    terminal.wait_for("review by");
    terminal.press("C-c");
    terminal.wait_for("code=130");
    assert!(terminal.is_the_shells());
    terminal.run("clear");
    terminal.run("lab2048 replay game.2048 --plain");
    terminal.wait_for("the replay is valid");
}

/// An idle screen sleeps. The bound is generous, but a screen that draws thirty frames a second
/// would far exceed it.
#[cfg(target_os = "linux")]
#[test]
fn an_idle_screen_uses_next_to_no_processor_time() {
    let terminal = Terminal::open();
    let ticks = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", terminal.pid())).expect("it runs");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        // After the name, the 12th and 13th fields are the user and system times in hundredths of a
        // second.
        fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
    };
    for (command, shown) in [("lab2048", "Custom board"), ("lab2048 play --seed 7", "score")] {
        terminal.run(command);
        terminal.wait_for(shown);
        thread::sleep(Duration::from_millis(500));
        let before = ticks();
        thread::sleep(Duration::from_secs(2));
        let used = ticks() - before;
        println!("{command}: idle for 2 s, {used}0 ms of processor time");
        assert!(used <= 4, "{command}: {used}0 ms of processor time in 2 s without a key");
        terminal.press("q");
        terminal.wait_until("the shell", |screen| !screen.contains(shown));
        terminal.run("clear");
    }
}

/// A key is shown while a player thinks for three seconds. The test prints the delays. The bound is
/// far above them, and below the delay of a screen that waits for the player.
#[test]
fn a_key_is_shown_while_a_player_thinks() {
    let terminal = Terminal::open();
    terminal.run("lab2048 play --seed 7 --hint ntuple:time=3s");
    terminal.wait_for("score");
    // The first hint waits for the network to load.
    terminal.press("?");
    terminal.wait_for("points to come");
    let mut times = Vec::new();
    for key in ["Left", "Up", "Right", "Down"] {
        let shown = terminal.moves();
        terminal.press("?");
        terminal.wait_for("thinks");
        let pressed = Instant::now();
        terminal.press(key);
        // Either the move is played or its refusal is shown. An answer to the hint would show bars.
        let screen = terminal.wait_until("the move", |screen| {
            moves(screen) == Some(shown + 1) || screen.contains("does not change the board")
        });
        times.push(pressed.elapsed());
        assert!(pressed.elapsed() < Duration::from_secs(2), "{times:?}");
        assert!(!screen.contains("points to come"), "the key was shown only after the thought:\n{screen}");
    }
    times.sort();
    println!("a key is shown while ntuple:time=3s thinks: {times:?}, with the time that tmux takes");
    // A game with a seed is not saved, so leaving it asks first.
    terminal.press("q");
    terminal.wait_for("press the same key again to leave");
    terminal.press("q");
    terminal.wait_for("points ");
}

#[test]
fn practice_answers_moves_and_drills_mistakes() {
    let terminal = Terminal::open();
    let before = terminal.stty("before");
    terminal.run("lab2048");
    terminal.wait_for("Practice");
    terminal.press("p");
    terminal.wait_for("lab2048 solve block");
    terminal.press("Enter");
    terminal.wait_for("chance to make 64 on 2x3");
    terminal.press("?");
    terminal.wait_for("chance of the tile");
    for wanted in ["what to practise?", "Custom board"] {
        terminal.press("q");
        terminal.wait_for(wanted);
    }
    terminal.press("q");
    terminal.wait_until("the shell", |screen| !screen.contains("Custom board"));
    // The list knows the options that do not name a table.
    terminal.run("lab2048 practice --seed 5 --games 1");
    terminal.wait_for("what to practise?");
    terminal.press("Enter");
    terminal.wait_for("seed 5");
    for wanted in ["what to practise?", "$"] {
        terminal.press("q");
        terminal.wait_until(wanted, |screen| screen.contains(wanted) && !screen.contains("seed 5, "));
    }
    terminal.run("clear");
    // Up makes the 16, right loses it.
    terminal.run("lab2048 practice 2x2 --tile 16 --board '8 4/8 0'");
    terminal.wait_for("100.0%");
    for (key, wanted) in [
        ("Right", "16 is out of reach"),
        ("u", "the move still counts"),
        ("Up", "you made 16"),
        ("Down", "best: up 100.0%"),
        ("x", "find the best move"),
        ("Up", "solved 1 of 3 times in a row"),
        ("q", "you made 16"),
        ("q", "1 position   2 moves   1 mistake   kept 0.0%"),
    ] {
        terminal.press(key);
        terminal.wait_for(wanted);
    }
    assert_eq!(terminal.stty("after"), before);
    terminal.run("lab2048 practice --mistakes --list");
    terminal.wait_for("played 1 time, solved 1 of 3 times in a row");
}
