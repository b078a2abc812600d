//! Exact play: `optimal` on small boards, `endgame` with a table of an endgame.

use std::sync::Arc;

use super::{BuildError, Entry, Kind, Param, Registry, Settings, Spec};
use crate::board::{Afterstate, Board, Direction, Size};
use crate::game::{
    Action, Decision, DependsOn, Fingerprint, FingerprintByBoard, GameStart, Player, PlayerError,
    PlayerFacts, Probability, QuickPlayer, Refusal, Situation,
};
use crate::hash::hex_of;
use crate::solve::{Exact, Goal, Place, SubGame, Table, Tables, merge_plan};

/// The tile that `optimal` wants.
const TILE: Param = Param {
    name: "tile",
    default: Some("none"),
    kind: Kind::WholeOrNone(8, 8192),
    unit: None,
    help: "play for the chance of this tile instead of for points; once it is made or out of reach, auto plays",
};

/// The tables of `endgame`.
const TABLE: Param = Param {
    name: "table",
    default: None,
    kind: Kind::Table,
    unit: None,
    help: "table of exact values, like block-512; of several, like block-512+snake-512, the first one that knows the board plays",
};

/// The other player of `endgame`.
const ELSE: Param = Param {
    name: "else",
    default: Some("auto"),
    kind: Kind::Player,
    unit: None,
    help: "the player outside of the table, in double quotes if it has several parameters",
};

/// When `endgame` trusts its table.
const LEAST: Param = Param {
    name: "least",
    default: Some("0"),
    kind: Kind::Number(0.0, 1.0),
    unit: None,
    help: "the table plays only if its chance is larger than this",
};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new(
            "optimal",
            "plays perfectly on boards of up to 6 cells, and on larger ones that lab2048 solve has solved",
            &[TILE],
            |settings| Ok(Box::new(Optimal::new(settings))),
        ),
        Entry::new(
            "endgame",
            "plays an endgame perfectly with a table of lab2048 solve, and leaves the rest to another player",
            &[TABLE, ELSE, LEAST],
            |settings| Ok(Box::new(Endgame::new(settings)?)),
        ),
    ]
}

/// Whether `optimal` can play a board for points.
pub(super) fn knows(tables: &Tables, board: &Board, four: Probability) -> bool {
    if board.size().cells() > SubGame::SMALL_CELLS {
        return false;
    }
    let table = tables.solved(board.size(), Goal::Score, four);
    table.is_ok_and(|table| matches!(table.judge(board, four), Ok(Some(_))))
}

/// The hash of the table of a whole board.
pub(super) fn hash_of(tables: &Tables, size: Size, goal: Goal, four: Probability) -> Option<String> {
    Some(tables.solved(size, goal, four).ok()?.hash().to_owned())
}

/// Perfect play on a small board.
struct Optimal {
    registry: Registry,
    /// The wanted tile; `None` for points.
    tile: Option<u64>,
    /// The table of the last board, and what it was made for.
    table: Option<(Size, Probability, Arc<Table>)>,
    /// Who plays once the tile is made or out of reach.
    other: Option<Box<dyn Player>>,
}

impl Optimal {
    fn new(settings: &Settings) -> Optimal {
        let tile = settings.whole_or_none(TILE.name);
        Optimal { registry: settings.registry.clone(), tile, table: None, other: None }
    }

    fn goal(&self) -> Goal {
        self.tile.map_or(Goal::Score, |tile| Goal::Tile { tile, place: Place::Anywhere })
    }

    fn table(&mut self, size: Size, four: Probability) -> Result<&Table, BuildError> {
        let known = self.table.take().filter(|known| (known.0, known.1) == (size, four));
        let known = match known {
            Some(known) => known,
            None => (size, four, self.registry.tables().solved(size, self.goal(), four)?),
        };
        Ok(&self.table.insert(known).2)
    }

    /// The exact values on a board; `None` if another player has to choose, because the tile is
    /// made or out of reach.
    fn exact(&mut self, board: &Board, four: Probability) -> Result<Option<Exact>, BuildError> {
        let (tile, size) = (self.tile, board.size());
        let exact = self.table(size, four)?.judge(board, four)?;
        match (exact, tile) {
            (Some(exact), None) => Ok(Some(exact)),
            (Some(exact), Some(_)) => Ok(Some(exact).filter(|exact| exact.best() > 0.0)),
            (None, Some(_)) => Ok(None),
            (None, None) => Err(BuildError::impossible(format!(
                "optimal: this board cannot come up in a game on {size}, so its values are not known"
            ))),
        }
    }

    fn other(&mut self) -> Result<&mut dyn Player, BuildError> {
        let other = match self.other.take() {
            Some(other) => other,
            None => self.registry.build(&Spec::named("auto"))?,
        };
        Ok(&mut **self.other.insert(other))
    }
}

