//! Boards in JSON, in the shapes that people have.
//!
//! - an array of rows. A cell is a number, `null`, or an object with a `value`; a flat array is a
//!   single row;
//! - the columns of the web game: `cells[x][y]` is `null` or
//!   `{"position": {"x": x, "y": y}, "value": 2}`. A cell with a position says that its matrix has
//!   columns, because rows never have one;
//! - an object that has one of these in `board`, `grid` or `cells`: what this program prints, the
//!   `gameState` that the web game keeps in the browser, or its `grid`;
//! - a text with such JSON in it, as browsers store `gameState`.

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::RawCell;
use super::text::BoardTextError;
use super::validate::cells_in_words;
use crate::text::shortened;

/// The names under which an object can have its board.
const NAMES: [&str; 4] = ["board", "grid", "cells", "gameState"];

type Rows = Vec<Vec<RawCell>>;

/// Reads the rows of a board from JSON in any known shape.
pub(super) fn rows_of_text(text: &str) -> Result<Rows, BoardTextError> {
    rows_of(&parse(text)?)
}

fn parse(text: &str) -> Result<Value, BoardTextError> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Eof => wrong("the JSON ends too early"),
        _ => wrong(format!("the JSON is not valid: {error}")),
    })
}

fn rows_of(value: &Value) -> Result<Rows, BoardTextError> {
    match value {
        Value::Array(items) if items.iter().any(has_position) => columns(items),
        Value::Array(_) => array_rows(value),
        Value::Object(object) => rows_of_object(object),
        Value::String(text) => rows_of(&parse(text)?),
        other => Err(wrong(format!("{} stands where a board is expected", quoted(other)))),
    }
}

fn rows_of_object(object: &Map<String, Value>) -> Result<Rows, BoardTextError> {
    let mut named = NAMES.iter().filter_map(|name| Some((*name, object.get(*name)?)));
    match (named.next(), named.next()) {
        (Some(("cells", cells)), None) => rows_of_cells(cells, object.get("size")),
        (Some((_, value)), None) => rows_of(value),
        (Some((one, _)), Some((other, _))) => {
            Err(wrong(format!("it has both '{one}' and '{other}'; leave one of them out")))
        }
        (None, _) => Err(wrong("it has none of 'board', 'grid', 'cells' and 'gameState'")),
    }
}

/// The `cells` of the web game, with the `size` beside them.
fn rows_of_cells(cells: &Value, size: Option<&Value>) -> Result<Rows, BoardTextError> {
    let lists = cells.as_array().ok_or_else(|| wrong("'cells' is not an array"))?;
    if lists.iter().any(is_placed) {
        return Err(misplaced());
    }
    let is_empty = |list: &Value| list.as_array().is_some_and(|cells| cells.iter().all(Value::is_null));
    if !lists.iter().any(has_position) && !lists.iter().all(is_empty) {
        return Err(wrong(
            "without positions, 'cells' does not say whether its lists are rows or columns; \
             give an array of rows as 'board'",
        ));
    }
    match size.and_then(Value::as_u64) {
        Some(size) if size != lists.len() as u64 => {
            Err(wrong(format!("'size' is {size}, but 'cells' has {} columns", lists.len())))
        }
        _ => columns(lists),
    }
}

/// Whether a list has a cell of the web game.
fn has_position(list: &Value) -> bool {
    list.as_array().is_some_and(|cells| cells.iter().any(is_placed))
}

/// Whether a cell is one of the web game, which has a position.
fn is_placed(cell: &Value) -> bool {
    cell.get("position").is_some()
}

/// The error for cells with positions in a list or in rows: their order would be believed.
fn misplaced() -> BoardTextError {
    wrong("cells with positions must be columns: cells[x][y]")
}

/// The rows of the web game's columns.
fn columns(columns: &[Value]) -> Result<Rows, BoardTextError> {
    let mut rows: Rows = Vec::new();
    for (x, column) in columns.iter().enumerate() {
        let cells = column.as_array().ok_or_else(|| wrong(format!("cells[{x}] is not an array")))?;
        if x == 0 {
            rows = vec![Vec::with_capacity(columns.len()); cells.len()];
        } else if cells.len() != rows.len() {
            let (found, expected) = (cells.len(), rows.len());
            return Err(wrong(format!(
                "cells[{x}] has {}, but cells[0] has {expected}",
                cells_in_words(found)
            )));
        }
        for (y, (cell, row)) in cells.iter().zip(&mut rows).enumerate() {
            check_position(cell, x, y)?;
            row.push(cell_of(cell));
        }
    }
    Ok(rows)
}

