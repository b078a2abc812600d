//! A naive twin of the solver: memoised recursion on the game's own boards. It knows nothing of
//! layers, numbers, packed boards or folding.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lab2048::board::{Afterstate, Board, Direction, Grid, Symmetry};
use lab2048::game::{MoveValue, Probability};
use lab2048::solve::{Goal, Job, Place, PositionCounts, SubGame, Table, solve_in_memory};

use super::support::{TENTH, endgame, job, on_board, solved, tile};

/// What slides on the boards of the twin: walls are different tiles that no free tile can reach.
const WALL: u64 = 1 << 40;

struct Twin {
    game: SubGame,
    walls: Vec<usize>,
    free: Vec<usize>,
    /// Where the target counts.
    targets: Vec<usize>,
    values: HashMap<Grid, f64>,
}

/// Where a move leads.
#[derive(Clone, Debug)]
enum Step {
    Made,
    To(Afterstate, u64),
}

impl Twin {
    fn new(game: &SubGame) -> Twin {
        let (game, size) = (game.clone(), game.size());
        let walls: Vec<usize> = game.walls().cells().iter().map(|&cell| cell.into()).collect();
        let free: Vec<usize> = (0..size.cells()).filter(|cell| !walls.contains(cell)).collect();
        let is_beside = |&&cell: &&usize| {
            let (row, col) = size.position(cell);
            let (other, another) = size.position(walls[walls.len() - 1]);
            row.abs_diff(other) + col.abs_diff(another) == 1
        };
        let targets = match game.goal() {
            Goal::Tile { place: Place::Beside, .. } => free.iter().filter(is_beside).copied().collect(),
            _ => free.clone(),
        };
        Twin { game, walls, free, targets, values: HashMap::new() }
    }

    /// A position with nothing but its walls.
    fn clean(&self) -> Afterstate {
        let walls = self.walls.iter().enumerate();
        let empty = Afterstate::empty(self.game.size());
        walls.fold(empty, |after, (index, &cell)| after.set_out(cell, WALL << index).unwrap())
    }

    /// The tiles that appear, with their chances.
    fn spawns(&self) -> Vec<(u64, f64)> {
        let four = self.game.four().get();
        [(2, 1.0 - four), (4, four)].into_iter().filter(|&(_, chance)| chance > 0.0).collect()
    }

    /// The boards after all spawns, with their chances.
    fn spawned(&self, after: &Afterstate) -> Vec<(Board, f64)> {
        let cells: Vec<usize> = after.empty_cells().collect();
        let boards = self.spawns().into_iter().flat_map(|(tile, chance)| {
            let share = chance / cells.len() as f64;
            cells.iter().map(move |&cell| (after.spawn(cell, tile).unwrap(), share)).collect::<Vec<_>>()
        });
        boards.collect()
    }

    /// On a small board the pairs of start tiles, with their chances.
    fn start_boards(&self) -> Vec<(Board, f64)> {
        let first = self.spawned(&self.clean()).into_iter();
        let both = first.flat_map(|(one, chance)| {
            self.spawned(&one.pass()).into_iter().map(move |(two, next)| (two, chance * next))
        });
        both.collect()
    }

    /// In an endgame the walls alone, and with a 2 or a 4 in all other cells of their rows or of
    /// their columns, whichever are fewer.
    fn start_afterstates(&self) -> Vec<Afterstate> {
        let size = self.game.size();
        let beside = |line: fn((usize, usize)) -> usize| -> Vec<usize> {
            let line = |cell: usize| line(size.position(cell));
            let has_wall = |cell: &usize| self.walls.iter().any(|&wall| line(wall) == line(*cell));
            self.free.iter().copied().filter(has_wall).collect()
        };
        let (rows, cols) = (beside(|(row, _)| row), beside(|(_, col)| col));
        let chosen = match rows.len().cmp(&cols.len()) {
            Ordering::Less => vec![rows],
            Ordering::Equal => vec![rows, cols],
            Ordering::Greater => vec![cols],
        };
        let filled = chosen.into_iter().flat_map(|cells| {
            cells.into_iter().fold(vec![self.clean()], |all, cell| {
                all.iter().flat_map(|after| [2, 4].map(|tile| after.set_out(cell, tile).unwrap())).collect()
            })
        });
        filled.chain([self.clean()]).collect()
    }

    fn is_small_board(&self) -> bool {
        self.walls.is_empty()
    }

