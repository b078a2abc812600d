//! Practice on boards that are small enough to be solved here.

use std::sync::Arc;

use lab2048::board::Board;
use lab2048::game::Probability;
use lab2048::solve::{Drawn, Goal, Place, Standing, Table};
use serde_json::json;

use crate::request::{WantedDraw, WantedTable};
use crate::{Answer, Failure, Host};

impl Host {
    /// The table, which is computed when it is first asked for.
    fn table(&self, wanted: &WantedTable) -> Result<Arc<Table>, Failure> {
        let goal = match wanted.tile {
            None => Goal::Score,
            Some(tile) => Goal::Tile { tile, place: Place::Anywhere },
        };
        self.registry.tables().solved(wanted.size, goal, Probability::TENTH).map_err(Failure::because)
    }

    pub(crate) fn practice_draw(&self, wanted: &WantedDraw) -> Answer {
        let table = self.table(&wanted.table)?;
        let values = wanted.from..=wanted.to.unwrap_or(f64::INFINITY);
        let drawn = Drawn::from(&table, wanted.seed, values).map_err(Failure::because)?;
        Ok(json!(drawn))
    }

    pub(crate) fn practice_judge(&self, wanted: &WantedTable, board: &Board) -> Answer {
        let standing = Standing::of(&*self.table(wanted)?, board).map_err(Failure::because)?;
        Ok(json!(standing))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Host;

    fn ask(host: &mut Host, request: &Value) -> Value {
        serde_json::from_str(&host.call(request.to_string().as_bytes(), None)).unwrap()
    }

    #[test]
    fn the_best_moves_lead_to_the_tile_or_to_bad_luck() {
        let mut host = Host::new();
        for seed in 0..20 {
            let seed = seed.to_string();
            let draw = json!({ "do": "practice_draw", "size": "2x2", "tile": 16, "seed": seed, "from": 0.3 });
            let mut standing = ask(&mut host, &draw);
            assert_eq!(standing, ask(&mut host, &draw), "the same seed draws the same position");
            let value = standing["exact"]["value"].as_f64().unwrap();
            assert!((0.3..=1.0).contains(&value), "{standing}");
            let new = json!({ "do": "new", "board": standing["board"], "seed": seed });
            let game = ask(&mut host, &new)["game"].clone();
            let mut board = standing["board"].clone();
            while standing["state"] == "open" {
                let best = standing["exact"]["best"].as_str().unwrap();
                assert_eq!(standing["exact"]["values"][best], standing["exact"]["value"]);
                let play = json!({ "do": "play", "game": game, "move": best });
                board = ask(&mut host, &play)["state"]["board"].clone();
                standing = ask(
                    &mut host,
                    &json!({ "do": "practice_judge", "size": "2x2", "tile": 16, "board": board }),
                );
            }
            let tiles = board.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
            let has_made = tiles.filter_map(Value::as_u64).any(|tile| tile >= 16);
            assert_eq!(standing["state"], if has_made { "made" } else { "over" }, "{board}");
        }
    }

    #[test]
    fn what_cannot_be_solved_here_is_refused() {
        let mut host = Host::new();
        for (wanted, words) in [
            (json!({ "size": "3x3" }), "there is no table '3x3'"),
            (json!({ "size": "3x3", "tile": 64 }), "there is no table '3x3-64'"),
            (json!({ "size": "4x4" }), "too many positions"),
            (json!({ "size": "5x5", "tile": 64 }), "cannot be solved"),
            (json!({ "size": "2x2", "tile": 512 }), "cannot be made in 4 cells"),
            (json!({ "size": "2x2", "tile": 12 }), "a power of two"),
            (json!({ "size": "2x2", "tile": 16, "from": 2.0 }), "try a wider one"),
        ] {
            let mut draw = wanted.clone();
            draw["do"] = json!("practice_draw");
            draw["seed"] = json!("1");
            let answer = ask(&mut host, &draw);
            assert!(answer["error"].as_str().unwrap().contains(words), "{wanted}: {answer}");
        }
        let judge = json!({ "do": "practice_judge", "size": "2x2", "board": [[2, 2, 0], [0, 0, 4]] });
        let answer = ask(&mut host, &judge);
        assert_eq!(answer["error"], "the table 2x2 is of a board of 2x2, not 2x3");
    }
}
