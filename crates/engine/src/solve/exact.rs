//! What a table knows about a board of the game.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::ground::{Ground, Step, checked};
use super::keys::{shift_of, wall_bits};
use super::{Goal, Place, SubGame, Table, TableError};
use crate::board::{Afterstate, Board, Direction, Directions, Packed, Size, Symmetry, WithSides, rank_of};
use crate::game::{Decision, MoveValue, Probability, Unit};

/// The exact values of the moves on a board.
///
/// As JSON: `{"tile": 512, "unit": "chance", "value": 0.8, "best": "up", "values": {...}, "makes":
/// []}`, with the value of each direction by its name. An illegal move has the value `null`; a move
/// that leaves the table has the value 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact {
    /// The value of each direction, in the order of [`Direction::ALL`]. A move that is legal, but
    /// shifts a wall or leaves the table, is [`MoveValue::Unknown`].
    pub values: [MoveValue; 4],
    /// What the values are: expected points to come, or the chance to make a tile.
    pub goal: Goal,
    /// The moves that make the tile. The board after such a move need not show it: the tile can
    /// merge with the inner wall in the same move.
    pub makes: Directions,
}

impl Exact {
    /// The best value.
    pub fn best(&self) -> f64 {
        self.values.iter().filter_map(|value| value.worth()).fold(0.0, f64::max)
    }

    /// What the values mean.
    pub fn unit(&self) -> Unit {
        match self.goal {
            Goal::Score => Unit::Points,
            Goal::Tile { .. } => Unit::Chance,
        }
    }

    /// The values as a decision for the best move, in which a move that leaves the table has the
    /// value 0. `None` if no move is legal.
    pub fn decision(&self) -> Option<Decision> {
        let value = |direction| self.shown(direction).map_or(MoveValue::Illegal, MoveValue::Worth);
        let known = self.values.iter().filter(|value| value.is_judged()).count() as u64;
        Decision::best_of(Direction::ALL.map(value), self.unit(), 0, known)
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form {
            tile: Option<u64>,
            unit: Unit,
            value: f64,
            best: Option<Direction>,
            values: BTreeMap<&'static str, Option<f64>>,
            makes: Vec<Direction>,
        }
        let value = |direction: Direction| (direction.name(), self.shown(direction));
        let form = Form {
            tile: self.goal.tile(),
            unit: self.unit(),
            value: self.best(),
            best: self.best_direction(),
            values: Direction::ALL.map(value).into(),
            makes: self.makes.iter().collect(),
        };
        form.serialize(serializer)
    }
}

/// The moves of a sub-game of any size on packed bits.
pub(super) trait Moves: Send + Sync {
    /// The bits after a move with its points, or that it makes the target; `None` if it is not
    /// allowed.
    fn steps(&self, bits: u64) -> [Option<Moved>; 4];

    /// The image that stands for all of them.
    fn folded(&self, bits: u64) -> u64;
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    Made,
    To(u64, u32),
}

impl<const R: usize, const C: usize> Moves for Ground<R, C> {
    fn steps(&self, bits: u64) -> [Option<Moved>; 4] {
        let board = Packed::from_bits(checked::<R, C>(bits).bits()).expect("checked before");
        self.steps(board).map(|step| {
            step.map(|step| match step {
                Step::Made => Moved::Made,
                Step::To(after, reward) => Moved::To(after.bits(), reward),
            })
        })
    }

    fn folded(&self, bits: u64) -> u64 {
        self.folded(bits)
    }
}

/// The moves of a sub-game.
pub(super) fn moves_of(game: &SubGame) -> Box<dyn Moves> {
    struct Make<'a>(&'a SubGame);
    impl WithSides for Make<'_> {
        type Output = Box<dyn Moves>;

        fn with_sides<const R: usize, const C: usize>(self) -> Box<dyn Moves> {
            Box::new(Ground::<R, C>::new(self.0))
        }
    }
    game.size().with_sides(Make(game)).expect("a checked sub-game has a packed size")
}

/// An image of a board that fits a sub-game.
#[derive(Clone, Copy, Debug)]
struct Image {
    /// The packed cells, with rank 15 at walls.
    bits: u64,
    /// From the board to the image.
    symmetry: Symmetry,
}

impl SubGame {
    /// The packed cells of an afterstate or a board in this sub-game, with rank 15 at the walls.
    /// Any image will do. `None` if no image has the walls and fits.
    ///
    /// The walls are different tiles, and larger than all others except for a target tile. If the
    /// target counts beside the inner wall, that wall is as large as the target, and they form a
    /// chain that can merge one after the other: each larger wall lies beside the next smaller one
    /// or the one before that, or in line with it across free cells, because a merged tile ends in
    /// either of the two cells. The second smallest wall lies so to the inner wall or to a target
    /// cell.
    ///
    /// A target tile in a cell where it counts is no position: it is made.
    pub fn packed(&self, tiles: &[u64], size: Size) -> Option<u64> {
        self.images(tiles, size).next().map(|image| image.bits)
    }

