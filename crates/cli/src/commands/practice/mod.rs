//! `lab2048 practice`: positions of a table with an exact answer to every move, on a full screen in
//! a terminal or line by line.

mod choice;
mod screen;

use std::sync::Arc;

use clap::Args;
use lab2048::board::Direction;
use lab2048::solve::Tables;

use crate::failure::{Failure, Outcome, warn};
use crate::game_options::read_board;
use crate::keyboard::{self, Typed};
use crate::keys::{self, Key};
use crate::players;
use crate::practice::{Mistakes, PositionOptions, Session, Source, words};
use crate::questions::Answer;
use crate::subgame_options::SubGameOptions;
use crate::tui::{self, Opening};
pub(crate) use choice::ask_what;
use screen::Screen;

#[derive(Args, Debug)]
#[command(
    after_help = "Boards of up to 6 cells are solved at once. Others need a table: lab2048 solve block --tile 256\n\nWithout a name you choose from a list.\n\nIn a terminal: arrows, w/a/s/d or h/j/k/l; i lists all keys. Line by line: type w/a/s/d or up/left/down/right, then Enter; ? for the exact values, u to undo (the move still counts), r for the same position again, n for the next one, q to quit.\n\nExamples:\n  lab2048 practice 2x3 --tile 64\n  lab2048 practice block --tile 512 --from 0.5 --to 0.9\n  lab2048 practice --mistakes\n  printf 'w\\nd\\nq\\n' | lab2048 practice 2x3 --seed 7"
)]
pub(crate) struct Arguments {
    /// Practise this position: rows like "0 2 0 0/...", a hex code, JSON, @FILE, or - for standard
    /// input
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["from", "to", "mistakes"])]
    board: Option<String>,
    #[command(flatten)]
    positions: PositionOptions,
    /// Drill collected mistakes: positions where you kept less than 99%. One that you solve three
    /// times in a row leaves the list
    #[arg(long)]
    mistakes: bool,
    /// List the collected mistakes instead of drilling them
    #[arg(long, conflicts_with_all = ["board", "from", "to"])]
    list: bool,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    game: SubGameOptions,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let screen = Screen { json: arguments.json };
    let only = arguments.table_of_mistakes()?;
    if arguments.list {
        let collected = Mistakes::of_user().read().map_err(Failure::bad_input)?;
        collected.warning().iter().for_each(|warning| warn(warning));
        let list = collected.list.iter();
        let list = list.filter(|mistake| only.as_ref().is_none_or(|only| *only == mistake.table));
        return screen.list(&list.collect::<Vec<_>>(), only.as_deref());
    }
    let on_screen = !arguments.json && tui::is_wanted();
    let positions = arguments.positions;
    if on_screen && arguments.wants_list() {
        return tui::open(Opening::ChoosePractice(positions));
    }
    let tables = Arc::clone(players::registry().tables());
    let source = if arguments.wants_list() {
        match ask_what(&tables, &positions)? {
            Answer::Given(choice) => choice.source(&tables, &positions)?,
            Answer::Back | Answer::End => return Ok(()),
        }
    } else {
        arguments.source(only, &tables)?
    };
    let session = positions.begin(source, tables, Mistakes::of_user())?;
    if on_screen {
        return tui::open(Opening::Practice(Box::new(session)));
    }
    let mut lines = Lines { session, screen };
    if !arguments.json {
        lines.screen.help()?;
    }
    let practised = lines.show().and_then(|()| lines.practise());
    // The summary is shown even if the person interrupted the command.
    lines.screen.summary(&lines.session.tally()).and(practised)
}

impl Arguments {
    /// Whether nothing says what to practise, so that the user chooses. Programs get an error.
    fn wants_list(&self) -> bool {
        !self.json && !self.mistakes && self.board.is_none() && self.game.is_empty()
    }

