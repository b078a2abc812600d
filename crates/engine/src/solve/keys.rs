//! Numbers for the positions of a layer.
//!
//! A layer holds the positions of one tile sum. Its possible positions are numbered without gaps:
//! the free cells are split into two halves, and the digits of a half are a *code*. The first
//! half's code `a` has a run of numbers, one for each code of the second half whose tiles add up to
//! the rest. So the number of a position is `starts[a] + order[b]`: two small tables instead of a
//! search.
//!
//! Sums are counted in twos throughout, since every tile is even.

use super::SubGame;

/// The numbering of one sub-game.
#[derive(Debug)]
pub(super) struct Keys {
    /// For each row of the board and each value of its 16 bits, the codes that its cells add: the
    /// first half's in the upper 32 bits. Walls add nothing.
    rows: Vec<u64>,
    first: Half,
    second: Half,
    /// Bits of all walls.
    walls: u64,
    /// The largest rank of a free tile.
    top: u8,
}

/// Half of the free cells.
#[derive(Debug)]
struct Half {
    /// The packed tiles and the sum of every code.
    codes: Vec<(u64, u32)>,
    /// The place of a code among the codes of the same sum.
    order: Vec<u32>,
    /// The packed tiles of all codes by sum, then by code.
    by_sum: Vec<u64>,
    /// The part of `by_sum` of each sum.
    sums: Vec<std::ops::Range<u32>>,
}

/// The numbers of one layer.
#[derive(Debug)]
pub(super) struct LayerKeys {
    /// The tile sum in twos.
    pub(super) sum: u32,
    /// The first number of each code of the first half, and the count of all numbers.
    starts: Vec<u32>,
}

/// The row of a cell's bits.
const ROW_BITS: usize = 16;

impl Keys {
    pub(super) fn new(game: &SubGame) -> Keys {
        let shifts: Vec<u32> = cell_order(game).iter().map(|&cell| shift_of(game, cell)).collect();
        let top = game.top_rank();
        let (first, second) = shifts.split_at(shifts.len().div_ceil(2));
        let mut rows = vec![0; 4 << ROW_BITS];
        for (cells, at) in [(first, 32), (second, 0)] {
            let mut weight = 1u64;
            for &shift in cells {
                let (row, within) = (shift as usize / ROW_BITS, shift % 16);
                let table = &mut rows[row << ROW_BITS..(row + 1) << ROW_BITS];
                for (bits, entry) in table.iter_mut().enumerate() {
                    let rank = (bits >> within & 15) as u64;
                    if rank <= u64::from(top) {
                        *entry += (rank * weight) << at;
                    }
                }
                weight *= u64::from(top) + 1;
            }
        }
        let (first, second) = (Half::new(first, top), Half::new(second, top));
        Keys { rows, first, second, walls: wall_bits(game), top }
    }

    /// The codes of both halves for a position of packed bits, the first one in the upper half.
    #[inline(always)]
    fn codes(&self, bits: u64) -> u64 {
        let row = |r: usize| self.rows[(r << ROW_BITS) + (bits >> (16 * r)) as u16 as usize];
        row(0) + row(1) + row(2) + row(3)
    }

    /// The sum of a position's free tiles, in twos.
    pub(super) fn sum_of(&self, bits: u64) -> u32 {
        let codes = self.codes(bits);
        self.first.codes[(codes >> 32) as usize].1 + self.second.codes[codes as u32 as usize].1
    }

    /// Whether a position has no rank above the largest one of a free tile. Others have no number.
    pub(super) fn are_for(&self, bits: u64) -> bool {
        let cells = bits & !self.walls;
        (0..16).all(|cell| (cells >> (4 * cell) & 15) as u8 <= self.top)
    }

    /// The largest sum that any position can have.
    pub(super) fn largest_sum(&self) -> u32 {
        (self.first.sums.len() + self.second.sums.len()) as u32 - 2
    }

    /// The number of possible positions of a layer.
    pub(super) fn count(&self, sum: u32) -> u64 {
        let codes = self.first.sums.iter().enumerate();
        let count = |(own, range): (usize, &std::ops::Range<u32>)| {
            range.len() as u64 * self.second.of_sum(sum, own as u32).len() as u64
        };
        codes.map(count).sum()
    }

    /// The numbering of a layer that has fewer than 2^32 positions.
    pub(super) fn layer(&self, sum: u32) -> LayerKeys {
        let mut next = 0;
        let mut starts = Vec::with_capacity(self.first.codes.len() + 1);
        starts.push(0);
        for &(_, own) in &self.first.codes {
            next += self.second.of_sum(sum, own).len() as u32;
            starts.push(next);
        }
        LayerKeys { sum, starts }
    }