    /// All images that fit.
    fn images<'a>(&'a self, tiles: &'a [u64], size: Size) -> impl Iterator<Item = Image> + 'a {
        let ranks: Option<Vec<u8>> = tiles.iter().map(|&tile| rank_of(tile)).collect();
        let ranks = ranks.filter(|ranks| ranks.len() == size.cells());
        let all = ranks.into_iter().flat_map(|ranks| Symmetry::ALL.map(|symmetry| (symmetry, ranks.clone())));
        all.filter_map(move |(symmetry, ranks)| self.image(symmetry, size, &ranks))
    }

    fn image(&self, symmetry: Symmetry, size: Size, ranks: &[u8]) -> Option<Image> {
        let (rows, cols) =
            if symmetry.transpose { (size.cols(), size.rows()) } else { (size.rows(), size.cols()) };
        if (rows, cols) != (self.size().rows(), self.size().cols()) {
            return None;
        }
        let image = self.turned(symmetry, size, ranks);
        let top = self.top_rank();
        let fits = self.free_cells().all(|cell| image[cell] <= top);
        if !fits || !self.has_walls(&image) || self.has_target(&image) {
            return None;
        }
        let free = self.free_cells().map(|cell| u64::from(image[cell]) << shift_of(self, cell));
        Some(Image { bits: wall_bits(self) + free.sum::<u64>(), symmetry })
    }

    /// The cells after a symmetry that leads to the size of this sub-game.
    fn turned(&self, symmetry: Symmetry, size: Size, ranks: &[u8]) -> Vec<u8> {
        let mut image = vec![0; ranks.len()];
        for (cell, &rank) in ranks.iter().enumerate() {
            let (row, col) = size.position(cell);
            let (row, col) = symmetry.position(size, row, col);
            image[self.size().cell(row, col)] = rank;
        }
        image
    }

    /// Whether the walls are where they should be, and as they should be.
    fn has_walls(&self, ranks: &[u8]) -> bool {
        let mut walls: Vec<(u8, usize)> =
            self.walls().cells().iter().map(|&cell| (ranks[usize::from(cell)], cell.into())).collect();
        let Some(inner) = self.walls().inner() else { return true };
        walls.sort_unstable();
        let target = self.target().and_then(rank_of).expect("an endgame has a target");
        let are_different = walls.windows(2).all(|pair| pair[0].0 < pair[1].0);
        match self.goal() {
            Goal::Tile { place: Place::Beside, .. } => {
                let cells: Vec<usize> = walls.iter().map(|&(_, cell)| cell).collect();
                are_different && walls[0] == (target, usize::from(inner)) && self.is_chain(&cells)
            }
            _ => are_different && walls[0].0 >= target,
        }
    }

    /// Whether the target tile stands in a cell where it counts.
    fn has_target(&self, ranks: &[u8]) -> bool {
        let target = self.target().and_then(rank_of);
        self.target_cells().any(|cell| Some(ranks[cell]) == target)
    }

    /// Whether the target stands on a board. In an endgame, the walls of an image of the board are
    /// in place, and a target tile is where it counts. If the tile merged with the inner wall when
    /// it was made, the board does not show it; [`Exact::makes`] tells such moves.
    pub fn is_made(&self, board: &Board) -> bool {
        if self.walls().cells().is_empty() {
            return self.target().is_some_and(|target| board.largest() >= target);
        }
        let Some(target) = self.target().and_then(rank_of).filter(|_| board.size() == self.size()) else {
            return false;
        };
        let ranks: Option<Vec<u8>> = board.tiles().map(rank_of).collect();
        let Some(ranks) = ranks else { return false };
        Symmetry::ALL.into_iter().any(|symmetry| {
            let image = self.turned(symmetry, board.size(), &ranks);
            self.has_walls(&image)
                && self.free_cells().all(|cell| image[cell] <= target)
                && self.has_target(&image)
        })
    }
}

impl Table {
    /// The exact values of the moves on a board; `None` if the table does not know the board.
    ///
    /// The board may be any image of one in the table, see [`SubGame::packed`]. It is not known if
    /// the chance of a 4 is another one, if no move stays in the table, or, on a small board, if
    /// any move leaves it.
    pub fn judge(&self, board: &Board, four: Probability) -> Result<Option<Exact>, TableError> {
        if four != self.game().four() {
            return Ok(None);
        }
        let tiles: Vec<u64> = board.tiles().collect();
        let mut best: Option<Exact> = None;
        for image in self.game().images(&tiles, board.size()) {
            let exact = self.judge_image(board, image)?;
            if exact.is_some_and(|exact| best.is_none_or(|best| exact.best() > best.best())) {
                best = exact;
            }
            // All images of a small board have the same values.
            if self.counts_points() {
                break;
            }
        }
        Ok(best)
    }

