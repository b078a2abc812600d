//! The tables of a contest: figures, tiles, comparisons and notes. The arena and `report` share
//! them.

use std::collections::BTreeMap;

use lab2048::arena::{Difference, Interval, Pairing, PlayerSummary, TileRate};
use lab2048::text::one_line;

use super::figures::{decimal, mean, rate, whole};
use super::lines::wrapped;
use super::table::Table;

/// The longest name that is shown in tables of any width. If one is longer, letters stand for all
/// names.
const LONGEST_NAME: usize = 30;

/// The longest error of a player in a message. It may quote a whole line of a bot.
pub(crate) const LONGEST_ERROR: usize = 2000;

/// How tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Columns for a terminal of this width.
    Text(usize),
    /// Markdown.
    Markdown,
}

/// The figures of the players of a contest, and their comparisons.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// The players.
    pub(crate) players: &'a [PlayerSummary],
    /// The comparison of each pair of players.
    pub(crate) differences: &'a [Difference],
    /// If given, comparisons that show no difference say how many more games would show it with
    /// this chance.
    pub(crate) power: Option<f64>,
}

/// What players are called in tables: by their names, or by letters if a name is too long.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    names: Vec<&'a str>,
    places: BTreeMap<&'a str, usize>,
    are_letters: bool,
}

