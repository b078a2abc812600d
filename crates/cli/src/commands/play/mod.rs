//! `lab2048 play`: a person plays, on a full screen in a terminal or line by line.

mod screen;

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use lab2048::Clock;
use lab2048::game::{Action, Future, GameStart, Player, Replay, Situation, choose_timed};
use lab2048::solve::Tables;

use crate::failure::{Failure, Outcome};
use crate::game_options::GameOptions;
use crate::keyboard::{self, Typed};
use crate::keys::{self, Key};
use crate::replay_file::{SaveFile, SaveOption};
use crate::store::{Keeping, LONGEST_THOUGHT, Store, UserGame, Wanted};
use crate::tui::{self, Opening, Playing};
use crate::{exact, players};
use screen::Screen;

/// The time between two saves of a game whose moves come from a pipe. What a person types is saved
/// after every line.
const BETWEEN_KEEPS: Duration = Duration::from_secs(2);

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
    let wanted = match (setup.is_usual(), any_size) {
        (false, _) => Wanted::Special,
        (true, true) => Wanted::AnySize,
        (true, false) => Wanted::ThisSize,
    };
    if !arguments.json && tui::is_wanted() {
        let hint = hint.map(|_| spec);
        return tui::open(Opening::Play(Playing { setup, wanted, hint, save }));
    }
    // Programs do not change the user's game and best scores.
    let (mut store, wanted) =
        if arguments.json { (Store::nowhere(), Wanted::Special) } else { (Store::open(), wanted) };
    let own = UserGame::open(setup, wanted, &mut store);
    let mut session = Session {
        own,
        is_usual: wanted != Wanted::Special,
        store,
        kept: Instant::now(),
        adviser: registry.build(&spec).map_err(Failure::bad_input)?,
        adviser_knows_the_game: false,
        tables: Arc::clone(registry.tables()),
        save,
        screen: Screen { json: arguments.json },
        number: 1,
        best: 0,
        has_won: false,
        asked: false,
    };
    let played = session.begin().and_then(|()| session.play());
    // Save the game even if the person interrupted it or the output was closed.
    session.leave().and(played)
}

/// The games of one person, one after another.
struct Session {
    own: UserGame,
    /// Whether the game is the usual one, which is kept.
    is_usual: bool,
    store: Store,
    /// When the game was last saved.
    kept: Instant,
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
    /// Whether the question about abandoning the unfinished game was asked.
    asked: bool,
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
        self.has_won = self.own.game().has_won();
        self.adviser_knows_the_game = false;
        self.screen.beginning(self.own.game(), self.number)?;
        let notice = self.store.take_notice();
        if let Some(notice) = &notice {
            self.screen.say(notice)?;
        }
        let why_not = self.own.keeping.why_not().filter(|_| self.is_usual && notice.is_none());
        if self.own.is_kept {
            self.screen.say("this is your unfinished game; n starts a new one")?;
        } else if let Some(reason) = why_not {
            self.screen.say(&format!("this game will not be kept: {reason}"))?;
        }
        self.show()
    }

    /// Handles keys until the end of the input.
    fn play(&mut self) -> Outcome<()> {
        loop {
            self.screen.prompt()?;
            let typed = keyboard::next_line();
            self.own.pass_time(LONGEST_THOUGHT);
            let keys = match typed {
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
            if keyboard::is_terminal() || self.kept.elapsed() >= BETWEEN_KEEPS {
                self.keep()?;
            }
        }
    }

    /// Saves the game for the next run, or removes the saved one if it is over.
    fn keep(&mut self) -> Outcome<()> {
        let failed = self.own.keep(&mut self.store);
        self.kept = Instant::now();
        match failed {
            None => Ok(()),
            Some(reason) => self.screen.say(&format!("this game could not be saved: {reason}")),
        }
    }

    fn press(&mut self, key: Key) -> Outcome<Next> {
        let asked = mem::take(&mut self.asked);
        match key {
            Key::Move(direction) => self.act(Action::Move(direction)),
            Key::Pass => self.act(Action::Pass),
            Key::Hint => self.advise(),
            Key::Undo => {
                let undone = self.own.undo(&mut self.store);
                self.step_in_time(undone, "nothing to undo")
            }
            Key::Redo => {
                let redone = self.own.history.redo().is_some();
                self.step_in_time(redone, "nothing to redo")
            }
            Key::New => self.new_game(asked),
            Key::Help => self.screen.help().map(|()| Next::Stop),
            Key::Quit => {
                // A game that is kept is not over.
                if matches!(self.own.keeping, Keeping::Not(_)) && !self.own.is_over() {
                    self.own.play_alone(Action::Quit).map_err(Failure::failed)?;
                }
                Ok(Next::Leave)
            }
        }
    }

    fn act(&mut self, action: Action) -> Outcome<Next> {
        if let (true, None) = (self.own.is_over(), self.own.game().ending()) {
            self.screen.refused("the game is over: it reached a limit")?;
            return Ok(Next::Stop);
        }
        match self.own.play_alone(action) {
            Ok(turn) => {
                self.best = self.best.max(self.own.game().score());
                if self.own.is_over() {
                    self.own.count(&mut self.store);
                    self.keep()?;
                }
                self.screen.turn(self.own.game(), &turn)?;
                self.show()?;
                Ok(if self.own.is_over() { Next::Stop } else { Next::Go })
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
        let game = self.own.game();
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

    fn new_game(&mut self, asked: bool) -> Outcome<Next> {
        if self.is_usual && self.own.is_unfinished() && !asked {
            self.asked = true;
            self.screen.say("n again abandons this game and starts a new one")?;
            return Ok(Next::Stop);
        }
        let Some(seed) = self.own.next_seed() else {
            self.screen.refused("there is no next seed")?;
            return Ok(Next::Stop);
        };
        self.finish()?;
        self.number += 1;
        self.own = self.own.next(seed, &mut self.store);
        self.begin()?;
        Ok(Next::Stop)
    }

    /// Shows the position, announces the winning tile, and says when the game is over.
    fn show(&mut self) -> Outcome<()> {
        let game = self.own.game();
        self.screen.position(game, self.best.max(self.own.best(&self.store)))?;
        if !self.has_won && game.has_won() {
            self.has_won = true;
            self.screen.victory(game)?;
        }
        if self.own.is_over() {
            self.screen.over(game)?;
        }
        Ok(())
    }

    /// Keeps the game, and ends it for this run.
    fn leave(&mut self) -> Outcome<()> {
        let kept = self.keep();
        let finished = self.finish();
        if self.is_usual && self.own.is_unfinished() {
            match self.own.keeping.why_not() {
                None => self.screen.say("`lab2048 play` continues this game")?,
                Some(reason) => self.screen.say(&format!("this game was not kept: {reason}"))?,
            }
        }
        if let Some(notice) = self.store.take_notice() {
            self.screen.say(&notice)?;
        }
        kept.and(finished)
    }

    /// Shows the result and saves the replay. It is saved even if the output is closed.
    fn finish(&mut self) -> Outcome<()> {
        if mem::take(&mut self.adviser_knows_the_game) {
            self.adviser.end(self.own.game());
        }
        let best = self.best.max(self.own.best(&self.store));
        let shown = self.screen.points(self.own.game(), best);
        let Some(save) = &self.save else { return shown };
        let player = if self.own.is_aided() { "human with help" } else { "human" };
        let replay = Replay::of_history(&self.own.history).map_err(Failure::failed)?.by(player);
        let path = save.write(&replay)?;
        shown?;
        self.screen.saved(&path)
    }
}
