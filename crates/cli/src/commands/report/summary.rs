//! The statistics of files, grouped by the rules of their games.

use std::path::Path;

use lab2048::arena::{ContestTally, Difference, GameSetup, Pairing, PlannedPlayer, PlayerSummary};
use lab2048::game::{IdleMove, Probability, Rules, StartTiles};
use lab2048::text::{SENTENCE, one_line};
use serde::Serialize;
use serde_json::{Value, json};

use super::part::{self, Part};
use crate::report::{EXPLANATION, Names, Results, Style, whole, wrapped};
use crate::show::count;

/// What all files say.
pub(super) struct Summary {
    parts: Vec<Part>,
    /// The short names of the files.
    files: Vec<String>,
    pub(super) groups: Vec<Group>,
    power: f64,
}

/// The report as JSON. The first fields say what it is.
#[derive(Serialize)]
pub(super) struct Document {
    lab2048: &'static str,
    version: u32,
    power: f64,
    files: Vec<Value>,
    contests: Vec<Value>,
}

/// Files whose games have the same rules, so that their players can be compared.
pub(super) struct Group {
    pub(super) setup: GameSetup,
    /// The places of the files.
    parts: Vec<usize>,
    pub(super) tally: ContestTally,
    pub(super) players: Vec<PlayerSummary>,
    pub(super) differences: Vec<Difference>,
}

impl Summary {
    /// Groups files by their rules, in the order of the files.
    pub(super) fn of(mut parts: Vec<Part>, power: f64) -> Summary {
        let paths: Vec<&Path> = parts.iter().map(|part| part.path.as_path()).collect();
        let files = part::short_names(&paths);
        let labels = labels(&parts, &files);
        let mut groups: Vec<(GameSetup, Vec<usize>, ContestTally)> = Vec::new();
        for (place, (part, labels)) in parts.iter_mut().zip(labels).enumerate() {
            let setup = comparable(&part.plan.setup);
            let tally = part.tally.take().map(|tally| tally.with_names(labels));
            let tally = tally.unwrap_or_else(|| ContestTally::new(&part.plan));
            match groups.iter_mut().find(|(known, ..)| *known == setup) {
                Some((_, places, joined)) => {
                    places.push(place);
                    joined.join(tally);
                }
                None => groups.push((setup, vec![place], tally)),
            }
        }
        let group = |(setup, parts, tally): (GameSetup, Vec<usize>, ContestTally)| {
            let (players, differences) = (tally.summaries(), tally.differences());
            Group { setup, parts, tally, players, differences }
        };
        let groups = groups.into_iter().map(group).collect();
        Summary { parts, files, groups, power }
    }

    /// What was read, in a line.
    fn heading(&self) -> String {
        let games: u64 = self.groups.iter().flat_map(|group| &group.players).map(|player| player.games).sum();
        let players: usize = self.groups.iter().map(|group| group.players.len()).sum();
        let games = count(games, "game");
        format!("{games} of {} in {}", count(players, "player"), count(self.files.len(), "file"))
    }

    /// The report as tables.
    pub(super) fn written(&self, style: Style) -> String {
        let paragraph = |text: String| match style {
            Style::Text(width) => wrapped(&text, width, 2) + "\n\n",
            Style::Markdown => text + "\n\n",
        };
        let word = if style == Style::Markdown { "**Report:**" } else { "Report:" };
        let is_single = self.groups.len() == 1;
        let rules = self.groups.first().filter(|_| is_single).map(|group| rules_words(&group.setup));
        let rules = rules.map(|rules| format!("; {rules}")).unwrap_or_default();
        let mut text = paragraph(format!("{word} {}{rules}", self.heading()));
        if !is_single {
            text += &paragraph("The files have different rules, so they are shown separately.".to_owned());
        }
        for (place, group) in self.groups.iter().enumerate() {
            if !is_single {
                let files = group.parts.iter().map(|&part| self.files[part].as_str()).collect::<Vec<_>>();
                let start = if place > 0 { "\n" } else { "" };
                let rules = rules_words(&group.setup);
                text += start;
                text += &paragraph(format!("Rules: {rules} ({})", files.join(", ")));
            }
            text += &group.results(self.power).written(style, |names| self.notes(group, names));
        }
        text
    }