impl<'a> Names<'a> {
    fn new(players: &'a [PlayerSummary]) -> Names<'a> {
        let names: Vec<&str> = players.iter().map(|summary| summary.player.as_str()).collect();
        let places = names.iter().enumerate().map(|(place, &name)| (name, place)).collect();
        Names { names, places, are_letters: false }
    }

    /// What a player is called.
    pub(crate) fn of(&self, player: &str) -> String {
        match self.places.get(player).filter(|_| self.are_letters) {
            Some(&place) => letter(place),
            None => player.to_owned(),
        }
    }

    /// The letter and the name of each player, if letters are used.
    fn legend(&self) -> Vec<(String, &'a str)> {
        let places = self.names.iter().enumerate().filter(|_| self.are_letters);
        places.map(|(place, &name)| (letter(place), name)).collect()
    }
}

/// The short name of a player by its place.
fn letter(place: usize) -> String {
    match u8::try_from(place) {
        Ok(place) if place < 26 => char::from(b'A' + place).to_string(),
        _ => format!("player {}", place + 1),
    }
}

impl Results<'_> {
    /// The tables, then notes. `further` adds notes after those about failures and best games.
    pub(crate) fn written(&self, style: Style, further: impl FnOnce(&Names<'_>) -> Vec<String>) -> String {
        let mut names = Names::new(self.players);
        let is_long = |most: usize| self.players.iter().any(|summary| summary.player.chars().count() > most);
        names.are_letters = match style {
            Style::Markdown => is_long(LONGEST_NAME),
            Style::Text(width) => {
                is_long(LONGEST_NAME.min(width / 4))
                    || (!self.differences.is_empty() && self.comparison(&names).text_width() > width)
            }
        };
        let write = |table: &Table| match style {
            Style::Text(width) => table.to_text_within(width),
            Style::Markdown => table.to_markdown(),
        };
        let comparison = (!self.differences.is_empty()).then(|| self.comparison(&names));
        let tables = [self.figures(&names), self.tiles(&names)].into_iter().chain(comparison);
        let mut parts: Vec<String> = tables.map(|table| write(&table)).collect();
        if names.are_letters {
            parts.insert(0, legend(&names, style));
        }
        let notes = self.notes(&names).into_iter().chain(further(&names));
        parts.push(match style {
            Style::Text(width) => notes.map(|note| wrapped(&note, width, 2) + "\n").collect(),
            Style::Markdown => notes.collect::<Vec<_>>().join("  \n") + "\n",
        });
        parts.join("\n")
    }

    fn figures(&self, names: &Names<'_>) -> Table {
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
        for summary in self.players {
            table.push(vec![
                names.of(&summary.player),
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
    fn tiles(&self, names: &Names<'_>) -> Table {
        let players = self.players.iter().map(|summary| names.of(&summary.player));
        let mut table = Table::new(std::iter::once("reached".to_owned()).chain(players));
        for index in self.shown_tiles() {
            let rates = self.rates(index);
            let tile = rates.first().map_or_else(String::new, |rate| whole(rate.tile));
            let cells = rates.iter().map(|found| rate(found.rate, found.interval));
            table.push(std::iter::once(tile).chain(cells).collect());
        }
        table
    }

    /// The rates of all players at a place in their lists of tiles.
    pub(crate) fn rates(&self, index: usize) -> Vec<&TileRate> {
        self.players.iter().filter_map(|summary| summary.tiles.get(index)).collect()
    }

    /// The places of the tiles that are worth showing: the largest one that all players always
    /// reached, and all above it.
    pub(crate) fn shown_tiles(&self) -> std::ops::Range<usize> {
        let count = self.players.first().map_or(0, |summary| summary.tiles.len());
        let is_certain = |index: &usize| self.rates(*index).iter().all(|rate| rate.rate == 1.0);
        (0..count).take_while(is_certain).count().saturating_sub(1)..count
    }

    fn comparison(&self, names: &Names<'_>) -> Table {
        let mut table = Table::new(["difference", "games", "mean score", "95% interval", ""]).with_words(4);
        for difference in self.differences {
            let (first, second) = (names.of(&difference.first), names.of(&difference.second));
            let better = difference.better.as_ref().map(|player| names.of(player));
            let difference = &Difference { first, second, better, ..difference.clone() };
            let games = match difference.pairing {
                Pairing::Paired => whole(difference.games),
                Pairing::Unpaired => "unpaired".to_owned(),
            };
            let needed = self.power.and_then(|power| more_games(difference, power));
            table.push(vec![
                format!("{} minus {}", difference.first, difference.second),
                games,
                decimal(difference.mean),
                difference.interval.map_or_else(|| "-".to_owned(), words),
                needed.unwrap_or_else(|| difference.verdict()),
            ]);
        }
        table
    }

    /// Failures and the best games.
    fn notes(&self, names: &Names<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        for summary in self.players {
            if let Some(first) = &summary.failure {
                let games = if summary.failed() == 1 { "game" } else { "games" };
                notes.push(format!(
                    "{} failed in {} {games}, first with seed {}: {}",
                    names.of(&summary.player),
                    whole(summary.failed()),
                    first.seed,
                    one_line(&first.error, LONGEST_ERROR)
                ));
            }
        }
        // A player that always failed has no game worth watching.
        for summary in self.players.iter().filter(|summary| !summary.always_failed()) {
            notes.push(format!("best game of {}: seed {}", names.of(&summary.player), summary.best_seed));
        }
        notes
    }

    /// The figures and differences with one line each, unrounded. `further` adds figures of a
    /// player, given by its place. All lines have the same columns, whatever tiles were reached.
    pub(crate) fn to_csv(self, further: impl Fn(usize) -> Vec<(String, String)>) -> String {
        let mut table = Table::new(FIGURES);
        let mut push = |player: &str, figure: &str, value: String, interval: Option<Interval>| {
            let end = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let (low, high) = (end(interval.map(|i| i.low)), end(interval.map(|i| i.high)));
            table.push(vec![player.to_owned(), figure.to_owned(), value, low, high]);
        };
        for (place, summary) in self.players.iter().enumerate() {
            push(&summary.player, "mean", summary.mean.to_string(), summary.interval);
            let mut plain = |figure: &str, value: String| push(&summary.player, figure, value, None);
            plain("games", summary.games.to_string());
            for (figure, value) in further(place) {
                plain(&figure, value);
            }
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
        for difference in self.differences {
            let pair = format!("{} minus {}", difference.first, difference.second);
            push(&pair, "mean difference", difference.mean.to_string(), difference.interval);
        }
        table.to_csv()
    }
}

/// The columns of [`Results::to_csv`].
pub(crate) const FIGURES: [&str; 5] = ["player", "figure", "value", "low", "high"];

/// The names behind the letters.
fn legend(names: &Names<'_>, style: Style) -> String {
    let mut table = Table::new(["", "player"]).with_words(1);
    let Style::Text(width) = style else {
        names.legend().into_iter().for_each(|(letter, name)| table.push(vec![letter, name.to_owned()]));
        return table.to_markdown();
    };
    let legend = names.legend();
    let longest = legend.iter().map(|(letter, _)| letter.len()).max().unwrap_or(0);
    let mut text = format!("{:longest$}  player\n", "");
    for (letter, name) in legend {
        text += &wrapped(&format!("{letter:<longest$}  {name}"), width, longest + 2);
        text.push('\n');
    }
    text
}

/// `-12.0 to 3.5`
fn words(interval: Interval) -> String {
    format!("{} to {}", decimal(interval.low), decimal(interval.high))
}

/// How many more games of each player show a difference of this size, if it is not shown yet.
fn more_games(difference: &Difference, power: f64) -> Option<String> {
    let needed = difference.games_needed(power).filter(|_| difference.better.is_none())?;
    let more = needed.saturating_sub(difference.games).max(1);
    // So small a difference does not matter to anybody.
    Some(if more > MOST_GAMES {
        "needs over 10^9 more".to_owned()
    } else {
        format!("needs {} more", whole(more))
    })
}

/// Larger numbers of games are not told.
const MOST_GAMES: u64 = 1_000_000_000;
