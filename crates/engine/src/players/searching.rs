//! The search players of the source documents: `sum`, `minimax` and `clairvoyant`.

use std::time::Duration;

use super::drawing::{Drawing, ready};
use super::{BuildError, Entry, Kind, Param, Settings, handmade};
use crate::game::{Future, Situation};
use crate::search::{Clairvoyant, ClairvoyantOptions, Minimax, MinimaxOptions, Sum, SumOptions};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry {
            drawing: Some(Drawing {
                depth: 2,
                own_search: false,
                tree: |settings, game, view| {
                    let mut player = sum(settings)?;
                    ready(&mut player, game)?;
                    Ok(player.tree(&Situation::of(game, &player, Future::Told), view.top)?)
                },
            }),
            ..Entry::new(
                "sum",
                "adds up the values of all boards that can follow a move and takes the move with the largest sum",
                SUM_PARAMS,
                |settings| Ok(Box::new(sum(settings)?)),
            )
        },
        Entry {
            drawing: Some(Drawing {
                depth: 2,
                own_search: false,
                tree: |settings, game, view| {
                    let mut player = minimax(settings)?;
                    ready(&mut player, game)?;
                    Ok(player.tree(&Situation::of(game, &player, Future::Told), view)?)
                },
            }),
            ..Entry::new(
                "minimax",
                "takes the best move against the worst spawn, with iterative deepening",
                MINIMAX_PARAMS,
                |settings| Ok(Box::new(minimax(settings)?)),
            )
        },
        Entry {
            needs_future: true,
            // At most 64 boards in the last layer, as in the picture of the source document.
            drawing: Some(Drawing {
                depth: 3,
                own_search: false,
                tree: |settings, game, _| {
                    let mut player = clairvoyant(settings)?;
                    ready(&mut player, game)?;
                    Ok(player.tree(&Situation::of(game, &player, Future::Told))?)
                },
            }),
            ..Entry::new(
                "clairvoyant",
                "knows the coming tiles and moves towards the best board it can reach; with blind=true it draws random tiles instead",
                CLAIRVOYANT_PARAMS,
                |settings| Ok(Box::new(clairvoyant(settings)?)),
            )
        },
    ]
}

/// The time limit of the second source document, used if there is no other limit.
const MINIMAX_TIME: Duration = Duration::from_millis(300);

/// The greatest depth of a clairvoyant tree without a beam: up to 4^10, about a million, boards in
/// the last layer.
const MOST_WITHOUT_BEAM: u64 = 10;

/// The maximum number of boards of a clairvoyant tree. A tree of ten moves without a beam has up to
/// 1,398,101.
const MOST_BOARDS: u64 = 1_400_000;

/// The maximum number of boards that a clairvoyant tree holds while it grows. A layer is complete
/// before the beam cuts it.
fn most_boards(depth: u64, beam: Option<u64>) -> u64 {
    let (mut boards, mut layer, mut most) = (1, 1, 1);
    for _ in 0..depth {
        let made = 4 * layer;
        most = most.max(boards + made);
        layer = made.min(beam.unwrap_or(made));
        boards += layer;
    }
    most
}

const fn param(
    name: &'static str,
    default: &'static str,
    kind: Kind,
    unit: Option<&'static str>,
    help: &'static str,
) -> Param {
    Param { name, default: Some(default), kind, unit, help }
}

const fn eval(default: &'static str) -> Param {
    let help = "evaluator of the boards; its parameters go in the same spec";
    param("eval", default, Kind::Evaluator, None, help)
}

const SUM_PARAMS: &[Param] = &[
    eval("corner"),
    param("depth", "3", Kind::Whole(1, 10), Some("moves"), "search depth in own moves"),
    Param::table("32"),
];

const MINIMAX_PARAMS: &[Param] = &[
    eval("smooth"),
    param(
        "depth",
        "none",
        Kind::WholeOrNone(1, 60),
        Some("full turns"),
        "maximum search depth; a full turn is a move and its spawn. Without nodes and time, every search has exactly this depth",
    ),
    param(
        "first",
        "2",
        Kind::Whole(1, 60),
        Some("full turns"),
        "first depth of iterative deepening, which always completes",
    ),
    param(
        "nodes",
        "none",
        Kind::WholeOrNone(1, u64::MAX),
        Some("nodes"),
        "node limit: start the next depth only while fewer nodes have been visited",
    ),
    param(
        "time",
        "none",
        Kind::TimeOrNone,
        None,
        "time limit: start the next depth only while less time has been spent (not reproducible); none means 300ms, unless depth or nodes is given",
    ),
    param(
        "finish",
        "true",
        Kind::Flag,
        None,
        "complete a depth that has been started, even if nodes or time run out; this can take several times as long. false abandons it",
    ),
    Param::table("4"),
];

