//! `human`: a person at the standard input. It can be used wherever a player can be named, but
//! `lab2048 play` is more comfortable.

use std::io::{self, Write};

use lab2048::game::{
    Action, Decision, GameStart, IdleMove, Player, PlayerError, PlayerFacts, Refusal, Situation,
};
use lab2048::players::Entry;

use crate::keyboard::{self, Typed};
use crate::keys::{self, Key};

pub(super) fn entry() -> Entry {
    let summary = "a person, who types w/a/s/d or up/left/down/right on standard input";
    Entry {
        is_person: true,
        ..Entry::new("human", summary, &[], |_| {
            Ok(Box::new(Human { idle_is_refused: true, waiting: Vec::new() }))
        })
    }
}

struct Human {
    idle_is_refused: bool,
    /// The remaining keys of the last line, in reverse order.
    waiting: Vec<Key>,
}

impl Player for Human {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.idle_is_refused = game.rules.idle == IdleMove::Refused;
        self.waiting.clear();
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        // Boards and prompts go to the standard error: the standard output belongs to the command.
        say(&format!("\n{}\nscore {}\n", situation.board, situation.score));
        loop {
            let key = match self.waiting.pop() {
                Some(key) => key,
                None => match self.ask() {
                    Some(key) => key,
                    None => return Ok(Decision::of(Action::Quit)),
                },
            };
            let refusal = match key {
                Key::Move(direction)
                    if !self.idle_is_refused || situation.board.legal_moves().contains(direction) =>
                {
                    return Ok(Decision::of(Action::Move(direction)));
                }
                Key::Move(direction) => format!("{direction} does not change the board"),
                Key::Pass if !self.idle_is_refused => return Ok(Decision::of(Action::Pass)),
                Key::Pass => "these rules do not allow a pass".to_owned(),
                Key::Quit => return Ok(Decision::of(Action::Quit)),
                Key::Hint | Key::Undo | Key::Redo | Key::New | Key::Help => {
                    "w/a/s/d or up/left/down/right, q quits".to_owned()
                }
            };
            self.waiting.clear();
            say(&format!("{refusal}\n"));
        }
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { repeatable: false, ..PlayerFacts::default() }
    }
}

impl Human {
    /// The next key, or `None` at the end of the input.
    fn ask(&mut self) -> Option<Key> {
        loop {
            if keyboard::is_terminal() {
                say("move> ");
            }
            match keyboard::next_line() {
                Typed::Line(line) => match keys::parse_line(&line) {
                    Ok(keys) => {
                        self.waiting = keys;
                        self.waiting.reverse();
                    }
                    Err(error) => say(&format!("{error}; {}\n", keys::SHORT_HELP)),
                },
                Typed::End | Typed::Interrupted => return None,
            }
            if let Some(key) = self.waiting.pop() {
                return Some(key);
            }
        }
    }
}

fn say(text: &str) {
    let mut out = io::stderr();
    // If the standard error is closed, the person does not want to see prompts.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
