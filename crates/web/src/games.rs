//! Games with undo, replays and boards.

use lab2048::board::{Board, BoardForm, Direction, Size, parse_board, rank_of};
use lab2048::game::{Action, History, Replay};
use serde_json::{Value, json};

use crate::request::{NewGame, NewTile};
use crate::{Answer, Failure, Host, link, view};

impl Host {
    pub(crate) fn new_game(&mut self, start: NewGame) -> Answer {
        let number = self.games.add(History::new(start.game()));
        self.state(number)
    }

    pub(crate) fn state(&self, number: u32) -> Answer {
        Ok(view::state(number, self.games.get(number)?))
    }

    pub(crate) fn play(&mut self, number: u32, action: Action, spawn: Option<NewTile>) -> Answer {
        let history = self.games.get_mut(number)?;
        let before = history.game().clone();
        let turn = match spawn {
            Some(tile) => history.play_with(action, tile.spawn()?),
            None => history.play(action),
        };
        let turn = view::turn(&before, &turn.map_err(Failure::because)?);
        Ok(json!({ "turn": turn, "state": self.state(number)? }))
    }

    pub(crate) fn slide(&self, number: u32, direction: Direction) -> Answer {
        let board = self.games.get(number)?.game().board();
        let slid = board.slide(direction).map_err(Failure::because)?;
        let slid = slid.ok_or_else(|| Failure(format!("{direction} does not change the board")))?;
        let motions = board.motions(direction).map_err(Failure::because)?;
        Ok(json!({
            "after": slid.after.to_grid().rows().collect::<Vec<_>>(),
            "reward": slid.reward,
            "motions": motions.iter().map(view::motion).collect::<Vec<_>>(),
            "empty": slid.after.empty_cells().collect::<Vec<_>>(),
        }))
    }

    pub(crate) fn undo(&mut self, number: u32) -> Answer {
        let history = self.games.get_mut(number)?;
        let turn = history.undo().ok_or_else(|| Failure("there is nothing to undo".to_owned()))?;
        let turn = view::turn(history.game(), &turn);
        Ok(json!({ "turn": turn, "state": self.state(number)? }))
    }

    pub(crate) fn redo(&mut self, number: u32) -> Answer {
        let history = self.games.get_mut(number)?;
        let before = history.game().clone();
        let turn = history.redo().ok_or_else(|| Failure("there is nothing to redo".to_owned()))?;
        let turn = view::turn(&before, &turn);
        Ok(json!({ "turn": turn, "state": self.state(number)? }))
    }

    pub(crate) fn at(&self, number: u32, turn: usize) -> Answer {
        let history = self.games.get(number)?;
        let of = |index: usize| {
            let turn = history.turns().nth(index)?;
            Some(view::turn(history.before(index)?, turn))
        };
        let game = match history.before(turn) {
            Some(game) => game,
            None if turn == history.turns().len() => history.game(),
            None => return Err(Failure(format!("the game has no turn {turn}"))),
        };
        Ok(json!({
            "state": view::position_of(game),
            "played": of(turn),
            "before": turn.checked_sub(1).and_then(of),
        }))
    }

    pub(crate) fn cut(&mut self, number: u32, turn: usize) -> Answer {
        self.games.get_mut(number)?.cut(turn);
        self.state(number)
    }

    pub(crate) fn save(
        &self,
        number: u32,
        player: Option<String>,
        note: Option<String>,
        network: Option<String>,
    ) -> Answer {
        let mut replay = Replay::of_history(self.games.get(number)?).map_err(Failure::because)?;
        if let Some(player) = player {
            replay = replay.by(player);
        }
        if let Some(note) = note {
            replay = replay.noting(note);
        }
        if let Some(hash) = network {
            replay = replay.with_network(hash);
        }
        Ok(json!({ "replay": replay.to_text() }))
    }

    pub(crate) fn load(&mut self, text: &str) -> Answer {
        let replay = read_replay(text)?;
        let history = History::of_replay(&replay).map_err(Failure::because)?;
        let number = self.games.add(history);
        let header = replay.header();
        let mut state = self.state(number)?;
        state["header"] = json!({
            "player": header.player,
            "seed": header.seed.map(|seed| seed.to_string()),
            "note": header.note,
            "network": header.network,
        });
        Ok(state)
    }

    pub(crate) fn link(&self, number: u32) -> Answer {
        let replay = Replay::of_history(self.games.get(number)?).map_err(Failure::because)?;
        Ok(json!({ "moves": link::write(&replay) }))
    }
}

/// A replay in any form: a replay file, the text of 2048verse, or a link.
pub(crate) fn read_replay(text: &str) -> Result<Replay, Failure> {
    match link::read(text) {
        Some(replay) => replay,
        None => Replay::read_any(text.as_bytes()).map_err(Failure::because),
    }
}

/// A board in any text form, and its text forms.
pub(crate) fn board(text: &str, size: Option<Size>) -> Answer {
    let board = parse_board(text, size).map_err(Failure::because)?;
    let size = board.size();
    Ok(json!({
        "board": board,
        "size": size,
        "rows": size.rows(),
        "cols": size.cols(),
        "text": board.to_text(BoardForm::Rows).ok(),
        "hex": board.to_text(BoardForm::Hex).ok(),
        "json": board.to_text(BoardForm::Json).ok(),
        "warnings": warnings(&board),
    }))
}

/// Likely mistakes in a board.
fn warnings(board: &Board) -> Vec<Value> {
    let mut odd: Vec<u64> = board.tiles().filter(|&tile| tile != 0 && rank_of(tile).is_none()).collect();
    odd.sort_unstable();
    odd.dedup();
    let sentence = |tile: u64| json!(format!("{tile} is not a tile of 2048 (2, 4, 8, ...); check the board"));
    let mut warnings: Vec<Value> = odd.into_iter().map(sentence).collect();
    if !board.has_moves() {
        warnings.push(json!("no move is possible on this board"));
    }
    warnings
}