    /// The number of a position in its layer.
    #[inline(always)]
    pub(super) fn number(&self, layer: &LayerKeys, bits: u64) -> u32 {
        let codes = self.codes(bits);
        layer.starts[(codes >> 32) as usize] + self.second.order[codes as u32 as usize]
    }

    /// The positions of ascending numbers of a layer.
    pub(super) fn reader<'a>(&'a self, layer: &'a LayerKeys) -> KeyReader<'a> {
        KeyReader { keys: self, layer, code: 0, end: 0, tiles: 0, run: &[] }
    }

    /// The possible positions of the largest layer and of all layers up to a sum. Unlike
    /// [`Keys::count`], this needs no tables.
    pub(super) fn sizes(game: &SubGame, limit: u32) -> (u64, u64) {
        let mut counts = vec![1.0];
        for _ in game.free_cells() {
            let tiles = (0..=game.top_rank()).map(|rank| if rank == 0 { 0 } else { 1 << (rank - 1) });
            let mut next = vec![0.0; counts.len() + (1 << (game.top_rank() - 1))];
            for tile in tiles {
                counts.iter().enumerate().for_each(|(sum, count)| next[sum + tile] += count);
            }
            counts = next;
        }
        counts.truncate((limit as usize).saturating_add(1));
        (
            counts.iter().fold(0.0, |most: f64, &count| most.max(count)) as u64,
            counts.iter().sum::<f64>() as u64,
        )
    }

    /// The bytes of the tables.
    pub(super) fn bytes(game: &SubGame) -> u64 {
        let (cells, symbols) = (game.free_cells().count() as u32, u64::from(game.top_rank()) + 1);
        let half = symbols.saturating_pow(cells.div_ceil(2));
        half.saturating_mul(2 * 28 + 4 * 4) + (4 << 19)
    }
}

/// Turns ascending numbers of a layer back into positions.
pub(super) struct KeyReader<'a> {
    keys: &'a Keys,
    layer: &'a LayerKeys,
    /// The current code of the first half, and the number after its last one.
    code: usize,
    end: u32,
    /// The tiles of the first half, and the possible tiles of the second one.
    tiles: u64,
    run: &'a [u64],
}

impl KeyReader<'_> {
    /// The packed bits of a position, with walls of rank 15. `number` must not be smaller than that
    /// of the call before.
    #[inline(always)]
    pub(super) fn bits(&mut self, number: u32) -> u64 {
        if number >= self.end {
            self.seek(number);
        }
        self.tiles | self.run[(number - self.layer.starts[self.code]) as usize]
    }

    #[cold]
    fn seek(&mut self, number: u32) {
        let starts = &self.layer.starts;
        self.code += starts[self.code + 1..].partition_point(|&start| start <= number);
        self.end = starts[self.code + 1];
        let (tiles, own) = self.keys.first.codes[self.code];
        self.tiles = tiles | self.keys.walls;
        let run = self.keys.second.of_sum(self.layer.sum, own);
        self.run = &self.keys.second.by_sum[run.start as usize..run.end as usize];
    }
}

impl LayerKeys {
    /// The number of possible positions.
    pub(super) fn len(&self) -> u32 {
        *self.starts.last().expect("a layer has an end")
    }
}

impl Half {
    /// The half of these cells, given by the shift of their bits, with ranks up to `top`.
    fn new(shifts: &[u32], top: u8) -> Half {
        let symbols = usize::from(top) + 1;
        let count = symbols.pow(shifts.len() as u32);
        let tiles = |code: usize| {
            let (mut rest, mut bits, mut sum) = (code, 0, 0);
            for &shift in shifts {
                let rank = rest % symbols;
                rest /= symbols;
                bits |= (rank as u64) << shift;
                sum += if rank == 0 { 0 } else { 1 << (rank - 1) };
            }
            (bits, sum)
        };
        let codes: Vec<(u64, u32)> = (0..count).map(tiles).collect();
        let largest = codes.iter().map(|&(_, sum)| sum).max().unwrap_or(0);
        let mut sizes = vec![0u32; largest as usize + 1];
        let order = codes.iter().map(|&(_, sum)| {
            let size = &mut sizes[sum as usize];
            *size += 1;
            *size - 1
        });
        let order: Vec<u32> = order.collect();
        let mut next = 0;
        let sums: Vec<_> =
            sizes.iter().map(|&size| (next, next + size, next += size)).map(|(a, b, ())| a..b).collect();
        let mut by_sum = vec![0; count];
        for (&(bits, sum), &order) in codes.iter().zip(&order) {
            by_sum[(sums[sum as usize].start + order) as usize] = bits;
        }
        Half { codes, order, by_sum, sums }
    }

