//! The options that mean the same in every command, and the game that they describe.

use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use lab2048::arena::{GameLimits, GameSetup};
use lab2048::board::{Board, Direction, Size, parse_board};
use lab2048::files::read_limited;
use lab2048::game::{Game, Probability, Rules};
use lab2048::text::{in_words, shortened};

use crate::failure::{Failure, Outcome};
use crate::numbers::whole;

/// The game: as typed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Game")]
pub(crate) struct GameOptions {
    /// Board size, rows x columns, 2x2 to 8x8 [default: 4x4, or the size of --board]
    #[arg(long, value_name = "RxC", allow_hyphen_values = true)]
    size: Option<Size>,
    /// Start from this board: rows like "0 2 0 0/...", a hex code, JSON, the saved game of the web
    /// game, @FILE, or - for standard input
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Seed of the spawns; the same seed gives the same game [default: random, and shown; arena and
    /// tune: 1]
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX), allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Probability of a 4 [default: 0.1]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    four: Option<Probability>,
    /// Rules: original, or course (starts with two 2-tiles; a move that changes nothing still
    /// spawns a tile)
    #[arg(long, value_name = "NAME", default_value = "original", value_parser = Rules::named)]
    rules: Rules,
    /// End a game when this tile or a larger one is on the board
    #[arg(long, value_name = "TILE", value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    until: Option<u64>,
    /// End a game after N moves
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX), allow_hyphen_values = true)]
    max_moves: Option<u64>,
}

/// The game that was asked for: ready to use, except that the seed may be open.
#[derive(Clone, Debug)]
pub(crate) struct GameRequest {
    /// Rules, start and limits, with defaults filled in.
    pub(crate) game: GameSetup,
    /// The seed, if one was given.
    pub(crate) seed: Option<u64>,
}

impl GameOptions {
    /// Whether `--size` was left out.
    pub(crate) fn any_size(&self) -> bool {
        self.size.is_none()
    }

    /// Reads the board and fills in the defaults.
    pub(crate) fn settle(self) -> Outcome<GameRequest> {
        let board = self.board.map(|text| read_board(&text, self.size)).transpose()?;
        let size = board.as_ref().map(Board::size).or(self.size).unwrap_or(self.rules.size);
        let four = self.four.unwrap_or(self.rules.four);
        let rules = Rules { size, four, ..self.rules };
        let limits = GameLimits { until: self.until, max_moves: self.max_moves };
        Ok(GameRequest { game: GameSetup { rules, board, limits }, seed: self.seed })
    }
}

impl GameRequest {
    /// The original game on a board of this size.
    pub(crate) fn of_size(size: Size) -> GameRequest {
        let rules = Rules { size, ..Rules::ORIGINAL };
        GameRequest { game: GameSetup::new(rules), seed: None }
    }

    /// The original game, starting from this board.
    pub(crate) fn of_board(board: Board) -> GameRequest {
        GameRequest { game: GameSetup::from_board(Rules::ORIGINAL, board), seed: None }
    }

    /// Refuses a start board on which no move can be made.
    pub(crate) fn check_start(&self) -> Outcome<()> {
        let start = self.game.board.is_some().then(|| self.game.start(0));
        start.map_or(Ok(()), |game| check_moves(&game))
    }

    /// Whether it is the original game on a board of any size, without seed, start board or limits.
    pub(crate) fn is_usual(&self) -> bool {
        let rules = Rules { size: self.game.rules.size, ..Rules::ORIGINAL };
        self.seed.is_none() && self.game == GameSetup::new(rules)
    }

    /// The seed given, or a fresh one. Commands show it, so that the game can be repeated.
    pub(crate) fn seed_or_fresh(&self) -> u64 {
        self.seed.unwrap_or_else(fresh_seed)
    }
}

/// A seed that is another one at every call, and short enough to be typed again.
pub(crate) fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 % 1_000_000_000
}

/// The longest text that is read as a board. The largest board with the largest tiles is much
/// shorter.
pub(crate) const MOST_BYTES: u64 = 64 * 1024;

