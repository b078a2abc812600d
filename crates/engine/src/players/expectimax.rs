//! The player `expectimax`.

use super::drawing::{Drawing, expectimax_tree};
use super::{BuildError, Entry, Kind, Param, Settings};
use crate::search::{ExpectimaxOptions, SearchLimits};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        drawing: Some(Drawing {
            depth: 2,
            own_search: true,
            tree: |settings, game, view| {
                expectimax_tree(settings.evaluator()?, options(settings)?, game, view)
            },
        }),
        ..Entry::new(
            "expectimax",
            "takes the move with the best expected value over all spawns, with any evaluator, on any size",
            PARAMS,
            |settings| Ok(settings.evaluator()?.expectimax(options(settings)?)?),
        )
    }]
}

const PARAMS: &[Param] = &[
    Param {
        name: "eval",
        default: Some("rows"),
        kind: Kind::Evaluator,
        unit: None,
        help: "evaluator of the leaves of the search; its parameters go in the same spec. If its values are preferences, a lost board is penalised by a billion, or by a thousand times its value if that is more (with rows, by its parameter lost)",
    },
    DEPTH,
    NODES,
    TIME,
    ADAPT,
    CUT,
    FOURS,
    TABLE,
];

/// The search depth in own moves.
pub(super) const DEPTH: Param = Param {
    name: "depth",
    default: Some("none"),
    kind: Kind::WholeOrNone(1, 100),
    unit: Some("moves"),
    help: "maximum depth in own moves (with adapt, the minimum); none means 3 (2 on more than 36 cells), or as deep as nodes or time allow. Evaluators of afterstates evaluate the board right after the last move, others the boards after every spawn that can follow it",
};

/// The depth that [`DEPTH_FROM_ONE`] names as its default.
const ONE_MOVE: u32 = 1;

/// The same for players that look one move ahead if nothing limits them; see [`options_from_one`].
pub(super) const DEPTH_FROM_ONE: Param = Param {
    help: "maximum depth in own moves (with adapt, the minimum); none means 1, or as deep as nodes or time allow",
    ..DEPTH
};

/// The node limit.
pub(super) const NODES: Param = Param {
    name: "nodes",
    default: Some("none"),
    kind: Kind::WholeOrNone(1, u64::MAX),
    unit: Some("nodes"),
    help: "node limit (boards and afterstates) for iterative deepening; a depth that is not expected to finish within it is not started; depth 1 always completes",
};

/// The time limit.
pub(super) const TIME: Param = Param {
    name: "time",
    default: Some("none"),
    kind: Kind::TimeOrNone,
    unit: None,
    help: "time limit for iterative deepening; a depth that has no chance to finish in time is not started; depth 1 always completes (not reproducible)",
};

/// The depth adapted to the position.
pub(super) const ADAPT: Param = Param {
    name: "adapt",
    default: Some("none"),
    kind: Kind::WholeOrNone(0, 64),
    unit: Some("tiles"),
    help: "adapt the depth to the board: search at least as deep as the number of different tiles minus N; cannot be combined with nodes or time",
};

/// The probability cutoff.
pub(super) const CUT: Param = Param {
    name: "cut",
    default: Some("0"),
    kind: Kind::Number(0.0, 1.0),
    unit: None,
    help: "probability cutoff: positions reached with a smaller probability than this are not searched further; 0 cuts nothing",
};

/// The depth that a spawned 4 uses up.
pub(super) const FOURS: Param = Param {
    name: "fours",
    default: Some("1"),
    kind: Kind::Whole(1, 100),
    unit: Some("moves"),
    help: "how much depth a spawned 4 uses up. A 2 uses up 1, so fours=2 searches one move less after a rare 4",
};

/// The transposition table.
pub(super) const TABLE: Param = Param::table("4");

/// The options that the parameters describe.
pub(super) fn options(settings: &Settings) -> Result<ExpectimaxOptions, BuildError> {
    let limits = SearchLimits {
        depth: settings.whole_or_none("depth").map(|depth| depth as u32),
        nodes: settings.whole_or_none("nodes"),
        time: settings.time_or_none("time").map(|most| settings.limit(most)),
        cancel: settings.registry.cancel,
    };
    let adapt = settings.whole_or_none("adapt").map(|tiles| tiles as u32);
    if adapt.is_some() && (limits.nodes.is_some() || limits.time.is_some()) {
        let words = "adapt cannot be combined with nodes or time, which set the depth themselves";
        return Err(BuildError::impossible(words));
    }
    Ok(ExpectimaxOptions {
        limits,
        adapt,
        cut: settings.number("cut"),
        fours: settings.whole("fours") as u32,
        table_bytes: settings.table_bytes(),
    })
}

/// The options of a player with [`DEPTH_FROM_ONE`].
pub(super) fn options_from_one(settings: &Settings) -> Result<ExpectimaxOptions, BuildError> {
    let options = options(settings)?;
    let depth = options.is_unlimited().then_some(ONE_MOVE).or(options.limits.depth);
    Ok(ExpectimaxOptions { limits: SearchLimits { depth, ..options.limits }, ..options })
}

/// Whether a player with these options looks only at the next move.
pub(super) fn is_one_move(options: &ExpectimaxOptions) -> bool {
    let one_move = SearchLimits { depth: Some(ONE_MOVE), ..SearchLimits::default() };
    options.limits == one_move && options.adapt.is_none()
}
