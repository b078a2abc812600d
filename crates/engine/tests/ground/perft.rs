//! Path counts: the number of (move, spawn) sequences from a position, for each depth.
//!
//! The counts are in `tests/perft/*.perft` and were made by the slow walk over [`Grid`]. The exact
//! and the packed board must find the same counts. Set `UPDATE_GOLDEN=1` to rewrite the files.

use std::fmt::{self, Write as _};
use std::fs;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::str::FromStr;

use lab2048::board::{Board, Direction, Grid, Packed, WithSides};

use super::support::{board, golden_path, updating};

/// The files contain no depths with more paths than this.
const IN_FILES: u64 = 1_500_000;
/// The slower boards only walk up to these numbers of paths.
const BY_BOARD: u64 = 200_000;
const BY_GRID: u64 = 20_000;

/// The totals over all paths of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// The number of paths.
    paths: u64,
    /// The number of paths that end without a legal move.
    over: u64,
    /// The sum of the points made on all paths.
    points: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.paths += other.paths;
        self.over += other.over;
        self.points += other.points;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "paths {} over {} points {}", self.paths, self.over, self.points)
    }
}

impl FromStr for Tally {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |word: &str| word.parse::<u64>().map_err(|error| format!("{word}: {error}"));
        match words[..] {
            ["paths", paths, "over", over, "points", points] => {
                Ok(Tally { paths: number(paths)?, over: number(over)?, points: number(points)? })
            }
            _ => Err(format!("not a tally: {text}")),
        }
    }
}

/// A position from which paths start.
trait Position: Sized {
    /// Calls `show` with every position after one move and one spawn, and with the points of the
    /// move.
    fn each_next(&self, show: impl FnMut(Self, u64));

    fn is_over(&self) -> bool;

    /// Counts the paths of exactly `depth` moves and spawns.
    fn walk(&self, depth: u32) -> Tally {
        if depth == 0 {
            return Tally { paths: 1, over: u64::from(self.is_over()), points: 0 };
        }
        let mut total = Tally::default();
        self.each_next(|next, reward| {
            let tally = next.walk(depth - 1);
            total += Tally { points: tally.points + reward * tally.paths, ..tally };
        });
        total
    }
}

impl Position for Grid {
    fn each_next(&self, mut show: impl FnMut(Self, u64)) {
        for direction in Direction::ALL {
            let slide = self.slide(direction).unwrap();
            if slide.grid == *self {
                continue;
            }
            for cell in slide.grid.empty_cells() {
                for tile in [2, 4] {
                    let mut next = slide.grid.clone();
                    next.set(cell, tile);
                    show(next, slide.reward);
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        Direction::ALL.into_iter().all(|direction| self.slide(direction).unwrap().grid == *self)
    }
}

impl Position for Board {
    fn each_next(&self, mut show: impl FnMut(Self, u64)) {
        for direction in self.legal_moves().iter() {
            let slid = self.slide(direction).unwrap().unwrap();
            for cell in slid.after.empty_cells() {
                [2, 4].into_iter().for_each(|tile| show(slid.after.spawn(cell, tile).unwrap(), slid.reward));
            }
        }
    }

    fn is_over(&self) -> bool {
        !self.has_moves()
    }
}

impl<const R: usize, const C: usize> Position for Packed<R, C> {
    fn each_next(&self, mut show: impl FnMut(Self, u64)) {
        for (after, reward) in Direction::ALL.into_iter().filter_map(|direction| self.slide(direction)) {
            for bit in after.empty_bits() {
                [1, 2].into_iter().for_each(|rank| show(after.spawned(bit, rank), reward.into()));
            }
        }
    }

    fn is_over(&self) -> bool {
        !self.has_moves()
    }
}

/// Walks the packed form of a board; `None` if tiles could become too large for the packed form.
struct WalkPacked<'a> {
    board: &'a Board,
    depth: u32,
}

impl WithSides for WalkPacked<'_> {
    type Output = Option<Tally>;

    fn with_sides<const R: usize, const C: usize>(self) -> Option<Tally> {
        let WalkPacked { board, depth } = self;
        let packed =
            Packed::<R, C>::pack(board).ok().filter(|packed| u32::from(packed.max_rank()) + depth <= 15)?;
        Some(packed.walk(depth))
    }
}

/// Walks the packed form of a board; `None` if there is none, or if tiles could become too large
/// for it.
fn walk_packed(board: &Board, depth: u32) -> Option<Tally> {
    board.size().with_sides(WalkPacked { board, depth }).flatten()
}

fn files() -> Vec<PathBuf> {
    let folder = fs::read_dir(golden_path("perft")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The lines `depth N paths P over O points S` of a position, counted on the grid.
fn counted(board: &Board) -> String {
    let mut lines = String::new();
    let mut last = 1;
    for depth in 1.. {
        let tally = board.to_grid().walk(depth);
        writeln!(lines, "depth {depth} {tally}").unwrap();
        // The number of paths grows by a slowly increasing factor from depth to depth.
        if tally.paths == 0 || tally.paths * tally.paths / last > IN_FILES {
            break;
        }
        last = tally.paths;
    }
    lines
}

/// Keeps comments and boards, and counts again.
fn updated(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.starts_with("depth "));
    kept.fold(String::new(), |mut out, line| {
        writeln!(out, "{line}").unwrap();
        if let Some(picture) = line.strip_prefix("board ") {
            out += &counted(&board(picture));
        }
        out
    })
}

#[test]
fn path_counts() {
    let mut compared = [0; 3];
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        if updating() {
            fs::write(&file, updated(&text)).unwrap();
            continue;
        }
        let mut start = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(picture) = line.strip_prefix("board ") {
                start = Some(board(picture));
                continue;
            }
            let (depth, tally) = line.strip_prefix("depth ").and_then(|rest| rest.split_once(' ')).unwrap();
            let (depth, tally): (u32, Tally) = (depth.parse().unwrap(), tally.parse().unwrap());
            let start = start.as_ref().expect("a board comes before its counts");
            let place = format!("{}: {start:?}\ndepth {depth}", file.display());
            if let Some(found) = walk_packed(start, depth) {
                assert_eq!(found, tally, "packed, {place}");
                compared[0] += 1;
            }
            if tally.paths <= BY_BOARD {
                assert_eq!(start.walk(depth), tally, "exact, {place}");
                compared[1] += 1;
            }
            if tally.paths <= BY_GRID {
                assert_eq!(start.to_grid().walk(depth), tally, "grid, {place}");
                compared[2] += 1;
            }
        }
    }
    assert!(updating() || compared.iter().all(|&count| count > 30), "too little was compared: {compared:?}");
}
