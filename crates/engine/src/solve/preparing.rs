//! What there is to do for a table: to take the one of the folder, or to solve, and with which
//! settings.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{
    Job, Solution, SolveError, SolveProgress, SubGame, Table, TableError, Tables, TablesError,
    solve_in_memory, solve_to_file, unfinished_work,
};

/// A table that somebody wants.
#[derive(Clone, Debug)]
pub struct TableRequest {
    /// What it solves.
    pub game: SubGame,
    /// Solve even if the folder has the table.
    pub again: bool,
    /// Write the table to the folder. Sub-games that are solved on the fly have no file.
    pub save: bool,
    /// Leave chances of at most this out of the table. `None` means as in the existing table, or
    /// else as in unfinished work, or else 0.
    pub keep: Option<f64>,
    /// Packed afterstates whose values are wanted. If there are none, unfinished work keeps its
    /// own.
    pub asked: Vec<u64>,
}

/// What there is to do for a table.
#[derive(Debug)]
pub enum Prepared {
    /// Nothing: the folder has it.
    Table(Arc<Table>),
    /// It must be solved.
    Plan(SolvePlan),
}

/// The settings of a solution.
#[derive(Debug)]
pub struct SolvePlan {
    game: SubGame,
    keep: f64,
    asked: Vec<u64>,
    saves: bool,
    continues: bool,
    damaged: Option<TablesError>,
}

impl SolvePlan {
    /// Whether interrupted work is continued.
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// Why the table of the folder is solved again although nobody asked for it.
    pub fn damaged(&self) -> Option<&TablesError> {
        self.damaged.as_ref()
    }

    /// The file that will be written, if there will be one and the tables have a folder.
    pub fn target(&self, tables: &Tables) -> Option<PathBuf> {
        tables.path_of(&self.game.name()).filter(|_| self.saves)
    }
}

impl Tables {
    /// What there is to do for a table. One that is damaged is solved again.
    pub fn prepare(&self, request: TableRequest) -> Result<Prepared, TablesError> {
        let TableRequest { game, again, save, keep, asked } = request;
        let found = self.computed(&game);
        let is_replaced = match &found {
            Err(TablesError::Unfit { source: TableError::Damaged(_) | TableError::Foreign, .. }) => true,
            // Only a later version of the program can use it.
            Err(TablesError::Unfit { source: TableError::Version(_), .. }) => again,
            _ => false,
        };
        let (found, damaged) = match found {
            Err(error) if is_replaced => (None, Some(error)),
            found => (found?, None),
        };
        let old_keep = found.as_ref().map(|table| table.info().keep);
        if let Some(table) = found
            && !again
            && keep.is_none_or(|keep| Some(keep) == old_keep)
        {
            return Ok(Prepared::Table(table));
        }
        let saves = save && !Self::is_solved_on_the_fly(&game);
        let mut plan = SolvePlan { game, keep: 0.0, asked, saves, continues: false, damaged };
        // The options of an unfinished run need not be repeated.
        let unfinished = plan.target(self).as_deref().and_then(unfinished_work);
        plan.continues = unfinished.is_some();
        let old_keep = old_keep.or(unfinished.as_ref().map(|work| work.keep));
        plan.keep = keep.or(old_keep).unwrap_or(0.0);
        if let Some(work) = unfinished.filter(|_| plan.asked.is_empty()) {
            plan.asked = work.asked;
        }
        Ok(Prepared::Plan(plan))
    }