    /// The figures of all players as CSV.
    pub(super) fn figures(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let csv = group.results(self.power).to_csv(|_| Vec::new());
            // Only the first group keeps the head.
            let from = if text.is_empty() { 0 } else { csv.find('\n').map_or(0, |end| end + 1) };
            text += &csv[from..];
        }
        text
    }

    /// Everything as JSON.
    pub(super) fn to_json(&self) -> Document {
        let files = self.parts.iter().map(|part| {
            json!({
                "file": part.path.display().to_string(),
                "records": part.games.iter().sum::<u64>(),
                "complete": part.is_complete,
                "digest": part.digest,
                "plan": part.plan,
            })
        });
        let contests = self.groups.iter().map(|group| {
            let players = self.members(group).zip(&group.players).map(|((part, player), summary)| {
                let mut value = json!(summary);
                value["spec"] = json!(player.spec);
                value["network"] = json!(player.network);
                value["file"] = json!(self.parts[part].path.display().to_string());
                value
            });
            let differences = group.differences.iter().map(|difference| {
                let mut value = json!(difference);
                value["games_needed"] = json!(difference.games_needed(self.power));
                value
            });
            json!({
                "rules": group.setup.rules,
                "board": group.setup.board,
                "until": group.setup.limits.until,
                "max_moves": group.setup.limits.max_moves,
                "players": players.collect::<Vec<_>>(),
                "differences": differences.collect::<Vec<_>>(),
            })
        });
        Document {
            lab2048: "report",
            version: 1,
            power: self.power,
            files: files.collect(),
            contests: contests.collect(),
        }
    }

    /// The file and the plan of every player of a group, in the order of its summaries.
    fn members<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = (usize, &'a PlannedPlayer)> {
        group.parts.iter().flat_map(|&place| {
            let part = &self.parts[place];
            let played = part.plan.players.iter().zip(&part.games).filter(|(_, games)| **games > 0);
            played.map(move |(player, _)| (place, player))
        })
    }

    fn notes(&self, group: &Group, names: &Names<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        let members: Vec<_> = self.members(group).zip(&group.players).collect();
        for (number, ((_, player), summary)) in members.iter().enumerate() {
            let other = members[..number].iter().find(|((_, other), _)| other.spec == player.spec);
            let Some(((_, other), earlier)) = other else { continue };
            let what = match (player.network != other.network, player.files != other.files) {
                (true, _) => "another network",
                (_, true) => "another program",
                _ => continue,
            };
            let (name, other) = (names.of(&summary.player), names.of(&earlier.player));
            notes.push(format!("{name} has {what} than {other}"));
        }
        for &place in &group.parts {
            let part = &self.parts[place];
            let most = part.games.iter().copied().max().unwrap_or(0);
            let (first, last) = (part.plan.seed, part.plan.seed.saturating_add(most.saturating_sub(1)));
            let cut = if part.is_complete { "" } else { "; its last line is cut off" };
            let records: u64 = part.games.iter().sum();
            notes.push(format!(
                "{}: {} records, seeds {first} to {last}{cut}; without timing: SHA-256 {}",
                self.files[place],
                whole(records),
                part.digest
            ));
        }
        if group.differences.iter().any(|difference| difference.pairing == Pairing::Unpaired) {
            notes
                .push("unpaired: the two played other seeds, so their means are compared (Welch)".to_owned());
        }
        notes.push(EXPLANATION.to_owned());
        if group.differences.iter().any(|difference| difference.better.is_none()) {
            notes.push(format!(
                "needs N more: no difference is shown; if it is really this large, N more games of each player show \
                 it with a chance of {}% (two-sided test at 95%)",
                (1000.0 * self.power).round() / 10.0
            ));
        }
        notes
    }
}

impl Group {
    fn results(&self, power: f64) -> Results<'_> {
        Results { players: &self.players, differences: &self.differences, power: Some(power) }
    }

    /// The tables without a word about power, for pictures.
    pub(super) fn plain(&self) -> Results<'_> {
        Results { players: &self.players, differences: &self.differences, power: None }
    }
}

/// The setup without the winning tile, which changes no game.
fn comparable(setup: &GameSetup) -> GameSetup {
    let rules = Rules { goal: Rules::ORIGINAL.goal, ..setup.rules.clone() };
    GameSetup { rules, ..setup.clone() }
}

/// What the players of each file are called: their specs, with the file if several files have the
/// same spec.
fn labels(parts: &[Part], files: &[String]) -> Vec<Vec<String>> {
    let often = |spec: &str| parts.iter().filter(|part| part.plan.specs().any(|other| other == spec)).count();
    let label = |spec: &str, file: &String| match often(spec) {
        1 => spec.to_owned(),
        _ => format!("{spec} ({file})"),
    };
    let of_part = |(part, file): (&Part, &String)| part.plan.specs().map(|spec| label(spec, file)).collect();
    parts.iter().zip(files).map(of_part).collect()
}

/// The rules in words, as far as they are not the original ones.
pub(super) fn rules_words(setup: &GameSetup) -> String {
    let GameSetup { rules, board, limits } = setup;
    let mut words = vec![rules.size.to_string()];
    if rules.four != Probability::TENTH {
        words.push(format!("chance of a 4: {}", rules.four));
    }
    if rules.start == StartTiles::TwoTwos && board.is_none() {
        words.push("two 2s at the start".to_owned());
    }
    if rules.idle == IdleMove::Spawns {
        words.push("a tile after idle moves".to_owned());
    }
    if let Some(board) = board {
        let grid = board.to_grid();
        let rows = grid.rows().map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
        words.push(format!("from the board {}", one_line(&rows.collect::<Vec<_>>().join("/"), SENTENCE)));
    }
    words.extend(limits.until.map(|tile| format!("until {tile}")));
    words.extend(limits.max_moves.map(|moves| format!("at most {} moves", whole(moves))));
    if words.len() == 1 {
        words.push("original rules".to_owned());
    }
    words.join(", ")
}
