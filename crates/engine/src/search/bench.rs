//! Fixed work for benchmarks. The amount of work changes only on purpose. The time it takes should
//! improve.

use std::sync::Arc;

use super::{Counts, ExpectimaxOptions, FastExpectimax};
use crate::board::{Board, parse_board};
use crate::eval::FastEvaluator;
use crate::game::{Future, Game, Player, PlayerError, Rules, Situation};

/// Fifty boards in hex form from games of one expectimax player: move 40 of the first game, move
/// 130 of the second, and so on.
#[rustfmt::skip]
pub const POSITIONS: [&str; 50] = [
    "3236100210010000", "0467103500340013", "2022023302450278", "9641543042102100", "3332611080029000",
    "023a013410230012", "100112120236347a", "457a223811130002", "148a205800360113", "a210750027231449",
    "357a225911480126", "147b521122214000", "b863643211202002", "048b125821361133", "346b245922470235",
    "011602380159137b", "02001120452156ab", "268b125a12132001", "ba11873065101254", "b962a75353124211",
    "00211123754389ab", "212111342712bb31", "521163307540c641", "c842284112111000", "100201215321c976",
    "116c134902480033", "21002321a532c643", "01050057136a035c", "21011500644278ac", "ca20952064314220",
    "01230123a831c972", "69ac467832611130", "33341446015b107c", "12819442a714c921", "420175209510cb10",
    "cb74975343302210", "02bc025a24443233", "c852b74295118320", "cba8356712451013", "31016321b843ca85",
    "32119541a842cb53", "cba6987500340122", "630052211353236d", "cba6a85343202101", "102203360219114d",
    "102042006432d976", "d922873073002101", "210030031668589d", "da43862153213210", "d862a73265310022",
];

/// The fifty boards.
pub fn positions() -> Vec<Board> {
    POSITIONS.iter().map(|text| parse_board(text, None).expect("the positions are valid boards")).collect()
}

/// The search depth of the signature.
pub const DEPTH: u32 = 4;

/// Searches all fifty boards to a fixed depth and returns the work. The number of nodes depends
/// only on the search, not on the evaluator. At [`DEPTH`] it is the signature of the search.
pub fn search_positions<E: FastEvaluator + 'static>(
    evaluator: &Arc<E>,
    depth: u32,
) -> Result<Counts, PlayerError> {
    let player = FastExpectimax::new(evaluator.clone(), ExpectimaxOptions::with_depth(depth));
    let mut player = player.map_err(PlayerError::because)?;
    let mut all = Counts::default();
    for board in positions() {
        let game = Game::from_board(Rules::ORIGINAL, 0, board);
        player.choose(&Situation::of(&game, &player, Future::Hidden))?;
        all.nodes += player.counts().nodes;
        all.evaluations += player.counts().evaluations;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Rows, RowsWeights};

    #[test]
    fn the_signature_is_the_same_everywhere() {
        let rows = Arc::new(Rows::new(RowsWeights::default()));
        assert_eq!(search_positions(&rows, DEPTH).map(|counts| counts.nodes), Ok(1_802_496));
    }

    #[test]
    fn the_positions_differ_and_can_be_played() {
        let mut boards = positions();
        assert!(boards.iter().all(Board::has_moves));
        boards.sort_by_key(|board| board.tile_sum());
        boards.dedup();
        assert_eq!(boards.len(), 50);
    }
}