    /// The part of `by_sum` whose tiles add up to `sum` together with `own`.
    #[inline(always)]
    fn of_sum(&self, sum: u32, own: u32) -> std::ops::Range<u32> {
        let rest = sum.checked_sub(own).and_then(|rest| self.sums.get(rest as usize));
        rest.cloned().unwrap_or(0..0)
    }
}

/// The free cells of the block in the order of their digits. Among the orders that were tried, it
/// brings the positions that can still be won closest together: with `--keep 0.1` the table of
/// block-512 is 2% smaller than with the last cells first.
const BLOCK_ORDER: [usize; 10] = [15, 11, 7, 3, 12, 14, 13, 10, 9, 8];

/// The free cells in the order of their digits: the last cells first, but for the block.
fn cell_order(game: &SubGame) -> Vec<usize> {
    let mut cells: Vec<usize> = game.free_cells().collect();
    cells.reverse();
    let block = BLOCK_ORDER.iter().all(|cell| cells.contains(cell)) && cells.len() == BLOCK_ORDER.len();
    if block { BLOCK_ORDER.to_vec() } else { cells }
}

/// The shift of a cell's bits in a packed board.
pub(super) fn shift_of(game: &SubGame, cell: usize) -> u32 {
    let (row, col) = game.size().position(cell);
    (4 * (4 * row + col)) as u32
}

/// Rank 15 at every wall.
pub(super) fn wall_bits(game: &SubGame) -> u64 {
    game.walls().cells().iter().map(|&cell| 15 << shift_of(game, cell.into())).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{Goal, Place};
    use super::*;

    /// The numbers are part of the format of tables. If this fails, tables of earlier versions are
    /// read wrongly: change the version in `table.rs` and these numbers.
    #[test]
    fn the_numbering_belongs_to_the_version_of_tables() {
        let board = SubGame::on_board("2x3".parse().unwrap(), Goal::Score).unwrap();
        let endgame =
            |walls: &str, tile| SubGame::endgame(walls.parse().unwrap(), tile, Place::Anywhere).unwrap();
        let block = endgame("0,1,2,4,5,6", 16);
        let corner = endgame("0,1,2,3,7,11", 16);
        let goldens = [
            (&board, 0x0000_0000_0301_0230, 11, 201),
            (&board, 0x0000_0000_0111_0111, 6, 135),
            (&board, 0x0000_0000_0321_0032, 13, 312),
            (&block, 0x3012_3012_3fff_0fff, 18, 46_993),
            (&block, 0x1111_1111_1fff_1fff, 10, 15_732),
            (&block, 0x3210_3210_3fff_2fff, 20, 8958),
            (&corner, 0x3012_f301_f230_ffff, 18, 78_784),
            (&corner, 0x3210_f321_f032_ffff, 20, 53_229),
            (&corner, 0x1313_f131_f313_ffff, 25, 5589),
        ];
        for (game, bits, sum, number) in goldens {
            let keys = Keys::new(game);
            assert_eq!(keys.sum_of(bits), sum, "{bits:#018x}");
            assert_eq!(keys.number(&keys.layer(sum), bits), number, "{bits:#018x}");
        }
    }

    /// Every number of a layer is a position of its sum, and the other way round.
    #[test]
    fn numbers_and_positions_are_one_to_one() {
        let small = SubGame::on_board("2x3".parse().unwrap(), Goal::Score).unwrap();
        let walls = "0,1,2,3,4,5,6,7,8".parse().unwrap();
        let endgame = SubGame::endgame(walls, 64, Place::Anywhere).unwrap();
        for game in [small, endgame] {
            let keys = Keys::new(&game);
            let mut total = 0;
            for sum in 0..=keys.largest_sum() {
                let layer = keys.layer(sum);
                assert_eq!(u64::from(layer.len()), keys.count(sum));
                let mut reader = keys.reader(&layer);
                for number in 0..layer.len() {
                    let bits = reader.bits(number);
                    assert_eq!((keys.number(&layer, bits), keys.sum_of(bits)), (number, sum));
                }
                total += u64::from(layer.len());
            }
            let symbols = u64::from(game.top_rank()) + 1;
            assert_eq!(total, symbols.pow(game.free_cells().count() as u32));
        }
    }
}
