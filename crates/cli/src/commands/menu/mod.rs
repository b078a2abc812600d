//! The menu line by line: `lab2048 --plain`. The letters m, a, c and d and the word "speed" come
//! from the first description of the game.
//!
//! A choice asks for what it needs and becomes a command of this program, which is shown and run.

mod rows;

use std::path::Path;
use std::time::Duration;

use lab2048::board::{Board, BoardForm, Size};
use lab2048::players::Registry;

use super::{browser, practice};
use crate::failure::{Failure, Outcome};
use crate::numbers::time;
use crate::practice::PositionOptions;
use crate::questions::{Answer, ask, numbered, place_of};
use crate::report::whole;
use crate::store::Store;
use crate::{args, out, players, tui};
use rows::read_rows;

/// The pause after each move of a player that is watched.
const NORMAL: Duration = Duration::from_millis(300);

/// What is chosen in the menu.
struct Menu {
    registry: Registry,
    size: Size,
    /// The pause after each move.
    pace: Duration,
}

/// What follows a choice.
enum Next {
    /// The menu again.
    Menu,
    /// The end: the user quits, or the input has ended.
    End,
}

pub(crate) fn run() -> Outcome<()> {
    let registry = players::registry();
    let size = Store::open().unfinished_sizes().first().copied().unwrap_or(Size::FOUR);
    let mut menu = Menu { registry, size, pace: NORMAL };
    menu.list()?;
    loop {
        match menu.choose()? {
            Next::Menu => {}
            Next::End => return Ok(()),
        }
    }
}

/// Goes back to the menu without an answer, and ends at the end of the input.
macro_rules! answer {
    ($answer:expr) => {
        match $answer {
            Answer::Given(answer) => answer,
            Answer::Back => return Ok(Next::Menu),
            Answer::End => return Ok(Next::End),
        }
    };
}

impl Menu {
    /// Shows what can be chosen.
    fn list(&self) -> Outcome<()> {
        let mut store = Store::open();
        let unfinished = store.unfinished(self.size).map(|unfinished| {
            let game = unfinished.history.game();
            format!("continue your {} game of {} points", self.size, whole(game.score()))
        });
        let others = store.unfinished_sizes().into_iter().filter(|size| *size != self.size);
        let others: Vec<String> = others.map(|size| size.to_string()).collect();
        let mut size = format!("the size of new boards: {}", self.size);
        if !others.is_empty() {
            size.push_str(&format!("; unfinished games: {}", others.join(", ")));
        }
        let lines = [
            ("m", unfinished.unwrap_or_else(|| format!("play {} yourself", self.size))),
            ("a", format!("let a player play: {}", store.kept().watch)),
            ("speed", self.speed()),
            ("c", "a custom board, row by row".to_owned()),
            ("d", "positions in the middle of a game".to_owned()),
            ("b", size),
            ("w", "let a player play a web page in a browser".to_owned()),
            ("p", "practise endgames with exact answers".to_owned()),
            ("r", "step through a saved game".to_owned()),
            ("t", "statistics".to_owned()),
            ("h", "this list, and the rules".to_owned()),
            ("q", "quit".to_owned()),
        ];
        let lines = lines.map(|(key, about)| format!("  {key:<6} {about}\n"));
        out::print(&format!("\nlab2048\n{}", lines.concat()))?;
        store.take_notice().map_or(Ok(()), |notice| out::print(&format!("{notice}\n")))
    }

    fn speed(&self) -> String {
        match self.pace {
            Duration::ZERO => "speed of players: turbo, as fast as they can".to_owned(),
            pace => format!("speed of players: {} ms after each move", pace.as_millis()),
        }
    }

    /// Asks for a choice, and does it.
    fn choose(&mut self) -> Outcome<Next> {
        let read = |line: &str| Ok(line.to_owned());
        let line = match ask("your choice", None, read)? {
            Answer::Given(line) => line,
            Answer::Back | Answer::End => return Ok(Next::End),
        };
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
        match word.to_ascii_lowercase().as_str() {
            "m" | "play" => {
                let size = self.size.to_string();
                self.command(&["play", "--size", &size])
            }
            "a" | "watch" => self.watch(rest, &["--size".to_owned(), self.size.to_string()]),
            "s" | "speed" => self.change_speed(rest),
            "c" | "custom" => {
                let board = answer!(read_rows(self.size)?);
                self.start_from(&board)
            }
            "d" | "debug" | "positions" => self.position(),
            "b" | "size" => self.resize(rest),
            "w" | "browser" => self.browser(),
            "p" | "practice" => self.practise(rest),
            "r" | "replay" => self.replay(rest),
            "t" | "statistics" => self.command(&["statistics"]),
            "h" | "help" | "?" => {
                self.list()?;
                let rules = tui::RULES.map(|line| format!("{line}\n")).concat();
                out::print(&format!("\nThe rules\n{rules}"))?;
                Ok(Next::Menu)
            }
            _ => {
                let word: String = word.chars().take(40).flat_map(char::escape_debug).collect();
                out::print(&format!("'{word}' is not a choice; h lists them\n"))?;
                Ok(Next::Menu)
            }
        }
    }

    /// Runs a command, and shows the menu again.
    fn command(&self, words: &[&str]) -> Outcome<Next> {
        self.act(words)?;
        self.list()?;
        Ok(Next::Menu)
    }

