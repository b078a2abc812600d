//! Records of games on pages: a file that grows by one line of JSON per game.
//!
//! The first line names the source: page, address, player and limits. There are no seeds, because a
//! page draws its own tiles, so these games are never paired with games of an arena.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab2048::arena::{GameLimits, StopReason};
use lab2048::files::{LineLog, LockError, LockedFile};
use lab2048::game::GameResult;
use lab2048::text::in_words;
use serde::Serialize;

use super::Times;
use crate::failure::{Failure, Outcome};

const KIND: &str = "browser";
const VERSION: u64 = 1;

/// Where games come from: what all lines of a file have in common.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Source {
    lab2048: &'static str,
    version: u64,
    url: String,
    page: &'static str,
    player: String,
    /// The hash of the player's network, program or bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<String>,
    size: String,
    until: Option<u64>,
    max_moves: Option<u64>,
}

impl Source {
    /// Games by one player on one page.
    pub(crate) fn new(
        url: &str,
        page: &'static str,
        player: &str,
        network: Option<String>,
        size: String,
        limits: GameLimits,
    ) -> Source {
        Source {
            lab2048: KIND,
            version: VERSION,
            url: url.to_owned(),
            page,
            player: player.to_owned(),
            network,
            size,
            until: limits.until,
            max_moves: limits.max_moves,
        }
    }

    fn line(&self) -> String {
        let text = serde_json::to_string(self).expect("texts and numbers can be written into memory");
        format!("{text}\n")
    }
}

/// One game.
#[derive(Clone, Debug)]
pub(crate) struct PageRecord {
    /// Its number in this run, counted from 1.
    pub(crate) number: u64,
    /// What it reached.
    pub(crate) result: GameResult,
    /// Why it stopped.
    pub(crate) end: StopReason,
    /// Where its time went.
    pub(crate) times: Times,
    /// What the browser calls itself.
    pub(crate) browser: String,
    /// Whether it began with the board that was on the page. Its score is what was added since.
    pub(crate) resumed: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    game: u64,
    score: u64,
    largest: u64,
    sum: u128,
    moves: u64,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    browser: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resumed: bool,
    time: Time,
}

#[derive(Serialize)]
struct Time {
    thinking_ms: f64,
    browser_ms: f64,
}

impl PageRecord {
    fn line(&self, game: u64) -> String {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        let GameResult { score, largest, sum, moves } = self.result;
        let line = Line {
            game,
            score,
            largest,
            sum,
            moves,
            end: self.end.word(),
            error: self.end.error(),
            browser: &self.browser,
            resumed: self.resumed,
            time: Time { thinking_ms: ms(self.times.thinking), browser_ms: ms(self.times.browser) },
        };
        let text = serde_json::to_string(&line).expect("texts and numbers can be written into memory");
        format!("{text}\n")
    }
}

/// The file. Games are appended to an existing file of the same source.
pub(crate) struct PageLog {
    path: PathBuf,
    lines: LineLog,
    /// Games in the file.
    games: u64,
    /// Whether the first line is still to be written.
    source: Option<String>,
}

impl PageLog {
    /// How such files begin.
    pub(crate) const BEGINNING: &[u8] = b"{\"lab2048\":\"browser\"";

    /// Opens a file, or starts a new one. A file of anything else is refused and stays as it is.
    pub(crate) fn open(path: &Path, source: &Source) -> Outcome<PageLog> {
        let shown = path.display();
        let locked = LockedFile::open(path).map_err(|error| match error {
            LockError::NotAFile => Failure::BadInput(format!("'{shown}' is not a plain file")),
            LockError::Busy => Failure::Failed(format!("'{shown}' is being written by another run")),
            error @ LockError::Io(_) => Failure::Failed(format!("cannot open '{shown}': {error}")),
        })?;
        let failed = |doing: &str, error: io::Error| {
            Failure::Failed(format!("cannot {doing} '{shown}': {}", in_words(&error)))
        };
        let first = source.line();
        let (games, whole) = match found(path, &first).map_err(|error| failed("read", error))? {
            Found::Ours { games, whole } => (games, whole),
            Found::Other => {
                return Err(Failure::BadInput(format!(
                    "'{shown}' holds other records than games by this player on this page; name another file"
                )));
            }
        };
        let lines = LineLog::after(locked, whole).map_err(|error| failed("write", error))?;
        Ok(PageLog { path: path.to_owned(), lines, games, source: (whole == 0).then_some(first) })
    }

