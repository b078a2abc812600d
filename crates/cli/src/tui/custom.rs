//! The screen for editing a custom board, cell by cell or from pasted rows. Then the user or a
//! player plays it.

use crossterm::event::{KeyCode, KeyEvent};
use lab2048::board::{
    Board, BoardTextError, CellProblem, InvalidBoard, RawCell, Size, check_rows, parse_board,
};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::board::{self, Label};
use super::choose::Choose;
use super::ending::{self, Message};
use super::events::{self, Event};
use super::keymap;
use super::parts::{self, Parts};
use super::play::Play;
use super::screen::{Next, Screen, Shared};
use crate::game_options::GameRequest;

/// The maximum length of a cell's text. It is longer than any valid tile.
const LONGEST: usize = 24;

/// A board that is being edited.
pub(super) struct Custom {
    size: Size,
    /// The texts of the cells, row by row. An empty text is an empty cell.
    cells: Vec<String>,
    at: usize,
    /// The result of the validator.
    board: Result<Board, InvalidBoard>,
    /// The invalid cells, with reasons.
    wrong: Vec<(usize, String)>,
    message: Option<Message>,
    /// Whether the question who plays is shown.
    asking: bool,
}

impl Custom {
    /// An empty board.
    pub(super) fn new(size: Size) -> Custom {
        Custom {
            size,
            cells: vec![String::new(); size.cells()],
            at: 0,
            board: Err(InvalidBoard::NoTiles),
            wrong: Vec::new(),
            message: None,
            asking: false,
        }
    }

    fn check(&mut self) {
        let raw = |text: &String| if text.is_empty() { RawCell::Number(0) } else { RawCell::from_text(text) };
        let cells: Vec<RawCell> = self.cells.iter().map(raw).collect();
        let size = self.size;
        let board = |cells: &[RawCell]| {
            let rows: Vec<Vec<RawCell>> = cells.chunks(size.cols()).map(<[RawCell]>::to_vec).collect();
            check_rows(&rows, Some(size)).and_then(Board::from_grid)
        };
        // The validator reports only the first invalid cell. So each cell is also checked alone.
        let problem = |(cell, raw): (usize, &RawCell)| {
            let mut alone = vec![RawCell::Number(0); size.cells()];
            alone[cell] = raw.clone();
            match board(&alone) {
                Err(InvalidBoard::Cell { problem, .. }) => Some((cell, problem.to_string())),
                _ => None,
            }
        };
        self.wrong = cells.iter().enumerate().filter_map(problem).collect();
        self.board = board(&cells);
    }

    /// The invalid cell whose reason is shown: the one under the cursor, otherwise the first one.
    fn shown(&self) -> Option<&(usize, String)> {
        self.wrong.iter().find(|(cell, _)| *cell == self.at).or(self.wrong.first())
    }

    fn resize(&mut self, rows: usize, cols: usize) {
        let Ok(size) = Size::new(rows, cols) else {
            self.message = Some(("both sides of a board must be from 2 to 8".to_owned(), true));
            return;
        };
        let mut cells = vec![String::new(); size.cells()];
        for (cell, text) in self.cells.drain(..).enumerate() {
            let (row, col) = self.size.position(cell);
            if row < rows && col < cols {
                cells[size.cell(row, col)] = text;
            }
        }
        let (row, col) = self.size.position(self.at);
        self.at = size.cell(row.min(rows - 1), col.min(cols - 1));
        self.cells = cells;
        self.size = size;
    }

    /// Accepts a board in any text form. If it is invalid, its words are still put into cells if
    /// they form rows, so that the error can be seen.
    fn paste(&mut self, text: &str) {
        // Terminals end pasted lines with a carriage return.
        let text = &text.replace("\r\n", "\n").replace('\r', "\n");
        // A single row has the present size, if that fits.
        let whole = parse_board(text, Some(self.size)).or_else(|_| parse_board(text, None));
        let cells = match whole {
            Ok(board) => {
                self.size = board.size();
                let text = |tile: u64| if tile == 0 { String::new() } else { tile.to_string() };
                self.message = Some((format!("a board of {}", self.size), false));
                board.tiles().map(text).collect()
            }
            Err(error) => {
                let said = match error {
                    BoardTextError::NeedsSize(cells) => self.wrong_row(text, cells),
                    error => error.to_string(),
                };
                self.message = Some((said, true));
                let Some((size, cells)) = loose_rows(text) else { return };
                self.size = size;
                cells
            }
        };
        self.cells = cells;
        self.check();
        self.at = self.wrong.first().map_or(0, |(cell, _)| *cell);
    }

