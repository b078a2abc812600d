//! Work in a folder: interrupted, killed, continued, locked, damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lab2048::game::Probability;
use lab2048::solve::{
    Goal, Job, Phase, Place, Solution, SolveError, SolveProgress, SubGame, Table, solve_in_memory,
    solve_to_file,
};

use super::support::{endgame, job, on_board, tile};

/// Six free cells.
fn small_endgame() -> SubGame {
    endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside)
}

/// Solves until a number of layers are finished; `None` if that was before the end.
fn solve_some(game: &SubGame, target: &Path, layers: usize) -> Option<Solution> {
    let (cancel, finished) = (AtomicBool::new(false), AtomicUsize::new(0));
    let progress = |_: &SolveProgress| {
        if finished.fetch_add(1, Ordering::Relaxed) + 1 >= layers {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let job = Job { cancel: &cancel, progress: &progress, ..job(2) };
    solve_to_file(game, target, &job).unwrap()
}

/// A table that was solved without an interruption, and the number of its progress reports.
fn uninterrupted(game: &SubGame, folder: &Path) -> (Vec<u8>, Solution, usize) {
    let path = folder.join("whole.table");
    let reports = AtomicUsize::new(0);
    let count = |_: &SolveProgress| {
        reports.fetch_add(1, Ordering::Relaxed);
    };
    let solution = solve_to_file(game, &path, &Job { progress: &count, ..job(2) }).unwrap().unwrap();
    (fs::read(path).unwrap(), solution, reports.into_inner())
}

/// The message of a solution that is refused.
fn refusal(game: &SubGame, target: &Path, job: &Job<'_>) -> String {
    match solve_to_file(game, target, job) {
        Err(error @ SolveError::Folder(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The files of a folder, without the lock.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| !path.ends_with("lock"));
    let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn an_interruption_after_any_layer_changes_nothing() {
    for game in [on_board("2x2", Goal::Score), on_board("2x3", tile(32)), small_endgame()] {
        let folder = tempfile::tempdir().unwrap();
        let (whole, solution, reports) = uninterrupted(&game, folder.path());
        assert!(reports > 20, "{reports}");
        let target = folder.path().join("part.table");
        for layers in (1..=reports).step_by(1 + reports / 40) {
            let mut ended = solve_some(&game, &target, layers);
            assert!(ended.is_some() == (layers == reports) && target.exists() == ended.is_some());
            // Every continuation is interrupted as well.
            while ended.is_none() {
                assert!(folder.path().join("part.work/state").exists());
                ended = solve_some(&game, &target, layers.max(5));
            }
            assert_eq!(ended.as_ref(), Some(&solution), "{game} after {layers}");
            assert!(fs::read(&target).unwrap() == whole, "{game} after {layers}");
            assert!(!folder.path().join("part.work").exists(), "nothing is left behind");
            fs::remove_file(&target).unwrap();
        }
    }
}

/// A killed process leaves files that are longer than its last checkpoint says.
#[test]
fn a_killed_process_continues_from_its_last_checkpoint() {
    let game = small_endgame();
    let folder = tempfile::tempdir().unwrap();
    let (whole, solution, reports) = uninterrupted(&game, folder.path());
    for (checkpoint, killed) in [(3, 5), (10, 30), (reports / 2, 9), (reports - 4, 2)] {
        let target = folder.path().join("killed.table");
        assert_eq!(solve_some(&game, &target, checkpoint), None);
        let work = folder.path().join("killed.work");
        let copy = folder.path().join("copy.work");
        let finished = AtomicUsize::new(0);
        // No checkpoint is written between the beginning and this copy.
        let kill = |_: &SolveProgress| {
            if finished.fetch_add(1, Ordering::Relaxed) + 1 == killed {
                fs::create_dir(&copy).unwrap();
                for (path, bytes) in files(&work) {
                    fs::write(copy.join(path.file_name().unwrap()), bytes).unwrap();
                }
            }
        };
        solve_to_file(&game, &target, &Job { progress: &kill, ..job(2) }).unwrap().unwrap();
        let target = folder.path().join("copy.table");
        let continued = solve_to_file(&game, &target, &job(2)).unwrap().unwrap();
        assert_eq!(continued, solution, "{checkpoint} {killed}");
        assert!(fs::read(&target).unwrap() == whole, "{checkpoint} {killed}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for game in [on_board("2x3", Goal::Score), on_board("3x3", tile(16)), small_endgame()] {
        let folder = tempfile::tempdir().unwrap();
        let solve = |threads: usize| {
            let path = folder.path().join(format!("{threads}.table"));
            let solution = solve_to_file(&game, &path, &job(threads)).unwrap().unwrap();
            (solution, fs::read(path).unwrap())
        };
        let one = solve(1);
        assert!(solve(2) == one && solve(3) == one, "{game}");
        // Work in memory gives the same.
        let (solution, table) = solve_in_memory(&game, &job(2)).unwrap().unwrap();
        let in_file = Table::from_bytes(one.1).unwrap();
        assert_eq!((solution, table.hash()), (one.0, in_file.hash()));
    }
}

#[test]
fn progress_goes_forwards_and_then_backwards() {
    let seen = std::sync::Mutex::new(Vec::new());
    let job = Job { progress: &|progress| seen.lock().unwrap().push(*progress), ..job(2) };
    let (solution, _) = solve_in_memory(&small_endgame(), &job).unwrap().unwrap();
    let seen = seen.into_inner().unwrap();
    let shares: Vec<f64> = seen.iter().map(|progress| progress.share).collect();
    assert!(shares.is_sorted() && shares[0] >= 0.0 && (shares[shares.len() - 1] - 1.0).abs() < 1e-9);
    let turn = seen.iter().position(|progress| progress.phase == Phase::Backwards).unwrap();
    assert!(seen[..turn].is_sorted_by(|one, next| one.sum < next.sum));
    assert!(seen[turn..].is_sorted_by(|one, next| one.sum > next.sum));
    assert_eq!(seen[turn].afterstates, solution.counts.afterstates);
}

#[test]
fn other_settings_in_the_same_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("some.table");
    let game = small_endgame();
    assert_eq!(solve_some(&game, &target, 12), None);
    let before = files(&folder.path().join("some.work"));
    let sentence =
        "holds an unfinished table with other settings; finish it, or remove it with lab2048 solve --remove";
    let asked = [game.packed(&[0; 16], game.size()).unwrap_or(1)];
    for refused in [
        refusal(&endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Anywhere), &target, &job(2)),
        refusal(&game.clone().with_four(Probability::new(0.2).unwrap()), &target, &job(2)),
        refusal(&game.clone().with_max_sum(60).unwrap(), &target, &job(2)),
        refusal(&game, &target, &Job { keep: 0.1, ..job(2) }),
        refusal(&game, &target, &Job { asked: &asked, ..job(2) }),
    ] {
        assert!(refused.ends_with(sentence) && refused.contains("some.work"), "{refused}");
    }
    assert!(files(&folder.path().join("some.work")) == before, "what was found is still there");
    assert!(solve_to_file(&game, &target, &job(2)).unwrap().is_some());
}

#[test]
fn a_locked_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("some.table");
    let refused = std::sync::Mutex::new(None);
    // While this table is computed, somebody else begins with it too.
    let progress = |_: &SolveProgress| {
        refused.lock().unwrap().get_or_insert_with(|| refusal(&small_endgame(), &target, &job(1)));
    };
    let solved = solve_to_file(&small_endgame(), &target, &Job { progress: &progress, ..job(2) });
    assert!(solved.unwrap().is_some());
    let refused = refused.into_inner().unwrap().unwrap();
    assert!(refused.ends_with("lock: another process is using it"), "{refused}");
}

#[test]
fn a_target_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = refusal(&small_endgame(), &file.join("some.table"), &job(1));
    assert!(refused.starts_with("cannot use ") && refused.contains("some.work"), "{refused}");
}

/// Damaged work is refused with one sentence. Nothing of it is changed, and once the damage is
/// undone the work continues.
#[test]
fn damaged_work_is_refused_and_costs_nothing() {
    let game = small_endgame();
    let folder = tempfile::tempdir().unwrap();
    let (whole, solution, reports) = uninterrupted(&game, folder.path());
    let (target, work) = (folder.path().join("some.table"), folder.path().join("some.work"));
    // Within the values, so that every file has content.
    assert_eq!(solve_some(&game, &target, reports - 8), None);
    let good = files(&work);
    assert_eq!(good.len(), 3, "layers, state, table");
    let refused_as = |path: &Path, bytes: &[u8], is: &str, what: &str| {
        fs::write(path, bytes).unwrap();
        let before = files(&work);
        let message = refusal(&game, &target, &job(2));
        let expected = format!(
            "the unfinished work in {} {is}; remove it with lab2048 solve --remove, and start again",
            work.display()
        );
        assert_eq!(message, expected, "{what}");
        assert!(files(&work) == before, "{what}: nothing is changed");
    };
    let refused = |path: &Path, bytes: &[u8], what: &str| refused_as(path, bytes, "is damaged", what);
    for (path, bytes) in &good {
        let name = path.file_name().unwrap().to_string_lossy();
        let places = (0..bytes.len()).step_by(1 + bytes.len() / 60).chain([bytes.len() - 1]);
        for place in places {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (place % 8);
            refused(path, &flipped, &format!("{name}: byte {place} is another one"));
            refused(path, &bytes[..place], &format!("{name}: cut after {place} bytes"));
        }
        fs::write(path, bytes).unwrap();
    }
    // A checkpoint of another version.
    let (state, bytes) = &good[1];
    assert!(state.ends_with("state"));
    let mut other = bytes[..bytes.len() - 4].to_vec();
    other[8] = 9;
    other.extend(crc32fast::hash(&other).to_le_bytes());
    refused_as(state, &other, "has format 9; this program reads format 1", "another version");
    fs::write(state, bytes).unwrap();

    assert_eq!(solve_to_file(&game, &target, &job(2)).unwrap().unwrap(), solution);
    assert!(fs::read(&target).unwrap() == whole);
}

/// Without a checkpoint there is nothing to continue, whatever else lies in the folder.
#[test]
fn work_without_a_checkpoint_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, ..) = uninterrupted(&small_endgame(), folder.path());
    let work = folder.path().join("some.work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("layers"), [7; 1000]).unwrap();
    fs::write(work.join("table"), [7; 1000]).unwrap();
    let target = folder.path().join("some.table");
    assert!(solve_to_file(&small_endgame(), &target, &job(2)).unwrap().is_some());
    assert!(fs::read(&target).unwrap() == whole);
}