    /// Writes the next game.
    pub(crate) fn append(&mut self, record: &PageRecord) -> Outcome<()> {
        let line = self.source.take().unwrap_or_default() + &record.line(self.games + 1);
        self.games += 1;
        // A file that was removed in the meantime would lose the game without a word.
        let written = self.lines.append(line.as_bytes()).and_then(|()| self.lines.check_in_place());
        written.map_err(|error| {
            Failure::Failed(format!("cannot write to '{}': {}", self.path.display(), in_words(&error)))
        })
    }
}

/// What is in a file.
enum Found {
    /// Games of the same source, or nothing; and the length of its whole lines.
    Ours { games: u64, whole: u64 },
    /// Something else.
    Other,
}

fn found(path: &Path, first: &str) -> io::Result<Found> {
    let mut reader = BufReader::new(fs::File::open(path)?);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if line != first.as_bytes() {
        // A first line that was torn is written again.
        let torn = !line.ends_with(b"\n") && first.as_bytes().starts_with(&line);
        return Ok(if torn { Found::Ours { games: 0, whole: 0 } } else { Found::Other });
    }
    let (mut games, mut whole) = (0, line.len() as u64);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(Found::Ours { games, whole });
        }
        games += 1;
        whole += line.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use lab2048::game::Ending;

    use super::*;

    fn source(player: &str) -> Source {
        Source::new("http://localhost/", "object", player, None, "4x4".to_owned(), GameLimits::default())
    }

    fn record(score: u64) -> PageRecord {
        PageRecord {
            number: 1,
            result: GameResult { score, largest: 64, sum: 100, moves: 50 },
            end: StopReason::Over(Ending::NoMoves),
            times: Times {
                thinking: Duration::from_micros(1500),
                browser: Duration::from_millis(20),
                ..Times::default()
            },
            browser: "chrome 1".to_owned(),
            resumed: false,
        }
    }

    #[test]
    fn a_file_is_continued_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        PageLog::open(&path, &source("greedy")).unwrap().append(&record(1)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"game\":2,\"sco")).unwrap();
        PageLog::open(&path, &source("greedy")).unwrap().append(&record(7)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "{\"lab2048\":\"browser\",\"version\":1,\"url\":\"http://localhost/\",\"page\":\"object\",\
             \"player\":\"greedy\",\"size\":\"4x4\",\"until\":null,\"max_moves\":null}\n\
             {\"game\":1,\"score\":1,\"largest\":64,\"sum\":100,\"moves\":50,\"end\":\"no-moves\",\
             \"browser\":\"chrome 1\",\"time\":{\"thinking_ms\":1.5,\"browser_ms\":20.0}}\n\
             {\"game\":2,\"score\":7,\"largest\":64,\"sum\":100,\"moves\":50,\"end\":\"no-moves\",\
             \"browser\":\"chrome 1\",\"time\":{\"thinking_ms\":1.5,\"browser_ms\":20.0}}\n"
        );
    }

    #[test]
    fn a_file_of_something_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        for content in ["precious\n", "", "{\"lab2048\":\"arena\",\"version\":2}\n"] {
            fs::write(&path, content).unwrap();
            assert_eq!(PageLog::open(&path, &source("greedy")).is_ok(), content.is_empty());
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(PageLog::open(&path, &source("greedy")).is_err());
        fs::remove_file(&path).unwrap();
        PageLog::open(&path, &source("greedy")).unwrap().append(&record(1)).unwrap();
        assert!(PageLog::open(&path, &source("random")).is_err());
    }
}