    /// Why a single row is not a board.
    fn wrong_row(&self, text: &str, cells: usize) -> String {
        let words = text.split(|letter: char| letter.is_whitespace() || ",|".contains(letter));
        let wrong = |word: &&str| !word.is_empty() && matches!(RawCell::from_text(word), RawCell::Other(_));
        match words.into_iter().find(wrong) {
            Some(word) => CellProblem::NotANumber(word.to_owned()).to_string(),
            None => format!(
                "{}; separate the rows with '/'",
                BoardTextError::OtherCount { size: self.size, found: cells }
            ),
        }
    }

    fn edit(&mut self, key: &KeyEvent) {
        let (row, col) = self.size.position(self.at);
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let next = (self.at + 1) % self.size.cells();
        let Some(code) = events::plain(key) else {
            if events::is_ctrl(key, 'l') {
                self.cells.iter_mut().for_each(String::clear);
            }
            return;
        };
        self.message = None;
        match code {
            KeyCode::Up => self.at = self.size.cell(row.checked_sub(1).unwrap_or(rows - 1), col),
            KeyCode::Down => self.at = self.size.cell((row + 1) % rows, col),
            KeyCode::Left | KeyCode::BackTab => {
                self.at = self.at.checked_sub(1).unwrap_or(self.size.cells() - 1)
            }
            KeyCode::Right | KeyCode::Tab | KeyCode::Char(' ' | ',' | '|') => self.at = next,
            KeyCode::Char('/' | ';') => self.at = self.size.cell((row + 1) % rows, 0),
            KeyCode::Char(']') => self.resize(rows, cols + 1),
            KeyCode::Char('[') => self.resize(rows, cols - 1),
            KeyCode::Char('}') => self.resize(rows + 1, cols),
            KeyCode::Char('{') => self.resize(rows - 1, cols),
            KeyCode::Char('+') => self.double(),
            KeyCode::Char(letter) if self.cells[self.at].len() < LONGEST => self.cells[self.at].push(letter),
            KeyCode::Backspace => {
                self.cells[self.at].pop();
            }
            KeyCode::Delete => self.cells[self.at].clear(),
            _ => {}
        }
    }

    /// Enters the next tile: 2 in an empty cell, otherwise twice the number.
    fn double(&mut self) {
        let text = &mut self.cells[self.at];
        if text.is_empty() {
            *text = "2".to_owned();
        } else if let Some(twice) = text.parse::<u64>().ok().and_then(|tile| tile.checked_mul(2)) {
            *text = twice.to_string();
        }
    }

    fn labels(&self, shared: &Shared, scale: board::Scale) -> Vec<Label> {
        let label = |(cell, text): (usize, &String)| {
            let tile = text.parse::<u64>().unwrap_or(0);
            let mut label = Label::of(tile, scale);
            let (here, bad) = (cell == self.at, self.wrong.iter().any(|(wrong, _)| *wrong == cell));
            if tile == 0 || here {
                label.text = parts::end_of(text, scale.tile_width() - 2);
            }
            if here {
                label.text.push('▏');
            }
            if bad {
                label.style = shared.theme.chosen();
                label.text = format!("!{}", label.text);
            } else if here {
                label.style = Style::new().add_modifier(Modifier::REVERSED);
                label.text = format!("{:^width$}", label.text, width = scale.tile_width() - 2);
            }
            label
        };
        self.cells.iter().enumerate().map(label).collect()
    }

