//! The features that programs read from an afterstate. They use ranks (binary logarithms of tiles,
//! 0 for an empty cell), so they work for every board size and every tile.

use super::program::{Feature, Scope};
use crate::board::{PackedAfter, Size};
use crate::eval::View;

/// The ranks of a line's cells and the position of the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) ranks: &'a [f64],
    /// The index among the rows or columns.
    pub(super) place: usize,
    pub(super) is_row: bool,
    /// Whether this is the first or the last row or column.
    pub(super) edge: bool,
}

impl Line<'_> {
    /// A feature of this line; 0 for features of the whole board.
    pub(super) fn feature(&self, feature: Feature) -> f64 {
        let ranks = self.ranks;
        let at = |place: usize| ranks.get(place).copied().unwrap_or(0.0);
        let tiles = || ranks.iter().copied().filter(|&rank| rank != 0.0);
        let meeting = || tiles().zip(tiles().skip(1)).filter(|(a, b)| a == b);
        let adjacent = || {
            let pairs = ranks.windows(2).map(|pair| (pair[0], pair[1]));
            pairs.filter(|&(a, b)| a != 0.0 && b != 0.0)
        };
        match feature {
            Feature::Empty => (ranks.len() - tiles().count()) as f64,
            Feature::Merges => meeting().count() as f64,
            Feature::MergeRanks => meeting().map(|(rank, _)| rank).sum(),
            Feature::Rough => adjacent().map(|(a, b)| (a - b).abs()).sum(),
            Feature::Mono => turning(ranks, |rank| rank),
            Feature::Mono2 => turning(ranks, |rank| rank * rank),
            Feature::Mono4 => turning(ranks, |rank| (rank * rank) * (rank * rank)),
            Feature::Ranks => tiles().sum(),
            Feature::Ranks2 => tiles().map(|rank| rank * rank).sum(),
            Feature::Ranks4 => tiles().map(|rank| (rank * rank) * (rank * rank)).sum(),
            Feature::Near => adjacent().filter(|(a, b)| (a - b).abs() == 1.0).count() as f64,
            Feature::Full => f64::from(tiles().count() == ranks.len() && meeting().next().is_none()),
            Feature::First => at(0),
            Feature::Second => at(1),
            Feature::Third => at(2),
            Feature::Fourth => at(3),
            Feature::Edge => f64::from(self.edge),
            Feature::Place => self.place as f64,
            Feature::IsRow => f64::from(self.is_row),
            Feature::Largest | Feature::Corner | Feature::Neighbours | Feature::TileSum | Feature::Reward => {
                0.0
            }
        }
    }
}

/// The smaller of the total rise and the total fall along a line.
fn turning(ranks: &[f64], power: impl Fn(f64) -> f64) -> f64 {
    let (mut rise, mut fall) = (0.0, 0.0);
    for pair in ranks.windows(2) {
        let step = power(pair[1]) - power(pair[0]);
        if step > 0.0 { rise += step } else { fall -= step }
    }
    f64::min(rise, fall)
}

/// An afterstate as programs see it.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    rows: usize,
    cols: usize,
    /// Row by row.
    ranks: [f64; Size::MAX_SIDE * Size::MAX_SIDE],
    /// Column by column.
    turned: [f64; Size::MAX_SIDE * Size::MAX_SIDE],
    reward: f64,
}

impl Scene {
    /// The scene of ranks given row by row. `reward` is the points of the move that led there.
    pub(super) fn new(size: Size, ranks: impl Iterator<Item = f64>, reward: f64) -> Scene {
        let mut scene = Scene {
            rows: size.rows(),
            cols: size.cols(),
            ranks: [0.0; Size::MAX_SIDE * Size::MAX_SIDE],
            turned: [0.0; Size::MAX_SIDE * Size::MAX_SIDE],
            reward,
        };
        for (cell, rank) in ranks.take(size.cells()).enumerate() {
            let (row, col) = size.position(cell);
            scene.ranks[cell] = rank;
            scene.turned[col * scene.rows + row] = rank;
        }
        scene
    }

    /// The scene of an evaluator's view. The view does not contain the reward.
    pub(super) fn of_view(view: &View, reward: f64) -> Scene {
        let rank = |&tile: &u64| if tile == 0 { 0.0 } else { libm::log2(tile as f64) };
        Scene::new(view.size(), view.tiles().iter().map(rank), reward)
    }

