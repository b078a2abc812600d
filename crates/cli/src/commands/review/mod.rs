//! `lab2048 review`: a player judges the moves of a recorded game.

mod curve;
mod page;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use lab2048::board::{Direction, Size, rank_of};
use lab2048::files::write_whole;
use lab2048::game::replay::Position;
use lab2048::game::{Player as _, Probability, Replay};
use lab2048::players::{Registry, Spec};
use lab2048::review::{Grade, JudgedMove, Review, ReviewError, ReviewSummary, review};
use lab2048::solve::{Goal, Tables, TablesError};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, Outcome, warn};
use crate::numbers::{Threads, whole};
use crate::place;
use crate::progress::Progress;
use crate::report::percent;
use crate::{interrupt, out, players, replay_file, show};

/// The default judge.
pub(crate) const DEFAULT_JUDGE: &str = "auto";

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 review game.2048\n  lab2048 review game.2048 --worst 10 --html review.html\n  lab2048 review game*.2048 --judge ntuple:depth=2 --json\n\n\
    For each of the four moves, the judge estimates the points still to come. The loss of a move is the number of \
    points by which it falls short of the best move. The grade depends on a ratio: the expected final score after the move (score so far plus points to come), divided by the \
    expected final score after the best move. The grades are: excellent from 0.999 on, good from 0.99, inaccuracy from 0.975, \
    mistake from 0.9, blunder from 0.75, disaster below. \
    A move without an alternative is forced and has no grade.\n\n\
    Accuracy compares what the moves lost with random moves in the same positions: 100% loses nothing, as the judge's \
    own moves; 0% loses as much as random moves."
)]
pub(crate) struct Arguments {
    /// Replay files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Player that judges the moves; its values must be in points
    #[arg(long, value_name = "PLAYER", default_value = DEFAULT_JUDGE)]
    judge: String,
    /// Number of worst mistakes to list
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(0, 1000), allow_hyphen_values = true)]
    worst: u64,
    /// Print JSON, including the judge's values for every move
    #[arg(long)]
    json: bool,
    /// Write an HTML page with a chart and the boards of the worst mistakes; for one replay
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
}

/// A review and all that its report needs.
struct Report<'a> {
    file: String,
    judge: String,
    network: Option<String>,
    replay: &'a Replay,
    review: &'a Review,
    summary: ReviewSummary,
    worst: Vec<Mistake<'a>>,
}

/// One of the worst moves, and the position before it.
struct Mistake<'a> {
    judged: &'a JudgedMove,
    position: Position,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    if let Some(path) = &arguments.html {
        if arguments.files.len() > 1 {
            return Err(Failure::BadInput("--html makes a page of one replay, not of several".to_owned()));
        }
        let content = place::Content::Begins(&[page::BEGINNING.as_bytes()]);
        place::check(path, &place::Kind { name: "a review page", content, endings: place::HTML })?;
    }
    let registry = players::registry();
    let spec = registry.parse(&arguments.judge).map_err(Failure::bad_input)?;
    if registry.is_person(&spec) {
        return Err(Failure::BadInput("a person has no values in points and cannot be the judge".to_owned()));
    }
    let (mut is_first, mut has_failed) = (true, false);
    for file in &arguments.files {
        let judged = replay_file::read(file)
            .map_err(Unreviewed::Replay)
            .and_then(|replay| Ok((judged(&arguments, file, &replay, &registry, &spec)?, replay)));
        match judged {
            Ok((judged, replay)) => {
                // Its moves can be judged, but its tiles, score or ending are not those of a game.
                if let Err(fault) = replay.verify() {
                    warn(&format!("{}: the replay is not valid: {fault}", file.display()));
                }
                if !is_first && !arguments.json {
                    out::print("\n")?;
                }
                report(&arguments, file, &replay, judged)?;
                is_first = false;
            }
            Err(Unreviewed::Replay(Failure::BadInput(words) | Failure::Failed(words)))
                if arguments.files.len() > 1 =>
            {
                warn(&words);
                has_failed = true;
            }
            Err(Unreviewed::Judge(failure) | Unreviewed::Replay(failure)) => return Err(failure),
        }
    }
    if has_failed { Err(Failure::AlreadySaid) } else { Ok(()) }
}

/// A review, who made it, and the hash of the network behind it.
struct Judged {
    review: Review,
    judge: String,
    network: Option<String>,
}