    fn panel(&self, shared: &Shared) -> Vec<Line<'static>> {
        let theme = shared.theme;
        let (row, col) = self.size.position(self.at);
        let verdict = match &self.board {
            Ok(board) if board.has_moves() => Line::styled("✓ ready: Enter", theme.best_bar()),
            Ok(_) => Line::styled("no move is possible", theme.bad()),
            Err(InvalidBoard::NoTiles) => Line::styled("type a number into a cell", theme.dim()),
            // The reason is shown beside its cell.
            Err(InvalidBoard::Cell { .. }) => Line::default(),
            Err(error) => Line::styled(error.to_string(), theme.bad()),
        };
        let about = |key: &str, meaning: &str| {
            Line::from(vec![
                Span::styled(format!("{key:<8}"), theme.strong()),
                Span::styled(meaning.to_owned(), theme.dim()),
            ])
        };
        vec![
            Line::styled("custom board", theme.title()),
            parts::figure(theme, "size", self.size.to_string()),
            parts::figure(theme, "cell", format!("row {}, column {}", row + 1, col + 1)),
            Line::default(),
            verdict,
            Line::default(),
            about("0-9", "any number, empty is 0"),
            about("+", "the next tile"),
            about("space", "next cell, / next row"),
            about("[ ]", "fewer, more columns"),
            about("{ }", "fewer, more rows"),
            about("ctrl-l", "clear"),
            about("paste", "rows, hex or JSON"),
        ]
    }

    /// Draws the panel, with the reason of an invalid cell in the row of that cell. The lines below
    /// move down.
    fn draw_panel(&self, frame: &mut Frame<'_>, shared: &Shared, parts: &Parts) {
        /// How far the reason extends to the left of the panel, towards its cell.
        const OUT: u16 = 2;
        let panel = parts.panel;
        let mut lines: Vec<(u16, Line<'_>)> = self.panel(shared).into_iter().map(|line| (0, line)).collect();
        if let Some((cell, reason)) = self.shown() {
            let row = parts.board.y + parts.scale.number_row(self.size, *cell);
            let row = usize::from(row.saturating_sub(panel.y));
            if lines.len() < row {
                lines.resize(row, (0, Line::default()));
            }
            let reason = parts::wrapped(&format!("◄ {reason}"), panel.width + OUT, 3);
            let reason = reason.into_iter().map(|text| (OUT, Line::styled(text, shared.theme.bad())));
            lines.splice(row..row, reason);
        }
        for (place, (out, line)) in lines.into_iter().enumerate().take(panel.height.into()) {
            let y = panel.y + place as u16;
            frame.render_widget(line, Rect { x: panel.x - out, y, width: panel.width + out, height: 1 });
        }
    }
}

/// The reason of an invalid cell, with its position.
fn said_of(size: Size, cell: usize, reason: &str) -> String {
    let (row, col) = size.position(cell);
    format!("row {}, column {}: {reason}", row + 1, col + 1)
}

/// Rows of words in the shape of a board, whatever the words are.
fn loose_rows(text: &str) -> Option<(Size, Vec<String>)> {
    let rows = text.split(['\n', '/', ';']).map(str::trim).filter(|row| !row.is_empty());
    let words = |row: &str| -> Vec<String> {
        let words = row.split([' ', '\t', ',', '|']).filter(|word| !word.is_empty());
        let kept =
            words.map(|word| word.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect());
        kept.map(|word: String| if word == "0" { String::new() } else { word }).collect()
    };
    let rows: Vec<Vec<String>> = rows.map(words).collect();
    let cols = rows.first()?.len();
    let size = Size::new(rows.len(), cols).ok()?;
    rows.iter().all(|row| row.len() == cols).then(|| (size, rows.concat()))
}

