//! Chains of walls, which can merge one after the other: when walls form one, and how walls are
//! shown.

use super::keys::shift_of;
use super::subgame::are_neighbours;
use super::{SubGame, Table};
use crate::board::{Grid, tile_of};

impl SubGame {
    /// Whether these walls, the smallest first, form a chain, see [`SubGame::packed`].
    pub(super) fn is_chain(&self, walls: &[usize]) -> bool {
        (1..walls.len()).all(|count| self.can_follow(&walls[..count], walls[count]))
    }

    /// Whether a wall can follow a chain of smaller ones.
    fn can_follow(&self, chain: &[usize], wall: usize) -> bool {
        // Where the tile can be that merges with the wall: in either cell of the merge before.
        match *chain {
            [] => true,
            [inner] => {
                let mut targets = self.free_cells().filter(|&cell| self.is_beside_inner(cell));
                self.is_in_line(inner, wall) || targets.any(|target| self.is_in_line(target, wall))
            }
            [.., before, last] => self.is_in_line(last, wall) || self.is_in_line(before, wall),
        }
    }

    /// Whether a wall lies beside a cell, or in line with it across free cells.
    fn is_in_line(&self, cell: usize, wall: usize) -> bool {
        let ((row, col), (row2, col2)) = (self.size().position(cell), self.size().position(wall));
        let step = match (row == row2, col == col2) {
            (true, _) => 1,
            (_, true) => self.size().cols(),
            _ => return false,
        };
        let mut between = (cell.min(wall)..cell.max(wall)).step_by(step).skip(1);
        between.all(|cell| self.is_free(cell))
    }

    /// The board with nothing but its walls, as it is shown. They have the values of a chain from
    /// the inner wall on, if they can form one; otherwise any different ones.
    pub(super) fn shown_walls(&self) -> Grid {
        let mut tiles = vec![0; self.size().cells()];
        let walls = self.chain().unwrap_or_else(|| self.wall_cells().rev().collect());
        for (step, cell) in walls.into_iter().enumerate() {
            tiles[cell] = self.target().unwrap_or(2) << step;
        }
        Grid::from_cells(self.size(), tiles)
    }

    /// A chain of the walls, if they can form one. Of several, one in which most walls are
    /// neighbours of the next smaller one, and of these the one that ends nearest to the first
    /// cell.
    fn chain(&self) -> Option<Vec<usize>> {
        let inner = self.walls().inner()?;
        (0..self.walls().cells().len()).find_map(|apart| {
            let mut best = None;
            self.extend(&mut vec![inner.into()], apart, &mut best);
            best
        })
    }

    /// Completes a chain in every way in which at most `apart` more walls are no neighbours of the
    /// next smaller one.
    fn extend(&self, chain: &mut Vec<usize>, apart: usize, best: &mut Option<Vec<usize>>) {
        if chain.len() == self.walls().cells().len() {
            if best.as_ref().is_none_or(|best| chain.last() < best.last()) {
                *best = Some(chain.clone());
            }
            return;
        }
        let last = chain[chain.len() - 1];
        for wall in self.wall_cells() {
            let is_apart = !are_neighbours(self.size(), last, wall);
            let left = apart.checked_sub(is_apart.into());
            if let Some(left) = left.filter(|_| !chain.contains(&wall) && self.can_follow(chain, wall)) {
                chain.push(wall);
                self.extend(chain, left, best);
                chain.pop();
            }
        }
    }

    fn wall_cells(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.walls().cells().iter().map(|&cell| cell.into())
    }
}

impl Table {
    /// A position as tiles to show. The walls have the values of a chain, see [`SubGame::packed`],
    /// if they can form one; otherwise any different ones.
    pub fn tiles(&self, bits: u64) -> Grid {
        let mut tiles = self.walls.clone();
        for cell in self.game().free_cells() {
            tiles.set(cell, tile_of((bits >> shift_of(self.game(), cell) & 15) as u8));
        }
        tiles
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;
    use crate::board::parse_board;

    #[test]
    fn walls_are_shown_as_a_chain() {
        for (walls, tile, picture) in [
            ("block", 512, "16384 2048 1024 ./8192 4096 512 ./. . . ./. . . ."),
            ("snake", 512, "2048 4096 8192 16384/1024 512 . ./. . . ./. . . ."),
            ("row", 64, "512 256 128 64/. . . ./. . . ./. . . ."),
            // The walls on the left are in line with those on the right.
            ("t", 64, "2048 . 256 128/1024 . 512 64/. . . ./. . . ."),
        ] {
            let game = SubGame::endgame(walls.parse().unwrap(), tile, Place::Beside).unwrap();
            assert_eq!(game.shown_walls(), parse_board(picture, None).unwrap().to_grid(), "{walls}");
            assert!(game.packed(game.shown_walls().cells(), game.size()).is_some(), "{walls}");
        }
    }
}
