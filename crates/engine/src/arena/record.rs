//! Records: the result of a game as one line of JSON (wrapped here):
//!
//! ```text
//! {"seed":1,"player":"random","score":1028,"largest":128,"sum":244,"moves":110,
//!  "end":"no-moves","time":{"ms":0.011270}}
//! ```
//!
//! `end` is one of `no-moves`, `no-room`, `quit`, `until`, `max-moves` and `failed`. A failed game
//! has the reason in `error` after it. `sum` is written in full, even if it needs more than 64
//! bits. The timing is the last field and the only one that differs from run to run. The line
//! without it is the *plain* line.

use std::borrow::Cow;
use std::io::Write as _;
use std::time::Duration;

use crate::hash;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{PlannedPlayer, StopReason};
use crate::game::GameResult;
use crate::text::{SENTENCE, one_line, shortened};

/// One game of a contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The seed of the game.
    pub seed: u64,
    /// The index of the player in the contest's list.
    pub player: usize,
    /// The result of the game.
    pub result: GameResult,
    /// Why it stopped.
    pub end: StopReason,
    /// The time of the game on its thread, from the first question to the last move. What the
    /// player loads when it is built and when a game starts does not count.
    pub time: Duration,
}

/// A record without the timing, as in JSON.
#[derive(Serialize)]
struct PlainLine<'a> {
    seed: u64,
    player: &'a str,
    score: u64,
    largest: u64,
    sum: u128,
    moves: u64,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// A whole line, as read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadLine<'a> {
    seed: u64,
    #[serde(borrow)]
    player: Cow<'a, str>,
    score: u64,
    largest: u64,
    sum: u128,
    moves: u64,
    #[serde(borrow)]
    end: Cow<'a, str>,
    error: Option<String>,
    time: Timing,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Timing {
    ms: f64,
}

impl Record {
    /// Appends the record's line with its line feed, and returns the plain part: the line without
    /// timing and line feed. `player` is the player's spec.
    pub fn write_line<'a>(&self, player: &str, line: &'a mut Vec<u8>) -> PlainPart<'a> {
        let start = line.len();
        let result = &self.result;
        let plain = PlainLine {
            seed: self.seed,
            player,
            score: result.score,
            largest: result.largest,
            sum: result.sum,
            moves: result.moves,
            end: self.end.word(),
            error: self.end.error(),
        };
        serde_json::to_writer(&mut *line, &plain).expect("numbers and text can be written to memory");
        let end = line.len() - 1;
        line.truncate(end);
        let nanos = self.time.as_nanos();
        writeln!(line, ",\"time\":{{\"ms\":{}.{:06}}}}}", nanos / 1_000_000, nanos % 1_000_000)
            .expect("writing to memory does not fail");
        PlainPart(&line[start..end])
    }

    /// Reads a line, with or without its line feed. `players` are those of the
    /// contest.
    pub fn read_line(line: &[u8], players: &[PlannedPlayer]) -> Result<Record, RecordError> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let read: ReadLine<'_> = serde_json::from_slice(line).map_err(|error| {
            // The JSON reader always reports line 1; the log knows the real line.
            let text = error.to_string().replace(" at line 1 column ", " at column ");
            if error.is_eof() { RecordError::Torn } else { RecordError::Json(text) }
        })?;
        let unknown = || RecordError::UnknownPlayer(read.player.clone().into_owned());
        let player = players.iter().position(|player| player.spec == read.player).ok_or_else(unknown)?;
        let end = StopReason::from_record(&read.end, read.error).ok_or(RecordError::End)?;
        let time = Duration::try_from_secs_f64(read.time.ms / 1000.0).map_err(|_| RecordError::Time)?;
        let ReadLine { seed, score, largest, sum, moves, .. } = read;
        let result = GameResult { score, largest, sum, moves };
        Ok(Record { seed, player, result, end, time })
    }
}

/// Why a line is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is cut off.
    #[error("it is cut off")]
    Torn,
    /// It is not JSON, or JSON of another kind.
    #[error("{}", one_line(.0, SENTENCE))]
    Json(String),
    /// Its player is not in the contest.
    #[error("'{}' is not a player of this contest", shortened(.0))]
    UnknownPlayer(String),
    /// Its end is unknown, or its error does not match.
    #[error("its end is invalid")]
    End,
    /// Its time is negative or too large.
    #[error("its time is invalid")]
    Time,
}

/// The part of a record's line that is the same in every run.
pub struct PlainPart<'a>(&'a [u8]);

/// A hash of all records of a contest without their timing: the SHA-256 of the plain lines, each
/// with its line feed. The following command gives the same hash:
///
/// ```text
/// tail -n +2 runs.jsonl | sed 's/,"time":{"ms":[0-9.]*}}$/}/' | sha256sum
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordsDigest(Sha256);

impl RecordsDigest {
    /// Adds the next record.
    pub fn add(&mut self, plain: &PlainPart<'_>) {
        self.0.update(plain.0);
        self.0.update(b"}\n");
    }

