//! `lab2048 best --batch`: a board on each line of the input, an answer on each line of the output.
//! Each answer is printed before the next line is read, so that a program can ask one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};

use lab2048::board::{Board, Size, parse_board};
use lab2048::files::FileError;
use lab2048::game::Game;
use lab2048::text::in_words;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::game_options::{MOST_BYTES, check_moves};
use crate::{out, show};

/// Where the lines are.
pub(super) enum Source {
    Input,
    File(String),
}

impl Source {
    /// BOARD with `--batch`: nothing or `-` for the standard input, or a file with or without `@`.
    pub(super) fn of(words: &[String]) -> Outcome<Source> {
        match words {
            [] => Ok(Source::Input),
            [word] if word == "-" => Ok(Source::Input),
            [word] => Ok(Source::File(word.strip_prefix('@').unwrap_or(word).to_owned())),
            _ => Err(Failure::BadInput(
                "with --batch, BOARD is one file with a board on each line, or - for standard input"
                    .to_owned(),
            )),
        }
    }

    fn open(&self) -> Outcome<Box<dyn BufRead>> {
        match self {
            Source::Input => Ok(Box::new(io::stdin().lock())),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(BufReader::new(file))),
                Err(error) => Err(self.unreadable(error)),
            },
        }
    }

    fn unreadable(&self, source: io::Error) -> Failure {
        match self {
            Source::Input => {
                Failure::BadInput(format!("cannot read the standard input: {}", in_words(&source)))
            }
            Source::File(path) => Failure::bad_input(FileError::Read { path: path.into(), source }),
        }
    }
}

/// Answers every line. A line without an answer does not stop the others. The exit code says
/// whether there was one.
pub(super) fn run(
    source: &Source,
    size: Option<Size>,
    game_of: impl Fn(Board) -> Game,
    mut ask: impl FnMut(&Game) -> Outcome<Value>,
) -> Outcome<()> {
    let mut input = source.open()?;
    let mut failures = Failures::default();
    let mut number = 0;
    while let Some(line) = next_line(&mut input).map_err(|error| source.unreadable(error))? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        failures.asked += 1;
        let answer = board(&line, size).map(&game_of).and_then(|game| {
            check_moves(&game)?;
            ask(&game)
        });
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(failure @ (Failure::BadInput(_) | Failure::Failed(_))) => failures.note(number, &failure),
            Err(failure) => return Err(failure),
        };
        answer["line"] = json!(number);
        out::print_json_line(&answer)?;
    }
    failures.outcome()
}

/// The next line without its end, or `None` at the end of the input. Of a line that is too long for
/// a board, only the beginning is kept.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.by_ref().take(MOST_BYTES + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() as u64 > MOST_BYTES {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

fn board(line: &[u8], size: Option<Size>) -> Outcome<Board> {
    let wrong = |reason: String| Failure::BadInput(format!("not a board: {reason}"));
    if line.len() as u64 > MOST_BYTES {
        return Err(wrong(format!("the line is longer than {MOST_BYTES} bytes")));
    }
    let text = str::from_utf8(line).map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    parse_board(text, size).map_err(|error| wrong(error.to_string()))
}

/// The lines without an answer.
#[derive(Default)]
struct Failures {
    asked: u64,
    count: u64,
    first: u64,
    /// Whether the work failed on some line, although the input was valid.
    failed: bool,
}

impl Failures {
    /// Counts a line, and returns what is printed for it.
    fn note(&mut self, number: u64, failure: &Failure) -> Value {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
        self.failed |= matches!(failure, Failure::Failed(_));
        json!({ "error": failure.to_string() })
    }

    fn outcome(&self) -> Outcome<()> {
        if self.count == 0 {
            return Ok(());
        }
        let (count, asked, first) = (self.count, show::count(self.asked, "board"), self.first);
        let words = format!("{count} of {asked} got no answer, the first of them on line {first}");
        Err(if self.failed { Failure::Failed(words) } else { Failure::BadInput(words) })
    }
}
