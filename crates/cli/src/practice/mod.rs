//! Practice: positions one after another, for the screen and the plain command alike. The engine
//! judges the moves; this module chooses positions and collects mistakes.

mod choices;
mod mistakes;
mod options;
mod source;
pub(crate) mod words;

use std::sync::Arc;

use lab2048::board::{Board, Direction};
use lab2048::solve::{self, Exact, Goal, Judgement, Practice, PracticeError, Tables};

pub(crate) use choices::{Choice, Choices, HOW};
pub(crate) use mistakes::{Mistake, Mistakes, SOLVED, is_mistake};
pub(crate) use options::PositionOptions;
pub(crate) use source::Source;

use crate::failure::{Failure, Outcome};

/// A person who practises.
pub(crate) struct Session {
    tables: Arc<Tables>,
    source: Source,
    mistakes: Mistakes,
    /// The seed of the current position. The next one has the next seed.
    seed: u64,
    /// How many positions are practised.
    most: Option<u64>,
    /// How many were begun.
    begun: u64,
    /// The current position at its beginning.
    start: Board,
    practice: Practice,
    /// Whether the exact values were shown before the next move.
    helped: bool,
    /// Whether a drill was answered. Only the first answer counts.
    answered: bool,
    notice: Option<String>,
    /// Whether the user knows that the positions are not in the default range.
    remarked: bool,
    /// Whether the user knows that mistakes cannot be collected.
    warned: bool,
    past: Tally,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Positions with at least one move.
    pub(crate) positions: u64,
    /// Moves, also undone ones.
    pub(crate) moves: u64,
    /// Moves that are mistakes.
    pub(crate) mistakes: u64,
    /// The sum of the shares that the positions kept.
    pub(crate) kept: f64,
    /// The number of drilled mistakes, and of those that were solved.
    pub(crate) drilled: u64,
    pub(crate) solved: u64,
}

impl Session {
    /// Begins with the first position. `most` limits their number.
    pub(crate) fn begin(
        mut source: Source,
        tables: Arc<Tables>,
        mistakes: Mistakes,
        seed: u64,
        most: Option<u64>,
    ) -> Outcome<Session> {
        let read = mistakes.read();
        let warned = read.is_err();
        let unread = read.map_or_else(|error| Some(error.to_string()), |collected| collected.warning());
        let first = source.next(&tables, &mistakes, seed)?;
        let practice = first.ok_or_else(|| Failure::BadInput(words::no_mistakes(source.drilled_table())))?;
        let start = practice.game().board().clone();
        let remark = source.remark(&practice);
        let remarked = remark.is_some();
        let notices: Vec<String> = unread.into_iter().chain(remark).collect();
        Ok(Session {
            tables,
            source,
            mistakes,
            seed,
            most,
            begun: 1,
            start,
            practice,
            helped: false,
            answered: false,
            notice: (!notices.is_empty()).then(|| notices.join("; ")),
            remarked,
            warned,
            past: Tally::default(),
        })
    }

    /// The current position and its moves.
    pub(crate) fn practice(&self) -> &Practice {
        &self.practice
    }

    /// The name of the table.
    pub(crate) fn table(&self) -> String {
        self.practice.table().game().name()
    }

    /// What the player wants.
    pub(crate) fn goal(&self) -> Goal {
        self.practice.table().game().goal()
    }