    /// The sum of the free tiles.
    fn sum(&self, tiles: &Grid) -> u64 {
        self.free.iter().map(|&cell| tiles.get(cell)).sum()
    }

    fn is_beyond(&self, tiles: &Grid) -> bool {
        self.game.max_sum().is_some_and(|most| self.sum(tiles) > most.into())
    }

    /// The step of a move; `None` if it is not allowed.
    fn step(&self, board: &Board, direction: Direction) -> Option<Step> {
        let slid = board.slide(direction).unwrap()?;
        if self.walls.iter().any(|&cell| slid.after.tile(cell) != board.tile(cell)) {
            return None;
        }
        if let Some(target) = self.game.target() {
            if self.targets.iter().any(|&cell| slid.after.tile(cell) == target) {
                return Some(Step::Made);
            }
            if self.free.iter().any(|&cell| slid.after.tile(cell) > target) {
                return None;
            }
        }
        Some(Step::To(slid.after, slid.reward))
    }

    fn worth(&mut self, step: &Step) -> f64 {
        match step {
            Step::Made => 1.0,
            Step::To(after, reward) if self.game.goal() == Goal::Score => self.value(after) + *reward as f64,
            Step::To(after, _) => self.value(after),
        }
    }

    fn best(&mut self, board: &Board) -> f64 {
        if self.is_beyond(&board.to_grid()) {
            return 0.0;
        }
        let steps = Direction::ALL.into_iter().filter_map(|direction| self.step(board, direction));
        let steps: Vec<Step> = steps.collect();
        steps.iter().map(|step| self.worth(step)).fold(0.0, f64::max)
    }

    fn value(&mut self, after: &Afterstate) -> f64 {
        let key = after.to_grid();
        if let Some(&known) = self.values.get(&key) {
            return known;
        }
        let mut value = 0.0;
        for (board, chance) in self.spawned(after) {
            value += chance * self.best(&board);
        }
        self.values.insert(key, value);
        value
    }

    fn start(&mut self) -> f64 {
        if self.is_small_board() {
            let boards = self.start_boards();
            boards.iter().map(|(board, chance)| chance * self.best(board)).sum()
        } else {
            let afterstates = self.start_afterstates();
            afterstates.iter().map(|after| self.value(after)).fold(0.0, f64::max)
        }
    }

    /// All boards and afterstates that can be reached, without those beyond the largest sum.
    fn reached(&self) -> (HashSet<Board>, HashSet<Afterstate>) {
        let (mut boards, mut afterstates) = (HashSet::new(), HashSet::new());
        let (mut new_boards, mut new_afterstates) = (Vec::new(), Vec::new());
        if self.is_small_board() {
            new_boards = self.start_boards().into_iter().map(|(board, _)| board).collect();
        } else {
            new_afterstates = self.start_afterstates();
        }
        while !new_boards.is_empty() || !new_afterstates.is_empty() {
            for after in std::mem::take(&mut new_afterstates) {
                if afterstates.insert(after.clone()) {
                    new_boards.extend(self.spawned(&after).into_iter().map(|(board, _)| board));
                }
            }
            for board in std::mem::take(&mut new_boards) {
                if self.is_beyond(&board.to_grid()) || !boards.insert(board.clone()) {
                    continue;
                }
                for direction in Direction::ALL {
                    if let Some(Step::To(after, _)) = self.step(&board, direction) {
                        new_afterstates.push(after);
                    }
                }
            }
        }
        (boards, afterstates)
    }

    /// The symmetries of the board that keep walls and target cells.
    fn symmetries(&self) -> Vec<Symmetry> {
        let size = self.game.size();
        let mask = |cells: &[usize]| {
            let mut grid = Grid::empty(size);
            cells.iter().for_each(|&cell| grid.set(cell, 1));
            grid
        };
        let masks = [mask(&self.free), mask(&self.targets)];
        let keeps = |symmetry: &&Symmetry| masks.iter().all(|mask| mask.transformed(**symmetry) == *mask);
        Symmetry::of(size).iter().filter(keeps).copied().collect()
    }

