//! The file format; see `docs/reference/replay-format.md`.
//!
//! ```text
//! lab2048 replay 1
//! {"rules":{...},"seed":7,"player":"greedy",...}
//! L31 D01 L72 ...
//! crc32 1a2b3c4d
//! ```

use std::borrow::Cow;

use thiserror::Error;

use super::{Replay, ReplayHeader, ReplayStep};
use crate::board::{Direction, Size};
use crate::game::Action;
use crate::text::{SENTENCE, one_line, shortened};

const MAGIC: &str = "lab2048 replay ";
const VERSION: &str = "1";
const CHECKSUM: &str = "crc32 ";
/// The length of `crc32 `, eight digits and the line end.
const LAST_LINE: usize = CHECKSUM.len() + 9;
const STEPS_A_LINE: usize = 20;
const LONGEST_HEADER: usize = 1 << 20;

/// Cells and ranks as one letter. On boards up to 4x4 the letter is the hexadecimal digit.
const LETTERS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+_";

/// Why a text is not a replay.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayTextError {
    /// The text is too large.
    #[error("the file is too large for a replay: the limit is {} bytes", Replay::MOST_BYTES)]
    TooLarge,
    /// The first line is not that of a replay.
    #[error("line 1: this is not a replay of lab2048: it does not start with '{MAGIC}{VERSION}'")]
    Foreign,
    /// A later version.
    #[error("line 1: this replay has version {0}, but only version {VERSION} can be read")]
    Version(String),
    /// The checksum line is missing.
    #[error("line {line}: the file ends without its checksum: it was cut off")]
    CutOff {
        /// The last line of the file.
        line: usize,
    },
    /// There is text after the checksum.
    #[error("line {line}: there is more text after the checksum, which is the last line of a replay")]
    After {
        /// The line of that text.
        line: usize,
    },
    /// The checksum is wrong.
    #[error(
        "line {line}: the checksum is {}, but the lines above give {found:08x}: the file was changed",
        shortened(stated)
    )]
    Checksum {
        /// The line of the checksum.
        line: usize,
        /// The checksum in the file.
        stated: String,
        /// The checksum of the lines.
        found: u32,
    },
    /// The header (line 2) is wrong.
    #[error("line 2: {}", one_line(.0, SENTENCE))]
    Header(String),
    /// A line of steps is wrong.
    #[error("line {line}, column {column}: {problem}")]
    Step {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What is wrong.
        problem: StepProblem,
    },
    /// More steps than a replay can have.
    #[error("line {line}: a replay can have at most {} steps", Replay::MOST_STEPS)]
    TooManySteps {
        /// The line of the first extra step.
        line: usize,
    },
}

/// An error in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StepProblem {
    /// Not three letters followed by a blank or the line end.
    #[error("a step has three letters, followed by one blank or the end of the line")]
    Shape,
    /// The first letter is wrong.
    #[error("a step starts with U, R, D, L, P (pass) or Q (quit)")]
    Action,
    /// The second letter is wrong.
    #[error("the second letter of a step must be a cell of the {0} board (write -- if no tile appears)")]
    Cell(Size),
    /// The third letter is wrong.
    #[error("the third letter of a step must be the rank of the new tile, at least 1")]
    Rank,
    /// The line is too long or too short.
    #[error("every line of steps except the last must have exactly {STEPS_A_LINE} steps")]
    Count,
}

impl Replay {
    /// The maximum size of a file that is read.
    pub const MOST_BYTES: u64 = 64 << 20;

    /// The replay as the text of a file.
    pub fn to_text(&self) -> String {
        let header = serde_json::to_string(&self.header).expect("a header has only text keys");
        let mut text = format!("{MAGIC}{VERSION}\n{header}\n");
        text.reserve(self.steps.len() * 4 + LAST_LINE);
        for line in self.steps.chunks(STEPS_A_LINE) {
            for (index, step) in line.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.extend(step.letters().map(char::from));
            }
            text.push('\n');
        }
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("{CHECKSUM}{checksum:08x}\n"));
        text
    }

    /// Reads the text of a file. It does not check whether the game is possible; see
    /// [`Replay::verify`].
    pub fn from_text(bytes: &[u8]) -> Result<Replay, ReplayTextError> {
        if bytes.len() as u64 > Replay::MOST_BYTES {
            return Err(ReplayTextError::TooLarge);
        }
        let bytes = &with_plain_line_ends(bytes);
        check_first_line(bytes)?;
        let body = checked_body(bytes)?;
        let mut lines = body.split(|&byte| byte == b'\n').zip(1..).skip(1).peekable();
        let header = read_header(lines.next().unwrap_or_default().0)?;
        let mut steps = Vec::with_capacity((body.len() / 4).min(Replay::MOST_STEPS));
        while let Some((line, number)) = lines.next() {
            let is_last = lines.peek().is_none();
            read_line(number, line, is_last, header.start.size(), &mut steps)?;
        }
        Ok(Replay { header, steps })
    }
}

/// The text with line feeds only. Some Windows programs add a carriage return before each line
/// feed. The first line shows whether this happened. The checksum is that of the text without
/// carriage returns.
fn with_plain_line_ends(bytes: &[u8]) -> Cow<'_, [u8]> {
    let first_end = bytes.iter().position(|&byte| byte == b'\n');
    if first_end.is_none_or(|end| !bytes[..end].ends_with(b"\r")) {
        return Cow::Borrowed(bytes);
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => plain.extend(line.iter().chain(b"\n")),
            None => plain.extend(line),
        }
    }
    Cow::Owned(plain)
}

