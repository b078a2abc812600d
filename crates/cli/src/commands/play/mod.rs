//! `lab2048 play`: a person plays, on a full screen in a terminal or line by line.

mod screen;

use std::mem;
use std::sync::Arc;

use clap::Args;
use lab2048::Clock;
use lab2048::arena::GameSetup;
use lab2048::game::{Action, Future, GameStart, History, Player, Replay, Situation, choose_timed};
use lab2048::solve::Tables;

use crate::failure::{Failure, Outcome};
use crate::game_options::GameOptions;
use crate::keyboard::{self, Typed};
use crate::keys::{self, Key};
use crate::replay_file::{SaveFile, SaveOption};
use crate::tui::{self, Opening, Playing};
use crate::{exact, players};
use screen::Screen;

#[derive(Args, Debug)]
#[command(
    after_help = "In a terminal: arrows, w/a/s/d or h/j/k/l; i lists all keys. Line by line: type w/a/s/d or up/left/down/right, one or more moves per line, then Enter; ? for a hint, u to undo, r to redo, n for a new game, q to quit.\n\nExamples:\n  lab2048 play --seed 7\n  lab2048 play --size 5x5 --hint expectimax:time=1s --save game.2048\n  printf 'w\\na\\nq\\n' | lab2048 play --seed 7 --json"
)]
pub(crate) struct Arguments {
    /// Player to ask for hints [default: auto; in full-screen mode: the coach you chose last]
    #[arg(long, value_name = "PLAYER")]
    hint: Option<String>,
    #[command(flatten)]
    save: SaveOption,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    game: GameOptions,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    let hint = arguments.hint.as_deref();
    let spec = registry.parse(hint.unwrap_or("auto")).map_err(Failure::bad_input)?;
    let any_size = arguments.game.any_size();
    let setup = arguments.game.settle()?;
    let save = arguments.save.file()?;
    if !arguments.json && tui::is_wanted() {
        let (usual, hint) = (setup.is_usual(), hint.map(|_| spec));
        return tui::open(Opening::Play(Playing { setup, usual, any_size, hint, save }));
    }
    let seed = setup.seed_or_fresh();
    let mut session = Session {
        history: History::new(setup.game.start(seed)),
        setup: setup.game,
        adviser: registry.build(&spec).map_err(Failure::bad_input)?,
        adviser_knows_the_game: false,
        tables: Arc::clone(registry.tables()),
        save,
        screen: Screen { json: arguments.json },
        number: 1,
        best: 0,
        has_won: false,
    };
    let played = session.begin().and_then(|()| session.play());
    // Save the game even if the person interrupted it or the output was closed.
    session.finish().and(played)
}

/// The games of one person, one after another.
struct Session {
    setup: GameSetup,
    history: History,
    adviser: Box<dyn Player>,
    /// Whether `Player::start` was called for the current game.
    adviser_knows_the_game: bool,
    /// Exact values to add to hints.
    tables: Arc<Tables>,
    save: Option<SaveFile>,
    screen: Screen,
    /// The number of the game, from 1.
    number: u64,
    /// The best score of this session.
    best: u64,
    /// Whether the winning tile has been announced or was on the first board.
    has_won: bool,
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

impl Session {
    fn begin(&mut self) -> Outcome<()> {
        self.has_won = self.history.game().has_won();
        self.adviser_knows_the_game = false;
        self.screen.beginning(self.history.game(), self.number)?;
        self.show()
    }