    /// The number of positions up to these symmetries.
    fn folded<'a>(&self, grids: impl Iterator<Item = Grid> + 'a, symmetries: &[Symmetry]) -> u64 {
        let image = |mut grid: Grid| {
            self.walls.iter().for_each(|&cell| grid.set(cell, 0));
            let images = symmetries.iter().map(|&symmetry| grid.transformed(symmetry).cells().to_vec());
            images.min().unwrap()
        };
        grids.map(image).collect::<HashSet<_>>().len() as u64
    }

    /// A position as a board of the game: the walls can merge in a chain, from the inner one on. Of
    /// the walls in the tests each one is a neighbour of the next.
    fn as_played(&self, tiles: &Grid) -> Board {
        let mut tiles = tiles.clone();
        let smallest = self.game.target().unwrap_or(0);
        for (step, &cell) in self.walls.iter().rev().enumerate() {
            tiles.set(cell, smallest << step);
        }
        Board::from_grid(tiles).unwrap()
    }
}

/// The largest difference between a value and what the table has stored. Chances are rounded, but
/// those next to 0 and 1 never become impossible or certain.
fn precision(game: &SubGame, value: f64) -> f64 {
    if game.goal() == Goal::Score { 1e-6 * value } else { 1.01 / 65535.0 }
}

/// Compares everything that a table says about a sub-game with the twin.
fn compare(game: &SubGame) {
    let twin = &mut Twin::new(game);
    let (solution, table) = solved(game);
    let expected = twin.start();
    assert!(expected > 0.0, "{game} can be won");
    assert!((solution.start - expected).abs() < 1e-12 * expected, "{game}: {} {expected}", solution.start);
    assert_eq!(table.info().start, solution.start);

    let (boards, afterstates) = twin.reached();
    let symmetries = twin.symmetries();
    let terminal = |board: &&Board| Direction::ALL.iter().all(|&way| twin.step(board, way).is_none());
    let counts = PositionCounts {
        boards: twin.folded(boards.iter().map(Board::to_grid), &symmetries),
        afterstates: twin.folded(afterstates.iter().map(Afterstate::to_grid), &symmetries),
        terminal: twin.folded(boards.iter().filter(terminal).map(Board::to_grid), &symmetries),
    };
    assert_eq!((solution.counts, table.info().counts), (counts, counts), "{}", game.name());

    for after in &afterstates {
        let value = twin.value(after);
        let found = table.value_of(&twin.as_played(&after.to_grid()).pass()).unwrap();
        let known = (value > 0.0 || game.goal() == Goal::Score).then_some(value);
        assert_eq!(found.is_some(), known.is_some(), "{game}: {value}\n{}", after.to_grid());
        let off = (found.unwrap_or(0.0) - value).abs();
        assert!(off <= precision(game, value), "{game}: {found:?} for {value}\n{}", after.to_grid());
    }
    boards.iter().for_each(|board| compare_moves(twin, &table, board));
}

/// Compares the values of the moves on a board.
fn compare_moves(twin: &mut Twin, table: &Table, board: &Board) {
    let played = twin.as_played(&board.to_grid());
    let judged = table.judge(&played, twin.game.four()).unwrap();
    let values = Direction::ALL.map(|direction| {
        let step = twin.step(board, direction);
        let value = step.map(|step| twin.worth(&step));
        let is_stored = |value: &f64| *value > 0.0 || twin.game.goal() == Goal::Score;
        value.filter(is_stored)
    });
    let Some(exact) = judged else {
        assert_eq!(values, [None; 4], "{}: nothing can be won\n{played:?}", twin.game);
        return;
    };
    for (direction, value) in Direction::ALL.into_iter().zip(values) {
        match (exact.values[direction.index()], value) {
            (MoveValue::Worth(found), Some(value)) => {
                assert!((found - value).abs() <= precision(&twin.game, value), "{found} for {value}");
            }
            (MoveValue::Illegal, None) => assert!(!played.legal_moves().contains(direction)),
            (MoveValue::Unknown, None) => assert!(played.legal_moves().contains(direction)),
            other => panic!("{}: {other:?} for {direction} on\n{played:?}", twin.game),
        }
    }
}

/// Ten walls, each one a neighbour of the next. The inner one (I) has two free neighbours.
///
/// ```text
/// X X X X
/// X X X X
/// X I . .
/// . . . .
/// ```
const TEN: &str = "0,1,2,3,7,6,5,4,8,9";

/// Nine walls around an inner one whose free neighbours are 11 and 14.
///
/// ```text
/// X X X .
/// X X X .
/// X X I .
/// . . . .
/// ```
const NINE: &str = "0,1,2,6,5,4,8,9,10";

fn four(share: f64) -> Probability {
    Probability::new(share).unwrap()
}

