//! What all games of `lab2048 browser` came to: a table and the speed of the page.

use std::time::Duration;

use lab2048::arena::StopReason;
use serde_json::{Value, json};

use crate::browser::{Impossible, PageRecord, Times};
use crate::failure::{Failure, Outcome};
use crate::out;
use crate::report::{Table, whole};

/// All games.
pub(super) struct Summary {
    player: String,
    url: String,
    records: Vec<PageRecord>,
    /// Why games could not even start.
    unplayed: Vec<String>,
    /// Boards against the rules, as JSON.
    impossible: Vec<Value>,
}

impl Summary {
    pub(super) fn new(player: &str, url: &str) -> Summary {
        Summary {
            player: player.to_owned(),
            url: url.to_owned(),
            records: Vec::new(),
            unplayed: Vec::new(),
            impossible: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, record: PageRecord) {
        self.records.push(record);
    }

    /// A game that could not start.
    pub(super) fn add_unplayed(&mut self, why: &str) {
        self.unplayed.push(why.to_owned());
    }

    /// Shows both boards of a move that the rules do not allow, now or with the other JSON.
    pub(super) fn show_impossible(&mut self, game: u64, found: &Impossible, json: bool) -> Outcome<()> {
        let Impossible { before, direction, seen, .. } = found;
        if !json {
            return out::print(&format!(
                "game {game}: before {direction}:\n{before}\n\nafter it:\n{seen}\n\n"
            ));
        }
        let direction = direction.name();
        self.impossible.push(json!({ "game": game, "move": direction, "before": before, "after": seen }));
        Ok(())
    }

    /// The games that were played to an end.
    pub(super) fn games(&self) -> usize {
        self.records.len()
    }

    /// Success, or why games failed.
    pub(super) fn outcome(&self, games: u64) -> Outcome<()> {
        let errors = self.records.iter().filter_map(|record| record.end.error());
        let mut failed = errors.chain(self.unplayed.iter().map(String::as_str));
        let Some(first) = failed.next() else { return Ok(()) };
        let count = failed.count() + 1;
        Err(Failure::Failed(match games {
            1 => first.to_owned(),
            _ => format!("{count} of {games} games failed; the first error: {first}"),
        }))
    }

    pub(super) fn print(&self, json: bool) -> Outcome<()> {
        if json {
            return out::print_json(&self.to_json());
        }
        if self.records.is_empty() {
            return Ok(());
        }
        out::print(&format!("\n{}\n{}", self.table().to_text(), self.speed()))
    }

    /// Moves per second of browser time, and the time of a bare move. A game that failed has waited
    /// for the page in vain, so it does not count.
    fn rates(&self) -> (f64, Option<Duration>) {
        let sound = || self.records.iter().filter(|record| record.end.error().is_none());
        let time = |part: fn(&Times) -> Duration| sound().map(|record| part(&record.times)).sum::<Duration>();
        let reached = rate(sound().map(|record| record.result.moves).sum(), time(|times| times.browser));
        let bare_moves: u32 = sound().map(|record| record.times.bare_moves).sum();
        (reached, time(|times| times.bare).checked_div(bare_moves))
    }

    fn table(&self) -> Table {
        let head = ["game", "score", "largest", "moves", "moves/s", "browser", "thinking", "end"];
        let mut table = Table::new(head).with_words(7);
        for record in &self.records {
            let result = record.result;
            let (browser, thinking) = (record.times.browser, record.times.thinking);
            table.push(vec![
                record.number.to_string(),
                whole(result.score),
                whole(result.largest),
                whole(result.moves),
                format!("{:.0}", rate(result.moves, browser + thinking)),
                format!("{:.1} s", browser.as_secs_f64()),
                format!("{:.1} s", thinking.as_secs_f64()),
                // The sentence itself was printed with the game.
                if matches!(record.end, StopReason::Failed(_)) {
                    "failed".to_owned()
                } else {
                    record.end.to_string()
                },
            ]);
        }
        table
    }

    /// What the browser takes per move, beside the calls alone.
    fn speed(&self) -> String {
        let (reached, Some(bare)) = self.rates() else { return String::new() };
        let possible = 1.0 / bare.as_secs_f64().max(1e-9);
        format!(
            "The browser made {reached:.0} moves/s. The bare round trip takes {:.2} ms, which allows {possible:.0}: {:.0}%.\n",
            bare.as_secs_f64() * 1e3,
            100.0 * reached / possible
        )
    }

    fn to_json(&self) -> Value {
        let games = self.records.iter().map(|record| {
            json!({
                "game": record.number, "score": record.result.score, "largest": record.result.largest, "moves": record.result.moves,
                "end": record.end.word(), "error": record.end.error(),
                "browser_seconds": record.times.browser.as_secs_f64(),
                "thinking_seconds": record.times.thinking.as_secs_f64(),
            })
        });
        let (reached, bare) = self.rates();
        let bare = bare.map(|time| time.as_secs_f64());
        json!({
            "url": self.url, "player": self.player, "games": games.collect::<Vec<_>>(), "not_started": self.unplayed,
            "impossible": self.impossible,
            "browser_moves_per_second": reached,
            "bare_round_trip_seconds": bare,
            "share_of_bare": bare.map(|bare| reached * bare),
        })
    }
}

fn rate(moves: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { moves as f64 / time.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use lab2048::game::{Ending, GameResult};

    use super::*;

    #[test]
    fn games_and_speed_in_a_table() {
        let mut summary = Summary::new("greedy", "http://localhost/");
        assert!(summary.outcome(2).is_ok());
        let (thinking, browser) = (Duration::from_secs(1), Duration::from_secs(3));
        let times = Times { thinking, browser, bare: Duration::from_millis(40), bare_moves: 10 };
        let result = GameResult { score: 12_345, largest: 1024, sum: 2000, moves: 600 };
        let record = PageRecord {
            number: 1,
            result,
            end: StopReason::Over(Ending::NoMoves),
            times,
            browser: "x".to_owned(),
            resumed: false,
        };
        summary.add(record.clone());
        summary.add(PageRecord {
            number: 2,
            end: StopReason::Failed("the page cheats".to_owned()),
            ..record
        });
        assert_eq!(
            summary.table().to_text(),
            "game   score  largest  moves  moves/s  browser  thinking  end\n\
             1     12,345    1,024    600      150    3.0 s     1.0 s  no moves left\n\
             2     12,345    1,024    600      150    3.0 s     1.0 s  failed\n"
        );
        assert!(summary.speed().contains("made 200 moves/s") && summary.speed().contains("allows 250: 80%"));
        let failure = summary.outcome(2).unwrap_err().to_string();
        assert_eq!(failure, "1 of 2 games failed; the first error: the page cheats");
    }
}
