//! Tests of the RNG: its fixed outputs, and that spawns have the right distribution.

use lab2048::board::{Afterstate, Board, Packed, PackedAfter};
use lab2048::game::{ChanceOutcome, Game, Probability, Rules, SpawnSource, Stream, outcomes};

use super::support::{Dice, all_sizes, random_grid, size, tiles_of};

/// Computed from the documented formula by a program in another language. For seed 0 they are also
/// the well-known first outputs of SplitMix64 started at 0.
#[test]
fn the_promised_numbers() {
    let golden: [(u64, [u64; 4]); 4] = [
        (0, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f, 0x2cfa_2f23_4253_29e1]),
        (1, [0xbfef_8030_ddc2_d772, 0x5f55_2ce4_82f2_aa47, 0x7033_5fc3_daf3_d8a7, 0xbb1f_5df9_b2f0_4dd4]),
        (2048, [0x6c68_3de5_b879_8b67, 0xc688_ce66_e453_ec60, 0xab17_612e_f467_2392, 0x2d5c_cf76_b043_cca2]),
        (
            u64::MAX,
            [0xa577_782b_c52a_9f5a, 0xb485_2443_80e5_90be, 0x5176_985d_86cf_f511, 0xedd4_2eb7_f0c4_eee3],
        ),
    ];
    for (seed, draws) in golden {
        let stream = Stream::spawns(seed);
        assert_eq!([0, 1, 2, 1000].map(|place| stream.draw(place)), draws, "seed {seed}");
    }
    assert_eq!(Stream::spawns(1).draw(u64::MAX), 0x7ab4_0e09_0f36_3a7d, "the sequence wraps around");
    let player = Stream::player(1);
    assert_eq!(
        [0, 1, 2].map(|place| player.draw(place)),
        [0xca3a_3ff2_79ce_e9c1, 0x5ce4_5341_2941_f7e3, 0xd0ab_e4be_a8e6_e693]
    );
    assert_eq!(Stream::with_purpose(1, 0x706c_6179_6572), player);
    assert_eq!(Stream::with_purpose(9, 0), Stream::spawns(9));
}

#[test]
fn the_promised_choices() {
    let stream = Stream::spawns(7);
    let below: Vec<usize> = (0..20).map(|place| stream.below(place, 10)).collect();
    assert_eq!(below, [5, 3, 9, 8, 6, 3, 3, 6, 8, 0, 9, 1, 9, 5, 2, 8, 7, 9, 2, 0]);
    let unit: Vec<f64> = (0..3).map(|place| stream.unit(place)).collect();
    assert_eq!(unit, [0.5243459416779314, 0.30213903321684277, 0.9409962312900013]);
    assert_eq!(stream.below(3, 0), 0, "a bound of 0 gives 0");
}

#[test]
fn a_game_starts_with_two_tiles_in_different_cells() {
    for size in all_sizes() {
        for seed in 0..20 {
            let game = Game::new(Rules { size, ..Rules::default() }, seed);
            let tiles: Vec<u64> = game.board().tiles().filter(|&tile| tile != 0).collect();
            assert!(tiles.len() == 2 && tiles.iter().all(|&tile| tile == 2 || tile == 4), "{game:?}");
        }
    }
}

#[test]
fn the_chance_of_a_four_is_kept_at_its_ends() {
    for (four, tile) in [(0.0, 2), (1.0, 4)] {
        let rules = Rules { four: Probability::new(four).unwrap(), ..Rules::default() };
        let after = Afterstate::empty(rules.size);
        for seed in 0..100 {
            let spawns = SpawnSource::new(&rules, seed);
            assert!((0..100).all(|number| spawns.spawn(number, &after).unwrap().tile == tile));
        }
        assert!(outcomes(&after, rules.four).all(|outcome| outcome.spawn.tile == tile));
        assert_eq!(outcomes(&after, rules.four).count(), 16);
    }
}

#[test]
fn the_outcomes_are_all_that_chance_can_do() {
    let mut dice = Dice::new(5);
    for size in all_sizes() {
        for four in [0.0, 0.1, 0.5, 1.0] {
            let four = Probability::new(four).unwrap();
            let grid = random_grid(&mut dice, size, &tiles_of([0, 1, 2]));
            let Ok(board) = Board::from_grid(grid.clone()) else { continue };
            let after = board.pass();
            let all: Vec<ChanceOutcome> = outcomes(&after, four).collect();
            let total: f64 = all.iter().map(|outcome| outcome.probability).sum();
            let empty = grid.empty_cells().count();
            assert!((total - if empty == 0 { 0.0 } else { 1.0 }).abs() < 1e-12, "{total}");
            assert!(all.iter().all(|outcome| outcome.probability > 0.0));
            for outcome in &all {
                let same_cell = all.iter().filter(|other| other.spawn.cell == outcome.spawn.cell);
                let of_cell: f64 = same_cell.map(|other| other.probability).sum();
                assert!((of_cell - 1.0 / empty as f64).abs() < 1e-12);
                assert!(after.spawn(outcome.spawn.cell, outcome.spawn.tile).is_ok());
            }
        }
    }
}