    /// The table whose mistakes are wanted, if one was named.
    fn table_of_mistakes(&self) -> Outcome<Option<String>> {
        let named = (self.mistakes || self.list) && self.game.is_given();
        named.then(|| self.game.settle().map(|game| game.name())).transpose()
    }

    /// Where the positions come from, as the arguments say.
    fn source(&self, only: Option<String>, tables: &Tables) -> Outcome<Source> {
        if self.mistakes {
            return Ok(Source::Drill { table: only, queue: Vec::new() });
        }
        let table = tables.of(&self.game.settle()?).map_err(Failure::bad_input)?;
        match &self.board {
            Some(text) => Ok(Source::Board { table, board: read_board(text, None)? }),
            None => self.positions.drawn(table),
        }
    }
}

/// Practice line by line.
struct Lines {
    session: Session,
    screen: Screen,
}

/// What to do after a key.
enum Next {
    /// Handle the next key of the line.
    Go,
    /// Drop the rest of the line: it was typed without knowing what just happened.
    Stop,
    /// End the command.
    Leave,
}

impl Lines {
    /// Shows a new position.
    fn show(&mut self) -> Outcome<()> {
        self.warn();
        self.screen.beginning(&self.session)?;
        self.screen.position(&self.session)
    }

    /// Handles keys until the end of the input.
    fn practise(&mut self) -> Outcome<()> {
        loop {
            self.screen.prompt(self.session.is_over())?;
            let line = match keyboard::next_line() {
                Typed::Line(line) => line,
                Typed::End => return self.screen.end_of_input(),
                Typed::Interrupted => {
                    self.screen.end_of_input()?;
                    return Err(Failure::Interrupted(None));
                }
            };
            let keys = match keys::parse_line(&line) {
                Ok(keys) => keys,
                Err(error) => {
                    self.screen.refused(&format!("{error}; {}", keys::PRACTICE_HELP))?;
                    continue;
                }
            };
            for key in keys {
                match self.press(key)? {
                    Next::Go => {}
                    Next::Stop => break,
                    Next::Leave => return Ok(()),
                }
            }
        }
    }

    fn press(&mut self, key: Key) -> Outcome<Next> {
        match key {
            Key::Move(direction) => return self.play(direction),
            Key::Hint if self.session.is_over() => self.screen.refused(words::OVER)?,
            Key::Hint => return self.screen.hint(&self.session.hint()).map(|()| Next::Go),
            Key::Undo if self.session.undo() => {
                return self.screen.undone(&self.session).map(|()| Next::Go);
            }
            Key::Undo => self.screen.refused("nothing to undo")?,
            Key::Redo => {
                self.session.again()?;
                self.show()?;
            }
            Key::New if self.session.next()? => self.show()?,
            Key::New if self.session.is_last() => return Ok(Next::Leave),
            Key::New => {
                self.screen.refused("no mistakes are left to drill")?;
                return Ok(Next::Leave);
            }
            Key::Pass => self.screen.refused("practice has no pass")?,
            Key::Help => self.screen.help()?,
            Key::Quit => return Ok(Next::Leave),
        }
        Ok(Next::Stop)
    }

    fn play(&mut self, direction: Direction) -> Outcome<Next> {
        if self.session.is_over() {
            self.screen.refused(words::OVER)?;
            return Ok(Next::Stop);
        }
        match self.session.play(direction) {
            Ok(said) => {
                self.screen.played(&self.session, &said)?;
                self.warn();
            }
            Err(error) => {
                self.screen.refused(&error.to_string())?;
                return Ok(Next::Stop);
            }
        }
        if self.session.is_over() {
            self.screen.over(&self.session)?;
            return Ok(if self.session.is_last() { Next::Leave } else { Next::Stop });
        }
        self.screen.position(&self.session)?;
        Ok(Next::Go)
    }

    fn warn(&mut self) {
        self.session.take_notice().iter().for_each(|notice| warn(notice));
    }
}
