//! The files of the laboratory: the records of an arena, and evolved programs.

use lab2048::arena::{ContestTally, RecordsReader};
use lab2048::board::{Board, Direction, Directions};
use lab2048::evolve::{Node, Program, ProgramTree, Style, trace_directions, trace_evaluator};
use lab2048::game::Stream;
use serde_json::{Map, Value, json};

/// The maximum size of a program, as for files.
const LONGEST_PROGRAM: usize = 1 << 20;

/// The statistics of a log of arena records, and all scores.
pub(crate) fn records(text: &str) -> Result<Value, String> {
    let reader = RecordsReader::new(text.as_bytes()).map_err(|error| error.to_string())?;
    let plan = reader.plan().clone();
    let mut tally = ContestTally::new(&plan);
    let mut scores: Vec<Vec<u64>> = vec![Vec::new(); plan.players.len()];
    let complete = reader
        .read(&mut |record| {
            tally.add(record);
            scores[record.player].push(record.result.score);
        })
        .map_err(|error| error.to_string())?;
    // Both are in the order of the contest; a player without games has no summary.
    let played = scores.into_iter().filter(|scores| !scores.is_empty());
    let players: Vec<Value> = tally
        .summaries()
        .into_iter()
        .zip(played)
        .map(|(summary, scores)| {
            let tile = |rate: &lab2048::arena::TileRate| {
                json!({
                    "tile": rate.tile,
                    "games": rate.games,
                    "share": rate.rate,
                    "low": rate.interval.low,
                    "high": rate.interval.high,
                })
            };
            json!({
                "spec": summary.player,
                "games": summary.games,
                "mean": summary.mean,
                "ci": summary.interval,
                "median": summary.median,
                "sd": summary.deviation,
                "best": summary.best,
                "best_seed": summary.best_seed.to_string(),
                "worst": summary.worst,
                "moves": summary.mean_moves,
                "speed": summary.moves_per_second,
                "ends": summary.ends,
                "failure": summary.failure.as_ref().map(|failed| json!({
                    "seed": failed.seed.to_string(),
                    "error": failed.error,
                })),
                "tiles": summary.tiles.iter().map(tile).collect::<Vec<_>>(),
                "scores": scores,
            })
        })
        .collect();
    let mut header = serde_json::to_value(&plan).map_err(|error| error.to_string())?;
    header["seed"] = json!(plan.seed.to_string());
    Ok(json!({
        "header": header,
        "complete": complete,
        "players": players,
        "differences": tally.differences(),
    }))
}

/// A program as its nodes, with their values on a board.
///
/// The nodes of an evaluator have the values after the best move. `moves` has the values after
/// every legal move. A program of directions is evaluated once, with the random choices of seed 1.
pub(crate) fn program(text: &str, board: &Board) -> Result<Value, String> {
    if text.len() > LONGEST_PROGRAM {
        return Err("a program has at most 1 MiB".to_owned());
    }
    let program: Program = text.parse().map_err(|error| format!("it is not a program: {error}"))?;
    let traced = match program.style() {
        Style::Directions(_) => Traced::directions(&program, board),
        Style::Evaluator => Traced::evaluator(&program, board),
    };
    let mut nodes = Vec::with_capacity(program.size());
    let mut trees = Vec::new();
    for (number, tree) in program.trees().iter().enumerate() {
        let first = nodes.len();
        trees.push(json!({
            "name": program.tree_name(number),
            "first": first,
            "size": tree.size(),
            "depth": tree.depth(),
        }));
        let parents = parents(tree);
        for (at, (&node, level)) in tree.nodes().iter().zip(tree.levels()).enumerate() {
            nodes.push(json!({
                "parent": parents[at].map(|parent| first + parent),
                "tree": number,
                "depth": level,
                "label": node.name(),
                "kind": kind(node),
                "value": traced.values.get(first + at).copied().flatten(),
                "fired": match node {
                    Node::Sense(direction) => {
                        traced.sensed.contains(direction)
                            && traced.values.get(first + at).copied().flatten().is_some()
                    }
                    _ => false,
                },
            }));
        }
    }
    Ok(json!({
        "kind": if program.style() == Style::Evaluator { "evaluator" } else { "directions" },
        "text": program.to_string(),
        "hash": program.hash(),
        "size": program.size(),
        "depth": program.depth(),
        "trees": trees,
        "nodes": nodes,
        "best": traced.best.map(Direction::name),
        "legal": traced.legal,
        "moves": traced.moves,
    }))
}

/// What a program says about a board. Values are those of all trees, one tree after another.
#[derive(Default)]
struct Traced {
    /// The move that it chooses.
    best: Option<Direction>,
    /// Whether that move changes the board.
    legal: bool,
    values: Vec<Option<f64>>,
    /// The directions whose terminals fire.
    sensed: Directions,
    /// For evaluators: the value of each legal move, the board after it, and the values of the
    /// nodes.
    moves: Map<String, Value>,
}

impl Traced {
    fn directions(program: &Program, board: &Board) -> Traced {
        let Some(trace) = trace_directions(program, board, Stream::player(1), 0) else {
            return Traced::default();
        };
        Traced {
            best: trace.direction,
            legal: trace.legal,
            values: trace.values.into_iter().flatten().map(|value| value.map(f64::from)).collect(),
            sensed: trace.sensed,
            moves: Map::new(),
        }
    }

