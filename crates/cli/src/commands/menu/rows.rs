//! A board that is typed row by row.

use lab2048::board::{Board, InvalidBoard, RawCell, Size, check_rows, parse_board};

use crate::failure::Outcome;
use crate::out;
use crate::questions::{Answer, ask};

/// Asks for a board, one row at a time. Only a wrong row is asked for again. The first line may
/// also be a whole board with `/` between the rows.
pub(super) fn read_rows(size: Size) -> Outcome<Answer<Board>> {
    let (height, width) = (size.rows(), size.cols());
    out::print(&format!("{width} numbers in each row, 0 for an empty cell; q goes back\n"))?;
    let mut rows: Vec<Vec<RawCell>> = Vec::new();
    loop {
        let last = rows.len() + 1 == height;
        let read = |line: &str| -> Result<Read, String> {
            if rows.is_empty() && line.contains('/') {
                let board = parse_board(line, None).map_err(|error| error.to_string())?;
                return playable(board).map(Read::Whole);
            }
            let row = read_row(line, rows.len(), size)?;
            if !last {
                return Ok(Read::Row(row));
            }
            let all: Vec<Vec<RawCell>> = rows.iter().cloned().chain([row]).collect();
            let board = check_rows(&all, Some(size)).and_then(Board::from_grid);
            board.map_err(|error| error.to_string()).and_then(playable).map(Read::Whole)
        };
        match ask(&format!("row {} of {height}", rows.len() + 1), None, read)? {
            Answer::Given(Read::Row(row)) => rows.push(row),
            Answer::Given(Read::Whole(board)) => return Ok(Answer::Given(board)),
            Answer::Back => return Ok(Answer::Back),
            Answer::End => return Ok(Answer::End),
        }
    }
}

/// What a line completes.
enum Read {
    Row(Vec<RawCell>),
    Whole(Board),
}

fn playable(board: Board) -> Result<Board, String> {
    if board.has_moves() { Ok(board) } else { Err("no move is possible on this board".to_owned()) }
}

/// Reads the row at an index. The error says what is wrong with it.
fn read_row(line: &str, index: usize, size: Size) -> Result<Vec<RawCell>, String> {
    let words = line.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | '|' | ';'));
    let row: Vec<RawCell> = words.filter(|word| !word.is_empty()).map(RawCell::from_text).collect();
    if row.len() != size.cols() {
        let found = crate::show::count(row.len() as u64, "number");
        return Err(format!("row {} has {found}, but {} are needed", index + 1, size.cols()));
    }
    // The other rows are empty, so a board without tiles is no error yet.
    let mut rows = vec![vec![RawCell::Number(0); size.cols()]; size.rows()];
    rows[index].clone_from(&row);
    match check_rows(&rows, Some(size)) {
        Ok(_) | Err(InvalidBoard::NoTiles) => Ok(row),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_with_blanks_or_commas_and_refused_with_the_reason() {
        let size = Size::FOUR;
        let numbers = |line: &str| read_row(line, 1, size);
        let expected: Vec<RawCell> = [2, 0, 3, 1024].map(RawCell::Number).to_vec();
        for line in ["2 0 3 1024", "2,0,3,1024", " 2, . , 3 ,1024 ", "2\t_|3;1024"] {
            assert_eq!(numbers(line).as_ref(), Ok(&expected), "{line}");
        }
        assert!(numbers("0 0 0 0").is_ok());
        for (line, why) in [
            ("2 4 8", "row 2 has 3 numbers, but 4 are needed"),
            ("2", "row 2 has 1 number, but 4 are needed"),
            ("2 4 8 x", "row 2, column 4: 'x' is not a whole number"),
            ("2 -4 8 2", "row 2, column 2: -4 is negative"),
            ("2 4 8 18446744073709551616", "row 2, column 4: 18446744073709551616 is too large"),
        ] {
            assert!(numbers(line).unwrap_err().starts_with(why), "{line}: {:?}", numbers(line));
        }
    }
}
