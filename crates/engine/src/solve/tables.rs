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

use super::{Exact, Goal, Job, SubGame, SubGameError, Table, TableError, solve_in_memory};
use crate::board::{Board, Size};
use crate::game::Probability;
use crate::text::shortened;

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
    #[error("there is no table '{}'; compute it with: lab2048 solve {}", shortened(.name), how_to_solve(.name))]
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
    /// The folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The board is too large to be solved on the fly.
    #[error("there is no table of {size}; compute it with: lab2048 solve {size}")]
    Unsolved {
        /// The size of the board.
        size: Size,
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

/// The arguments of `lab2048 solve` for the table of this name.
fn how_to_solve(name: &str) -> String {
    let name = shortened(name);
    match name.split('-').collect::<Vec<_>>()[..] {
        [formation, tile] => format!("{formation} --tile {tile}"),
        [formation, tile, "anywhere"] => format!("{formation} --tile {tile} --target anywhere"),
        _ => name.to_string(),
    }
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
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let failed = |source| TablesError::Folder { path: folder.clone(), source };
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let name = path.file_stem().and_then(|name| name.to_str());
            if let Some(name) = name.filter(|name| self.path_of(name).as_deref() == Some(&path)) {
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
        let missing = || TablesError::Missing { name: name.to_owned() };
        let path = self.path_of(name).ok_or_else(missing)?;
        self.opened(name, &path)
    }

    #[cfg(feature = "files")]
    fn opened(&self, name: &str, path: &Path) -> Result<Arc<Table>, TablesError> {
        let unfit = |source| TablesError::Unfit { path: path.to_owned(), source };
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(TablesError::Missing { name: name.to_owned() });
            }
            found => found.map_err(|error| unfit(error.into()))?,
        };
        let state = Some((found.len(), found.modified().ok()));
        self.shared(name, state, || Table::open(path).map_err(unfit))
    }

    #[cfg(not(feature = "files"))]
    fn opened(&self, name: &str, _: &Path) -> Result<Arc<Table>, TablesError> {
        Err(TablesError::Missing { name: name.to_owned() })
    }

    /// The table of a whole board: solved on the fly up to [`Tables::FLY_CELLS`], from the folder
    /// above that.
    pub fn solved(&self, size: Size, goal: Goal, four: Probability) -> Result<Arc<Table>, TablesError> {
        // A table of 2x3 also knows 3x2.
        let (low, high) = (size.rows().min(size.cols()), size.rows().max(size.cols()));
        let size = Size::new(low, high).expect("the sides of a size");
        let game = SubGame::on_board(size, goal)?.with_four(four);
        let name = game.name();
        if size.cells() > Self::FLY_CELLS {
            return self.named(&name).map_err(|error| match error {
                TablesError::Missing { .. } if goal == Goal::Score && four == Probability::TENTH => {
                    TablesError::Unsolved { size }
                }
                error => error,
            });
        }
        self.shared(&name, None, || {
            let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
            let solved = solve_in_memory(&game, &job).ok().flatten();
            Ok(solved.expect("a small board fits in memory, and nobody cancels it").1)
        })
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