const CLAIRVOYANT_PARAMS: &[Param] = &[
    eval("product"),
    param(
        "depth",
        "4",
        Kind::Whole(1, 60),
        Some("moves"),
        "search depth in own moves; more than 10 needs a beam",
    ),
    param(
        "beam",
        "none",
        Kind::WholeOrNone(1, 1_000_000),
        Some("boards"),
        "beam width: keep only the N best boards of each layer. Depth and beam together may allow at most 1400000 boards per playing thread; a board takes about 100 bytes on 4x4 and 700 on 8x8",
    ),
    param(
        "rebuild",
        "false",
        Kind::Flag,
        None,
        "rebuild the tree for every move, to measure what reusing it saves. With a beam or blind the moves change, because a reused tree holds boards that a new one would drop or redraw",
    ),
    param(
        "blind",
        "false",
        Kind::Flag,
        None,
        "hide the coming tiles: every board in the tree draws random tiles instead, to measure what knowing them is worth",
    ),
];

/// The player `sum` of a spec.
pub(super) fn sum(settings: &Settings) -> Result<Sum, BuildError> {
    let options = SumOptions {
        depth: settings.whole("depth") as u32,
        table_bytes: settings.table_bytes(),
        cancel: settings.registry.cancel,
    };
    Ok(match settings.text("eval") {
        "corner" => Sum::with_corner(handmade::corner(settings), options),
        _ => Sum::with_evaluator(settings.evaluator()?.into_evaluator(), options),
    })
}

/// The player `minimax` of a spec.
pub(super) fn minimax(settings: &Settings) -> Result<Minimax, BuildError> {
    let (depth, nodes) = (settings.whole_or_none("depth"), settings.whole_or_none("nodes"));
    let first = settings.whole("first");
    if let Some(depth) = depth.filter(|&depth| settings.is_given("first") && depth < first) {
        return Err(BuildError::impossible(format!("minimax: first={first} is deeper than depth={depth}")));
    }
    let unlimited = depth.is_none() && nodes.is_none();
    let options = MinimaxOptions {
        first: first as u32,
        depth: depth.map(|depth| depth as u32),
        nodes,
        time: settings
            .time_or_none("time")
            .or(unlimited.then_some(MINIMAX_TIME))
            .map(|most| settings.limit(most)),
        finish: settings.flag("finish"),
        table_bytes: settings.table_bytes(),
        cancel: settings.registry.cancel,
    };
    Ok(match settings.text("eval") {
        "smooth" => Minimax::with_smooth(options)?,
        _ => Minimax::with_evaluator(settings.evaluator()?.into_evaluator(), options)?,
    })
}

/// The player `clairvoyant` of a spec.
pub(super) fn clairvoyant(settings: &Settings) -> Result<Clairvoyant, BuildError> {
    let (depth, beam) = (settings.whole("depth"), settings.whole_or_none("beam"));
    if depth > MOST_WITHOUT_BEAM && beam.is_none() {
        return Err(BuildError::impossible(format!(
            "clairvoyant: depth={depth} makes the tree too large; a depth above {MOST_WITHOUT_BEAM} needs beam=N, for instance beam=100"
        )));
    }
    let boards = most_boards(depth, beam);
    if let Some(beam) = beam.filter(|_| boards > MOST_BOARDS) {
        return Err(BuildError::impossible(format!(
            "clairvoyant: depth={depth} with beam={beam} can need {boards} boards, more than {MOST_BOARDS}; use a smaller depth or beam"
        )));
    }
    let options = ClairvoyantOptions {
        depth: depth as u32,
        rebuild: settings.flag("rebuild"),
        blind: settings.flag("blind"),
        beam: beam.map(|beam| beam as usize),
    };
    Ok(Clairvoyant::new(settings.evaluator()?.into_evaluator(), options))
}

#[cfg(test)]
mod tests {
    use super::{Kind, MOST_BOARDS, MOST_WITHOUT_BEAM, Param, most_boards};
    use crate::board::parse_board;
    use crate::game::{Future, Game, GameStart, Player, Rules, Situation};
    use crate::players::{BuildError, Registry, networks};
    use crate::search::ExpectimaxOptions;

    fn player(text: &str) -> Box<dyn Player> {
        let registry = Registry::built_in().with_networks(networks::testing::shipped());
        registry.build(&registry.parse(text).unwrap()).unwrap()
    }

