//! The result of an arena in all output formats.

use lab2048::arena::{ContestPlan, Difference, PlayerSummary};
use lab2048::players::Entrant;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::figures::whole;
use super::results::{Names, Results, Style};

/// What the columns of the tables mean.
pub(crate) const EXPLANATION: &str =
    "± and brackets: 95% intervals; largest, sum, moves: means; moves/s: on one thread";

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
    /// The result as aligned columns in lines of at most this width.
    pub(crate) fn to_text(&self, width: usize) -> String {
        self.results().written(Style::Text(width), |names| self.notes(names))
    }

    /// The result as Markdown.
    pub(crate) fn to_markdown(&self) -> String {
        self.results().written(Style::Markdown, |names| self.notes(names))
    }

    /// The result with one line per figure, unrounded.
    pub(crate) fn to_csv(&self) -> String {
        self.results().to_csv(|place| {
            let mut figures = Vec::new();
            let (summary, entrant) = (&self.players[place], &self.entrants[place]);
            if let Some(before) = self.games_before(place) {
                figures.push(("games in the file before".to_owned(), before.to_string()));
                figures.push(("games played now".to_owned(), (summary.games - before).to_string()));
            }
            let knows = u8::from(entrant.needs_future).to_string();
            figures.push(("knows the coming tiles".to_owned(), knows));
            figures
        })
    }

    fn results(&self) -> Results<'_> {
        Results { players: &self.players, differences: &self.differences, power: None }
    }

    /// How many games of a player were in the file already, if there is a file. Records are ordered
    /// by seed, then by player.
    fn games_before(&self, player: usize) -> Option<u64> {
        let players = self.plan.players.len() as u64;
        self.before.map(|before| before / players + u64::from((player as u64) < before % players))
    }

    /// How many games were in the file and how many are new: one line if all players agree,
    /// otherwise one per player.
    fn games_so_far(&self, names: &Names<'_>) -> Vec<String> {
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
                let names = self.players.iter().map(|summary| names.of(&summary.player));
                names.zip(counts).map(|(name, count)| format!("games of {name} {}", words(count))).collect()
            }
        }
    }

    /// Remarks below the tables.
    fn notes(&self, names: &Names<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        for (player, entrant) in self.plan.specs().zip(self.entrants) {
            let player = names.of(player);
            if entrant.needs_future {
                notes.push(format!("{player} knows the coming tiles"));
            }
            if !entrant.repeatable {
                notes.push(format!("{player} is not repeatable: another run gives other games"));
            }
        }
        notes.extend(self.games_so_far(names));
        notes.push(EXPLANATION.to_owned());
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
        with_failures(
            second,
            |game, player| ((game, player) == (2, 1)).then(|| "no\nanswer".to_owned()),
            check,
        );
    }

    /// The same, where these games of these players failed with an error.
    fn with_failures(
        second: &str,
        error: impl Fn(usize, usize) -> Option<String>,
        check: impl FnOnce(&Contest<'_>),
    ) {
        let plan = ContestPlan::of_names(GameSetup::default(), 7, ["random", second]);
        let mut tally = ContestTally::new(&plan);
        for (game, scores) in [[1000, 3000], [1500, 3200], [900, 3100]].into_iter().enumerate() {
            for (player, score) in scores.into_iter().enumerate() {
                let end = error(game, player).map_or(StopReason::Over(Ending::NoMoves), StopReason::Failed);
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
                contest.to_text(120),
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
    fn a_player_that_always_fails_has_its_whole_error_and_no_best_game() {
        let error = format!("{}ValueError: the end", "a long line, ".repeat(60));
        let failed = |_, player| (player == 1).then(|| error.clone());
        with_failures("x", failed, |contest| {
            let text = contest.to_text(usize::MAX);
            assert!(text.contains(&format!("x failed in 3 games, first with seed 7: {error}\n")), "{text}");
            assert!(text.contains("best game of random") && !text.contains("best game of x"), "{text}");
        });
    }

    #[test]
    fn letters_stand_for_long_specs() {
        with_contest_against("expectimax:eval=rows,depth=3,empty=270", |contest| {
            let text = contest.to_text(120);
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
    fn narrow_tables_have_more_blocks_and_no_long_lines() {
        with_contest(|contest| {
            assert_eq!(
                contest.to_text(60),
                "\
\u{20}  player
A  random
B  x:a=\"1,2\"

player  games       mean score   median  spread   best
A           3  1,133.3 ± 798.5  1,000.0   321.5  1,500
B           3  3,100.0 ± 248.4  3,100.0   100.0  3,200

player  worst  largest    sum  moves  moves/s
A         900     64.0  200.0  100.0  100,000
B       3,000    128.0  200.0  100.0  100,000

reached                       A                       B
64       100.0% (43.9 to 100.0)  100.0% (43.9 to 100.0)
128          0.0% (0.0 to 56.1)  100.0% (43.9 to 100.0)

difference  games  mean score          95% interval
A minus B       3    -1,966.7  -2,591.8 to -1,341.5

difference
A minus B   B is better

B failed in 1 game, first with seed 9: no?answer
best game of A: seed 8
best game of B: seed 8
B knows the coming tiles
B is not repeatable: another run gives other games
games of A in the file before: 2; played now: 1
games of B in the file before: 1; played now: 2
± and brackets: 95% intervals; largest, sum, moves: means;
  moves/s: on one thread
records without timing: SHA-256 d1ge57
"
            );
            for width in [20, 34, 40, 60, 80, 100, 120] {
                let text = contest.to_text(width);
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            }
            let narrow = contest.to_text(31);
            let list = "difference A minus B\n  games: 3\n  mean score: -1,966.7\n  \
                        95% interval: -2,591.8 to\n    -1,341.5\n  B is better\n";
            assert!(narrow.contains(list), "{narrow}");
        });
        let long =
            "expectimax:eval=rows,nodes=200000,cut=0.0005,fours=2,table=16,depth=3,empty=270.25,merges=700";
        with_contest_against(long, |contest| {
            let text = contest.to_text(80);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains("B  expectimax:eval=rows,nodes=200000,"), "{text}");
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
