//! Tables for 4x4 evaluators that evaluate every row and column on its own, such as
//! [`Rows`](super::Rows): the value of every packed line, and the last layer of a search.
//!
//! Values are integer multiples of a fixed fraction, so that sums do not depend on their order. A
//! board and its mirror images have exactly the same value.

use crate::board::{PackedAfter, slid_left, slid_right};
use crate::eval::Replies;

const LINES: usize = 1 << 16;

/// The largest value of a line. Sums of eight lines stay far from the limits of `i32`.
const MOST: f64 = (1 << 26) as f64;

/// The values of all lines of four cells.
#[derive(Clone)]
pub(crate) struct LineTables {
    /// The first and last row and column.
    outer: Box<[i32; LINES]>,
    /// The other rows and columns.
    inner: Box<[i32; LINES]>,
    /// The value of 1 in the evaluator's unit.
    fraction: f32,
}

/// The largest power of two that is not above `value`, so that scaling by it is exact. Taken from
/// the bits of the exponent, which are the same on every machine.
fn power_of_two_below(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(value.to_bits() & EXPONENT)
}

impl LineTables {
    /// The tables of a function that values a line by its ranks and by whether it is on the edge.
    /// The largest value determines the fraction that all of them are rounded to.
    pub(crate) fn new(value: impl Fn([u8; 4], bool) -> f64) -> LineTables {
        let values = |outer: bool| -> Vec<f64> {
            (0..=u16::MAX)
                .map(|line| value([0, 4, 8, 12].map(|bit| (line >> bit & 0xf) as u8), outer))
                .collect()
        };
        let (outer, inner) = (values(true), values(false));
        let largest = outer.iter().chain(&inner).fold(1.0, |most: f64, value| most.max(value.abs()));
        let scale = power_of_two_below(MOST / largest);
        let whole = |values: Vec<f64>| {
            let values: Vec<i32> = values.into_iter().map(|value| (value * scale).round() as i32).collect();
            values.try_into().expect("there are 2^16 lines")
        };
        LineTables { outer: whole(outer), inner: whole(inner), fraction: scale.recip() as f32 }
    }

    /// The sum over the four lines of packed bits.
    #[inline]
    fn four_lines(&self, bits: u64) -> i32 {
        let edge = self.outer[bits as u16 as usize] + self.outer[(bits >> 48) as usize];
        edge + self.inner[(bits >> 16) as u16 as usize] + self.inner[(bits >> 32) as u16 as usize]
    }

    /// The value of an afterstate.
    #[inline]
    pub(crate) fn value(&self, after: PackedAfter) -> f32 {
        (self.four_lines(after.bits()) + self.four_lines(after.transposed().bits())) as f32 * self.fraction
    }

    /// All values.
    #[cfg(test)]
    pub(crate) fn values(&self) -> impl Iterator<Item = i32> {
        self.outer.iter().chain(self.inner.iter()).copied()
    }

    /// The value of 1 in the evaluator's unit.
    #[cfg(test)]
    pub(crate) fn fraction(&self) -> f32 {
        self.fraction
    }

    /// [`FastEvaluator::best_replies`](crate::eval::FastEvaluator::best_replies). A spawn changes
    /// one row and one column, so the other lines are slid and valued once for all spawns. `lost`
    /// is subtracted from the value of a board without moves.
    pub(crate) fn best_replies(&self, after: PackedAfter, chances: [f32; 2], lost: f64) -> Replies {
        let mut along_rows = [Values::EMPTY; 2];
        let mut along_cols = [Values::EMPTY; 2];
        let rows = self.value_slides(after, &mut along_rows);
        let cols = self.value_slides(after.transposed(), &mut along_cols);
        let cells = after.empty_count();
        let (mut value, mut boards, mut moves) = (0.0, 0, 0);
        for tile in (0..2).filter(|&tile| chances[tile] > 0.0) {
            let mut sum = 0;
            for bit in after.empty_bits() {
                let cell = bit.trailing_zeros() as usize / 4;
                let turned = cell % 4 * 4 + cell / 4;
                let best = along_rows[tile].best(cell).max(along_cols[tile].best(turned));
                sum += if best == ILLEGAL { self.stuck(after, bit << tile, lost) } else { i64::from(best) };
            }
            value += sum as f32 * chances[tile];
            boards += cells;
            moves += 4 * cells - rows[tile] - cols[tile];
        }
        Replies { value: value * self.fraction / cells as f32, boards, moves }
    }

    /// The value of a board without moves, on which a tile with these bits has just spawned.
    #[cold]
    fn stuck(&self, after: PackedAfter, tile: u64, lost: f64) -> i64 {
        let board = PackedAfter::from_bits(after.bits() | tile).unwrap_or(after);
        let value = self.four_lines(board.bits()) + self.four_lines(board.transposed().bits());
        i64::from(value) - (lost / f64::from(self.fraction)).round() as i64
    }