impl Screen for Custom {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        match event {
            Event::Paste(text) => {
                self.asking = false;
                self.paste(text);
            }
            Event::Key(key) if self.asking => {
                let Ok(board) = &self.board else { return Next::Stay };
                match key.code {
                    KeyCode::Char('m' | 'M') | KeyCode::Enter => {
                        self.asking = false;
                        let setup = GameRequest::of_board(board.clone());
                        return Next::Push(Box::new(Play::fresh(setup, shared)));
                    }
                    KeyCode::Char('a' | 'A') => {
                        self.asking = false;
                        return Next::Push(Box::new(Choose::watch(1, Some(board.clone()), shared)));
                    }
                    KeyCode::Esc | KeyCode::Char('q' | 'Q') => self.asking = false,
                    _ => {}
                }
            }
            Event::Key(key) => match key.code {
                KeyCode::Esc => return Next::Back,
                KeyCode::Enter => match &self.board {
                    Ok(board) if board.has_moves() => self.asking = true,
                    Ok(_) => self.message = Some(("no move is possible on this board".to_owned(), true)),
                    Err(error) => {
                        let wrong = self.shown().cloned();
                        self.at = wrong.as_ref().map_or(self.at, |(cell, _)| *cell);
                        let sentence = wrong.map(|(cell, reason)| said_of(self.size, cell, &reason));
                        self.message = Some((sentence.unwrap_or_else(|| error.to_string()), true));
                    }
                },
                _ => {
                    self.edit(key);
                    self.check();
                }
            },
            _ => {}
        }
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let Some(parts) = Parts::or_too_small(frame, self.size, "Esc leaves") else { return };
        let labels = self.labels(shared, parts.scale);
        board::paint_labels(frame.buffer_mut(), parts.board, parts.scale, theme, self.size, labels);
        if parts.beside {
            self.draw_panel(frame, shared, &parts);
        } else {
            frame.render_widget(Line::styled("custom board", theme.title()).centered(), parts.panel);
        }
        let reason = self.shown().filter(|_| !parts.beside);
        let reason = reason.map(|(cell, reason)| (said_of(self.size, *cell, reason), true));
        parts::foot(frame, theme, self.message.as_ref().or(reason.as_ref()), &keymap::CUSTOM.footer());
        if self.asking {
            let choices =
                [("m", "play it yourself"), ("a", "let a player play it"), ("Esc", "change the board")];
            parts::boxed(frame, theme, frame.area(), "who plays?", ending::choices(theme, &choices));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{golden, press, pressed, shared, text, type_in};
    use super::*;

    #[test]
    fn a_wrong_cell_has_its_reason_beside_it() {
        let shared = &mut shared();
        let mut custom = Custom::new(Size::FOUR);
        type_in(&mut custom, shared, "2 4 8 16/3 1x");
        let shown = text(&custom, shared, 80, 24);
        golden("custom", &shown);
        assert!(shown.contains("◄ '1x' is not a whole number"), "{shown}");
        assert!(matches!(pressed(&mut custom, shared, KeyCode::Enter), Next::Stay));
        assert!(!custom.asking);
        press(&mut custom, shared, &[KeyCode::Backspace]);
        assert_eq!(custom.board.as_ref().map(|board| board.tile(5)), Ok(1));
        press(&mut custom, shared, &[KeyCode::Enter]);
        assert!(text(&custom, shared, 80, 24).contains("let a player play it"));
        let Next::Push(play) = pressed(&mut custom, shared, KeyCode::Char('m')) else {
            panic!("the game starts")
        };
        assert!(text(play.as_ref(), shared, 80, 24).contains("score"));
    }

    #[test]
    fn every_wrong_cell_is_marked_and_no_key_is_covered() {
        let shared = &mut shared();
        let mut custom = Custom::new(Size::FOUR);
        type_in(&mut custom, shared, "2 -4 8 16/3 1x/2.5 6");
        let shown = text(&custom, shared, 80, 24);
        for marked in ["!-4", "!1x", "!2.5"] {
            assert!(shown.contains(marked), "{marked}:\n{shown}");
        }
        assert!(shown.contains("◄ -4 is negative"), "the first one, while the cursor is elsewhere:\n{shown}");
        for keys in [&[][..], &[KeyCode::Up], &[KeyCode::Up], &[KeyCode::Down, KeyCode::Down, KeyCode::Left]]
        {
            press(&mut custom, shared, keys);
            let shown = text(&custom, shared, 80, 24);
            for key in
                ["any number", "the next tile", "next cell", "fewer, more columns", "clear", "hex or JSON"]
            {
                assert!(shown.contains(key), "{key}:\n{shown}");
            }
        }
        let shown = text(&custom, shared, 80, 24);
        assert!(custom.at == 8 && shown.contains("◄ '2.5' is not"), "the one under the cursor:\n{shown}");
        press(&mut custom, shared, &[KeyCode::Enter]);
        assert!(text(&custom, shared, 80, 24).contains("row 3, column 1: '2.5' is not"));
        assert!(text(&custom, shared, 40, 16).contains("row 3, column 1"));
    }

    #[test]
    fn rows_are_pasted_and_a_wrong_one_says_where() {
        let shared = &mut shared();
        let mut custom = Custom::new(Size::FOUR);
        let paste = |custom: &mut Custom, shared: &mut Shared, text: &str| {
            custom.handle(&Event::Paste(text.to_owned()), shared);
            custom.message.clone().unwrap_or_default()
        };
        assert_eq!(paste(&mut custom, shared, "3, 6, 9\n0, 0, 12\n"), ("a board of 2x3".to_owned(), false));
        assert_eq!(
            custom.board.as_ref().map(ToString::to_string),
            Ok("    3    6    9\n    .    .   12".to_owned())
        );
        assert!(!paste(&mut custom, shared, "0100000000200000").1);
        assert_eq!(custom.size, Size::FOUR);
        assert_eq!(
            paste(&mut custom, shared, r#"{"grid":[[2,null,4],[0,8,16]]}"#),
            ("a board of 2x3".to_owned(), false)
        );
        assert!(!paste(&mut custom, shared, "2 4 8 16 32 64").1, "a single row has the present size");
        assert_eq!(custom.size.to_string(), "2x3");
        assert_eq!(paste(&mut custom, shared, "2 4 8 16"), ("a board of 2x2".to_owned(), false));
        let (said, bad) = paste(&mut custom, shared, "2 4\r-8 16");
        assert!(bad && said == "row 2, column 1: -8 is negative", "{said}");
        assert_eq!((custom.at, custom.cells[2].as_str()), (2, "-8"));
        let (said, bad) = paste(&mut custom, shared, "2 4 8\n16 32");
        assert!(bad && said.starts_with("row 2 has 2 cells"), "{said}");
        assert_eq!(custom.cells[2], "-8", "an invalid shape does not change the cells");
        assert_eq!(paste(&mut custom, shared, "foo bar"), ("'foo' is not a whole number".to_owned(), true));
        let (said, _) = paste(&mut custom, shared, "2 4 .");
        assert_eq!(said, "a 2x2 board has 4 cells, but 3 are given; separate the rows with '/'");
        paste(&mut custom, shared, &"9 ".repeat(100_000));
        paste(&mut custom, shared, "\u{1b}[2J/\u{0}");
    }

    #[test]
    fn every_size_and_any_number() {
        let shared = &mut shared();
        let mut custom = Custom::new(Size::FOUR);
        type_in(&mut custom, shared, "]]]]]]");
        assert_eq!(custom.size.to_string(), "4x8");
        assert!(custom.message.as_ref().is_some_and(|(_, bad)| *bad));
        type_in(&mut custom, shared, "{{{{[[[[[[[");
        assert_eq!(custom.size.to_string(), "2x2");
        type_in(&mut custom, shared, "18446744073709551615 18446744073709551616");
        assert!(custom.wrong[0].1.contains("is too large"));
        text(&custom, shared, 80, 24);
        press(&mut custom, shared, &[KeyCode::Delete]);
        type_in(&mut custom, shared, "+++/+");
        assert_eq!(custom.cells, ["18446744073709551615", "8", "2", ""]);
        assert!(custom.board.is_ok());
        type_in(&mut custom, shared, "éééééééééééééééééééééééé");
        text(&custom, shared, 40, 14);
        text(&custom, shared, 3, 2);
    }
}