/// The words after the first one of a board that was typed without quotation marks. The first word
/// may begin with a hyphen: an empty cell. With such words after it, clap would take every option
/// for a part of the board.
#[derive(Args, Clone, Debug)]
pub(crate) struct MoreWords {
    #[arg(value_name = "WORD", hide = true, allow_negative_numbers = true)]
    words: Vec<String>,
}

impl MoreWords {
    /// All words of the board.
    pub(crate) fn after(self, first: Option<String>) -> Vec<String> {
        first.into_iter().chain(self.words).collect()
    }
}

/// A board that was typed as one argument or, without quotation marks, as several words.
pub(crate) fn board_text(words: &[String]) -> Outcome<String> {
    let is_option = |word: &&String| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|next: char| next == '-' || next.is_alphabetic()))
    };
    if let Some(option) = words.iter().find(is_option) {
        let option = shortened(option);
        return Err(Failure::BadInput(format!("unexpected argument '{option}' found (see --help)")));
    }
    match words.iter().find(|word| word.starts_with('@')) {
        Some(file) if words.len() > 1 => {
            let file = shortened(file);
            Err(Failure::BadInput(format!(
                "one board is needed, but there are more words beside the file '{file}'"
            )))
        }
        _ => Ok(words.join(" ")),
    }
}

/// Reads one board from a text, from a file (`@FILE`) or from the standard input (`-`).
pub(crate) fn read_board(text: &str, size: Option<Size>) -> Outcome<Board> {
    let mut boards = read_boards(text, size)?;
    match (boards.pop(), boards.len()) {
        (Some(board), 0) => Ok(board),
        (_, others) => {
            let given = others + 1;
            Err(Failure::BadInput(format!(
                "one board is needed, but {given} are given, separated by empty lines"
            )))
        }
    }
}

/// Reads boards that are separated by empty lines, at least one.
pub(crate) fn read_boards(text: &str, size: Option<Size>) -> Outcome<Vec<Board>> {
    let bytes = match text.strip_prefix('@') {
        Some(path) => read_limited(Path::new(path), MOST_BYTES).map_err(Failure::bad_input)?,
        None if text == "-" => read_input()?,
        None => text.as_bytes().to_vec(),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::BadInput("not a board: it is not UTF-8 text".to_owned()))?;
    let whole = parse_board(&text, size);
    // JSON may have empty lines in it.
    let is_json = text.trim_start_matches([' ', '\n', '\r', '\t', '"', '\'']).starts_with(['[', '{']);
    if let (true, Ok(board)) = (is_json, &whole) {
        return Ok(vec![board.clone()]);
    }
    let blocks = blocks(&text);
    if blocks.len() < 2 {
        let board = whole.map_err(|error| Failure::BadInput(format!("not a board: {error}")))?;
        return Ok(vec![board]);
    }
    let numbered = blocks.iter().zip(1..);
    let boards = numbered.map(|(block, number)| {
        parse_board(block, size)
            .map_err(|error| Failure::BadInput(format!("board {number}: not a board: {error}")))
    });
    boards.collect()
}

/// The parts of a text between its empty lines.
fn blocks(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty());
    blocks.map(|block| block.join("\n")).collect()
}

/// Refuses a board on which no move can be made.
pub(crate) fn check_moves(game: &Game) -> Outcome<()> {
    if let Some(ending) = game.ending() {
        return Err(Failure::BadInput(format!("the game is over on this board: {ending}")));
    }
    let slides = Direction::ALL.map(|direction| game.board().slide(direction));
    match slides.iter().find_map(|slid| slid.as_ref().err()) {
        Some(overflow) if !slides.iter().any(|slid| matches!(slid, Ok(Some(_)))) => {
            Err(Failure::BadInput(format!("no move can be played on this board: {overflow}")))
        }
        _ => Ok(()),
    }
}

/// Reads the standard input, up to the longest text of a board.
fn read_input() -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::BadInput(format!("cannot read the standard input: {}", in_words(&error))))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Failure::BadInput(format!(
            "the standard input is too long for a board: more than {MOST_BYTES} bytes"
        )));
    }
    Ok(bytes)
}