    /// Solves what was prepared. `None` if it was cancelled; work in the folder can be continued.
    pub fn solve(
        &self,
        plan: &SolvePlan,
        threads: usize,
        cancel: &AtomicBool,
        progress: &(dyn Fn(&SolveProgress) + Sync),
    ) -> Result<Option<(Solution, Arc<Table>)>, SolveError> {
        let job = Job { threads, keep: plan.keep, asked: &plan.asked, cancel, progress };
        if !plan.saves {
            let solved = solve_in_memory(&plan.game, &job)?;
            return Ok(solved.map(|(solution, table)| (solution, Arc::new(table))));
        }
        let target = plan.target(self).ok_or(TablesError::NoFolder)?;
        let Some(solution) = solve_to_file(&plan.game, &target, &job)? else { return Ok(None) };
        Ok(Some((solution, self.named(&plan.game.name())?)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::Ordering;

    use super::*;

    fn request(name: &str) -> TableRequest {
        let game = SubGame::named(name).unwrap();
        TableRequest { game, again: false, save: true, keep: None, asked: Vec::new() }
    }

    fn plan(tables: &Tables, request: TableRequest) -> SolvePlan {
        match tables.prepare(request).unwrap() {
            Prepared::Plan(plan) => plan,
            Prepared::Table(table) => panic!("{} is there", table.game()),
        }
    }

    fn solved(tables: &Tables, plan: &SolvePlan) -> Arc<Table> {
        tables.solve(plan, 1, &false.into(), &|_| {}).unwrap().unwrap().1
    }

    #[test]
    fn the_settings_are_those_given_or_of_the_table_or_of_unfinished_work() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::in_folder(folder.path().to_owned());
        let (name, bits) = ("walls-0123456789-16", 0x11);
        let first = TableRequest { keep: Some(0.25), asked: vec![bits], ..request(name) };
        let cancel = AtomicBool::new(false);
        let stop = |_: &SolveProgress| cancel.store(true, Ordering::Relaxed);
        let stopped = tables.solve(&plan(&tables, first), 1, &cancel, &stop);
        assert!(stopped.unwrap().is_none(), "it was cancelled");
        let next = plan(&tables, request(name));
        assert_eq!((next.keep, &*next.asked, next.continues()), (0.25, &[bits][..], true));
        let other = plan(&tables, TableRequest { keep: Some(0.5), asked: vec![7], ..request(name) });
        assert_eq!((other.keep, other.asked), (0.5, vec![7]), "what is given counts");
        let memory = plan(&tables, TableRequest { save: false, ..request(name) });
        assert_eq!((memory.keep, memory.asked, memory.continues), (0.0, vec![], false));
        assert_eq!(solved(&tables, &next).info().keep, 0.25);
        // Now the table is there.
        assert!(matches!(tables.prepare(request(name)), Ok(Prepared::Table(_))));
        let same = TableRequest { keep: Some(0.25), ..request(name) };
        assert!(matches!(tables.prepare(same), Ok(Prepared::Table(_))));
        let again = plan(&tables, TableRequest { again: true, ..request(name) });
        assert_eq!((again.keep, again.continues()), (0.25, false));
        assert_eq!(plan(&tables, TableRequest { keep: Some(0.5), ..request(name) }).keep, 0.5);
    }

    #[test]
    fn a_damaged_table_is_solved_again() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::in_folder(folder.path().to_owned());
        let first = plan(&tables, request("walls-0123456789-16"));
        assert!(first.damaged().is_none());
        let target = first.target(&tables).unwrap();
        let hash = solved(&tables, &first).hash().to_owned();
        fs::write(&target, "damaged").unwrap();
        let second = plan(&tables, request("walls-0123456789-16"));
        assert!(second.damaged().unwrap().to_string().contains("cannot use the table"));
        assert_eq!(solved(&tables, &second).hash(), hash);
    }

    #[test]
    fn without_a_folder_only_memory_is_left() {
        let tables = Tables::default();
        let refused = tables.solve(&plan(&tables, request("3x3-16")), 1, &false.into(), &|_| {});
        assert!(refused.unwrap_err().to_string().starts_with("there is no home folder for tables"));
        let memory = plan(&tables, TableRequest { save: false, ..request("walls-0123456789-16") });
        assert_eq!(memory.target(&tables), None);
        assert!(solved(&tables, &memory).info().start > 0.0);
        assert!(solved(&tables, &plan(&tables, request("2x2"))).info().start > 66.0, "it needs no file");
    }
}
