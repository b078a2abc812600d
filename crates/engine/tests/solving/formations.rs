//! The formations with a name, from the solution to the merges of their walls.

use lab2048::board::{Board, Symmetry};
use lab2048::solve::{Place, draw_position};

use super::merging::follow;
use super::support::{TENTH, endgame, table};

/// Drawn positions are recognised in all images, and their walls merge into one tile.
#[test]
fn drawn_formations_are_recognised_and_merge() {
    for (walls, tile) in [("block", 16), ("snake", 16), ("t", 16), ("row", 8)] {
        let game = endgame(walls, tile, Place::Beside).with_max_sum(32).unwrap();
        let table = table(&game);
        for seed in 0..10 {
            let drawn = draw_position(&table, seed, 0.01..=1.0).unwrap().expect(walls);
            let best = table.judge(&drawn, TENTH).unwrap().unwrap().best();
            for symmetry in Symmetry::ALL {
                let image = Board::from_grid(drawn.to_grid().transformed(symmetry)).unwrap();
                let exact = table.judge(&image, TENTH).unwrap().unwrap();
                assert_eq!(exact.best(), best, "{walls}: {image:?}");
            }
        }
        let mut shown = draw_position(&table, 1, 0.01..=1.0).unwrap().unwrap().to_grid();
        game.free_cells().for_each(|cell| shown.set(cell, 0));
        for target in game.target_cells() {
            let mut made = shown.clone();
            made.set(target, tile);
            let (moves, end) = follow(Board::from_grid(made).unwrap(), tile);
            assert_eq!(end.tiles().filter(|&tile| tile > 0).count(), 1, "{walls}: {moves:?} {end:?}");
        }
    }
}
