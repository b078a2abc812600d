//! The result of a contest in all output formats.

use clap::ValueEnum;
use lab2048::arena::{ContestPlan, Difference, Interval, PlayerSummary, TileRate};
use lab2048::players::Entrant;
use lab2048::text::{SENTENCE, one_line};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::figures::{decimal, mean, rate, whole};
use super::table::Table;

/// The output format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for a terminal
    Table,
    /// Markdown tables
    Markdown,
    /// One line for each figure of each player
    Csv,
    /// Everything, unrounded
    Json,
}

/// The longest spec that is shown in a table. If one is longer, letters stand for all specs.
const LONGEST_NAME: usize = 30;

/// The result of a contest.
#[derive(Debug, Serialize)]
pub(crate) struct Contest<'a> {
    /// What was played.
    pub(crate) plan: &'a ContestPlan,
    /// The requested number of games per player.
    pub(crate) games: u64,
    /// The number of records; fewer than requested if the contest was interrupted.
    pub(crate) records: u64,
    /// Those that were in the file already; `None` without a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<u64>,
    /// Those that were played in this run.
    pub(crate) played: u64,
    /// One hash of all records, without their times.
    pub(crate) digest: String,
    /// The figures of each player.
    pub(crate) players: Vec<PlayerSummary>,
    /// The comparison of each pair of players.
    pub(crate) differences: Vec<Difference>,
    /// Facts about the players, in the order of the plan.
    #[serde(rename = "nature", serialize_with = "facts")]
    pub(crate) entrants: &'a [Entrant],
}

fn facts<S: Serializer>(entrants: &&[Entrant], serializer: S) -> Result<S::Ok, S::Error> {
    let facts =
        |entrant: &Entrant| json!({ "knows_future": entrant.needs_future, "repeatable": entrant.repeatable });
    serializer.collect_seq(entrants.iter().map(facts))
}

