//! Boards from text are read and can be written back, or refused with one line. Every board slides
//! like its grid.
#![no_main]

use lab2048::board::{Board, BoardForm, Direction, Packed, Size, parse_board};
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for size in [None, Size::new(2, 2).ok(), Size::new(3, 5).ok(), Some(Size::FOUR)] {
        match parse_board(text, size) {
            Ok(board) => {
                assert!(size.is_none_or(|size| size == board.size()));
                check(&board);
            }
            Err(error) => assert_one_line(error),
        }
    }
    match serde_json::from_str::<Board>(text) {
        Ok(board) => check(&board),
        Err(error) => assert_one_line(error),
    }
});

fn check(board: &Board) {
    for form in [BoardForm::Rows, BoardForm::Hex, BoardForm::Json] {
        if let Ok(text) = board.to_text(form) {
            assert_eq!(parse_board(&text, None).as_ref(), Ok(board));
            assert_eq!(parse_board(&text, Some(board.size())).as_ref(), Ok(board));
        }
    }
    let grid = board.to_grid();
    let packed = Packed::<4, 4>::pack(board).ok();
    for direction in Direction::ALL {
        let slow =
            grid.slide(direction).map(|slide| (slide.grid != grid).then_some((slide.grid, slide.reward)));
        let fast = board.slide(direction).map(|slid| slid.map(|slid| (slid.after.to_grid(), slid.reward)));
        assert_eq!(fast, slow);
        if let Some(packed) = packed {
            let slid = packed.slide(direction).map(|(after, reward)| (after.to_grid(), reward.into()));
            assert_eq!(Ok(slid), slow);
        }
    }
}
