//! Tiles and ranks. A tile is the number on the board, its rank the exponent (tile 2048 has rank
//! 11).

/// The rank of a tile: 0 for an empty cell, `None` for 1 and for numbers that are not a power of
/// two.
pub const fn rank_of(tile: u64) -> Option<u8> {
    match tile {
        0 => Some(0),
        1 => None,
        _ if tile.is_power_of_two() => Some(tile.trailing_zeros() as u8),
        _ => None,
    }
}

/// The tile of a rank: 0 for rank 0. Ranks go up to 63.
pub const fn tile_of(rank: u8) -> u64 {
    if rank == 0 { 0 } else { 1 << rank }
}