    /// The digest of the records so far, in hexadecimal.
    pub fn hex(&self) -> String {
        hash::hex(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Ending;

    fn players() -> [PlannedPlayer; 2] {
        ["random", "x:say=\"a, \\\"b\\\"\""].map(PlannedPlayer::named)
    }

    fn record(player: usize, end: StopReason) -> Record {
        let result = GameResult { score: 1028, largest: 128, sum: 244, moves: 110 };
        Record { seed: 1, player, result, end, time: Duration::from_nanos(11_270) }
    }

    fn line(record: &Record) -> String {
        let mut line = Vec::new();
        record.write_line(&players()[record.player].spec, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn the_line_is_the_documented_one() {
        assert_eq!(
            line(&record(0, StopReason::Over(Ending::NoMoves))),
            "{\"seed\":1,\"player\":\"random\",\"score\":1028,\"largest\":128,\"sum\":244,\"moves\":110,\
             \"end\":\"no-moves\",\"time\":{\"ms\":0.011270}}\n"
        );
    }

    #[test]
    fn every_end_and_extreme_reads_back() {
        let failed = StopReason::Failed("it said \"löft\"\nand died".to_owned());
        let ends = [
            StopReason::Over(Ending::NoMoves),
            StopReason::Over(Ending::NoRoom),
            StopReason::Over(Ending::Quit),
            StopReason::Until,
            StopReason::MaxMoves,
            failed,
        ];
        for end in ends {
            let record = record(1, end);
            assert_eq!(Record::read_line(line(&record).as_bytes(), &players()), Ok(record));
        }
        let mut huge = record(0, StopReason::Over(Ending::Quit));
        let most = u64::MAX;
        huge.result = GameResult { score: most, largest: most, sum: u128::from(most) * 64, moves: most };
        huge.seed = most;
        assert_eq!(Record::read_line(line(&huge).as_bytes(), &players()), Ok(huge));
    }

    #[test]
    fn every_proper_beginning_of_a_line_is_torn() {
        let line = line(&record(1, StopReason::Failed("ö".to_owned())));
        let whole = line.trim_end();
        for length in 0..whole.len() {
            let error = Record::read_line(&whole.as_bytes()[..length], &players()).unwrap_err();
            let inside_letter = !whole.is_char_boundary(length);
            assert!(error == RecordError::Torn || inside_letter, "{length}: {error:?}");
        }
    }

    #[test]
    fn what_is_not_a_record_is_refused() {
        let good = line(&record(0, StopReason::Over(Ending::NoMoves)));
        let changed = |from: &str, to: &str| {
            assert!(good.contains(from));
            Record::read_line(good.replacen(from, to, 1).as_bytes(), &players()).unwrap_err().to_string()
        };
        assert_eq!(changed("random", "rondom"), "'rondom' is not a player of this contest");
        assert_eq!(changed("no-moves", "no-fun"), "its end is invalid");
        assert_eq!(changed("no-moves", "failed"), "its end is invalid");
        assert_eq!(changed("0.011270", "-1"), "its time is invalid");
        assert!(changed("1028", "-1028").contains("invalid value"));
        assert!(changed("\"moves\"", "\"movse\"").contains("unknown field"));
        assert!(changed("\"moves\"", "\"score\"").contains("duplicate field"));
        assert!(changed("\"moves\":110,", "").contains("missing field"));
        assert!(changed("}}\n", "}}{}\n").contains("trailing characters"));
    }

    #[test]
    fn the_digest_ignores_the_timing_and_nothing_else() {
        let digest = |records: &[Record]| {
            let mut digest = RecordsDigest::default();
            let mut line = Vec::new();
            for record in records {
                digest.add(&record.write_line(&players()[record.player].spec, &mut line));
            }
            digest.hex()
        };
        let one = record(0, StopReason::Over(Ending::NoMoves));
        let slower = Record { time: Duration::from_secs(9), ..one.clone() };
        let other = Record { seed: 2, ..one.clone() };
        assert_eq!(digest(&[one.clone(), other.clone()]), digest(&[slower, other.clone()]));
        assert_ne!(digest(&[one.clone(), other.clone()]), digest(&[other, one]));
        // printf '' | sha256sum
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(&[]), nothing);
    }

    fn any_end() -> impl Strategy<Value = StopReason> {
        prop_oneof![
            Just(StopReason::Over(Ending::NoMoves)),
            Just(StopReason::Over(Ending::NoRoom)),
            Just(StopReason::Over(Ending::Quit)),
            Just(StopReason::Until),
            Just(StopReason::MaxMoves),
            any::<String>().prop_map(StopReason::Failed),
        ]
    }

    proptest! {
        #[test]
        fn any_record_reads_back(
            (seed, player, end) in (any::<u64>(), 0..2usize, any_end()),
            (score, largest, sum, moves) in (any::<u64>(), any::<u64>(), any::<u128>(), any::<u64>()),
            nanos in 0..1_000_000_000_000_000u64,
        ) {
            let result = GameResult { score, largest, sum, moves };
            let record = Record { seed, player, result, end, time: Duration::from_nanos(nanos) };
            let line = line(&record);
            prop_assert_eq!(line.lines().count(), 1);
            let read = Record::read_line(line.as_bytes(), &players()).unwrap();
            // The time is converted through a floating-point number.
            prop_assert!(read.time.abs_diff(record.time) < Duration::from_nanos(1000));
            prop_assert_eq!(Record { time: record.time, ..read }, record);
        }

        #[test]
        fn any_bytes_are_a_record_or_refused(mut bytes: Vec<u8>, at in 0..100usize) {
            let _ = Record::read_line(&bytes, &players());
            let mut line = line(&record(1, StopReason::Over(Ending::NoMoves))).into_bytes();
            bytes.truncate(4);
            line.splice(at..at, bytes.iter().copied());
            if let Ok(read) = Record::read_line(&line, &players()) {
                prop_assert!(read.player < 2);
            }
        }
    }
}