    /// Runs a command. Its error does not end the menu.
    fn act(&self, words: &[&str]) -> Outcome<()> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        out::print(&format!("{}\n", tui::command_line(&words)))?;
        match args::command(&words).and_then(|command| super::act(Some(command))) {
            Ok(()) => Ok(()),
            Err(failure @ (Failure::Interrupted(_) | Failure::ClosedPipe)) => Err(failure),
            Err(failure) => out::print(&format!("{failure}\n")),
        }
    }

    /// Asks for a player, and remembers it.
    fn player(&self, typed: Option<&str>) -> Outcome<Answer<String>> {
        let check = |text: &str| {
            let spec = self.registry.parse(text).map_err(|error| error.to_string())?;
            match self.registry.is_person(&spec) {
                true => Err("that is you: m lets you play".to_owned()),
                false => Ok(spec.to_string()),
            }
        };
        let mut store = Store::open();
        let answer = match typed.map(check) {
            Some(Ok(player)) => Answer::Given(player),
            wrong => {
                if let Some(Err(why)) = wrong {
                    out::print(&format!("{why}\n"))?;
                }
                let last = store.kept().watch.clone();
                ask("which player, like greedy or expectimax:depth=3", Some(&last), check)?
            }
        };
        if let Answer::Given(player) = &answer {
            store.update(|kept| kept.watch.clone_from(player));
        }
        Ok(answer)
    }

    /// Lets a player play, as often as wanted.
    fn watch(&self, typed: Option<&str>, game: &[String]) -> Outcome<Next> {
        let player = answer!(self.player(typed)?);
        let delay = format!("{}ms", self.pace.as_millis());
        let mut words = vec!["watch", &player, "--delay", &delay];
        words.extend(game.iter().map(String::as_str));
        loop {
            self.act(&words)?;
            let again = |line: &str| match line.to_ascii_lowercase().as_str() {
                "y" | "yes" => Ok(true),
                "n" | "no" => Ok(false),
                _ => Err("y or n".to_owned()),
            };
            match ask("play again? y the same again, n the menu", Some("n"), again)? {
                Answer::Given(true) => {}
                Answer::End => return Ok(Next::End),
                Answer::Given(false) | Answer::Back => {
                    self.list()?;
                    return Ok(Next::Menu);
                }
            }
        }
    }

    fn change_speed(&mut self, typed: Option<&str>) -> Outcome<Next> {
        let read = time(Duration::ZERO, Duration::from_secs(60));
        match typed.map(read) {
            None => self.pace = if self.pace.is_zero() { NORMAL } else { Duration::ZERO },
            Some(Ok(pace)) => self.pace = pace,
            Some(Err(why)) => {
                out::print(&format!("{why}\n"))?;
                return Ok(Next::Menu);
            }
        }
        out::print(&format!("{}\n", self.speed()))?;
        Ok(Next::Menu)
    }

    /// Asks who plays a board.
    fn start_from(&self, board: &Board) -> Outcome<Next> {
        out::print(&format!("{board}\n"))?;
        let read = |line: &str| match line.to_ascii_lowercase().as_str() {
            "m" => Ok(true),
            "a" => Ok(false),
            _ => Err("m or a".to_owned()),
        };
        let oneself = answer!(ask("who plays? m you, a a player", Some("a"), read)?);
        let text = board.to_text(BoardForm::Rows).map_err(Failure::failed)?;
        if oneself {
            return self.command(&["play", "--board", &text]);
        }
        self.watch(None, &["--board".to_owned(), text])
    }

    fn position(&self) -> Outcome<Next> {
        let positions = tui::positions();
        out::print(&numbered(positions.iter().map(|(name, about, _)| (*name, *about))))?;
        let read = |line: &str| {
            let place = place_of(line, positions.iter().map(|(name, ..)| *name));
            place.ok_or_else(|| format!("there are positions 1 to {}", positions.len()))
        };
        let place = answer!(ask("which position", Some("1"), read)?);
        self.start_from(&positions[place].2)
    }

    fn resize(&mut self, typed: Option<&str>) -> Outcome<Next> {
        let read = |line: &str| line.parse::<Size>().map_err(|error| error.to_string());
        self.size = match typed.map(read) {
            Some(Ok(size)) => size,
            wrong => {
                if let Some(Err(why)) = wrong {
                    out::print(&format!("{why}\n"))?;
                }
                let now = self.size.to_string();
                answer!(ask("which size, from 2x2 to 8x8", Some(&now), read)?)
            }
        };
        self.list()?;
        Ok(Next::Menu)
    }

    fn browser(&self) -> Outcome<Next> {
        let url = |line: &str| {
            browser::check_url(line).map(|()| line.to_owned()).map_err(|failure| failure.to_string())
        };
        let player = |line: &str| browser::check_player(line, &self.registry).map(|()| line.to_owned());
        let games = |line: &str| browser::games()(line).map(|_| line.to_owned());
        let last = Store::open().kept().watch.clone();
        let url = answer!(ask("which page", Some(browser::DEFAULT_URL), url)?);
        let player = answer!(ask("which player", Some(&last), player)?);
        let games = answer!(ask("how many games", Some("1"), games)?);
        let words = browser::words(&url, &player, &games);
        self.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn practise(&self, typed: Option<&str>) -> Outcome<Next> {
        let what = match typed {
            Some(name) => name.to_owned(),
            None => {
                let (tables, options) = (self.registry.tables(), PositionOptions::default());
                answer!(practice::ask_what(tables, &options)?).argument()
            }
        };
        self.command(&["practice", &what])
    }

    fn replay(&self, typed: Option<&str>) -> Outcome<Next> {
        let name = match typed {
            Some(name) => name.to_owned(),
            None => {
                let newest = tui::replays(Path::new("")).into_iter().next();
                answer!(ask("which file", newest.as_deref(), |line: &str| Ok(line.to_owned()))?)
            }
        };
        self.command(&["replay", "--step", "--", &name])
    }
}