fn check_first_line(bytes: &[u8]) -> Result<(), ReplayTextError> {
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(ReplayTextError::Foreign)?;
    let version = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if version == VERSION.as_bytes() {
        return Ok(());
    }
    let plain = version.len() <= 8 && !version.is_empty() && version.iter().all(u8::is_ascii_digit);
    Err(if plain {
        ReplayTextError::Version(String::from_utf8_lossy(version).into_owned())
    } else {
        ReplayTextError::Foreign
    })
}

/// Checks the checksum and returns the lines before it, without the last line end. Blank lines
/// after the checksum are ignored.
fn checked_body(bytes: &[u8]) -> Result<&[u8], ReplayTextError> {
    let line_of = |place: usize| 1 + bytes[..place].iter().filter(|&&byte| byte == b'\n').count();
    let end = bytes.trim_ascii_end().len();
    let cut_off = || {
        // Neither the header nor a line of steps starts like this, so text after such a line was
        // added.
        let mut lines = bytes[..end].split(|&byte| byte == b'\n').zip(1..);
        match lines.position(|(line, _)| line.starts_with(CHECKSUM.as_bytes())).and(lines.next()) {
            Some((_, line)) => ReplayTextError::After { line },
            None => ReplayTextError::CutOff { line: line_of(end) },
        }
    };
    let bytes = if bytes.get(end) == Some(&b'\n') { &bytes[..=end] } else { bytes };
    let split = bytes.len().checked_sub(LAST_LINE).ok_or_else(cut_off)?;
    let (body, last) = bytes.split_at(split);
    let stated = last.strip_prefix(CHECKSUM.as_bytes()).and_then(|rest| rest.strip_suffix(b"\n"));
    let (stated, lines) = stated.zip(body.strip_suffix(b"\n")).ok_or_else(cut_off)?;
    let stated = String::from_utf8_lossy(stated).into_owned();
    let found = crc32fast::hash(body);
    if stated == format!("{found:08x}") {
        Ok(lines)
    } else {
        Err(ReplayTextError::Checksum { line: line_of(split), stated, found })
    }
}

fn read_header(line: &[u8]) -> Result<ReplayHeader, ReplayTextError> {
    let wrong = |reason: String| ReplayTextError::Header(reason);
    if line.len() > LONGEST_HEADER {
        return Err(wrong(format!("the header is longer than {LONGEST_HEADER} bytes")));
    }
    let header: ReplayHeader = serde_json::from_slice(line).map_err(|error| wrong(in_line_two(&error)))?;
    if header.start.size() != header.rules.size {
        let (board, rules) = (header.start.size(), header.rules.size);
        return Err(wrong(format!("the start board is {board}, but the rules say {rules}")));
    }
    Ok(header)
}

/// The message of the JSON reader, without its own line number.
fn in_line_two(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = reason.strip_suffix(&place).unwrap_or(&reason);
    format!("the header is invalid: {reason} (column {})", error.column())
}

fn read_line(
    number: usize,
    line: &[u8],
    is_last: bool,
    size: Size,
    steps: &mut Vec<ReplayStep>,
) -> Result<(), ReplayTextError> {
    let wrong =
        |index: usize, problem| ReplayTextError::Step { line: number, column: index * 4 + 1, problem };
    for (index, piece) in line.chunks(4).enumerate() {
        if index == STEPS_A_LINE {
            return Err(wrong(index, StepProblem::Count));
        }
        let [action, cell, rank, rest @ ..] = piece else {
            return Err(wrong(index, StepProblem::Shape));
        };
        if !matches!(rest, b"" | b" ") {
            return Err(wrong(index, StepProblem::Shape));
        }
        let step = ReplayStep::from_letters([*action, *cell, *rank], size);
        steps.push(step.map_err(|problem| wrong(index, problem))?);
    }
    // The last step of a line has no blank after it, so three letters remain.
    if line.len() % 4 != 3 {
        return Err(wrong(line.len() / 4, StepProblem::Shape));
    }
    if line.len() / 4 + 1 < STEPS_A_LINE && !is_last {
        return Err(wrong(line.len() / 4 + 1, StepProblem::Count));
    }
    if steps.len() > Replay::MOST_STEPS {
        return Err(ReplayTextError::TooManySteps { line: number });
    }
    Ok(())
}

impl ReplayStep {
    fn letters(self) -> [u8; 3] {
        let action = match self.action {
            Action::Move(Direction::Up) => b'U',
            Action::Move(Direction::Right) => b'R',
            Action::Move(Direction::Down) => b'D',
            Action::Move(Direction::Left) => b'L',
            Action::Pass => b'P',
            Action::Quit => b'Q',
        };
        match self.rank {
            0 => [action, b'-', b'-'],
            rank => [action, LETTERS[usize::from(self.cell)], LETTERS[usize::from(rank)]],
        }
    }

    fn from_letters([action, cell, rank]: [u8; 3], size: Size) -> Result<ReplayStep, StepProblem> {
        let action = match action {
            b'U' => Action::Move(Direction::Up),
            b'R' => Action::Move(Direction::Right),
            b'D' => Action::Move(Direction::Down),
            b'L' => Action::Move(Direction::Left),
            b'P' => Action::Pass,
            b'Q' => Action::Quit,
            _ => return Err(StepProblem::Action),
        };
        if [cell, rank] == *b"--" {
            return Ok(ReplayStep { action, cell: 0, rank: 0 });
        }
        let place = |letter: u8| LETTERS.iter().position(|&known| known == letter);
        let cell = place(cell).filter(|&cell| cell < size.cells()).ok_or(StepProblem::Cell(size))?;
        let rank = place(rank).filter(|&rank| rank > 0).ok_or(StepProblem::Rank)?;
        Ok(ReplayStep { action, cell: cell as u8, rank: rank as u8 })
    }
}
