//! The tables at hand: files in one folder, found by name, and small boards that are solved when
//! they are first asked for.

use std::collections::HashMap;
#[cfg(feature = "files")]
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;
use thiserror::Error;

#[cfg(feature = "files")]
use super::work::{FolderError, remove_work};
use super::{Exact, Goal, Job, SubGame, SubGameError, Table, TableError, solve_in_memory};
use crate::board::{Board, Size};
use crate::game::Probability;
use crate::text::{in_words, shortened};

/// Tables by name. A table stays open once it was used, and everybody shares it.
///
/// ```
/// use lab2048::Size;
/// use lab2048::game::Probability;
/// use lab2048::solve::{Goal, Tables};
///
/// let tables = Tables::default();
/// let table = tables.solved(Size::new(2, 2)?, Goal::Score, Probability::TENTH)?;
/// assert!((table.info().start - 66.9641494571).abs() < 1e-9);
/// assert!(tables.named("3x3").is_err(), "there is no folder");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Tables {
    folder: Option<PathBuf>,
    open: Mutex<HashMap<String, Open>>,
}

/// A table in use.
#[derive(Debug)]
struct Open {
    table: Arc<Table>,
    /// The length and modification time of its file. A changed file is opened again.
    state: Option<(u64, Option<SystemTime>)>,
}

/// Why a table cannot be had.
#[derive(Debug, Error)]
pub enum TablesError {
    /// No table has this name.
    #[error("there is no table '{}'; compute it with: lab2048 solve {}", shortened(.name), shortened(.name))]
    Missing {
        /// The name.
        name: String,
    },
    /// The text cannot be the name of a table.
    #[error("'{}' is not the name of a table: use one like block-512 or 3x3", shortened(.0))]
    Name(String),
    /// The file cannot be used.
    #[error("cannot use the table {}: {source}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TableError,
    },
    /// The file holds another table than its name says.
    #[error("the table {} is that of {found}; rename or remove it", path.display())]
    Renamed {
        /// The file.
        path: PathBuf,
        /// The name that it should have.
        found: String,
    },
    /// Unfinished work cannot be removed.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Work(#[from] FolderError),
    /// There is no folder, so that no table can be written.
    #[cfg(feature = "files")]
    #[error("there is no home folder for tables; set LAB2048_HOME to a folder")]
    NoFolder,
    /// The folder cannot be read, or a file in it cannot be removed.
    #[error("cannot use {}: {}", path.display(), in_words(source))]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The goal is not possible, or the board is too large.
    #[error(transparent)]
    Game(#[from] SubGameError),
}

/// What one table says about a board. As JSON, the values stand beside the name, which is `table`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The name of the table.
    #[serde(rename = "table")]
    pub name: String,
    /// The exact values.
    #[serde(flatten)]
    pub exact: Exact,
}

impl Tables {
    /// The ending of table files.
    pub const ENDING: &str = "table";

    /// The number of cells up to which a board is solved on the fly, in well under a second.
    pub const FLY_CELLS: usize = 6;

    /// The tables in a folder, which need not exist.
    pub fn in_folder(folder: PathBuf) -> Tables {
        Tables { folder: Some(folder), ..Tables::default() }
    }

