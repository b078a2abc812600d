//! Reading the lines of a log, from a file or from memory.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::{ContestPlan, Record, RecordError};
use crate::text::{SENTENCE, in_words, one_line, shortened};

pub(super) const KIND: &str = "arena";

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Its header does not contain the files of bots. Such a log keeps its version.
    WithoutBots = 1,
    /// New logs have this one.
    Current = 2,
}

impl Version {
    pub(super) const ALL: [Version; 2] = [Version::Current, Version::WithoutBots];

    pub(super) fn number(self) -> u64 {
        self as u64
    }

    fn from_number(number: u64) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.number() == number)
    }
}

/// The maximum length of a line. Longer lines of foreign files are not read into memory.
const LONGEST_LINE: u64 = 1 << 20;

/// The first line of a log.
#[derive(Serialize, Deserialize)]
pub(super) struct Header<P> {
    pub(super) lab2048: String,
    pub(super) version: u64,
    #[serde(flatten)]
    pub(super) plan: P,
}

/// Why bytes are not the log of a contest.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// An I/O error.
    #[error("it cannot be read: {}", in_words(.0))]
    Io(#[from] io::Error),
    /// There are no bytes.
    #[error("it is empty")]
    Empty,
    /// They are something else.
    #[error("it is not a file of arena records")]
    Foreign,
    /// The log has an unknown version.
    #[error(
        "it has version {} of the arena records; this program knows versions {} and {}",
        shortened(.0),
        Version::WithoutBots.number(),
        Version::Current.number()
    )]
    Version(String),
    /// A line is not the expected record.
    #[error("it is damaged: line {line} {why}")]
    Damaged {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
}

/// A log being read line by line.
pub(super) struct Scan<R> {
    reader: R,
    /// The last line, including its line feed if it has one.
    pub(super) line: Vec<u8>,
    /// Its number, counted from 1.
    number: u64,
    /// The length of the valid part of the log.
    pub(super) whole: u64,
    /// The length of everything that was read.
    read: u64,
}

impl<R: BufRead> Scan<R> {
    pub(super) fn new(reader: R) -> Scan<R> {
        Scan { reader, line: Vec::new(), number: 0, whole: 0, read: 0 }
    }

    /// Reads the next line; returns false at the end of the log.
    pub(super) fn next(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut limited = self.reader.by_ref().take(LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut self.line)?;
        self.number += u64::from(read > 0);
        self.read += read as u64;
        Ok(read > 0)
    }

    /// Whether the line has no line feed because the log ends.
    pub(super) fn is_torn(&self) -> bool {
        !self.line.ends_with(b"\n") && (self.line.len() as u64) < LONGEST_LINE
    }

    /// The version and the plan in the first line, which has been read.
    pub(super) fn plan(&self) -> Result<(Version, ContestPlan), RecordsError> {
        let Ok(value) = serde_json::from_slice::<Value>(&self.line) else {
            return Err(RecordsError::Foreign);
        };
        if value.get("lab2048").and_then(Value::as_str) != Some(KIND) {
            return Err(RecordsError::Foreign);
        }
        let number = value.get("version").unwrap_or(&Value::Null);
        let Some(version) = number.as_u64().and_then(Version::from_number) else {
            return Err(RecordsError::Version(number.to_string()));
        };
        match serde_json::from_value::<Header<ContestPlan>>(value) {
            Ok(Header { plan, .. }) => Ok((version, plan)),
            Err(_) => Err(RecordsError::Damaged { line: 1, why: "is not a valid header".to_owned() }),
        }
    }

    /// Reads the records up to the end of the log, an incomplete last line or a break.
    pub(super) fn records(
        &mut self,
        plan: &ContestPlan,
        seen: &mut dyn FnMut(&Record) -> ControlFlow<()>,
    ) -> Result<(), RecordsError> {
        let mut place = 0;
        while self.next()? {
            if self.is_torn() {
                return Ok(());
            }
            let length = self.line.len() as u64;
            let number = self.number;
            let damaged = |why| RecordsError::Damaged { line: number, why };
            let record = match Record::read_line(&self.line, &plan.players) {
                Ok(record) => record,
                // Files must not be joined by appending one to the other.
                Err(_) if self.plan().is_ok() => {
                    return Err(damaged("is the header of another file of records".to_owned()));
                }
                Err(RecordError::Torn) if !self.next()? => return Ok(()),
                Err(error) => return Err(damaged(one_line(&format!("is not a record: {error}"), SENTENCE))),
            };
            let task = plan.task(place);
            if (record.seed, record.player) != (task.seed, task.player) {
                let name = |seed: u64, player: usize| format!("seed {seed} by {}", plan.players[player].spec);
                let (there, expected) = (name(record.seed, record.player), name(task.seed, task.player));
                return Err(damaged(format!("is {there} instead of {expected}")));
            }
            plan.check(&record).map_err(|why| damaged(format!("is not possible: {why}")))?;
            if seen(&record).is_break() {
                return Ok(());
            }
            place += 1;
            self.whole += length;
        }
        Ok(())
    }
}