/// Why a replay has no review.
enum Unreviewed {
    /// The judge can judge no game, so the command ends.
    Judge(Failure),
    /// This replay cannot be reviewed. The others still are.
    Replay(Failure),
}

/// Reviews one replay.
fn judged(
    arguments: &Arguments,
    file: &Path,
    replay: &Replay,
    registry: &Registry,
    spec: &Spec,
) -> Result<Judged, Unreviewed> {
    let spec = registry.resolve(spec, &replay.header().start, replay.header().rules.four);
    let first = players::build(registry, &spec).and_then(|built| built.map_err(Failure::bad_input));
    let first = first.map_err(Unreviewed::Judge)?;
    let judges = registry.maker(&spec);
    let threads = arguments.threads.count();
    let total = replay.steps().len();
    let mut progress = Progress::new(total as u64, "moves");
    let (mut done, mut so_far) = (0, ReviewSummary::default());
    let result = review(replay, &judges, threads, interrupt::flag(), &mut |moves| {
        done += moves.len() as u64;
        moves.iter().for_each(|judged| so_far.add(judged));
        let accuracy = so_far.accuracy().map(|share| format!("accuracy {}", percent(share)));
        progress.set(done, &accuracy.unwrap_or_default());
    });
    drop(progress);
    let review = result.map_err(|error| unreviewed(arguments, file, replay, registry.tables(), error))?;
    let network = first.facts().fingerprint.on(&replay.header().start);
    Ok(Judged { review, judge: spec.to_string(), network })
}

/// Prints the report of one replay and writes the page.
fn report(arguments: &Arguments, file: &Path, replay: &Replay, judged: Judged) -> Outcome<()> {
    let Judged { review, judge, network } = judged;
    if !review.moves.is_empty() || review.complete {
        let report = Report::new(arguments, file, judge, network, replay, &review)?;
        if let Some(path) = &arguments.html {
            let page = page::page(&report);
            write_whole(path, |file| file.write_all(page.as_bytes())).map_err(Failure::failed)?;
        }
        if arguments.json {
            out::print_json(&report.to_json())?;
        } else {
            out::print(&text::text(&report))?;
        }
    }
    if review.complete {
        return Ok(());
    }
    let (judged, total) = (review.moves.len(), replay.steps().len());
    Err(Failure::interrupted(format!("interrupted after {judged} of {}", show::count(total, "move"))))
}

/// A replay that cannot be reviewed is bad input. A judge that fails during the review is a
/// failure.
fn unreviewed(
    arguments: &Arguments,
    file: &Path,
    replay: &Replay,
    tables: &Tables,
    error: ReviewError,
) -> Unreviewed {
    let (file, judge) = (file.display(), &arguments.judge);
    // One of several replays has to be named.
    let place = if arguments.files.len() > 1 { format!("{file}: ") } else { String::new() };
    let refused = format!("{judge} cannot be the judge: ");
    Unreviewed::Replay(match error {
        ReviewError::Unmade(_) | ReviewError::KnowsFuture => {
            return Unreviewed::Judge(Failure::bad_input(error).at(&refused));
        }
        ReviewError::Fault(_) => Failure::BadInput(format!("{file}: {error}")),
        ReviewError::Failed { .. } => Failure::Failed(format!("{place}{judge}: {error}")),
        ReviewError::NoPoints => {
            Failure::BadInput(format!("{place}{refused}{}", why_no_judge(&error, replay, tables)))
        }
        ReviewError::Refused(_) => Failure::bad_input(error).at(&format!("{place}{refused}")),
    })
}

/// Why a player cannot judge a game, and which judge can.
pub(crate) fn why_no_judge(error: &ReviewError, replay: &Replay, tables: &Tables) -> String {
    let ReviewError::NoPoints = error else { return error.to_string() };
    let (board, four) = (&replay.header().start, replay.header().rules.four);
    let size = board.size();
    let helps = if board.tiles().any(|tile| rank_of(tile).is_none()) {
        "no player counts points on boards with tiles that are not powers of two".to_owned()
    } else if size == Size::FOUR {
        return error.to_string();
    } else if size.rows() > 4 || size.cols() > 4 {
        "no player counts points on boards with a side above 4".to_owned()
    } else {
        let network = || {
            format!(
                "on this board only a network that you train counts points: lab2048 train net --size \
                 {size}, then use the judge ntuple:net=net/network.net"
            )
        };
        match tables.solved(size, Goal::Score, four) {
            Ok(table) if matches!(table.judge(board, four), Ok(Some(_))) => {
                format!("on this board the judge {DEFAULT_JUDGE} counts points")
            }
            // The table does not know the board, or the board is too large for a table.
            Ok(_) | Err(TablesError::Game(_)) => network(),
            Err(_) => {
                let option =
                    if four == Probability::TENTH { String::new() } else { format!(" --four {four}") };
                format!(
                    "on {size} the judge {DEFAULT_JUDGE} counts points after lab2048 solve {size}{option}"
                )
            }
        }
    };
    format!("its values on this board are preferences, not points; {helps}")
}