    /// Handles keys until the end of the input.
    fn play(&mut self) -> Outcome<()> {
        loop {
            self.screen.prompt(self.is_over())?;
            let keys = match keyboard::next_line() {
                Typed::Line(line) => match keys::parse_line(&line) {
                    Ok(keys) => keys,
                    Err(error) => {
                        self.screen.refused(&format!("{error}; {}", keys::SHORT_HELP))?;
                        continue;
                    }
                },
                Typed::End => return self.screen.end_of_input(),
                Typed::Interrupted => {
                    self.screen.end_of_input()?;
                    return Err(Failure::Interrupted(None));
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
            Key::Move(direction) => self.act(Action::Move(direction)),
            Key::Pass => self.act(Action::Pass),
            Key::Hint => self.advise(),
            Key::Undo => {
                let undone = self.history.undo().is_some();
                self.step_in_time(undone, "nothing to undo")
            }
            Key::Redo => {
                let redone = self.history.redo().is_some();
                self.step_in_time(redone, "nothing to redo")
            }
            Key::New => self.new_game(),
            Key::Help => self.screen.help().map(|()| Next::Stop),
            Key::Quit => {
                if !self.is_over() {
                    self.history.play(Action::Quit).map_err(Failure::failed)?;
                }
                Ok(Next::Leave)
            }
        }
    }

    fn act(&mut self, action: Action) -> Outcome<Next> {
        if let (true, None) = (self.is_over(), self.history.game().ending()) {
            self.screen.refused("the game is over: it reached a limit")?;
            return Ok(Next::Stop);
        }
        match self.history.play(action) {
            Ok(turn) => {
                self.best = self.best.max(self.history.game().score());
                self.screen.turn(self.history.game(), &turn)?;
                self.show()?;
                Ok(if self.is_over() { Next::Stop } else { Next::Go })
            }
            Err(error) => {
                self.screen.refused(&error.to_string())?;
                Ok(Next::Stop)
            }
        }
    }

    /// Shows the position after an undo or redo, or why it was impossible.
    fn step_in_time(&mut self, done: bool, refusal: &str) -> Outcome<Next> {
        if !done {
            self.screen.refused(refusal)?;
            return Ok(Next::Stop);
        }
        self.show()?;
        Ok(Next::Go)
    }

    fn advise(&mut self) -> Outcome<Next> {
        let game = self.history.game();
        if game.ending().is_some() {
            self.screen.refused("the game is over")?;
            return Ok(Next::Stop);
        }
        let start = GameStart::of(game, Future::Told);
        let told = if self.adviser_knows_the_game { Ok(()) } else { self.adviser.start(&start) };
        let advice = told.map_err(|error| error.to_string()).and_then(|()| {
            self.adviser_knows_the_game = true;
            let situation = Situation::of(game, &*self.adviser, Future::Told);
            choose_timed(&mut *self.adviser, &situation, Clock::system()).map_err(|error| error.to_string())
        });
        match advice {
            Ok(decision) => {
                let exact = exact::judgements(&self.tables, game.board(), game.rules().four);
                self.screen.hint(&decision, self.adviser.facts().needs_future, &exact)?;
            }
            Err(reason) => self.screen.refused(&format!("no hint: {reason}"))?,
        }
        Ok(Next::Go)
    }

    fn new_game(&mut self) -> Outcome<Next> {
        let Some(seed) = self.history.game().seed().checked_add(1) else {
            self.screen.refused("there is no next seed")?;
            return Ok(Next::Stop);
        };
        self.finish()?;
        self.number += 1;
        self.history = History::new(self.setup.start(seed));
        self.begin()?;
        Ok(Next::Stop)
    }

    /// Shows the position, announces the winning tile, and says when the game is over.
    fn show(&mut self) -> Outcome<()> {
        let game = self.history.game();
        self.screen.position(game, self.best)?;
        if !self.has_won && game.has_won() {
            self.has_won = true;
            self.screen.victory(game)?;
        }
        if self.is_over() {
            self.screen.over(game)?;
        }
        Ok(())
    }

    /// Whether the game has ended or has reached a limit.
    fn is_over(&self) -> bool {
        self.setup.limits.reached(self.history.game()).is_some()
    }

    /// Shows the result and saves the game. It is saved even if the output is closed.
    fn finish(&mut self) -> Outcome<()> {
        if mem::take(&mut self.adviser_knows_the_game) {
            self.adviser.end(self.history.game());
        }
        let shown = self.screen.points(self.history.game(), self.best);
        let Some(save) = &self.save else { return shown };
        let replay = Replay::of_history(&self.history).map_err(Failure::failed)?.by("human");
        let path = save.write(&replay)?;
        shown?;
        self.screen.saved(&path)
    }
}