#[test]
fn no_tile_appears_on_a_full_board() {
    let board = Board::from_grid(random_grid(&mut Dice::new(1), size(3, 3), &[2, 4])).unwrap();
    let spawns = SpawnSource::new(&Rules::default(), 1);
    assert_eq!(spawns.spawn(2, &board.pass()), None);
    assert_eq!(spawns.apply(2, &board.pass()), None);
    let packed = Packed::<3, 3>::pack(&board).unwrap();
    let full = PackedAfter::<3, 3>::from_bits(packed.bits()).unwrap();
    assert_eq!(spawns.apply_packed(2, full), None);
}

/// Pearson's chi-square statistic of counts against expectations with these weights.
fn chi_square(counts: &[u64], weights: &[f64]) -> f64 {
    let total: u64 = counts.iter().sum();
    let whole: f64 = weights.iter().sum();
    let term = |(&count, &weight): (&u64, &f64)| {
        let expected = total as f64 * weight / whole;
        (count as f64 - expected).powi(2) / expected
    };
    counts.iter().zip(weights).map(term).sum()
}

/// The chi-square quantile that is exceeded with probability 1/10,000 (approximation of Wilson and
/// Hilferty, 1931). The seeds are fixed, so the result of a test never changes.
fn once_in_ten_thousand(degrees: usize) -> f64 {
    let k = degrees as f64;
    k * (1.0 - 2.0 / (9.0 * k) + 3.719 * (2.0 / (9.0 * k)).sqrt()).powi(3)
}

fn assert_fits(what: &str, counts: &[u64], weights: &[f64]) {
    let (found, limit) = (chi_square(counts, weights), once_in_ten_thousand(counts.len() - 1));
    assert!(found < limit, "{what}: chi-square {found:.1} is above {limit:.1}: {counts:?}");
}

/// The weights of all outcomes: tile 2 and tile 4 for each of `cells` cells.
fn weights(cells: usize) -> Vec<f64> {
    (0..cells).flat_map(|_| [0.9, 0.1]).collect()
}

#[test]
fn the_spawns_of_one_game_are_uniform_over_the_cells_and_one_in_ten_is_a_four() {
    for cells in 2..=16 {
        let spawns = SpawnSource::new(&Rules::default(), 1000 + cells as u64);
        let mut counts = vec![0; 2 * cells];
        for number in 0..40_000 {
            let (index, is_four) = spawns.pick(number, cells);
            counts[2 * index + usize::from(is_four)] += 1;
        }
        assert_fits(&format!("{cells} cells"), &counts, &weights(cells));
    }
}

#[test]
fn the_same_spawn_of_neighbouring_seeds_is_as_random() {
    for number in [0, 1, 2, 3, 100, 1000] {
        let mut counts = vec![0; 32];
        for seed in 0..40_000 {
            let (index, is_four) = SpawnSource::new(&Rules::default(), seed).pick(number, 16);
            counts[2 * index + usize::from(is_four)] += 1;
        }
        assert_fits(&format!("spawn {number}"), &counts, &weights(16));
    }
}

#[test]
fn a_spawn_says_nothing_about_the_next_one_nor_about_the_next_seed_nor_about_the_players_luck() {
    let spawns = |seed| SpawnSource::new(&Rules::default(), seed);
    let mut pairs = [[0; 256], [0; 256], [0; 256]];
    for number in 0..60_000 {
        let (cell, _) = spawns(77).pick(number, 16);
        let (next, _) = spawns(77).pick(number + 1, 16);
        let (neighbour, _) = spawns(78).pick(number, 16);
        let luck = Stream::player(77).below(number, 16);
        for (counts, other) in pairs.iter_mut().zip([next, neighbour, luck]) {
            counts[16 * cell + other] += 1;
        }
    }
    for (counts, what) in pairs.iter().zip(["next spawn", "next seed", "player"]) {
        assert_fits(what, counts, &[1.0; 256]);
    }
}
