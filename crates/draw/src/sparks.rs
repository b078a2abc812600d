//! A curve as a line of block characters with eight heights.

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws values from 0 to `highest` as at most `width` blocks. The blocks show the whole curve from
/// left to right, each the mean of its part.
pub fn sparks(values: &[f64], highest: f64, width: usize) -> String {
    let width = values.len().min(width);
    let block = |place: usize| {
        let part = &values[place * values.len() / width..(place + 1) * values.len() / width];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        LEVELS[((mean / highest * LEVELS.len() as f64) as usize).min(LEVELS.len() - 1)]
    };
    (0..width).map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_shown_as_a_whole() {
        assert_eq!(sparks(&[], 1.0, 24), "");
        assert_eq!(sparks(&[0.0, 50.0, 100.0], 100.0, 24), "▁▅█");
        assert_eq!(sparks(&[0.0, 0.0], 0.0, 24), "▁▁");
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let line = sparks(&many, 999.0, 24);
        assert_eq!(line.chars().count(), 24);
        assert!(line.starts_with('▁') && line.ends_with('█'));
    }
}