/// Reads the log of a contest, from a file or from memory, without changing it.
///
/// ```
/// use lab2048::arena::{ContestTally, RecordsReader};
///
/// let text = concat!(
///     r#"{"lab2048":"arena","version":2,"rules":{"size":"4x4","four":0.1,"start":"two-spawns","#,
///     r#""idle":"refused","goal":2048},"board":null,"seed":1,"players":["random"],"#,
///     r#""until":null,"max_moves":null}"#,
///     "\n",
///     r#"{"seed":1,"player":"random","score":1288,"largest":128,"sum":290,"moves":133,"#,
///     r#""end":"no-moves","time":{"ms":0.064535}}"#,
///     "\n",
/// );
/// let reader = RecordsReader::new(text.as_bytes())?;
/// let mut tally = ContestTally::new(reader.plan());
/// reader.read(&mut |record| tally.add(record))?;
/// assert_eq!(tally.summaries()[0].mean, 1288.0);
/// # Ok::<(), lab2048::arena::RecordsError>(())
/// ```
pub struct RecordsReader<R> {
    plan: ContestPlan,
    scan: Scan<R>,
}

impl<R: BufRead> RecordsReader<R> {
    /// Reads the header.
    pub fn new(reader: R) -> Result<RecordsReader<R>, RecordsError> {
        let mut scan = Scan::new(reader);
        if !scan.next()? {
            return Err(RecordsError::Empty);
        }
        let (_, plan) = scan.plan()?;
        // A game with a board of another size than its rules cannot start.
        if plan.setup.board.as_ref().is_some_and(|board| board.size() != plan.setup.rules.size) {
            let why = "has a board of another size than its rules".to_owned();
            return Err(RecordsError::Damaged { line: 1, why });
        }
        scan.whole = scan.line.len() as u64;
        Ok(RecordsReader { plan, scan })
    }

    /// The plan of the contest.
    pub fn plan(&self) -> &ContestPlan {
        &self.plan
    }

    /// Reads and checks all records. Returns whether the log is complete: its last line is not cut
    /// off.
    pub fn read(self, seen: &mut dyn FnMut(&Record)) -> Result<bool, RecordsError> {
        self.read_while(&mut |record| {
            seen(record);
            ControlFlow::Continue(())
        })
    }

    /// The same up to a break, after which nothing more is read. Such a log is not complete.
    pub fn read_while(
        mut self,
        seen: &mut dyn FnMut(&Record) -> ControlFlow<()>,
    ) -> Result<bool, RecordsError> {
        self.scan.records(&self.plan, seen)?;
        Ok(self.scan.whole == self.scan.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"lab2048":"arena","version":2,"rules":{"size":"4x4","four":0.1,"start":"two-spawns","idle":"refused","goal":2048},"board":null,"seed":1,"players":["random"],"until":null,"max_moves":null}"#;
    const FIRST: &str = r#"{"seed":1,"player":"random","score":1288,"largest":128,"sum":290,"moves":133,"end":"no-moves","time":{"ms":0.064535}}"#;
    const SECOND: &str = r#"{"seed":2,"player":"random","score":596,"largest":64,"sum":186,"moves":83,"end":"no-moves","time":{"ms":0.011657}}"#;

    fn read(text: &str) -> Result<(Vec<u64>, bool), RecordsError> {
        let reader = RecordsReader::new(text.as_bytes())?;
        let mut scores = Vec::new();
        let complete = reader.read(&mut |record| scores.push(record.result.score))?;
        Ok((scores, complete))
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn every_beginning_of_a_log_is_read_as_far_as_it_is_whole() {
        let text = format!("{HEADER}\n{FIRST}\n{SECOND}\n");
        assert_eq!(read(&text).unwrap(), (vec![1288, 596], true));
        let first = HEADER.len() + 1 + FIRST.len() + 1;
        for length in first..text.len() {
            assert_eq!(read(&text[..length]).unwrap(), (vec![1288], length == first), "{length}");
        }
        let half = format!("{HEADER}\n{FIRST}\n{}\n", &SECOND[..40]);
        assert_eq!(read(&half).unwrap(), (vec![1288], false));
    }

    #[test]
    fn after_a_break_nothing_is_read() {
        let text = format!("{HEADER}\n{FIRST}\nnot a record\n");
        let mut scores = Vec::new();
        let complete = RecordsReader::new(text.as_bytes()).unwrap().read_while(&mut |record| {
            scores.push(record.result.score);
            ControlFlow::Break(())
        });
        assert_eq!((scores, complete.unwrap()), (vec![1288], false));
    }

    #[test]
    fn what_is_not_a_log_is_refused_in_a_sentence() {
        assert_eq!(refusal(""), "it is empty");
        assert_eq!(
            refusal(&format!("{HEADER}\n{FIRST}\n{HEADER}\n{FIRST}\n")),
            "it is damaged: line 3 is the header of another file of records"
        );
        assert_eq!(refusal("games,moves\n1,2\n"), "it is not a file of arena records");
        assert_eq!(refusal(FIRST), "it is not a file of arena records");
        let changed = |from: &str, to: &str| {
            let text = format!("{HEADER}\n{FIRST}\n{SECOND}\n");
            assert!(text.contains(from));
            refusal(&text.replacen(from, to, 1))
        };
        assert_eq!(
            changed("\"version\":2", "\"version\":9"),
            "it has version 9 of the arena records; this program knows versions 1 and 2"
        );
        assert_eq!(changed("\"four\"", "\"fuor\""), "it is damaged: line 1 is not a valid header");
        assert_eq!(
            changed("\"board\":null", "\"board\":[[2,4],[0,0]]"),
            "it is damaged: line 1 has a board of another size than its rules"
        );
        assert_eq!(
            changed("[\"random\"]", "[]"),
            "it is damaged: line 2 is not a record: 'random' is not a player of this contest"
        );
        assert!(changed("1288", "1289").starts_with("it is damaged: line 2 is not possible: its score"));
        assert_eq!(
            changed("{\"seed\":2", "{\"seed\":3"),
            "it is damaged: line 3 is seed 3 by random instead of seed 2 by random"
        );
    }
}