    #[test]
    fn every_evaluator_can_be_used_by_every_search() {
        let registry = Registry::built_in();
        let game = Game::new(Rules::default(), 1);
        for evaluator in registry.evaluators().iter().filter(|e| e.params.iter().all(|p| p.default.is_some()))
        {
            for name in ["sum:depth=1", "minimax:depth=1", "clairvoyant:depth=1"] {
                let decision =
                    player(&format!("{name},eval={}", evaluator.name)).choose(&Situation::with_future(&game));
                assert_eq!(decision.unwrap().depth, 1, "{name} with {}", evaluator.name);
            }
        }
    }

    #[test]
    fn parameters_reach_the_search() {
        // A single tile: only the factors of edge and corner matter.
        let game = Game::from_board(Rules::default(), 1, parse_board("0 0 0/0 64 0/0 0 0", None).unwrap());
        let decision = |text: &str| player(text).choose(&Situation::with_future(&game)).unwrap();
        let value = |text: &str| decision(text).values[0].worth().unwrap();
        assert!(value("sum:depth=1,edge=9") > 2.0 * value("sum:depth=1,edge=2"));
        assert!(value("sum:depth=2") > value("sum:depth=1"));
        let nodes = |text: &str| decision(text).nodes;
        assert!(nodes("sum:depth=3,table=0") > nodes("sum:depth=3"));
        assert!(nodes("clairvoyant:depth=8,beam=10") < nodes("clairvoyant:depth=8"));
        assert!(nodes("minimax:nodes=100000") > nodes("minimax:depth=2"));
    }

    #[test]
    fn a_tree_has_no_more_boards_than_are_counted_before_it_grows() {
        assert_eq!(most_boards(MOST_WITHOUT_BEAM, None), (4u64.pow(11) - 1) / 3);
        assert!(most_boards(MOST_WITHOUT_BEAM, None) <= MOST_BOARDS);
        assert_eq!(most_boards(3, Some(1_000_000)), 1 + 4 + 16 + 64, "a beam that cuts nothing");
        assert_eq!(most_boards(4, Some(10)), 1 + 4 + 10 + 10 + 40);
        for text in ["clairvoyant:depth=10,beam=200000", "clairvoyant:depth=60,beam=20000"] {
            player(text);
        }
    }

    #[test]
    fn the_memory_of_every_search_is_described_alike() {
        let registry = Registry::built_in();
        let params = registry.entries().iter().flat_map(|entry| entry.params);
        // The table of `endgame` is one of exact values.
        let is_memory = |param: &&Param| param.name == "table" && param.kind != Kind::Table;
        let tables: Vec<_> = params.filter(is_memory).collect();
        assert!(tables.len() >= 5);
        assert!(tables.iter().all(|param| param.help == tables[0].help && param.kind == tables[0].kind));
    }

    #[test]
    fn only_a_limit_by_time_is_not_repeatable() {
        assert!(!player("minimax").facts().repeatable);
        assert!(!player("minimax:time=20ms").facts().repeatable);
        for text in ["minimax:depth=3", "minimax:nodes=1000", "sum", "clairvoyant", "clairvoyant:blind=true"]
        {
            assert!(player(text).facts().repeatable, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_built_or_played_says_so_before_the_game() {
        let registry = Registry::built_in();
        let error = |text: &str| registry.build(&registry.parse(text).unwrap()).err().unwrap().to_string();
        assert!(error("clairvoyant:depth=11").contains("needs beam=N"));
        let large = error("clairvoyant:depth=60,beam=1000000");
        assert!(large.ends_with("more than 1400000; use a smaller depth or beam"), "{large}");
        assert!(error("sum:eval=position,matrix=1 2 3").contains("position: "));
        assert!(error("sum:eval=position,matrix=1 2/3 4,edge=3").contains("one or the other"));
        assert_eq!(error("minimax:depth=2,first=3"), "minimax: first=3 is deeper than depth=2");
        for text in ["expectimax:nodes=100,adapt=3", "expectimax:time=1s,adapt=3"] {
            assert!(error(text).starts_with("adapt cannot be combined with nodes or time"), "{text}");
        }
        let too_large = ExpectimaxOptions { table_bytes: 1 << 62, ..ExpectimaxOptions::with_depth(2) };
        let evaluator =
            registry.settings(&registry.parse("expectimax").unwrap()).unwrap().evaluator().unwrap();
        let error = BuildError::from(evaluator.expectimax(too_large).err().unwrap()).to_string();
        assert!(
            error.starts_with("there is not enough memory for a table of 4398046511104 MiB; "),
            "{error}"
        );
        let game = Game::new(Rules::default(), 1);
        let start = GameStart::of(&game, Future::Hidden);
        assert!(player("clairvoyant").start(&start).is_err());
        for name in ["sum", "minimax", "clairvoyant"] {
            let text = format!("{name}:eval=position,matrix=1 2/3 4");
            let start = GameStart::of(&game, Future::Told);
            assert!(player(&text).start(&start).is_err(), "{text}");
        }
    }
}