    /// Values both slides along the lines for a spawn of each tile at each empty cell. Returns for
    /// each tile the number of illegal slides.
    ///
    /// A tile that spawns anywhere in one gap of a line slides to the same cell. So each gap is
    /// valued once, and the value is written to four cells from the start of the gap. Later gaps
    /// overwrite their own cells. A slide towards the first cell can be illegal only if the tile
    /// spawns on the first cell of a gap. A slide towards the last cell can be illegal only for the
    /// last cell of a gap.
    #[inline]
    fn value_slides(&self, after: PackedAfter, values: &mut [Values; 2]) -> [u32; 2] {
        const FIRST_CELLS: u64 = 0x0001_0001_0001_0001;
        let (lines, empty) = (after.bits(), after.empty_mask());
        let [towards_first, towards_last] =
            [Slid::new(self, lines, slid_left), Slid::new(self, lines, slid_right)];
        let mut starts = empty & !(empty << 4 & !FIRST_CELLS);
        let mut ends = empty & !(empty >> 4 & !(FIRST_CELLS << 12));
        let mut illegal = [0; 2];
        while starts != 0 {
            let (start, end) = (starts.trailing_zeros(), ends.trailing_zeros());
            starts &= starts - 1;
            ends &= ends - 1;
            let at = start & !15;
            let line = (lines >> at) as u16;
            let table = if at == 0 || at == 48 { &self.outer } else { &self.inner };
            let first = Others::new(&towards_first, table, lines, at);
            let last = Others::new(&towards_last, table, lines, at);
            let (start_cell, end_cell) = (start as usize / 4 % 16, end as usize / 4 % 16);
            for tile in 0..2 {
                let spawned = line | 1 << (start - at + tile);
                let slid = slid_left(spawned);
                let value = first.value_with(self, table, slid);
                let values = &mut values[tile as usize];
                values.towards_first[start_cell..start_cell + 4].fill(value);
                let idle = !first.moved & (slid == spawned);
                values.towards_first[start_cell] = if idle { ILLEGAL } else { value };
                illegal[tile as usize] += u32::from(idle);

                let slid = slid_right(spawned);
                let value = last.value_with(self, table, slid);
                values.towards_last[start_cell..start_cell + 4].fill(value);
                let idle = !last.moved & (slid == line | 1 << (end - at + tile));
                values.towards_last[end_cell] = if idle { ILLEGAL } else { value };
                illegal[tile as usize] += u32::from(idle);
            }
        }
        illegal
    }
}

/// The value of an illegal move.
const ILLEGAL: i32 = i32::MIN;

/// The values of both slides along the lines, for a spawn at each cell. Entries of cells that are
/// not empty are meaningless. There is room for more than 16 entries, see
/// [`LineTables::value_slides`].
#[derive(Clone, Copy)]
struct Values {
    towards_first: [i32; 20],
    towards_last: [i32; 20],
}

impl Values {
    const EMPTY: Values = Values { towards_first: [0; 20], towards_last: [0; 20] };

    #[inline]
    fn best(&self, cell: usize) -> i32 {
        self.towards_first[cell].max(self.towards_last[cell])
    }
}

/// All four lines slid in one direction.
struct Slid {
    lines: u64,
    /// The transposed board.
    turned: u64,
    /// The sum of the values of the slid lines.
    along: i32,
}

impl Slid {
    #[inline]
    fn new(tables: &LineTables, before: u64, slide: impl Fn(u16) -> u16) -> Slid {
        let line = |number: u32| u64::from(slide((before >> (16 * number)) as u16)) << (16 * number);
        let lines = line(0) | line(1) | line(2) | line(3);
        let turned = PackedAfter::<4, 4>::from_bits(lines).map_or(0, |after| after.transposed().bits());
        Slid { lines, turned, along: tables.four_lines(lines) }
    }
}

/// Three of the four lines slid in one direction, with room for another one at bit `at`.
struct Others {
    /// The sum of their values.
    along: i32,
    /// The transposed board, with the fourth line empty.
    turned: u64,
    /// The shift of that line.
    shift: u32,
    /// Whether any of them moved.
    moved: bool,
}

impl Others {
    #[inline]
    fn new(slid: &Slid, table: &[i32; LINES], before: u64, at: u32) -> Others {
        Others {
            along: slid.along - table[(slid.lines >> at) as u16 as usize],
            turned: slid.turned & !(0x000f_000f_000f_000f << (at / 4)),
            shift: at / 4,
            moved: (slid.lines ^ before) & !(0xffff << at) != 0,
        }
    }

    /// The value of the board with this line as the fourth.
    #[inline]
    fn value_with(&self, tables: &LineTables, table: &[i32; LINES], line: u16) -> i32 {
        self.along + table[line as usize] + tables.four_lines(self.turned | spread(line) << self.shift)
    }
}

/// Spreads the cells of a line to the first cells of four lines.
#[inline]
fn spread(line: u16) -> u64 {
    let x = u64::from(line);
    let x = (x | x << 24) & 0x0000_00ff_0000_00ff;
    (x | x << 12) & 0x000f_000f_000f_000f
}