/// Checks that a tile of the web game is where it says it is.
fn check_position(cell: &Value, x: usize, y: usize) -> Result<(), BoardTextError> {
    if cell.is_null() {
        return Ok(());
    }
    let place = |name| cell.get("position").and_then(|position| position.get(name)).and_then(Value::as_u64);
    match (place("x"), place("y")) {
        (Some(own_x), Some(own_y)) if (own_x, own_y) == (x as u64, y as u64) => Ok(()),
        (Some(own_x), Some(own_y)) => {
            Err(wrong(format!("the tile in cells[{x}][{y}] has the position x {own_x}, y {own_y}")))
        }
        _ => Err(wrong(format!("cells[{x}][{y}] is neither null nor a tile with a position"))),
    }
}

/// The rows of an array of arrays, or of a flat array (one row). Their cells have no positions.
pub(super) fn array_rows(value: &Value) -> Result<Rows, BoardTextError> {
    let rows = value.as_array().ok_or_else(|| wrong("it is not an array"))?;
    if rows.iter().any(|row| is_placed(row) || has_position(row)) {
        return Err(misplaced());
    }
    if !rows.is_empty() && rows.iter().all(|row| !row.is_array()) {
        return Ok(vec![rows.iter().map(cell_of).collect()]);
    }
    let rows = rows.iter().enumerate().map(|(number, row)| {
        let cells = row.as_array().ok_or_else(|| wrong(format!("row {} is not an array", number + 1)))?;
        Ok(cells.iter().map(cell_of).collect())
    });
    rows.collect()
}

/// A number, `null`, or an object with a `value`.
fn cell_of(value: &Value) -> RawCell {
    match value.get("value").unwrap_or(value) {
        Value::Null => RawCell::Number(0),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => RawCell::Number(number.into()),
            (None, Some(number)) => RawCell::Number(number.into()),
            (None, None) => RawCell::Other(number.to_string()),
        },
        other => RawCell::Other(other.to_string()),
    }
}

fn wrong(words: impl Into<String>) -> BoardTextError {
    BoardTextError::Json(words.into())
}

fn quoted(value: &Value) -> String {
    shortened(&value.to_string())
}

#[cfg(test)]
mod tests {
    use crate::board::{Board, parse_board};