    fn judge_image(&self, board: &Board, image: Image) -> Result<Option<Exact>, TableError> {
        let steps = self.moves.steps(image.bits);
        let (mut values, mut known, mut makes) = ([MoveValue::Illegal; 4], 0, Directions::NONE);
        let legal = board.legal_moves();
        for direction in legal.iter() {
            let value = match steps[image.symmetry.direction(direction) as usize] {
                None => None,
                Some(Moved::Made) => {
                    makes = makes.with(direction);
                    Some(1.0)
                }
                Some(Moved::To(after, reward)) => {
                    let reward = if self.counts_points() { f64::from(reward) } else { 0.0 };
                    self.value(self.moves.folded(after))?.map(|value| value + reward)
                }
            };
            known += usize::from(value.is_some());
            values[direction as usize] = value.map_or(MoveValue::Unknown, MoveValue::Worth);
        }
        let is_known = if self.game().walls().cells().is_empty() && self.counts_points() {
            known == legal.len()
        } else {
            known > 0
        };
        Ok((is_known && known > 0).then_some(Exact { values, goal: self.game().goal(), makes }))
    }

    /// The position of a board, the same for all its images; `None` if the board does not fit.
    pub(super) fn position_of(&self, board: &Board) -> Option<u64> {
        let tiles: Vec<u64> = board.tiles().collect();
        Some(self.moves.folded(self.game().packed(&tiles, board.size())?))
    }

    /// The value of an afterstate of [`SubGame::packed`]; `None` if the table does not know it.
    pub fn value_of_packed(&self, bits: u64) -> Result<Option<f64>, TableError> {
        self.value(self.moves.folded(bits))
    }

    /// The value of an afterstate; `None` if the table does not know it.
    pub fn value_of(&self, after: &Afterstate) -> Result<Option<f64>, TableError> {
        let tiles: Vec<u64> = after.tiles().collect();
        let mut best = None;
        for image in self.game().images(&tiles, after.size()) {
            let value = self.value_of_packed(image.bits)?;
            best = value.into_iter().chain(best).reduce(f64::max);
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Job, solve_in_memory};
    use super::*;
    use crate::board::{Grid, parse_board};

    fn solved(game: &SubGame) -> Table {
        let job = Job { threads: 2, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
        solve_in_memory(game, &job).unwrap().unwrap().1
    }

    fn board(text: &str) -> Board {
        parse_board(text, None).unwrap()
    }

    /// The eight images of a board have the same values, in the directions turned with it.
    #[test]
    fn all_images_of_a_position_are_recognised() {
        // 1024 512 64  I       I: the inner wall with the target 16
        // 2048 256 128 32 ...  is not a chain, so the walls are in rows:
        let game = SubGame::endgame("0,1,2,3,7,6,5,4".parse().unwrap(), 32, Place::Beside).unwrap();
        let table = solved(&game);
        let text = "4096 2048 1024 512/32 64 128 256/2 8 2 4/0 4 2 2";
        let own = table.judge(&board(text), Probability::TENTH).unwrap().unwrap();
        assert!(own.best() > 0.1 && own.best() < 1.0, "{own:?}");
        let size = Size::FOUR;
        let tiles: Vec<u64> = board(text).tiles().collect();
        for symmetry in Symmetry::ALL {
            let mut turned = vec![0; 16];
            for (cell, &tile) in tiles.iter().enumerate() {
                let (row, col) = size.position(cell);
                let (row, col) = symmetry.position(size, row, col);
                turned[size.cell(row, col)] = tile;
            }
            let turned = Board::from_grid(Grid::from_cells(size, turned)).unwrap();
            let exact = table.judge(&turned, Probability::TENTH).unwrap().unwrap();
            for direction in Direction::ALL {
                let image = symmetry.direction(direction) as usize;
                assert_eq!(exact.values[image], own.values[direction as usize], "{symmetry:?}");
            }
        }
        // Other rules, a broken chain, equal walls, another inner wall.
        assert_eq!(table.judge(&board(text), Probability::ZERO).unwrap(), None);
        for other in
            [text.replace("2048 1024", "1024 2048"), text.replace("64", "128"), text.replace("32", "16")]
        {
            assert_eq!(table.judge(&board(&other), Probability::TENTH).unwrap(), None, "{other}");
        }
        // Walls of other values with the same order are the same endgame.
        let higher = text.replace("4096", "65536");
        assert_eq!(table.judge(&board(&higher), Probability::TENTH).unwrap(), Some(own));
    }

    #[test]
    fn a_table_of_2x3_knows_3x2() {
        let game = SubGame::on_board("2x3".parse().unwrap(), Goal::Score).unwrap();
        let table = solved(&game);
        let wide = table.judge(&board("2 4 2/0 0 2"), Probability::TENTH).unwrap().unwrap();
        let high = table.judge(&board("2 0/4 0/2 2"), Probability::TENTH).unwrap().unwrap();
        let [up, right, down, left] = wide.values;
        assert_eq!(high.values, [left, down, right, up]);
        assert_eq!(table.judge(&board("2 4/0 0"), Probability::TENTH).unwrap(), None);
        // Two of the largest tiles cannot be reached.
        assert_eq!(table.judge(&board("128 128 2/0 0 2"), Probability::TENTH).unwrap(), None);
    }
}
