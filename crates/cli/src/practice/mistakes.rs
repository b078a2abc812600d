//! The mistakes that were made in practice, collected to be drilled again.
//!
//! `mistakes.jsonl` is in the user's folder: a line that names the version, then one mistake per
//! line, the latest last. It is written atomically. Damaged lines are skipped.

use std::fs::{self, File};
use std::path::PathBuf;

use lab2048::files::{read_limited, user_folder, write_whole};
use lab2048::solve::PracticeMove;
use lab2048::text::in_words;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::show::count;

const VERSION: u32 = 1;
const NAME: &str = "mistakes.jsonl";
const MOST_BYTES: u64 = 4 << 20;
/// The number of mistakes that are kept. Beyond it, the oldest ones are dropped.
const MOST: usize = 500;
/// A mistake leaves the list when it was solved this many times in a row.
pub(crate) const SOLVED: u32 = 3;
/// A move that keeps a smaller share is a mistake.
const ENOUGH: f64 = 0.99;

/// Whether a move is a mistake: it keeps less than 99% of the chance or the points.
pub(crate) fn is_mistake(judged: &PracticeMove) -> bool {
    judged.share() < ENOUGH
}

/// A position that was played wrongly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mistake {
    /// The name of the table.
    pub(crate) table: String,
    /// The latest wrong move.
    pub(crate) judged: PracticeMove,
    /// How often a wrong move was played here.
    pub(crate) times: u64,
    /// How often it was solved in a row.
    pub(crate) solved: u32,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    file: String,
    version: u32,
}

/// Why the list cannot be used.
#[derive(Debug, Error)]
pub(crate) enum MistakesError {
    #[error("mistakes are not collected: there is no home folder; set LAB2048_HOME to a folder")]
    NoHome,
    #[error("{NAME} was written by a newer lab2048 and is not changed")]
    Newer,
    #[error("mistakes are not collected: {0}")]
    File(String),
}

/// The list of the user. Every change reads the file again, because another window may have changed
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Mistakes {
    folder: Option<PathBuf>,
}

/// The content of the file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Collected {
    /// The mistakes, the latest last.
    pub(crate) list: Vec<Mistake>,
    /// The number of damaged lines.
    damaged: usize,
}

impl Collected {
    /// A warning about damaged lines.
    pub(crate) fn warning(&self) -> Option<String> {
        (self.damaged > 0)
            .then(|| format!("{} of {NAME} skipped", count(self.damaged as u64, "damaged line")))
    }

    fn parse(text: &str) -> Result<Collected, MistakesError> {
        let mut lines = text.lines().peekable();
        let head = lines.peek().and_then(|line| serde_json::from_str::<Head>(line).ok());
        match head {
            Some(head) if head.version > VERSION => return Err(MistakesError::Newer),
            Some(_) => drop(lines.next()),
            None => {}
        }
        let mut collected = Collected::default();
        for line in lines {
            match serde_json::from_str(line) {
                Ok(mistake) => collected.list.push(mistake),
                Err(_) => collected.damaged += 1,
            }
        }
        Ok(collected)
    }
}

impl Mistakes {
    /// The list in the user's folder.
    pub(crate) fn of_user() -> Mistakes {
        Mistakes::in_folder(user_folder())
    }

    /// The list in a folder; without one, nothing is collected.
    pub(crate) fn in_folder(folder: Option<PathBuf>) -> Mistakes {
        Mistakes { folder }
    }

    /// Reads the file.
    pub(crate) fn read(&self) -> Result<Collected, MistakesError> {
        let path = self.folder.as_ref().ok_or(MistakesError::NoHome)?.join(NAME);
        if !path.exists() {
            return Ok(Collected::default());
        }
        let bytes =
            read_limited(&path, MOST_BYTES).map_err(|error| MistakesError::File(error.to_string()))?;
        Collected::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Adds a mistake, or counts one that is known.
    pub(crate) fn add(&self, table: &str, judged: &PracticeMove) -> Result<(), MistakesError> {
        self.change(|list| {
            let known = list.iter().position(|known| known.is_of(table, judged));
            let times = known.map_or(0, |place| list.remove(place).times);
            list.push(Mistake {
                table: table.to_owned(),
                judged: judged.clone(),
                times: times.saturating_add(1),
                solved: 0,
            });
            list.drain(..list.len().saturating_sub(MOST));
        })
    }

    /// Counts a correct answer in a drill. Returns how many there were in a row. From [`SOLVED`] on
    /// the mistake has left the list.
    pub(crate) fn solve(&self, table: &str, judged: &PracticeMove) -> Result<u32, MistakesError> {
        let mut solved = 0;
        self.change(|list| {
            let Some(known) = list.iter_mut().find(|known| known.is_of(table, judged)) else { return };
            known.solved = known.solved.saturating_add(1);
            solved = known.solved;
            list.retain(|known| known.solved < SOLVED);
        })?;
        Ok(solved)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Mistake>)) -> Result<(), MistakesError> {
        let folder = self.folder.as_ref().ok_or(MistakesError::NoHome)?;
        let failed = |error: &dyn ToString| MistakesError::File(error.to_string());
        fs::create_dir_all(folder)
            .map_err(|error| failed(&format!("cannot create {}: {}", folder.display(), in_words(&error))))?;
        // The lock lasts as long as the file is open. A file system without locks is no reason to
        // collect nothing.
        let lock =
            File::options().create(true).truncate(false).write(true).open(folder.join("mistakes.lock"));
        let _locked = lock.inspect(|file| drop(file.lock()));
        let mut list = self.read()?.list;
        change(&mut list);
        let head = Head { file: "lab2048 mistakes".to_owned(), version: VERSION };
        let mut text = serde_json::to_string(&head).map_err(|error| failed(&error))?;
        for mistake in &list {
            text.push('\n');
            text += &serde_json::to_string(mistake).map_err(|error| failed(&error))?;
        }
        write_whole(&folder.join(NAME), |out| writeln!(out, "{text}")).map_err(|error| failed(&error))
    }
}

