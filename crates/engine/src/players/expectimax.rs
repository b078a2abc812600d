//! The player `expectimax`.

use super::drawing::{Drawing, expectimax_tree};
use super::{BuildError, Entry, Kind, Param, Settings};
use crate::search::{Options, SearchLimits};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        name: "expectimax",
        summary: "takes the best move against the average spawn, by any evaluator, on any size",
        params: PARAMS,
        knows_future: false,
        build: |settings| Ok(settings.evaluator()?.expectimax(options(settings)?)?),
        stands_for: None,
        drawing: Some(Drawing {
            depth: 2,
            own_search: true,
            tree: |settings, game, view| {
                expectimax_tree(settings.evaluator()?, options(settings)?, game, view)
            },
        }),
    }]
}

const PARAMS: &[Param] = &[
    Param {
        name: "eval",
        default: Some("rows"),
        kind: Kind::Evaluator,
        unit: "",
        help: "what judges the positions at the end of the search; its own parameters may follow. Where its values are preferences, a board on which the game is lost counts for a billion less than it looks, or a thousand times its value if that is more (rows: lost)",
    },
    DEPTH,
    NODES,
    TIME,
    ADAPT,
    CUT,
    FOURS,
    TABLE,
];

/// How many own moves are looked ahead.
pub(super) const DEPTH: Param = Param {
    name: "depth",
    default: Some("none"),
    kind: Kind::WholeOrNone(1, 100),
    unit: "moves",
    help: "the most own moves to look ahead, with adapt the fewest; none: 3 (2 on more than 36 cells), or as many as nodes or time allow; after the last move an evaluator of boards judges every spawn, one of afterstates (rows, ntuple, program) the move alone",
};

/// The limit by nodes.
pub(super) const NODES: Param = Param {
    name: "nodes",
    default: Some("none"),
    kind: Kind::WholeOrNone(1, u64::MAX),
    unit: "nodes",
    help: "look deeper and deeper while the next depth can be expected to be finished within so many boards and afterstates; one move ahead is always looked",
};

/// The limit by time.
pub(super) const TIME: Param = Param {
    name: "time",
    default: Some("none"),
    kind: Kind::TimeOrNone,
    unit: "",
    help: "look deeper and deeper while the next depth has a chance to be finished within this time (not repeatable)",
};

/// The depth by the position.
pub(super) const ADAPT: Param = Param {
    name: "adapt",
    default: Some("none"),
    kind: Kind::WholeOrNone(0, 64),
    unit: "tiles",
    help: "at least as many moves ahead as there are different tiles, minus this; not with nodes or time",
};

/// The cut by probability.
pub(super) const CUT: Param = Param {
    name: "cut",
    default: Some("0"),
    kind: Kind::Number(0.0, 1.0),
    unit: "",
    help: "spawns less likely than this, together with those before them, are not looked behind; 0 looks behind all",
};

/// What a spawned 4 costs.
pub(super) const FOURS: Param = Param {
    name: "fours",
    default: Some("1"),
    kind: Kind::Whole(1, 100),
    unit: "moves",
    help: "how much of the depth a spawned 4 uses up; a 2 uses up 1, so with 2 what follows a rare 4 is looked into less",
};

/// The memory for values that were found already.
pub(super) const TABLE: Param = Param::table("4");

/// The options that the parameters describe.
pub(super) fn options(settings: &Settings) -> Result<Options, BuildError> {
    let limits = SearchLimits {
        depth: settings.whole_or_none("depth").map(|depth| depth as u32),
        nodes: settings.whole_or_none("nodes"),
        time: settings.time_or_none("time").map(|most| settings.limit(most)),
    };
    let adapt = settings.whole_or_none("adapt").map(|tiles| tiles as u32);
    if adapt.is_some() && (limits.nodes.is_some() || limits.time.is_some()) {
        let words = "adapt cannot be together with nodes or time, which decide the depth themselves";
        return Err(BuildError::impossible(words));
    }
    Ok(Options {
        limits,
        adapt,
        cut: settings.number("cut"),
        fours: settings.whole("fours") as u32,
        table_bytes: settings.table_bytes(),
    })
}
