//! A game of the user, and what is stored of it: the unfinished game, its best score, its
//! statistics. Screens and lines share it.

use std::time::{Duration, Instant};

use lab2048::arena::GameSetup;
use lab2048::game::{Action, Game, History, IllegalTurn, Rules, Turn};

use super::{GameNotes, Store, kind_of};
use crate::game_options::GameRequest;

/// Longer pauses between keys do not count as playing time.
pub(crate) const LONGEST_THOUGHT: Duration = Duration::from_secs(60);

/// Why games with special settings are not saved.
const SPECIAL: &str = "it has its own seed, board, rules or limits";

/// Which game is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One with its own seed, board, rules or limits. It is not kept.
    Special,
    /// The unfinished game of the size asked for, or else a new one.
    ThisSize,
    /// The unfinished game that was played last, of any size, or else a new one.
    AnySize,
}

/// Whether an unfinished game is saved when it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// It is saved.
    Kept,
    /// It should be saved, but the last attempt to write it failed.
    Failed(String),
    /// It is not saved, for this reason.
    Not(String),
}

impl Keeping {
    /// Why the game is not saved, if it is not.
    pub(crate) fn why_not(&self) -> Option<&str> {
        match self {
            Keeping::Kept => None,
            Keeping::Failed(reason) | Keeping::Not(reason) => Some(reason),
        }
    }
}

impl From<Result<(), String>> for Keeping {
    fn from(claimed: Result<(), String>) -> Keeping {
        claimed.map_or_else(Keeping::Not, |()| Keeping::Kept)
    }
}

/// A game of the user.
pub(crate) struct UserGame {
    /// The rules and limits, also of the next game.
    pub(crate) setup: GameRequest,
    pub(crate) history: History,
    pub(crate) keeping: Keeping,
    /// Whether the stored game is this one, and not an earlier one.
    pub(crate) is_kept: bool,
    /// The number of turns before the coach's first one, even if that one has been undone.
    pub(crate) helped_from: Option<u64>,
    /// Whether the game has been added to the statistics.
    pub(crate) counted: bool,
    /// The playing time, and when a key was last pressed.
    pub(crate) time: Duration,
    pub(crate) touched: Instant,
}

impl UserGame {
    /// Continues an unfinished game, or begins a new one. If that game is open in another window,
    /// the new one has the same size and is not kept.
    pub(crate) fn open(setup: GameRequest, wanted: Wanted, store: &mut Store) -> UserGame {
        let size = setup.game.rules.size;
        let sizes = match wanted {
            Wanted::Special => return UserGame::special(setup),
            Wanted::ThisSize => vec![size],
            Wanted::AnySize => store.unfinished_sizes(),
        };
        for size in sizes {
            // Asked once only: if the other window closes now, its game must not be replaced.
            if let Err(reason) = store.claim_game(size) {
                let rules = Rules { size, ..setup.game.rules.clone() };
                let setup = GameRequest { game: GameSetup { rules, ..setup.game }, ..setup };
                return UserGame::begin(setup, Keeping::Not(reason));
            }
            if let Some(kept) = store.unfinished(size) {
                let rules = kept.history.game().rules().clone();
                let setup = GameRequest { game: GameSetup { rules, ..setup.game }, ..setup };
                return UserGame {
                    time: kept.notes.time(),
                    helped_from: kept.notes.helped_from,
                    counted: kept.notes.counted,
                    is_kept: true,
                    ..UserGame::new(setup, kept.history, Keeping::Kept)
                };
            }
        }
        UserGame::fresh(setup, store)
    }

    /// A new game that is saved when it is left.
    pub(crate) fn fresh(setup: GameRequest, store: &mut Store) -> UserGame {
        let claimed = store.claim_game(setup.game.rules.size);
        UserGame::begin(setup, claimed.into())
    }

    /// A game that is not saved, because it is not the usual one.
    pub(crate) fn special(setup: GameRequest) -> UserGame {
        UserGame::begin(setup, Keeping::Not(SPECIAL.to_owned()))
    }

    fn begin(setup: GameRequest, keeping: Keeping) -> UserGame {
        let game = setup.game.start(setup.seed_or_fresh());
        UserGame::new(setup, History::new(game), keeping)
    }

    fn new(setup: GameRequest, history: History, keeping: Keeping) -> UserGame {
        UserGame {
            setup,
            history,
            keeping,
            is_kept: false,
            helped_from: None,
            counted: false,
            time: Duration::ZERO,
            touched: Instant::now(),
        }
    }

    pub(crate) fn game(&self) -> &Game {
        self.history.game()
    }

    /// Whether the game has ended or has reached a limit.
    pub(crate) fn is_over(&self) -> bool {
        self.setup.game.limits.reached(self.game()).is_some()
    }