    fn evaluator(program: &Program, board: &Board) -> Traced {
        let mut traced = Traced::default();
        let mut most = f64::NEG_INFINITY;
        for direction in Direction::ALL {
            let Some((worth, values)) = trace_evaluator(program, board, direction) else { continue };
            let Ok(Some(slid)) = board.slide(direction) else { continue };
            let values: Vec<Option<f64>> = values.into_iter().flatten().collect();
            let after: Vec<Vec<u64>> = slid.after.to_grid().rows().map(<[u64]>::to_vec).collect();
            let said = json!({ "worth": worth, "reward": slid.reward, "after": after, "values": values });
            traced.moves.insert(direction.name().to_owned(), said);
            // Among equals, the first direction is played.
            if traced.best.is_none() || worth > most {
                most = worth;
                traced = Traced { best: Some(direction), legal: true, values, ..traced };
            }
        }
        traced
    }
}

/// The parent of each node within its tree: the last node before it that is one level higher.
fn parents(tree: &ProgramTree) -> Vec<Option<usize>> {
    let mut path: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(tree.size());
    for (at, level) in tree.levels().into_iter().enumerate() {
        path.truncate(level);
        parents.push(path.last().copied());
        path.push(at);
    }
    parents
}

/// The word for a node in the drawing. Constants need no value beside their name.
fn kind(node: Node) -> &'static str {
    match node {
        Node::Constant(_) => "constant",
        _ if node.is_terminal() => "terminal",
        _ => "function",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDS: &str = concat!(
        r#"{"lab2048":"arena","version":2,"rules":{"size":"4x4","four":0.1,"start":"two-spawns","idle":"refused","goal":2048},"board":null,"seed":1,"players":["random"],"until":null,"max_moves":null}"#,
        "\n",
        r#"{"seed":1,"player":"random","score":1288,"largest":128,"sum":290,"moves":133,"end":"no-moves","time":{"ms":0.064535}}"#,
        "\n",
        r#"{"seed":2,"player":"random","score":596,"largest":64,"sum":186,"moves":83,"end":"no-moves","time":{"ms":0.011657}}"#,
        "\n"
    );

    fn board(text: &str) -> Board {
        text.parse().expect("a board")
    }

    #[test]
    fn records_have_the_statistics_of_the_arena() {
        let told = records(RECORDS).expect("records");
        let player = &told["players"][0];
        assert_eq!(player["spec"], "random");
        assert_eq!(player["scores"], json!([1288, 596]));
        assert_eq!((&player["games"], &player["mean"]), (&json!(2), &json!(942.0)));
        assert_eq!((&player["best"], &player["best_seed"]), (&json!(1288), &json!("1")));
        assert_eq!(player["tiles"][1]["share"], 0.5);
        assert!(player["ci"]["low"].as_f64() < Some(942.0));
        assert_eq!((&told["header"]["seed"], &told["complete"]), (&json!("1"), &json!(true)));
    }

    #[test]
    fn a_cut_or_foreign_file_is_said() {
        let cut = records(&RECORDS[..RECORDS.len() - 20]).expect("one record");
        assert_eq!((&cut["complete"], &cut["players"][0]["games"]), (&json!(false), &json!(1)));
        assert_eq!(records("2 4").unwrap_err(), "it is not a file of arena records");
    }

    #[test]
    fn an_evaluator_has_values_after_every_legal_move() {
        let text = "(evaluator (value (add (lines (multiply 2 empty)) corner)))";
        let told = program(text, &board("2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0")).expect("a program");
        let labels: Vec<&str> = told["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .map(|node| node["label"].as_str().expect("a label"))
            .collect();
        assert_eq!(labels, ["add", "lines", "multiply", "2", "empty", "corner"]);
        let parents: Vec<Value> =
            told["nodes"].as_array().expect("nodes").iter().map(|node| node["parent"].clone()).collect();
        assert_eq!(json!(parents), json!([null, 0, 1, 2, 2, 0]));
        assert_eq!(told["moves"].as_object().expect("moves").len(), 2);
        // A tile has moved to another corner: 15 empty cells in rows and in columns, rank 1.
        assert_eq!(told["moves"]["right"]["worth"], 61.0);
        assert_eq!(told["moves"]["right"]["after"][0], json!([0, 0, 0, 2]));
        assert_eq!((&told["best"], &told["nodes"][0]["value"]), (&json!("right"), &json!(61.0)));
        assert_eq!(told["nodes"][3]["kind"], "constant");
    }

    #[test]
    fn a_program_of_directions_says_what_fired() {
        let text = "(directions (modulo 3) (sense merge) (otherwise any) (move (max left down)))";
        let told = program(text, &board("2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 0")).expect("a program");
        assert_eq!((&told["kind"], &told["best"]), (&json!("directions"), &json!("left")));
        assert_eq!((&told["nodes"][1]["fired"], &told["nodes"][2]["fired"]), (&json!(true), &json!(false)));
    }

    #[test]
    fn a_board_without_moves_has_a_tree_without_values() {
        let told = program("(evaluator (value corner))", &board("2 4/4 2")).expect("a program");
        assert_eq!((&told["best"], &told["nodes"][0]["value"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn what_is_not_a_program_is_refused() {
        let error = program("(evaluator (value nothing))", &board("2 4/4 2")).unwrap_err();
        assert!(error.starts_with("it is not a program: line 1: "), "{error}");
    }
}
