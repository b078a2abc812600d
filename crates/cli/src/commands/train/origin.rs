//! The origin of a network: notes in network.net that tie it to a checkpoint of its run.

use std::collections::BTreeMap;

use lab2048::learn::{Progress, Recipe};

/// The names of the notes.
const RECIPE: &str = "recipe";
const GAMES: &str = "games";
const MOVES: &str = "moves";

/// The recipe and the progress of the weights that a network was made from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    recipe: Recipe,
    games: u64,
    moves: u64,
}

/// How a network relates to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It was made when the checkpoint was written.
    Same,
    /// It was made later in the same run: the checkpoint of that time was lost.
    Later,
    /// It was made earlier in the same run.
    Earlier,
    /// It was made by another run, or its origin is unknown.
    Foreign,
}

impl Origin {
    pub(super) fn new(recipe: &Recipe, progress: Progress) -> Origin {
        Origin { recipe: recipe.clone(), games: progress.games, moves: progress.moves }
    }

    /// Reads the notes of a network; `None` if they are not those of a run.
    pub(super) fn of(notes: &BTreeMap<String, String>) -> Option<Origin> {
        Some(Origin {
            recipe: serde_json::from_str(notes.get(RECIPE)?).ok()?,
            games: notes.get(GAMES)?.parse().ok()?,
            moves: notes.get(MOVES)?.parse().ok()?,
        })
    }

    pub(super) fn notes(&self) -> serde_json::Result<BTreeMap<String, String>> {
        let notes = [
            (RECIPE, serde_json::to_string(&self.recipe)?),
            (GAMES, self.games.to_string()),
            (MOVES, self.moves.to_string()),
        ];
        Ok(notes.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// How a network with this origin relates to a checkpoint.
    pub(super) fn relation_to(&self, checkpoint: &Origin) -> Relation {
        // The parts of a recipe that never change in a run.
        let run = |origin: &Origin| {
            let Recipe { shape, rule, seed, from, .. } = &origin.recipe;
            (shape.patterns.clone(), *rule, *seed, from.clone())
        };
        if self == checkpoint {
            Relation::Same
        } else if run(self) != run(checkpoint) {
            Relation::Foreign
        } else if self.moves > checkpoint.moves {
            Relation::Later
        } else {
            Relation::Earlier
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(moves: u64, seed: u64) -> Origin {
        let recipe = format!(
            r#"{{"shape":{{"patterns":["2x2","01"],"stages":"one","top":11,"start_value":0.0}},"rule":"td",
            "order":"backward","rate":"1","restart":100,"stage_starts":0.0,"four":0.1,"seed":{seed},"single_games":1000}}"#
        );
        Origin { recipe: serde_json::from_str(&recipe).unwrap(), games: moves / 10, moves }
    }

    #[test]
    fn an_origin_comes_back_from_its_notes() {
        let origin = origin(100, 1);
        assert_eq!(Origin::of(&origin.notes().unwrap()), Some(origin));
        assert_eq!(Origin::of(&BTreeMap::new()), None);
    }

    #[test]
    fn a_network_belongs_to_one_checkpoint() {
        let checkpoint = origin(100, 1);
        assert_eq!(origin(100, 1).relation_to(&checkpoint), Relation::Same);
        assert_eq!(origin(90, 1).relation_to(&checkpoint), Relation::Earlier);
        assert_eq!(origin(110, 1).relation_to(&checkpoint), Relation::Later);
        assert_eq!(origin(110, 2).relation_to(&checkpoint), Relation::Foreign);
        let mut slower = origin(100, 1);
        slower.recipe.rate = "0.5".parse().unwrap();
        assert_eq!(slower.relation_to(&checkpoint), Relation::Earlier);
    }
}