    /// Whether it has moves and can go on.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.game().turns() > 0 && !self.is_over()
    }

    /// Adds the time since the last key, at most `most`.
    pub(crate) fn pass_time(&mut self, most: Duration) {
        let now = Instant::now();
        if !self.is_over() {
            self.time += (now - self.touched).min(most);
        }
        self.touched = now;
    }

    /// Plays an action of the user, without the coach.
    pub(crate) fn play_alone(&mut self, action: Action) -> Result<Turn, IllegalTurn> {
        let turns = self.game().turns();
        let turn = self.history.play(action)?;
        // The move discards undone turns, including those of the coach.
        self.helped_from = self.helped_from.filter(|from| *from < turns);
        Ok(turn)
    }

    /// Undoes a turn. The score before it still counts as the best one.
    pub(crate) fn undo(&mut self, store: &mut Store) -> bool {
        self.keep_best(store);
        self.history.undo().is_some()
    }

    /// The seed of the next game. `None` if there is none.
    pub(crate) fn next_seed(&self) -> Option<u64> {
        match self.setup.seed {
            Some(_) => self.game().seed().checked_add(1),
            None => Some(self.setup.seed_or_fresh()),
        }
    }

    /// Abandons this game and begins the next one.
    pub(crate) fn next(&self, seed: u64, store: &mut Store) -> UserGame {
        self.keep_best(store);
        if self.is_kept {
            store.forget_game(self.game().rules().size);
        }
        let history = History::new(self.setup.game.start(seed));
        UserGame::new(self.setup.clone(), history, self.keeping.clone())
    }

    /// Whether the game began with the seed's own tiles and ends only by the rules. Only such games
    /// count as records.
    fn is_comparable(&self) -> bool {
        let start = self.history.before(0).unwrap_or(self.game());
        self.setup.game.limits.is_unlimited() && *start == Game::new(start.rules().clone(), start.seed())
    }

    /// Whether the coach has made some of the moves that led here.
    pub(crate) fn is_aided(&self) -> bool {
        self.helped_from.is_some_and(|from| self.game().turns() > from)
    }

    /// The points that the user made alone: all of them, or those before the coach's first move.
    pub(crate) fn own_score(&self) -> u64 {
        let from = self.helped_from.and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.history.before(from)).unwrap_or(self.game()).score()
    }

    /// Saves the game for the next run, or removes the saved one if it is over. Also saves the best
    /// score. Returns the reason if the game could be saved before, but not now.
    pub(crate) fn keep(&mut self, store: &mut Store) -> Option<String> {
        self.keep_best(store);
        let begun = self.game().turns() > 0;
        // A game without moves is not saved and does not replace another one.
        if matches!(self.keeping, Keeping::Not(_)) || !(begun || self.is_kept) {
            return None;
        }
        if !begun || self.is_over() {
            store.forget_game(self.game().rules().size);
            self.is_kept = false;
            return None;
        }
        let helped_from = self.helped_from.filter(|_| self.is_aided());
        let notes = GameNotes { seconds: self.time.as_secs_f64(), helped_from, counted: self.counted };
        match store.keep_game(&self.history, notes) {
            Ok(()) => {
                self.keeping = Keeping::Kept;
                self.is_kept = true;
                None
            }
            Err(reason) => {
                let before = std::mem::replace(&mut self.keeping, Keeping::Failed(reason.clone()));
                (before == Keeping::Kept).then_some(reason)
            }
        }
    }

    /// Saves the user's own score if it counts and is the best one. This includes games that are
    /// abandoned or undone later.
    pub(crate) fn keep_best(&self, store: &mut Store) {
        let (kind, score) = (kind_of(self.game().rules()), self.own_score());
        if score > store.best(&kind) && self.is_comparable() {
            store.update(|kept| {
                let best = &mut kept.played.entry(kind).or_default().best;
                *best = score.max(*best);
            });
        }
    }

    /// Adds the game to the statistics, only once: undoing its end does not count it again. Games
    /// with help are counted separately.
    pub(crate) fn count(&mut self, store: &mut Store) {
        if self.counted || !self.is_comparable() {
            return;
        }
        self.counted = true;
        let (game, time) = (self.history.game(), self.time);
        let help = if self.is_aided() { " with help" } else { "" };
        let kind = format!("{}{help}", kind_of(game.rules()));
        store.update(|kept| kept.played.entry(kind).or_default().add(game, time));
    }

    /// The best score, including the user's own part of this game if it counts.
    pub(crate) fn best(&self, store: &Store) -> u64 {
        let own = if self.is_comparable() { self.own_score() } else { 0 };
        store.best(&kind_of(self.game().rules())).max(own)
    }
}