    /// A game of the web game, as it is in the browser's storage: 2 and 4 in the first row, 8 below
    /// the 2, 16 in the lower right corner.
    const GAME_STATE: &str = r#"{"grid":{"size":4,"cells":[
        [{"position":{"x":0,"y":0},"value":2},{"position":{"x":0,"y":1},"value":8},null,null],
        [null,null,null,null],
        [null,null,null,null],
        [{"position":{"x":3,"y":0},"value":4},null,null,{"position":{"x":3,"y":3},"value":16}]
        ]},"score":36,"over":false,"won":false,"keepPlaying":false}"#;

    fn board(text: &str) -> Board {
        parse_board(text, None).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refusal(text: &str) -> String {
        parse_board(text, None).expect_err(text).to_string()
    }

    #[test]
    fn the_state_of_the_web_game_is_read_however_it_is_copied() {
        let expected = board("2 0 0 4/8 0 0 0/0 0 0 0/0 0 0 16");
        assert_eq!(board(GAME_STATE), expected);
        let value: serde_json::Value = serde_json::from_str(GAME_STATE).unwrap();
        let (grid, cells) = (&value["grid"], &value["grid"]["cells"]);
        let stored = serde_json::to_string(&value.to_string()).unwrap();
        for text in [
            // What `localStorage.gameState` prints in the consoles of browsers.
            format!("'{value}'"),
            stored.clone(),
            // What `JSON.stringify(localStorage)` and a copy of the pair print.
            format!(r#"{{"bestScore":"3932","gameState":{stored}}}"#),
            format!(r#"{{"gameState":{value}}}"#),
            grid.to_string(),
            cells.to_string(),
            format!(r#"{{"cells":{cells}}}"#),
            format!(r#"{{"grid":{cells}}}"#),
            format!(r#"{{"board":{grid}}}"#),
        ] {
            assert_eq!(board(&text), expected, "{text}");
        }
    }

    #[test]
    fn rows_are_read_in_the_shapes_that_people_post() {
        let expected = board("2 0 4/8 16 0");
        for text in [
            "[[2,0,4],[8,16,0]]",
            "[[2,null,4],[8,16,null]]",
            r#"{"grid":[[2,0,4],[8,16,0]]}"#,
            r#"{"grid":[[2,null,4],[8,16,null]],"score":40}"#,
            r#"{"board":[[2,0,4],[8,16,0]],"size":"2x3"}"#,
            "[[ 2.  0.  4.]\n [ 8. 16.  0.]]",
            "[[2.00e+00 0.00e+00 4.00e+00]\n [8.00e+00 1.60e+01 0.00e+00]]",
            r#"{"board":[[{"value":2,"id":7},null,{"value":4}],[{"value":8},{"value":16},{"value":0}]]}"#,
        ] {
            assert_eq!(board(text), expected, "{text}");
        }
        assert_eq!(board("[2,4,null,0]"), board("2 4/0 0"));
        assert_eq!(board(r#"{"grid":[2,4,8,0,0,0,0,0,2]}"#), board("2 4 8/0 0 0/0 0 2"));
    }

    /// The order of a list of tiles says nothing about their places.
    #[test]
    fn a_list_of_tiles_with_positions_is_not_a_board() {
        let tile = r#"{"position":{"x":0,"y":0},"value":2}"#;
        for count in [1, 4, 9, 16] {
            for other in [tile, "null", "4"] {
                let list = format!("[{}]", [vec![other; count - 1], vec![tile]].concat().join(","));
                let named = ["board", "grid", "cells"].map(|name| format!(r#"{{"{name}":{list}}}"#));
                for text in [&[list][..], &named].concat() {
                    assert_eq!(refusal(&text), "cells with positions must be columns: cells[x][y]", "{text}");
                }
            }
        }
    }

    /// Board in other JSON is an array of rows, so the columns of the web game would be transposed.
    #[test]
    fn a_field_with_a_board_does_not_take_columns_for_rows() {
        let read = |text: &str| serde_json::from_str::<Board>(text).map_err(|error| error.to_string());
        assert_eq!(read("[[2,4],[{\"value\":8},null]]"), Ok(board("2 4/8 0")));
        let state: serde_json::Value = serde_json::from_str(GAME_STATE).unwrap();
        let refused = read(&state["grid"]["cells"].to_string()).unwrap_err();
        assert!(refused.contains("cells with positions must be columns: cells[x][y]"), "{refused}");
    }

    #[test]
    fn what_is_ambiguous_or_wrong_is_refused_with_the_place() {
        let tile = r#"{"position":{"x":0,"y":0},"value":2}"#;
        let with = |cells: &str| format!(r#"{{"size":2,"cells":{cells}}}"#);
        for (text, says) in [
            (
                with("[[2,0],[4,0]]"),
                "without positions, 'cells' does not say whether its lists are rows or columns; give an array of rows as 'board'",
            ),
            (
                with(&format!("[[{tile},null],[null,2]]")),
                "cells[1][1] is neither null nor a tile with a position",
            ),
            (
                with(&format!("[[null,{tile}],[null,null]]")),
                "the tile in cells[0][1] has the position x 0, y 0",
            ),
            (with(&format!("[[{tile},null],[null]]")), "cells[1] has 1 cell, but cells[0] has 2"),
            (
                with(&format!("[[{tile},null],[null,null],[null,null]]")),
                "'size' is 2, but 'cells' has 3 columns",
            ),
            (with(&format!("[[{tile},null],3]")), "cells[1] is not an array"),
            (with("null"), "'cells' is not an array"),
            (with("[[null,null],[null,null]]"), "the board has no tiles"),
            (
                format!(r#"{{"board":[[2,4],[2,4]],"grid":{}}}"#, with("[]")),
                "it has both 'board' and 'grid'; leave one of them out",
            ),
            ("{\"score\":4}".to_owned(), "it has none of 'board', 'grid', 'cells' and 'gameState'"),
            ("{\"gameState\":null}".to_owned(), "null stands where a board is expected"),
            ("{\"gameState\":\"{\"}".to_owned(), "the JSON ends too early"),
            ("[[2,4],5]".to_owned(), "row 2 is not an array"),
            ("[[2.5 4.]\n [0. 2.]]".to_owned(), "row 1, column 1: '2.5' is not a whole number"),
            (
                format!("[[{tile},null],[null,{{\"position\":{{\"x\":1,\"y\":1}},\"value\":\"4\"}}]]"),
                "row 2, column 2: '\"4\"' is not a whole number",
            ),
        ] {
            assert_eq!(refusal(&text), says, "{text}");
        }
    }
}
