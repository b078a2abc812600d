//! Symmetries: sliding the image equals the image of the slide, and all images have the same
//! canonical form.

use std::collections::HashSet;

use lab2048::board::{Board, Direction, Grid, Packed, PackedAfter, Size, Symmetry};

use super::support::{Dice, all_sizes, for_packed_sizes, random_grid, size, tiles_of};

#[test]
fn a_square_has_eight_symmetries_and_a_rectangle_four() {
    for size in all_sizes() {
        // All cells differ, so two symmetries give the same image only if they are equal.
        let numbered = Grid::from_cells(size, (1..=size.cells() as u64).collect());
        let symmetries = Symmetry::of(size);
        let images: HashSet<Grid> =
            symmetries.iter().map(|&symmetry| numbered.transformed(symmetry)).collect();
        assert_eq!(images.len(), if size.is_square() { 8 } else { 4 });
        assert!(images.iter().all(|image| image.size() == size));
    }
}

#[test]
fn each_symmetry_is_undone_by_its_inverse() {
    for size in all_sizes() {
        let numbered = Grid::from_cells(size, (1..=size.cells() as u64).collect());
        for symmetry in Symmetry::ALL {
            let image = numbered.transformed(symmetry);
            assert_eq!(image.transformed(symmetry.inverse()), numbered, "{size} {symmetry:?}");
            for direction in Direction::ALL {
                assert_eq!(symmetry.inverse().direction(symmetry.direction(direction)), direction);
            }
            for cell in 0..size.cells() {
                let (row, col) = size.position(cell);
                let (row, col) = symmetry.position(size, row, col);
                assert_eq!(image.get(image.size().cell(row, col)), numbered.get(cell));
            }
        }
    }
}

#[test]
fn sliding_an_image_is_the_image_of_sliding() {
    let mut dice = Dice::new(3);
    for size in all_sizes() {
        for _ in 0..20 {
            let grid = random_grid(&mut dice, size, &tiles_of([0, 0, 1, 1, 2, 3]));
            for symmetry in Symmetry::ALL {
                for direction in Direction::ALL {
                    let slide = grid.slide(direction).unwrap();
                    let image = grid.transformed(symmetry).slide(symmetry.direction(direction)).unwrap();
                    assert_eq!(
                        image.grid,
                        slide.grid.transformed(symmetry),
                        "{symmetry:?} {direction} {grid:?}"
                    );
                    assert_eq!(image.reward, slide.reward);
                }
            }
        }
    }
}

#[test]
fn all_images_of_a_grid_have_one_canonical_form() {
    let mut dice = Dice::new(4);
    for size in all_sizes() {
        let grid = random_grid(&mut dice, size, &tiles_of(0..=3));
        let canonical = grid.canonical();
        let images: Vec<Grid> =
            Symmetry::of(size).iter().map(|&symmetry| grid.transformed(symmetry)).collect();
        assert!(images.contains(&canonical));
        assert!(images.iter().all(|image| image.canonical() == canonical));
    }
}

#[test]
fn packed_flips_and_transpositions_are_those_of_the_grid() {
    fn check<const R: usize, const C: usize>() {
        let mut dice = Dice::new((40 + 10 * R + C) as u64);
        for _ in 0..300 {
            let grid = random_grid(&mut dice, size(R, C), &tiles_of(0..=14));
            let Ok(board) = Board::from_grid(grid.clone()) else { continue };
            let packed = Packed::<R, C>::pack(&board).unwrap();
            let [rows, cols] = [(true, false), (false, true)].map(|(flip_rows, flip_cols)| Symmetry {
                transpose: false,
                flip_rows,
                flip_cols,
            });
            let transposed = Symmetry { transpose: true, ..Symmetry::IDENTITY };
            assert_eq!(packed.flipped_rows().to_grid(), grid.transformed(rows));
            assert_eq!(packed.flipped_cols().to_grid(), grid.transformed(cols));
            assert_eq!(packed.transposed().to_grid(), grid.transformed(transposed));

            let after = PackedAfter::<R, C>::from_bits(packed.bits()).unwrap();
            assert_eq!(after.flipped_rows().to_grid(), grid.transformed(rows));
            assert_eq!(after.transposed().to_grid(), grid.transformed(transposed));
            assert_eq!(after.canonical().bits(), packed.canonical().bits());
        }
    }
    for_packed_sizes!(check);
}

#[test]
fn the_packed_canonical_form_is_the_least_image() {
    fn check<const R: usize, const C: usize>() {
        let size: Size = size(R, C);
        let mut dice = Dice::new((80 + 10 * R + C) as u64);
        for _ in 0..300 {
            let grid = random_grid(&mut dice, size, &tiles_of(0..=3));
            let images: Vec<Packed<R, C>> = Symmetry::of(size)
                .iter()
                .filter_map(|&symmetry| Board::from_grid(grid.transformed(symmetry)).ok())
                .map(|board| Packed::pack(&board).unwrap())
                .collect();
            let least = images.iter().copied().min();
            assert!(images.iter().all(|image| Some(image.canonical()) == least));
        }
    }
    for_packed_sizes!(check);
}