impl<'a> Report<'a> {
    fn new(
        arguments: &Arguments,
        file: &Path,
        judge: String,
        network: Option<String>,
        replay: &'a Replay,
        review: &'a Review,
    ) -> Outcome<Report<'a>> {
        let worst = review.worst(arguments.worst as usize);
        let mut wanted: Vec<usize> = worst.iter().map(|judged| judged.number - 1).collect();
        wanted.sort_unstable();
        // One pass through the game finds all positions.
        let mut positions = Vec::with_capacity(wanted.len());
        for position in replay.positions() {
            let Some(&next) = wanted.get(positions.len()) else { break };
            let position = position.map_err(Failure::bad_input)?;
            if position.number == next {
                positions.push(position);
            }
        }
        let find = |judged: &'a JudgedMove| {
            let place = wanted.binary_search(&(judged.number - 1)).ok()?;
            Some(Mistake { judged, position: positions.get(place)?.clone() })
        };
        Ok(Report {
            file: file.display().to_string(),
            judge,
            network,
            replay,
            review,
            summary: review.summary(),
            worst: worst.into_iter().filter_map(find).collect(),
        })
    }

    /// The player, the board size, the seed and the ending.
    fn title(&self) -> String {
        let header = self.replay.header();
        let player = header.player.as_deref().unwrap_or("an unknown player");
        let seed = header.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
        let ending = header.ending.map_or_else(|| "unfinished".to_owned(), |ending| ending.to_string());
        format!("{player}, {}{seed}: {ending}", header.start.size())
    }

    /// The score of the game, or at the last judged move if the review is not complete.
    fn score(&self) -> u64 {
        match self.review.moves.last() {
            Some(last) if !self.review.complete => last.score,
            _ => self.replay.header().score,
        }
    }

    fn to_json(&self) -> Value {
        let header = self.replay.header();
        let summary = &self.summary;
        let grade = |grade: Grade| {
            let tally = summary.with(grade);
            (
                grade.name().to_owned(),
                json!({ "moves": tally.moves, "loss": tally.loss, "from": grade.least() }),
            )
        };
        json!({
            "player": header.player,
            "seed": header.seed,
            "rules": header.rules,
            "score": header.score,
            "ending": header.ending,
            "judge": self.judge,
            "network": self.network,
            "complete": self.review.complete,
            "summary": {
                "moves": summary.moves,
                "forced": summary.forced,
                "unjudged": summary.unjudged,
                "graded": summary.graded(),
                "best": summary.best,
                "agreement": summary.agreement(),
                "accuracy": summary.accuracy(),
                "kept": summary.kept(),
                "loss": summary.loss(),
                "mean_loss": summary.mean_loss(),
                "grades": Grade::ALL.map(grade).into_iter().collect::<Map<_, Value>>(),
            },
            "worst": self.worst.iter().map(|mistake| mistake.judged.number).collect::<Vec<_>>(),
            "moves": self.review.moves.iter().map(move_json).collect::<Vec<_>>(),
        })
    }
}

fn move_json(judged: &JudgedMove) -> Value {
    let value =
        |direction: Direction| (direction.name().to_owned(), judged.values[direction.index()].worth().into());
    json!({
        "move": judged.number,
        "score": judged.score,
        "played": show::action_name(judged.played),
        "best": show::action_name(judged.best),
        "values": Direction::ALL.map(value).into_iter().collect::<Map<_, Value>>(),
        "played_value": judged.played_value,
        "best_value": judged.best_value,
        "loss": judged.loss(),
        "ratio": judged.ratio(),
        "cost": judged.cost(),
        "random_cost": judged.random_cost(),
        "verdict": judged.verdict().name(),
    })
}
