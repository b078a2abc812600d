//! The output of `practice`: text and boards for people, one JSON object per line for programs.

use lab2048::solve::{Judgement, Outcome as Ending};
use lab2048::text::shortened;
use serde_json::json;

use crate::exact::{self, value_text};
use crate::failure::Outcome;
use crate::practice::{Mistake, SOLVED, Session, Tally, words};
use crate::report::percent;
use crate::show::{self, count};
use crate::{keyboard, keys, out};

/// The number of worst moves in a report.
const WORST: usize = 3;

pub(super) struct Screen {
    pub(super) json: bool,
}

impl Screen {
    pub(super) fn beginning(&self, session: &Session) -> Outcome<()> {
        let (table, seed) = (session.table(), session.seed());
        let what = session.practice().table().game().to_string();
        if self.json {
            let drill = session.is_drill();
            return out::print_json_line(
                &json!({ "event": "start", "table": table, "what": what, "seed": seed, "drill": drill }),
            );
        }
        out::print(&format!("{table}, seed {seed}: {what}\n"))
    }

    pub(super) fn position(&self, session: &Session) -> Outcome<()> {
        let practice = session.practice();
        let (board, value) = (practice.game().board(), practice.exact().best());
        let (moves, kept) = (practice.moves().len(), practice.kept_share());
        if self.json {
            return out::print_json_line(&json!({
                "event": "position", "board": board, "value": value, "moves": moves, "kept": kept,
            }));
        }
        let name = if practice.table().counts_points() { "points to come" } else { "chance" };
        let value = value_text(value, session.goal());
        let kept = percent(kept);
        out::print(&format!("{board}\n{name} {value}   kept so far {kept}   moves {moves}\n"))
    }

    pub(super) fn prompt(&self, over: bool) -> Outcome<()> {
        match over {
            _ if self.json || !keyboard::is_terminal() => Ok(()),
            false => out::print("> "),
            true => out::print("n next position, r the same again, u undo, q quit> "),
        }
    }

    /// Shows a move and what it kept.
    pub(super) fn played(&self, session: &Session, said: &str) -> Outcome<()> {
        let practice = session.practice();
        let Some((judged, turn)) = practice.moves().last().zip(practice.turns().last()) else {
            return Ok(());
        };
        let size = practice.game().board().size();
        if self.json {
            let turn = show::turn_json(turn, size);
            return out::print_json_line(
                &json!({ "event": "move", "judged": judged, "said": said, "turn": turn }),
            );
        }
        out::print(&format!("{said}\n{}\n", show::turn_text(turn, size)))
    }

    pub(super) fn undone(&self, session: &Session) -> Outcome<()> {
        if self.json {
            out::print_json_line(&json!({ "event": "undo" }))?;
        } else {
            out::print("undone; the move still counts\n")?;
        }
        self.position(session)
    }

    pub(super) fn hint(&self, judgement: &Judgement) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "hint", "exact": judgement }));
        }
        out::print(&format!("{}\n", exact::sentence(judgement)))
    }

    pub(super) fn refused(&self, reason: &str) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "refused", "reason": reason }));
        }
        out::print(&format!("{reason}\n"))
    }

    pub(super) fn help(&self) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "help", "keys": keys::PRACTICE_HELP }));
        }
        out::print(&format!("{}\n", keys::PRACTICE_HELP))
    }

    /// Reports on a position that is over: what the moves kept, and the worst of them.
    pub(super) fn over(&self, session: &Session) -> Outcome<()> {
        let practice = session.practice();
        let worst = practice.mistakes();
        let worst = &worst[..worst.len().min(WORST)];
        if self.json {
            let ending = match practice.outcome() {
                Ending::Open => "open",
                Ending::Made => "made",
                Ending::Over => "over",
            };
            let kept = practice.kept_share();
            return out::print_json_line(
                &json!({ "event": "over", "ending": ending, "kept": kept, "worst": worst }),
            );
        }
        // The answer of a drill says everything.
        if session.is_drill() {
            return Ok(());
        }
        let board = practice.game().board();
        let mut text = format!("{board}\n{}; {}\n", words::ending(practice), words::kept(practice));
        for (place, judged) in worst.iter().enumerate() {
            let said = words::judged(judged, session.goal());
            text += &format!("worst move {}: {said}\n{}\n", place + 1, judged.board);
        }
        out::print(&text)
    }

    /// Ends the line of a prompt that got no answer.
    pub(super) fn end_of_input(&self) -> Outcome<()> {
        if self.json || !keyboard::is_terminal() { Ok(()) } else { out::print("\n") }
    }

    /// The whole session.
    pub(super) fn summary(&self, tally: &Tally) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({
                "event": "end", "positions": tally.positions, "moves": tally.moves,
                "mistakes": tally.mistakes, "kept": tally.mean(), "drilled": tally.drilled,
                "solved": tally.solved,
            }));
        }
        words::summary(tally).map_or(Ok(()), |summary| out::print(&format!("{summary}\n")))
    }

    /// The collected mistakes, the latest last.
    pub(super) fn list(&self, mistakes: &[&Mistake], table: Option<&str>) -> Outcome<()> {
        if self.json {
            return mistakes.iter().try_for_each(out::print_json_line);
        }
        if mistakes.is_empty() {
            return out::print(&format!("{}\n", words::no_mistakes(table)));
        }
        let entry = |mistake: &&Mistake| {
            let Mistake { table, judged, times, solved } = mistake;
            format!(
                "{}: {} kept {}; best: {}; played {}, solved {solved} of {SOLVED} times in a row\n{}\n",
                shortened(table),
                judged.played,
                percent(judged.share()),
                judged.best,
                count(*times, "time"),
                judged.board,
            )
        };
        out::print(&mistakes.iter().map(entry).collect::<Vec<_>>().join("\n"))
    }
}
