//! Tables of exact values: damaged ones are refused with one line. Whatever the others hold, they
//! answer without a panic and without much time or memory.
#![no_main]

use std::fmt::Write as _;
use std::sync::Arc;

use lab2048::board::{Board, Direction, Grid};
use lab2048::solve::{Goal, Outcome, Practice, SubGame, Table, draw_position};
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

/// The beginning of a file of version 1.
const HEAD: &[u8] = b"L2048TAB\x01\0\0\0\0\0\0\0";

/// The bytes of a layer. The directory of a layer of up to 4096 positions has 12.
const LAYER: usize = 48;

/// Tiles for boards of every size.
const TILES: [u64; 16] = [2, 4, 8, 16, 0, 2, 4, 32, 0, 0, 2, 64, 0, 8, 4, 2];

fuzz_target!(|bytes: &[u8]| {
    // The bytes as a file, as a header without layers, and as a sub-game with layers. The last two
    // have correct checksums.
    check(bytes);
    check(&file(&[], bytes));
    let (game, layers) = bytes.split_at(bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len()));
    if let Ok(game) = serde_json::from_slice::<SubGame>(game) {
        check(&with_layers(&game, layers));
    }
});

/// A file of these layers and this header.
fn file(layers: &[u8], header: &[u8]) -> Vec<u8> {
    let (len, crc) = ((header.len() as u64).to_le_bytes(), crc32fast::hash(header).to_le_bytes());
    [HEAD, layers, header, &len, &crc, b"L2048TAB"].concat()
}

/// A table of a sub-game with these bytes as its layers, from the smallest sum on.
fn with_layers(game: &SubGame, bytes: &[u8]) -> Vec<u8> {
    let mut entries = String::new();
    for (sum, layer) in bytes.chunks(LAYER).enumerate() {
        let (offset, len, crc) = (HEAD.len() + sum * LAYER, layer.len(), crc32fast::hash(layer));
        let comma = if sum == 0 { "" } else { "," };
        write!(
            entries,
            "{comma}{{\"sum\":{sum},\"offset\":{offset},\"bytes\":{len},\"stored\":1,\"crc\":{crc}}}"
        )
        .expect("a string can be written");
    }
    let stored = bytes.len().div_ceil(LAYER);
    let values = if game.goal() == Goal::Score { "score32" } else { "chance16" };
    let game = serde_json::to_string(game).expect("a sub-game can be written");
    let header = format!(
        "{{\"info\":{{\"game\":{game},\"values\":\"{values}\",\"keep\":0.0,\"start\":0.5,\
         \"counts\":{{\"boards\":1,\"afterstates\":1,\"terminal\":1}},\"stored\":{stored}}},\
         \"layers\":[{entries}]}}"
    );
    file(bytes, header.as_bytes())
}

fn check(bytes: &[u8]) {
    let table = match Table::from_bytes(bytes.to_vec()) {
        Ok(table) => Arc::new(table),
        Err(error) => return assert_one_line(error),
    };
    let (size, four) = (table.game().size(), table.game().four());
    let verified = table.verify().map_err(assert_one_line);
    let tiles = Grid::from_cells(size, TILES[..size.cells()].to_vec());
    let mut boards = vec![Board::from_grid(tiles).expect("a board with tiles")];
    match draw_position(&table, 1, 0.0..=f64::MAX) {
        Ok(drawn) => boards.extend(drawn),
        Err(error) => {
            assert!(verified.is_err(), "what a lookup notices, a check notices");
            assert_one_line(error);
        }
    }
    for board in boards {
        drop(table.judge(&board, four).map_err(assert_one_line));
        drop(table.value_of(&board.clone().pass()).map_err(assert_one_line));
        match Practice::new(Arc::clone(&table), board, 1) {
            Ok(practice) => play(practice),
            Err(error) => assert_one_line(error),
        }
    }
}

/// Plays some of the best moves.
fn play(mut practice: Practice) {
    for _ in 0..20 {
        let best = practice.exact().best_direction().unwrap_or(Direction::Up);
        if practice.play(best).is_err() || practice.outcome() != Outcome::Open {
            break;
        }
    }
    assert!(practice.kept_share() <= 1.0);
}