impl Mistake {
    /// Whether it is this mistake, or a mirror image of it.
    fn is_of(&self, table: &str, judged: &PracticeMove) -> bool {
        let canonical = |judged: &PracticeMove| judged.board.to_grid().canonical();
        self.table == table && canonical(&self.judged) == canonical(judged)
    }
}

#[cfg(test)]
mod tests {
    use lab2048::board::{Direction, parse_board};

    use super::*;

    fn left(board: &str) -> PracticeMove {
        let board = parse_board(board, None).unwrap();
        PracticeMove { board, played: Direction::Left, best: Direction::Up, before: 0.8, kept: 0.4 }
    }

    #[test]
    fn a_mistake_leaves_the_list_when_it_was_solved_three_times_in_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let mistakes = Mistakes::in_folder(Some(folder.path().join("new")));
        let (one, other) = (left("2 4/8 0"), left("2 4/4 0"));
        for judged in [&one, &other, &one] {
            mistakes.add("2x2-16", judged).unwrap();
        }
        let list = mistakes.read().unwrap().list;
        assert_eq!(
            list.iter().map(|mistake| mistake.times).collect::<Vec<_>>(),
            [1, 2],
            "the latest is last"
        );
        assert_eq!(
            [mistakes.solve("2x2-16", &one).unwrap(), mistakes.solve("2x2-16", &one).unwrap()],
            [1, 2]
        );
        mistakes.add("2x2-16", &one).unwrap();
        let solved = [1, 2, SOLVED].map(|_| mistakes.solve("2x2-16", &one).unwrap());
        assert_eq!(solved, [1, 2, SOLVED], "a wrong move begins anew");
        assert_eq!(mistakes.read().unwrap().list, [list[0].clone()]);
        assert_eq!(mistakes.solve("2x2-16", &one).unwrap(), 0, "it is gone");
    }

    #[test]
    fn damaged_lines_cost_only_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let mistakes = Mistakes::in_folder(Some(folder.path().to_owned()));
        mistakes.add("2x2", &left("2 4/8 0")).unwrap();
        mistakes.add("2x2", &left("2 4/4 0")).unwrap();
        let path = folder.path().join(NAME);
        let text = fs::read_to_string(&path).unwrap().replace("2x2", "2x3");
        let torn = format!("{}{{\"table\"\n\u{0}\n", text.replacen("file", "fi\u{fffd}le", 1));
        fs::write(&path, torn).unwrap();
        let read = mistakes.read().unwrap();
        assert_eq!((read.list.len(), read.list[0].table.as_str()), (2, "2x3"));
        assert_eq!(read.warning().unwrap(), "3 damaged lines of mistakes.jsonl skipped");
        mistakes.add("2x2", &left("2 4/8 0")).unwrap();
        let read = mistakes.read().unwrap();
        assert_eq!((read.list.len(), read.warning()), (3, None));
    }

    #[test]
    fn a_newer_file_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mistakes = Mistakes::in_folder(Some(folder.path().to_owned()));
        let newer = "{\"file\":\"lab2048 mistakes\",\"version\":2}\n{}\n";
        fs::write(folder.path().join(NAME), newer).unwrap();
        assert!(matches!(mistakes.add("2x2", &left("2 4/8 0")), Err(MistakesError::Newer)));
        assert_eq!(fs::read_to_string(folder.path().join(NAME)).unwrap(), newer);
        let nowhere = Mistakes::in_folder(None).read().unwrap_err().to_string();
        assert!(nowhere.contains("set LAB2048_HOME"), "{nowhere}");
    }

    #[test]
    fn the_list_has_a_limit_and_drops_the_oldest() {
        let folder = tempfile::tempdir().unwrap();
        let mistakes = Mistakes::in_folder(Some(folder.path().to_owned()));
        let many: String = (0..MOST)
            .map(|number| {
                let table = number.to_string();
                let mistake = Mistake { table, judged: left("2 4/8 0"), times: 1, solved: 0 };
                format!("{}\n", serde_json::to_string(&mistake).unwrap())
            })
            .collect();
        fs::write(folder.path().join(NAME), many).unwrap();
        mistakes.add("2x2", &left("2 4/8 0")).unwrap();
        let list = mistakes.read().unwrap().list;
        assert_eq!((list.len(), list[0].table.as_str(), list[MOST - 1].table.as_str()), (MOST, "1", "2x2"));
    }
}