    /// The scene of a packed afterstate.
    pub(super) fn of_packed(after: PackedAfter, reward: f64) -> Scene {
        let rank = |cell: u32| (after.bits() >> (4 * cell) & 0xf) as f64;
        Scene::new(Size::FOUR, (0..16).map(rank), reward)
    }

    fn cells(&self) -> &[f64] {
        &self.ranks[..self.rows * self.cols]
    }

    /// All rows, then all columns.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let (rows, cols) = (self.rows, self.cols);
        let row = move |place: usize| Line {
            ranks: &self.ranks[place * cols..(place + 1) * cols],
            place,
            is_row: true,
            edge: place == 0 || place + 1 == rows,
        };
        let col = move |place: usize| Line {
            ranks: &self.turned[place * rows..(place + 1) * rows],
            place,
            is_row: false,
            edge: place == 0 || place + 1 == cols,
        };
        (0..rows).map(row).chain((0..cols).map(col))
    }

    /// The rank of a cell of the first four rows and columns; 0 beyond the board.
    pub(super) fn cell(&self, cell: u8) -> f64 {
        let (row, col) = (usize::from(cell) / 4, usize::from(cell) % 4);
        if row < self.rows && col < self.cols { self.ranks[row * self.cols + col] } else { 0.0 }
    }

    /// A feature of the whole board; 0 for features of a single line.
    pub(super) fn feature(&self, feature: Feature) -> f64 {
        match feature.scope() {
            Scope::SumOfLines => self.lines().map(|line| line.feature(feature)).sum(),
            Scope::SumOfCells => {
                let all = Line { ranks: self.cells(), place: 0, is_row: true, edge: true };
                all.feature(feature)
            }
            Scope::LineOnly => 0.0,
            Scope::BoardOnly => self.whole(feature),
        }
    }

    fn whole(&self, feature: Feature) -> f64 {
        let largest = || self.cells().iter().copied().fold(0.0, f64::max);
        match feature {
            Feature::Largest => largest(),
            Feature::Corner => {
                let largest = largest();
                let last = self.rows * self.cols;
                let corners = [0, self.cols - 1, last - self.cols, last - 1];
                if corners.into_iter().any(|cell| self.ranks[cell] == largest) { largest } else { 0.0 }
            }
            Feature::Neighbours => {
                let products =
                    |line: Line<'_>| line.ranks.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
                self.lines().map(products).sum()
            }
            Feature::TileSum => {
                self.cells().iter().filter(|&&rank| rank != 0.0).map(|rank| rank.exp2()).sum()
            }
            Feature::Reward => self.reward,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;

    /// Features computed by hand.
    #[test]
    fn a_drawn_board() {
        //  2  4  4  8    ranks 1 2 2 3
        //  .  .  4 16          0 0 2 4
        //  .  .  .  .
        //  2  .  2 32          1 0 1 5
        let board = parse_board("2 4 4 8/0 0 4 16/0 0 0 0/2 0 2 32", None).unwrap();
        let scene = Scene::of_view(&View::of_board(&board, 0), 12.0);
        let seen = |feature| scene.feature(feature);
        // Meeting pairs: 4 4 in row 1, 2 2 in row 4, 2 2 in column 1, 4 4 in column 3.
        assert_eq!((seen(Feature::Empty), seen(Feature::Merges), seen(Feature::MergeRanks)), (7.0, 4.0, 6.0));
        // Rows: 1 + 0 + 1, 2, 4 (the 2s of row 4 are apart). Columns: 3rd 0, 4th 1; others apart.
        assert_eq!(seen(Feature::Rough), 1.0 + 1.0 + 2.0 + 4.0 + 1.0);
        // Row 4 falls by 1 and rises by 5. Column 1 falls 1, rises 1; column 3 falls 2, rises 1;
        // column 4 falls 4, rises 6.
        assert_eq!(seen(Feature::Mono), 1.0 + 1.0 + 1.0 + 4.0);
        assert_eq!(
            (seen(Feature::Ranks), seen(Feature::Ranks2)),
            (21.0, 1.0 + 4.0 + 4.0 + 9.0 + 4.0 + 16.0 + 1.0 + 1.0 + 25.0)
        );
        assert_eq!((seen(Feature::Largest), seen(Feature::Corner), seen(Feature::Reward)), (5.0, 5.0, 12.0));
        // Neighbours with ranks one apart: 2-4 and 4-8 in row 1, 8-16 in column 4.
        assert_eq!((seen(Feature::Near), seen(Feature::Full), seen(Feature::TileSum)), (3.0, 0.0, 74.0));
        assert_eq!((scene.cell(3), scene.cell(15), scene.cell(8)), (3.0, 5.0, 0.0));
    }

    /// The features of one line, computed by hand.
    #[test]
    fn a_drawn_line() {
        let seen = |ranks: [f64; 4], feature: Feature| {
            Line { ranks: &ranks, place: 2, is_row: false, edge: false }.feature(feature)
        };
        // 2 2 2 2: three pairs of equal neighbours. A move merges two of them; all three count.
        let equal = |feature| seen([1.0; 4], feature);
        assert_eq!(
            (equal(Feature::Merges), equal(Feature::MergeRanks), equal(Feature::Full)),
            (3.0, 3.0, 0.0)
        );
        // 2 . . 2: a pair with only empty cells between them.
        assert_eq!(seen([1.0, 0.0, 0.0, 1.0], Feature::Merges), 1.0);
        // 2 8 4 16: full and stuck. Rises by 2 and 2, falls by 1. The squares 1 9 4 16 fall by 5,
        // the fourth powers 1 81 16 256 by 65.
        let stuck = |feature| seen([1.0, 3.0, 2.0, 4.0], feature);
        assert_eq!((stuck(Feature::Merges), stuck(Feature::Full)), (0.0, 1.0));
        assert_eq!([Feature::Mono, Feature::Mono2, Feature::Mono4].map(stuck), [1.0, 5.0, 65.0]);
        assert_eq!([Feature::Ranks, Feature::Ranks2, Feature::Ranks4].map(stuck), [10.0, 30.0, 354.0]);
        let cells = [Feature::First, Feature::Second, Feature::Third, Feature::Fourth];
        assert_eq!(cells.map(stuck), [1.0, 3.0, 2.0, 4.0]);
        assert_eq!((stuck(Feature::Near), stuck(Feature::Rough), stuck(Feature::Empty)), (1.0, 5.0, 0.0));
        assert_eq!([Feature::Place, Feature::IsRow, Feature::Edge].map(stuck), [2.0, 0.0, 0.0]);
        // 2 8 4 .: one cell is empty, so the line is not full.
        assert_eq!(seen([1.0, 3.0, 2.0, 0.0], Feature::Full), 0.0);
    }

    #[test]
    fn lines_know_which_they_are() {
        //  2  4  8     3 columns, 2 rows
        // 16 32  .
        let board = parse_board("2 4 8/16 32 0", None).unwrap();
        let scene = Scene::of_view(&View::of_board(&board, 0), 0.0);
        let told = |feature| scene.lines().map(|line| line.feature(feature)).collect::<Vec<_>>();
        assert_eq!(told(Feature::IsRow), [1.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(told(Feature::Place), [0.0, 1.0, 0.0, 1.0, 2.0]);
        assert_eq!(told(Feature::Edge), [1.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(told(Feature::Third), [3.0, 0.0, 0.0, 0.0, 0.0], "columns have two cells");
        // Ranks 1 2 3 over 4 5 0: 1x2 + 2x3 + 4x5 + 5x0 along rows, 1x4 + 2x5 + 3x0 along columns.
        assert_eq!(scene.feature(Feature::Neighbours), 28.0 + 14.0);
        assert_eq!(scene.feature(Feature::Full), 1.0 + 2.0, "row 1, columns 1 and 2");
        assert_eq!((scene.feature(Feature::Largest), scene.feature(Feature::Corner)), (5.0, 0.0));
    }

    #[test]
    fn packed_and_exact_scenes_are_the_same() {
        for after in crate::eval::testing::packed_afterstates(300) {
            let packed = Scene::of_packed(after, 0.0);
            let view = View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0);
            let exact = Scene::of_view(&view, 0.0);
            for (feature, name, _) in Feature::all() {
                assert_eq!(packed.feature(feature), exact.feature(feature), "{name} {after:?}");
            }
        }
    }
}