    /// The folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file of a table, whether or not it exists; `None` without a folder or if the name could
    /// lead elsewhere.
    pub fn path_of(&self, name: &str) -> Option<PathBuf> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
        let fits = !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain);
        let folder = self.folder.as_ref().filter(|_| fits)?;
        Some(folder.join(format!("{name}.{}", Self::ENDING)))
    }

    /// The names of the tables in the folder, sorted.
    #[cfg(feature = "files")]
    pub fn names(&self) -> Result<Vec<String>, TablesError> {
        self.entries(Self::ENDING)
    }

    /// The names in the folder with an ending, sorted.
    #[cfg(feature = "files")]
    fn entries(&self, ending: &str) -> Result<Vec<String>, TablesError> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let failed = |source| TablesError::Folder { path: folder.clone(), source };
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.and_then(|name| name.strip_suffix(ending)?.strip_suffix('.'));
            if let Some(name) = name.filter(|name| self.path_of(name).is_some()) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Without files there are none.
    #[cfg(not(feature = "files"))]
    pub fn names(&self) -> Result<Vec<String>, TablesError> {
        Ok(Vec::new())
    }

    /// The table with a name.
    pub fn named(&self, name: &str) -> Result<Arc<Table>, TablesError> {
        if self.folder.is_some() && self.path_of(name).is_none() {
            return Err(TablesError::Name(name.to_owned()));
        }
        let missing = || match SubGame::named(name) {
            Ok(_) => TablesError::Missing { name: name.to_owned() },
            Err(_) => TablesError::Name(name.to_owned()),
        };
        let path = self.path_of(name).ok_or_else(missing)?;
        let table = self.opened(name, &path)?.ok_or_else(missing)?;
        let found = table.game().name();
        if found == name { Ok(table) } else { Err(TablesError::Renamed { path, found }) }
    }

    /// The table in a file; `None` if there is no such file.
    #[cfg(feature = "files")]
    fn opened(&self, name: &str, path: &Path) -> Result<Option<Arc<Table>>, TablesError> {
        let unfit = |source| TablesError::Unfit { path: path.to_owned(), source };
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|error| unfit(error.into()))?,
        };
        let state = Some((found.len(), found.modified().ok()));
        self.shared(name, state, || Table::open(path).map_err(unfit)).map(Some)
    }

    #[cfg(not(feature = "files"))]
    fn opened(&self, _: &str, _: &Path) -> Result<Option<Arc<Table>>, TablesError> {
        Ok(None)
    }

    /// Where unfinished work on the table of a file is kept.
    pub fn work_of(path: &Path) -> PathBuf {
        path.with_extension("work")
    }

    /// The names of the tables whose computation was interrupted, sorted.
    #[cfg(feature = "files")]
    pub fn unfinished(&self) -> Result<Vec<String>, TablesError> {
        let mut names = self.entries("work")?;
        names.retain(|name| SubGame::named(name).is_ok());
        Ok(names)
    }

    /// Removes a table and unfinished work on it. Returns what was removed: at least one of both.
    #[cfg(feature = "files")]
    pub fn remove(&self, name: &str) -> Result<Vec<PathBuf>, TablesError> {
        let path = self.path_of(name).ok_or_else(|| TablesError::Name(name.to_owned()))?;
        let work = Self::work_of(&path);
        let mut removed = Vec::new();
        if work.is_dir() {
            remove_work(&work)?;
            removed.push(work);
        }
        if path.is_file() {
            fs::remove_file(&path).map_err(|source| TablesError::Folder { path: path.clone(), source })?;
            removed.push(path);
        }
        if removed.is_empty() { Err(TablesError::Missing { name: name.to_owned() }) } else { Ok(removed) }
    }

    /// Whether a sub-game is solved when its table is asked for, so that no file is needed: it is a
    /// whole board of up to [`Tables::FLY_CELLS`].
    pub fn is_solved_on_the_fly(game: &SubGame) -> bool {
        game.walls().cells().is_empty() && game.max_sum().is_none() && game.size().cells() <= Self::FLY_CELLS
    }

    /// The table of a whole board, see [`Tables::of`].
    pub fn solved(&self, size: Size, goal: Goal, four: Probability) -> Result<Arc<Table>, TablesError> {
        self.of(&SubGame::on_board(size, goal)?.with_four(four))
    }

    /// The table of a sub-game: solved on the fly, or from the folder.
    pub fn of(&self, game: &SubGame) -> Result<Arc<Table>, TablesError> {
        let game = game.clone().upright();
        let name = game.name();
        if Self::is_solved_on_the_fly(&game) {
            return self.shared(&name, None, || {
                let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
                let solved = solve_in_memory(&game, &job).ok().flatten();
                Ok(solved.expect("a small board fits in memory, and nobody cancels it").1)
            });
        }
        self.named(&name)
    }

    /// The table of a sub-game that was computed before; `None` if there is none in the folder, or
    /// if the sub-game is solved on the fly.
    pub fn computed(&self, game: &SubGame) -> Result<Option<Arc<Table>>, TablesError> {
        if Self::is_solved_on_the_fly(game) {
            return Ok(None);
        }
        match self.of(game) {
            Ok(table) => Ok(Some(table)),
            Err(TablesError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What the tables of the folder know about a board. Tables that cannot be used say nothing.
    pub fn judge(&self, board: &Board, four: Probability) -> Vec<Judgement> {
        let names = self.names().unwrap_or_default();
        let judged = names.into_iter().filter_map(|name| {
            let exact = self.named(&name).ok()?.judge(board, four).ok()??;
            Some(Judgement { name, exact })
        });
        judged.collect()
    }

    /// A table that is open, or else is made now. Others wait, because they may need the same one.
    fn shared(
        &self,
        name: &str,
        state: Option<(u64, Option<SystemTime>)>,
        make: impl FnOnce() -> Result<Table, TablesError>,
    ) -> Result<Arc<Table>, TablesError> {
        // A panic of another thread leaves the map unchanged.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(name).filter(|known| known.state == state) {
            return Ok(Arc::clone(&known.table));
        }
        let table = Arc::new(make()?);
        open.insert(name.to_owned(), Open { table: Arc::clone(&table), state });
        Ok(table)
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::super::solve_to_file;
    use super::*;

    #[test]
    fn the_table_of_a_sub_game_comes_from_the_folder_and_must_be_the_right_one() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::in_folder(folder.path().to_owned());
        let [small, other] =
            ["walls-0123456789-16", "walls-0123456789-32"].map(|name| SubGame::named(name).unwrap());
        assert!(matches!(tables.of(&small), Err(TablesError::Missing { .. })));
        assert!(tables.computed(&small).unwrap().is_none());
        let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
        let path = tables.path_of(&small.name()).unwrap();
        solve_to_file(&small, &path, &job).unwrap().unwrap();
        assert_eq!(tables.of(&small).unwrap().game(), &small);
        assert_eq!(tables.computed(&small).unwrap().unwrap().game(), &small);
        fs::rename(&path, tables.path_of(&other.name()).unwrap()).unwrap();
        let said = tables.of(&other).unwrap_err().to_string();
        assert!(said.ends_with("is that of walls-0123456789-16; rename or remove it"), "{said}");
        // A small board needs no file, whichever way it lies.
        let lying = SubGame::named("3x2-64").unwrap();
        assert_eq!(tables.of(&lying).unwrap().game(), &lying.clone().upright());
        assert!(tables.computed(&lying).unwrap().is_none(), "it is solved on the fly");
    }
}
