//! Short forms of tile numbers.

/// A tile's number in at most `most` characters if possible: in full, as a power of two, or rounded
/// to two digits. The shortened forms may need up to six characters.
pub fn number(tile: u64, most: usize) -> String {
    let full = tile.to_string();
    if full.len() <= most.max(2) {
        return full;
    }
    if tile.is_power_of_two() {
        return format!("2^{}", tile.ilog2());
    }
    let mut exponent = tile.ilog10();
    // In tenths. Sums of this size need more than 64 bits.
    let tenth = 10u128.pow(exponent) / 10;
    let mut tenths = (u128::from(tile) + tenth / 2) / tenth.max(1);
    if tenths == 100 {
        (tenths, exponent) = (10, exponent + 1);
    }
    match tenths % 10 {
        0 => format!("{}e{exponent}", tenths / 10),
        digit => format!("{}.{digit}e{exponent}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_too_long_are_written_shorter() {
        assert_eq!(number(131_072, 6), "131072");
        assert_eq!(number(1 << 63, 6), "2^63");
        assert_eq!(number(12_345_678, 6), "1.2e7");
        assert_eq!(number(12_845_678, 6), "1.3e7");
        assert_eq!(number(30_000_001, 6), "3e7");
        assert_eq!(number(99_960_000, 6), "1e8");
        assert_eq!(number(u64::MAX, 6), "1.8e19");
        assert_eq!(number(u64::MAX, 20), "18446744073709551615");
        assert_eq!([number(7, 0), number(123, 0)], ["7", "1.2e2"]);
    }
}