impl Contest<'_> {
    /// The result as aligned columns.
    pub(crate) fn to_text(&self) -> String {
        self.written(Table::to_text, "\n")
    }

    /// The result as Markdown.
    pub(crate) fn to_markdown(&self) -> String {
        self.written(Table::to_markdown, "  \n")
    }

    /// All tables, then the notes with a line break between them.
    fn written(&self, write: fn(&Table) -> String, line_break: &str) -> String {
        let comparison = (!self.differences.is_empty()).then(|| self.comparison());
        let tables = self.legend().into_iter().chain([self.figures(), self.tiles()]).chain(comparison);
        let mut parts: Vec<String> = tables.map(|table| write(&table)).collect();
        parts.push(self.notes().join(line_break) + "\n");
        parts.join("\n")
    }

    /// The result with one line per figure, unrounded. All lines have the same columns, whatever
    /// tiles the players reached.
    pub(crate) fn to_csv(&self) -> String {
        let mut table = Table::new(["player", "figure", "value", "low", "high"]);
        let mut push = |player: &str, figure: &str, value: String, interval: Option<Interval>| {
            let end = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let (low, high) = (end(interval.map(|i| i.low)), end(interval.map(|i| i.high)));
            table.push(vec![player.to_owned(), figure.to_owned(), value, low, high]);
        };
        for (index, (summary, entrant)) in self.players.iter().zip(self.entrants).enumerate() {
            push(&summary.player, "mean", summary.mean.to_string(), summary.interval);
            let mut plain = |figure: &str, value: String| push(&summary.player, figure, value, None);
            plain("games", summary.games.to_string());
            if let Some(before) = self.games_before(index) {
                plain("games in the file before", before.to_string());
                plain("games played now", (summary.games - before).to_string());
            }
            plain("knows the coming tiles", u8::from(entrant.needs_future).to_string());
            plain("failed games", summary.failed().to_string());
            plain("median", summary.median.to_string());
            plain("deviation", summary.deviation.to_string());
            plain("error", summary.error.to_string());
            plain("best", summary.best.to_string());
            plain("best seed", summary.best_seed.to_string());
            plain("worst", summary.worst.to_string());
            plain("mean largest", summary.mean_largest.to_string());
            plain("mean sum", summary.mean_sum.to_string());
            plain("mean moves", summary.mean_moves.to_string());
            plain(
                "moves per second",
                summary.moves_per_second.map_or_else(String::new, |rate| rate.to_string()),
            );
            for tile in &summary.tiles {
                let figure = format!("reached {}", tile.tile);
                push(&summary.player, &figure, tile.rate.to_string(), Some(tile.interval));
            }
        }
        for difference in &self.differences {
            let pair = format!("{} minus {}", difference.first, difference.second);
            push(&pair, "mean difference", difference.mean.to_string(), difference.interval);
        }
        table.to_csv()
    }

    /// How many games of a player were in the file already, if there is a file. Records are ordered
    /// by seed, then by player.
    fn games_before(&self, player: usize) -> Option<u64> {
        let players = self.plan.players.len() as u64;
        self.before.map(|before| before / players + u64::from((player as u64) < before % players))
    }

    /// How many games were in the file and how many are new: one line if all players agree,
    /// otherwise one per player.
    fn games_so_far(&self) -> Vec<String> {
        let counts = self.players.iter().enumerate().filter_map(|(index, summary)| {
            let before = self.games_before(index)?;
            Some((before, summary.games - before))
        });
        let counts: Vec<(u64, u64)> = counts.collect();
        let words = |(before, now): (u64, u64)| {
            format!("in the file before: {}; played now: {}", whole(before), whole(now))
        };
        match counts.first() {
            Some(&first) if counts.iter().all(|&count| count == first) => {
                vec![format!("games of each player {}", words(first))]
            }
            _ => {
                let names = self.players.iter().map(|summary| self.name(&summary.player));
                names.zip(counts).map(|(name, count)| format!("games of {name} {}", words(count))).collect()
            }
        }
    }

    /// Whether some spec is too long for the tables, so that letters stand for the specs.
    fn needs_legend(&self) -> bool {
        self.players.iter().any(|summary| summary.player.chars().count() > LONGEST_NAME)
    }

    /// The name of a player in the tables.
    fn name(&self, player: &str) -> String {
        let index = self.players.iter().position(|summary| summary.player == player);
        match index.filter(|_| self.needs_legend()) {
            Some(index) if index < 26 => char::from(b'A' + index as u8).to_string(),
            Some(index) => format!("player {}", index + 1),
            None => player.to_owned(),
        }
    }

    /// The player behind each letter, if letters are used.
    fn legend(&self) -> Option<Table> {
        let mut table = Table::new(["", "player"]).with_words(1);
        self.players
            .iter()
            .for_each(|summary| table.push(vec![self.name(&summary.player), summary.player.clone()]));
        self.needs_legend().then_some(table)
    }

    fn figures(&self) -> Table {
        let mut table = Table::new([
            "player",
            "games",
            "mean score",
            "median",
            "spread",
            "best",
            "worst",
            "largest",
            "sum",
            "moves",
            "moves/s",
        ]);
        for summary in &self.players {
            table.push(vec![
                self.name(&summary.player),
                whole(summary.games),
                mean(summary.mean, summary.interval),
                decimal(summary.median),
                decimal(summary.deviation),
                whole(summary.best),
                whole(summary.worst),
                decimal(summary.mean_largest),
                decimal(summary.mean_sum),
                decimal(summary.mean_moves),
                summary.moves_per_second.map_or_else(|| "-".to_owned(), |rate| whole(rate.round() as u64)),
            ]);
        }
        table
    }

    /// How often each tile was reached, one row per tile. Of the tiles that all players always
    /// reached, only the largest is shown.
    fn tiles(&self) -> Table {
        let players = self.players.iter().map(|summary| self.name(&summary.player));
        let mut table = Table::new(std::iter::once("reached".to_owned()).chain(players));
        let count = self.players.first().map_or(0, |summary| summary.tiles.len());
        let rates = |index: usize| -> Vec<&TileRate> {
            self.players.iter().filter_map(|summary| summary.tiles.get(index)).collect()
        };
        let is_certain = |index: usize| rates(index).iter().all(|rate| rate.rate == 1.0);
        let first = (0..count).take_while(|&index| is_certain(index)).count().saturating_sub(1);
        for index in first..count {
            let rates = rates(index);
            let tile = rates.first().map_or_else(String::new, |rate| whole(rate.tile));
            let cells = rates.iter().map(|found| rate(found.rate, found.interval));
            table.push(std::iter::once(tile).chain(cells).collect());
        }
        table
    }

    fn comparison(&self) -> Table {
        let mut table = Table::new(["difference", "games", "mean score", "95% interval", ""]).with_words(4);
        for difference in &self.differences {
            let (first, second) = (self.name(&difference.first), self.name(&difference.second));
            let better = difference.better.as_ref().map(|player| self.name(player));
            let difference = &Difference { first, second, better, ..difference.clone() };
            let interval = difference.interval.map_or_else(
                || "-".to_owned(),
                |interval| format!("{} to {}", decimal(interval.low), decimal(interval.high)),
            );
            table.push(vec![
                format!("{} minus {}", difference.first, difference.second),
                whole(difference.games),
                decimal(difference.mean),
                interval,
                difference.verdict(),
            ]);
        }
        table
    }

    /// Remarks below the tables.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for summary in &self.players {
            if let Some(first) = &summary.failure {
                let games = if summary.failed() == 1 { "game" } else { "games" };
                notes.push(format!(
                    "{} failed in {} {games}, first with seed {}: {}",
                    self.name(&summary.player),
                    whole(summary.failed()),
                    first.seed,
                    one_line(&first.error, SENTENCE)
                ));
            }
        }
        for summary in &self.players {
            notes.push(format!("best game of {}: seed {}", self.name(&summary.player), summary.best_seed));
        }
        for (player, entrant) in self.plan.specs().zip(self.entrants) {
            let player = self.name(player);
            if entrant.needs_future {
                notes.push(format!("{player} knows the coming tiles"));
            }
            if !entrant.repeatable {
                notes.push(format!("{player} is not repeatable: another run gives other games"));
            }
        }
        notes.extend(self.games_so_far());
        notes.push(
            "± and brackets: 95% intervals; largest, sum, moves: means; moves/s: on one thread".to_owned(),
        );
        notes.push(format!("records without timing: SHA-256 {}", self.digest));
        notes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lab2048::arena::{ContestTally, GameSetup, Record, StopReason};
    use lab2048::game::{Ending, GameResult};
    use lab2048::players::Spec;

    use super::*;

    /// A contest of two players. The second one fails in its last game, with an error of two lines.
    fn with_contest(check: impl FnOnce(&Contest<'_>)) {
        with_contest_against("x:a=\"1,2\"", check);
    }

    fn with_contest_against(second: &str, check: impl FnOnce(&Contest<'_>)) {
        let plan = ContestPlan::of_names(GameSetup::default(), 7, ["random", second]);
        let mut tally = ContestTally::new(&plan);
        for (game, scores) in [[1000, 3000], [1500, 3200], [900, 3100]].into_iter().enumerate() {
            for (player, score) in scores.into_iter().enumerate() {
                let end = if (game, player) == (2, 1) {
                    StopReason::Failed("no\nanswer".to_owned())
                } else {
                    StopReason::Over(Ending::NoMoves)
                };
                let result = GameResult { score, largest: 64 << player, sum: 200, moves: 100 };
                let seed = 7 + game as u64;
                tally.add(&Record { seed, player, result, end, time: Duration::from_millis(1) });
            }
        }
        let entrant = |name: &str, needs_future: bool| Entrant {
            spec: Spec::named(name),
            repeatable: !needs_future,
            needs_future,
        };
        let entrants = [entrant("random", false), entrant("x", true)];
        check(&Contest {
            plan: &plan,
            games: 3,
            records: 6,
            before: Some(3),
            played: 3,
            digest: "d1ge57".to_owned(),
            players: tally.summaries(),
            differences: tally.differences(),
            entrants: &entrants,
        });
    }

    #[test]
    fn the_tables_for_a_terminal() {
        with_contest(|contest| {
            assert_eq!(
                contest.to_text(),
                "\
player     games       mean score   median  spread   best  worst  largest    sum  moves  moves/s
random         3  1,133.3 ± 798.5  1,000.0   321.5  1,500    900     64.0  200.0  100.0  100,000
x:a=\"1,2\"      3  3,100.0 ± 248.4  3,100.0   100.0  3,200  3,000    128.0  200.0  100.0  100,000

reached                  random               x:a=\"1,2\"
64       100.0% (43.9 to 100.0)  100.0% (43.9 to 100.0)
128          0.0% (0.0 to 56.1)  100.0% (43.9 to 100.0)

difference              games  mean score          95% interval
random minus x:a=\"1,2\"      3    -1,966.7  -2,591.8 to -1,341.5  x:a=\"1,2\" is better

x:a=\"1,2\" failed in 1 game, first with seed 9: no?answer
best game of random: seed 8
best game of x:a=\"1,2\": seed 8
x:a=\"1,2\" knows the coming tiles
x:a=\"1,2\" is not repeatable: another run gives other games
games of random in the file before: 2; played now: 1
games of x:a=\"1,2\" in the file before: 1; played now: 2
± and brackets: 95% intervals; largest, sum, moves: means; moves/s: on one thread
records without timing: SHA-256 d1ge57
"
            );
        });
    }

    #[test]
    fn letters_stand_for_long_specs() {
        with_contest_against("expectimax:eval=rows,depth=3,empty=270", |contest| {
            let text = contest.to_text();
            let legend = "   player\nA  random\nB  expectimax:eval=rows,depth=3,empty=270\n";
            assert!(text.starts_with(legend), "{text}");
            for line in
                ["B           3  3,100.0 ± 248.4", "A minus B", "B is better\n", "best game of B: seed 8"]
            {
                assert!(text.contains(line), "{line}\n{text}");
            }
            assert_eq!(text.matches("empty=270").count(), 1, "{text}");
        });
    }

    #[test]
    fn every_line_of_csv_has_five_fields() {
        with_contest(|contest| {
            let csv = contest.to_csv();
            let lines: Vec<&str> = csv.lines().collect();
            assert_eq!(lines[0], "player,figure,value,low,high");
            assert!(lines.contains(&"random,best,1500,,"), "{csv}");
            for line in ["random,games in the file before,2,,", "random,games played now,1,,"] {
                assert!(lines.contains(&line), "{csv}");
            }
            assert!(lines.contains(&"random,knows the coming tiles,0,,"), "{csv}");
            assert!(lines.contains(&"\"x:a=\"\"1,2\"\"\",knows the coming tiles,1,,"), "{csv}");
            assert!(lines.contains(&"\"x:a=\"\"1,2\"\"\",failed games,1,,"), "{csv}");
            let commas = |line: &&str| line.replace("\"\"1,2\"\"", "").matches(',').count();
            assert!(lines.iter().all(|line| commas(line) == 4), "{csv}");
        });
    }

    #[test]
    fn markdown_has_the_same_tables() {
        with_contest(|contest| {
            let markdown = contest.to_markdown();
            assert!(markdown.starts_with("| player | games | mean score |"), "{markdown}");
            assert!(markdown.contains("| 128 | 0.0% (0.0 to 56.1) | 100.0% (43.9 to 100.0) |"), "{markdown}");
            assert_eq!(markdown.matches("\n|---|").count(), 3);
        });
    }
}