impl Player for Optimal {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        match self.exact(game.board, game.rules.four).map_err(Refusal::because)? {
            Some(_) => Ok(()),
            None => self.other().map_err(Refusal::because)?.start(game),
        }
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        match self.exact(situation.board, situation.four).map_err(PlayerError::because)? {
            Some(exact) => exact.decision().ok_or_else(PlayerError::no_move),
            None => self.other().map_err(PlayerError::because)?.choose(situation),
        }
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = Fingerprint::ByBoard(self);
        PlayerFacts { depends_on: DependsOn::Board, fingerprint, ..PlayerFacts::default() }
    }
}

impl FingerprintByBoard for Optimal {
    fn fingerprint_on(&self, board: &Board) -> Option<String> {
        if let Some((_, _, used)) = self.table.as_ref().filter(|(size, ..)| *size == board.size()) {
            return Some(used.hash().to_owned());
        }
        // Before the first game, the chance of a 4 is not known.
        hash_of(self.registry.tables(), board.size(), self.goal(), Probability::TENTH)
    }
}

/// Perfect play in an endgame, and another player elsewhere.
struct Endgame {
    tables: Vec<Arc<Table>>,
    other: Box<dyn Player>,
    least: f64,
    /// The target of the table whose walls are being merged, and the position after the last move.
    merging: Option<(u64, Afterstate)>,
}

impl Endgame {
    fn new(settings: &Settings) -> Result<Endgame, BuildError> {
        let registry = &settings.registry;
        let tables = settings.text(TABLE.name).split('+').map(|name| registry.tables().named(name));
        let tables: Vec<_> = tables.collect::<Result<_, _>>()?;
        if let Some(table) = tables.iter().find(|table| table.game().walls().cells().is_empty()) {
            let name = table.game().name();
            return Err(BuildError::impossible(format!(
                "endgame: the table {name} is of a whole board; use optimal for it"
            )));
        }
        let other = registry.build(&registry.parse(settings.text(ELSE.name))?)?;
        Ok(Endgame { tables, other, least: settings.number(LEAST.name), merging: None })
    }

    /// The values of the first table that knows the board.
    fn exact(&self, situation: &Situation<'_>) -> Result<Option<Exact>, PlayerError> {
        for table in &self.tables {
            let exact = table.judge(situation.board, situation.four).map_err(PlayerError::because)?;
            if let Some(exact) = exact.filter(|exact| exact.best() > self.least) {
                return Ok(Some(exact));
            }
        }
        Ok(None)
    }

    /// The next move of the merges that the target sets off. They begin when a move of a table made
    /// it, or on a board on which a table sees it in place, and end when no two equal tiles of at
    /// least that size are left.
    fn merge(&mut self, board: &Board) -> Option<Direction> {
        let begun = self.merging.take().filter(|(_, after)| is_spawned(after, board));
        let made = self.tables.iter().find(|table| table.game().is_made(board));
        let target = made.and_then(|table| table.game().target()).or(begun.map(|(target, _)| target))?;
        let plan = merge_plan(board, target)?;
        self.begin_merging(target, board, plan);
        Some(plan)
    }

    /// The next board is that after this move, or it belongs to another game.
    fn begin_merging(&mut self, target: u64, board: &Board, direction: Direction) {
        let slid = board.slide(direction).ok().flatten();
        self.merging = slid.map(|slid| (target, slid.after));
    }
}

/// Whether a board is an afterstate with one more tile.
fn is_spawned(after: &Afterstate, board: &Board) -> bool {
    after.size() == board.size()
        && after.tiles().zip(board.tiles()).filter(|(one, other)| one != other).count() == 1
}

/// The table's move inside its domain. Once the target is made, [`merge_plan`] chooses until the
/// walls are merged.
impl Player for Endgame {
    fn inner(&self) -> Option<&dyn Player> {
        Some(&*self.other)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        Some(&mut *self.other)
    }

    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.merging = None;
        self.other.start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        if let Some(direction) = self.merge(situation.board) {
            return Ok(Decision::of(Action::Move(direction)));
        }
        let Some(exact) = self.exact(situation)? else { return self.other.choose(situation) };
        let decision = exact.decision().ok_or_else(PlayerError::no_move)?;
        if let (Some(target), Action::Move(direction)) = (exact.goal.tile(), decision.action)
            && exact.makes.contains(direction)
        {
            self.begin_merging(target, situation.board, direction);
        }
        Ok(decision)
    }

    fn facts(&self) -> PlayerFacts<'_> {
        // What was merged before matters.
        let depends_on = DependsOn::More;
        PlayerFacts { depends_on, fingerprint: Fingerprint::ByBoard(self), ..self.other.facts() }
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        None
    }
}

impl FingerprintByBoard for Endgame {
    /// The hash over the hashes of the tables and of the other player.
    fn fingerprint_on(&self, board: &Board) -> Option<String> {
        let tables = self.tables.iter().map(|table| table.hash().to_owned());
        let all: Vec<String> = tables.chain(self.other.facts().fingerprint.on(board)).collect();
        Some(hex_of(all.join("+")))
    }
}
