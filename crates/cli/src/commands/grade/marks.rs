//! The marks of the course: CS 165A, Artificial Intelligence, Fall 2021, Machine Problem 2.

/// The default number of games.
pub(super) const GAMES: u64 = 10;

/// Game score (the mean of the largest tiles) and its percentage, with linear interpolation. A
/// score below the first row gets 0. A score above the last row gets the percentage of the last
/// row.
const TABLE: [(f64, f64); 4] = [(128.0, 20.0), (1024.0, 80.0), (2048.0, 100.0), (2500.0, 110.0)];

/// The weights of report, code and play in the mark.
const WEIGHTS: [f64; 3] = [0.2, 0.2, 0.6];

/// The percentage for play, from 0 to 110, for a game score.
pub(super) fn play_percent(game_score: f64) -> f64 {
    let (_, most) = TABLE[TABLE.len() - 1];
    let within = TABLE.windows(2).find(|pair| game_score < pair[1].0);
    match within {
        None if game_score.is_nan() => 0.0,
        None => most,
        Some(pair) if game_score < pair[0].0 => 0.0,
        Some(pair) => {
            let ((low, least), (high, most)) = (pair[0], pair[1]);
            least + (most - least) * (game_score - low) / (high - low)
        }
    }
}

/// The parts of a mark, each in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Marks {
    /// The report.
    pub(super) report: f64,
    /// Executable code that matches the specification.
    pub(super) code: f64,
    /// Play, see [`play_percent`].
    pub(super) play: f64,
}

impl Marks {
    /// The mark of the assignment in per cent, without a bonus: 20% report, 20% code, 60% play.
    pub(super) fn total(self) -> f64 {
        let [report, code, play] = WEIGHTS;
        report * self.report + code * self.code + play * self.play
    }
}

/// The rank of each game score. 1 is the best, and equal scores have the same rank.
pub(super) fn ranks(game_scores: &[f64]) -> Vec<usize> {
    let better = |score: f64| game_scores.iter().filter(|&&other| other > score).count();
    game_scores.iter().map(|&score| better(score) + 1).collect()
}

/// The extra credit for a rank, in per cent of the assignment: 50 for the first, 25 for the second
/// and third. A game score of 0 gets no extra credit.
pub(super) fn bonus(rank: usize, game_score: f64) -> f64 {
    match rank {
        _ if game_score <= 0.0 => 0.0,
        1 => 50.0,
        2 | 3 => 25.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_lines_between_its_rows() {
        let cases = [
            (0.0, 0.0),
            (127.999, 0.0),
            (128.0, 20.0),
            (576.0, 50.0),
            (1024.0, 80.0),
            (1536.0, 90.0),
            (2048.0, 100.0),
            (2274.0, 105.0),
            (2500.0, 110.0),
            (2500.001, 110.0),
            (131_072.0, 110.0),
            (f64::INFINITY, 110.0),
            (f64::NAN, 0.0),
        ];
        for (score, percent) in cases {
            assert!((play_percent(score) - percent).abs() < 1e-9, "{score}: {}", play_percent(score));
        }
        let percents: Vec<f64> = (0..3000).map(|score| play_percent(f64::from(score))).collect();
        assert!(percents.is_sorted());
    }

    #[test]
    fn report_code_and_play_have_their_weights() {
        let total = |report, code, play| Marks { report, code, play }.total();
        assert!((total(100.0, 100.0, 110.0) - 106.0).abs() < 1e-9);
        assert!((total(50.0, 0.0, 0.0) - 10.0).abs() < 1e-9);
        assert!((total(0.0, 100.0, 50.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn equal_scores_share_a_rank_and_its_bonus() {
        let scores = [512.0, 2048.0, 0.0, 2048.0, 1024.0, 256.0];
        let ranks = ranks(&scores);
        assert_eq!(ranks, [4, 1, 6, 1, 3, 5]);
        let bonuses: Vec<f64> = ranks.iter().zip(scores).map(|(&rank, score)| bonus(rank, score)).collect();
        assert_eq!(bonuses, [0.0, 50.0, 0.0, 50.0, 25.0, 0.0]);
        assert_eq!(bonus(1, 0.0), 0.0, "a score of 0 gets no bonus");
        assert!(super::ranks(&[]).is_empty());
    }
}