    /// The seed of the position.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of the position, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.begun
    }

    /// Whether mistakes are drilled.
    pub(crate) fn is_drill(&self) -> bool {
        matches!(self.source, Source::Drill { .. })
    }

    /// Whether the position needs no move: it is won or lost, or a drill was answered.
    pub(crate) fn is_over(&self) -> bool {
        let is_answered = self.answered && self.practice.turns().len() > 0;
        self.practice.outcome() != solve::Outcome::Open || is_answered
    }

    /// Whether no position follows.
    pub(crate) fn is_last(&self) -> bool {
        self.most.is_some_and(|most| self.begun >= most)
    }

    /// A warning about the list of mistakes. It is returned only once.
    pub(crate) fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// The exact values, to be shown before the next move.
    pub(crate) fn hint(&mut self) -> Judgement {
        self.helped = true;
        Judgement { name: self.table(), exact: *self.practice.exact() }
    }

    /// The exact values on a board of the table.
    pub(crate) fn judge(&self, board: &Board) -> Option<Exact> {
        let table = self.practice.table();
        table.judge(board, table.game().four()).ok().flatten()
    }

    /// Plays a move and says what it kept.
    pub(crate) fn play(&mut self, direction: Direction) -> Result<String, PracticeError> {
        let judged = self.practice.play(direction)?.clone();
        let said = words::judged(&judged, self.goal());
        let (helped, wrong) = (std::mem::take(&mut self.helped), is_mistake(&judged));
        let is_first = self.is_drill() && !self.answered;
        if is_first {
            self.answered = true;
            self.past.drilled += 1;
            self.past.solved += u64::from(!wrong && !helped);
        }
        let (table, mistakes) = (self.table(), &self.mistakes);
        let told = match self.is_drill() {
            true if !is_first => Ok(None),
            _ if wrong => mistakes.add(&table, &judged).map(|()| None),
            true if helped => Ok(Some("the values were shown, so it does not count as solved".to_owned())),
            true => mistakes.solve(&table, &judged).map(|solved| Some(words::solved(solved))),
            false => Ok(None),
        };
        match told {
            Ok(None) => Ok(said),
            Ok(Some(told)) => Ok(format!("{said}; {told}")),
            Err(error) => {
                if !std::mem::replace(&mut self.warned, true) {
                    self.notice = Some(error.to_string());
                }
                Ok(said)
            }
        }
    }

    /// Returns to the board before the last move, which still counts.
    pub(crate) fn undo(&mut self) -> bool {
        self.practice.undo()
    }

    /// Goes to the next position. `false` if there is none.
    pub(crate) fn next(&mut self) -> Outcome<bool> {
        if self.is_last() {
            return Ok(false);
        }
        let seed = self.seed.wrapping_add(1);
        let Some(practice) = self.source.next(&self.tables, &self.mistakes, seed)? else { return Ok(false) };
        if let Some(remark) = self.source.remark(&practice).filter(|_| !self.remarked) {
            self.remarked = true;
            self.notice = Some(remark);
        }
        self.replace(practice, seed);
        self.begun += 1;
        (self.helped, self.answered) = (false, false);
        Ok(true)
    }

    /// Begins the same position again, with other tiles to come.
    pub(crate) fn again(&mut self) -> Outcome<()> {
        let seed = self.seed.wrapping_add(1);
        let table = Arc::clone(self.practice.table());
        let practice = Practice::new(table, self.start.clone(), seed).map_err(Failure::bad_input)?;
        self.replace(practice, seed);
        Ok(())
    }

    fn replace(&mut self, practice: Practice, seed: u64) {
        self.past = self.tally();
        self.seed = seed;
        self.start = practice.game().board().clone();
        self.practice = practice;
    }

    /// A drill of the collected mistakes, beside this session.
    pub(crate) fn drill(&self) -> Outcome<Session> {
        let source = Source::Drill { table: None, queue: Vec::new() };
        let seed = self.seed.wrapping_add(1);
        Session::begin(source, Arc::clone(&self.tables), self.mistakes.clone(), seed, None)
    }

    /// What was done so far, with the current position.
    pub(crate) fn tally(&self) -> Tally {
        let moves = self.practice.moves();
        let mut tally = self.past;
        if !moves.is_empty() {
            tally.positions += 1;
            tally.moves += moves.len() as u64;
            tally.mistakes += moves.iter().filter(|judged| is_mistake(judged)).count() as u64;
            tally.kept += self.practice.kept_share();
        }
        tally
    }
}

impl Tally {
    /// The share that a position kept, on average.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.kept / self.positions as f64)
    }
}

#[cfg(test)]
mod tests;