#[test]
fn endgames_have_the_values_of_recursion() {
    for place in [Place::Anywhere, Place::Beside] {
        compare(&endgame(TEN, 16, place));
        compare(&endgame(TEN, 32, place));
        compare(&endgame(NINE, 32, place));
    }
    // Every row has a wall, so an endgame may also begin with a full board.
    compare(&endgame("0,1,2,6,5,4,8,9,10,14", 16, Place::Anywhere));
}

#[test]
fn the_chance_of_a_four_is_part_of_the_rules() {
    for share in [0.0, 0.35, 1.0] {
        compare(&endgame(TEN, 32, Place::Beside).with_four(four(share)));
        compare(&on_board("2x3", tile(32)).with_four(four(share)));
    }
}

#[test]
fn a_largest_sum_cuts_what_is_beyond() {
    let full = solved(&endgame(TEN, 32, Place::Beside)).0;
    for most in [37, 40, 48] {
        for place in [Place::Anywhere, Place::Beside] {
            compare(&endgame(TEN, 32, place).with_max_sum(most).unwrap());
        }
        let game = endgame(TEN, 32, Place::Beside).with_max_sum(most).unwrap();
        let cut = solved(&game).0;
        assert!(cut.start < full.start && cut.counts.boards < full.counts.boards, "{most}: {cut:?}");
    }
}

#[test]
fn small_boards_have_the_values_of_recursion() {
    for size in ["2x2", "2x3", "3x2"] {
        compare(&on_board(size, Goal::Score));
    }
    compare(&on_board("2x2", Goal::Score).with_four(four(0.5)));
    compare(&on_board("2x2", tile(16)));
    compare(&on_board("2x3", tile(64)));
    compare(&on_board("2x4", tile(16)));
    // All eight symmetries.
    compare(&on_board("3x3", tile(8)));
    compare(&on_board("3x3", tile(16)).with_max_sum(40).unwrap());
}

/// Chances up to a limit are left out of the table, and nothing else changes.
#[test]
fn a_table_without_small_chances_agrees_with_the_whole_one() {
    let game = endgame(NINE, 32, Place::Beside);
    let (solution, whole) = solved(&game);
    let (kept, part) = solve_in_memory(&game, &Job { keep: 0.2, ..job(2) }).unwrap().unwrap();
    assert_eq!(kept, solution);
    let twin = Twin::new(&game);
    let (mut stored, mut left_out) = (Vec::new(), 0);
    for after in twin.reached().1 {
        let played = twin.as_played(&after.to_grid()).pass();
        let (whole, part) = (whole.value_of(&played).unwrap(), part.value_of(&played).unwrap());
        if part.is_some() {
            assert_eq!(part, whole);
            stored.push(after.to_grid());
        } else {
            assert!(whole.unwrap_or(0.0) <= 0.2 + 1e-5, "{whole:?}");
            left_out += 1;
        }
    }
    assert!(stored.len() > 1000 && left_out > 1000, "{} {left_out}", stored.len());
    assert_eq!(part.info().stored, twin.folded(stored.into_iter(), &twin.symmetries()));
    assert!(part.bytes() < whole.bytes());
}

/// A solution also gives the exact values of the afterstates that it was asked for, whether or not
/// they can be reached from the start.
#[test]
fn asked_afterstates_are_answered_exactly() {
    let game = endgame(TEN, 32, Place::Beside);
    let mut twin = Twin::new(&game);
    let reached: Vec<Afterstate> = twin.reached().1.into_iter().take(50).collect();
    // No spawn leaves a lone 16 in this corner.
    let mut lone = twin.clean().to_grid();
    lone.set(12, 16);
    // A full board has no spawns, so it is lost.
    let full = twin.free.iter().fold(twin.clean(), |after, &cell| after.set_out(cell, 8).unwrap());
    let lone = Board::from_grid(lone).unwrap().pass();
    let asked: Vec<Afterstate> = reached.into_iter().chain([lone, full]).collect();
    let bits = asked.iter().map(|after| {
        let played: Vec<u64> = twin.as_played(&after.to_grid()).tiles().collect();
        game.packed(&played, game.size()).unwrap()
    });
    let bits: Vec<u64> = bits.collect();
    let (solution, table) = solve_in_memory(&game, &Job { asked: &bits, ..job(2) }).unwrap().unwrap();
    for (after, value) in asked.iter().zip(solution.asked) {
        let expected = twin.value(after);
        assert!((value - expected).abs() < 1e-12, "{value} for {expected}\n{}", after.to_grid());
    }
    let table = Arc::new(table);
    assert!(table.judge(&twin.as_played(&asked[0].to_grid()), TENTH).is_ok());
}
