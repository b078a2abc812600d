//! The options that name a sub-game: a small board, or an endgame with walls.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lab2048::board::Size;
use lab2048::game::Probability;
use lab2048::solve::{Goal, Place, SubGame, Walls};
use lab2048::text::shortened;

use crate::failure::{Failure, Outcome};
use crate::numbers::{whole, whole_as};

/// The sub-game: as typed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Sub-game")]
pub(crate) struct SubGameOptions {
    /// A board size (2x2 to 4x4), an endgame (block, snake, t or row) with --tile, or the name of
    /// a table like block-512
    #[arg(value_name = "WHAT", help_heading = "Arguments")]
    what: Option<String>,
    /// The walls of another endgame: cells from 0 to 15 like 0,1,2,4,5,6, the inner wall last
    #[arg(long, value_name = "CELLS", allow_hyphen_values = true)]
    walls: Option<Walls>,
    /// The tile to make [default on small boards: none; points count]
    #[arg(long, value_name = "TILE", value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    tile: Option<u64>,
    /// Where the tile counts: beside the inner wall, or anywhere [default: beside; on small boards:
    /// anywhere]
    #[arg(long, value_name = "PLACE", value_parser = place())]
    target: Option<Place>,
    /// Probability of a 4 [default: 0.1]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    four: Option<Probability>,
    /// Count a position as lost if its free tiles add up to more than N [default for endgames: the
    /// tile + 96]
    #[arg(long, value_name = "N", value_parser = whole_as::<u32>(1, u64::from(u32::MAX)), allow_hyphen_values = true)]
    max_sum: Option<u32>,
}

/// Reads the place where a tile counts.
fn place() -> impl TypedValueParser<Value = Place> {
    let names = PossibleValuesParser::new(["beside", "anywhere"]);
    names.map(|name| if name == "beside" { Place::Beside } else { Place::Anywhere })
}

impl SubGameOptions {
    /// The sub-game with this name, as if it alone had been typed.
    pub(crate) fn of_name(name: &str) -> SubGameOptions {
        let what = Some(name.to_owned());
        SubGameOptions { what, walls: None, tile: None, target: None, four: None, max_sum: None }
    }

    /// Whether nothing about a sub-game was typed.
    pub(crate) fn is_empty(&self) -> bool {
        let SubGameOptions { what, walls, tile, target, four, max_sum } = self;
        let is_named = what.is_some() || walls.is_some();
        !is_named && tile.is_none() && target.is_none() && four.is_none() && max_sum.is_none()
    }

    /// Whether a sub-game was named at all.
    pub(crate) fn is_given(&self) -> bool {
        self.what.is_some() || self.walls.is_some()
    }

    /// The sub-game, checked. A board on its side is the same as the upright one: 3x2 is 2x3.
    pub(crate) fn settle(&self) -> Outcome<SubGame> {
        match (self.what.as_deref(), &self.walls) {
            (None, None) => refused(
                "name a sub-game: a board size like 3x3, an endgame like block --tile 512, or a table like block-512",
            ),
            (Some(what), Some(_)) => {
                refused(&format!("use either '{}' or --walls, not both", shortened(what)))
            }
            (None, Some(walls)) => self.endgame(walls.clone()),
            (Some(what), None) => self.named(what),
        }
    }

    fn named(&self, what: &str) -> Outcome<SubGame> {
        if let Ok(size) = what.parse::<Size>() {
            return self.small(size);
        }
        // Cells are for --walls alone.
        let is_word = what.chars().all(|letter| letter.is_ascii_alphabetic());
        if let Some(walls) = what.parse::<Walls>().ok().filter(|_| is_word) {
            return self.endgame(walls);
        }
        let game = SubGame::named(what).map_err(|error| match what.contains('-') {
            true => Failure::bad_input(error),
            false => Failure::BadInput(format!(
                "'{}' is not known: use a board like 3x3, an endgame like block, or a table like block-512",
                shortened(what)
            )),
        })?;
        let others = [
            ("--tile", self.tile.is_some()),
            ("--target", self.target.is_some()),
            ("--four", self.four.is_some()),
            ("--max-sum", self.max_sum.is_some()),
        ];
        match others.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => refused(&format!("{option} cannot be combined with the name of a table")),
            None => Ok(game),
        }
    }

    fn small(&self, size: Size) -> Outcome<SubGame> {
        let place = self.target.unwrap_or(Place::Anywhere);
        if self.tile.is_none() && self.target.is_some() {
            return refused("--target needs --tile");
        }
        let goal = self.tile.map_or(Goal::Score, |tile| Goal::Tile { tile, place });
        self.with_rules(SubGame::on_board(size, goal).map_err(Failure::bad_input)?.upright())
    }

    fn endgame(&self, walls: Walls) -> Outcome<SubGame> {
        let Some(tile) = self.tile else {
            return refused("an endgame needs the tile to make, like --tile 512");
        };
        let place = self.target.unwrap_or(Place::Beside);
        self.with_rules(SubGame::endgame(walls, tile, place).map_err(Failure::bad_input)?)
    }

    fn with_rules(&self, game: SubGame) -> Outcome<SubGame> {
        let game = match self.four {
            Some(four) => game.with_four(four),
            None => game,
        };
        match self.max_sum {
            Some(sum) => game.with_max_sum(sum).map_err(Failure::bad_input),
            None => Ok(game),
        }
    }
}

fn refused<T>(sentence: &str) -> Outcome<T> {
    Err(Failure::BadInput(sentence.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches as _};

    use super::*;

    /// The name of the sub-game, or the sentence of the error.
    fn settled(line: &str) -> String {
        let command = SubGameOptions::augment_args(Command::new("solve").no_binary_name(true));
        let typed = command.try_get_matches_from(line.split_whitespace()).unwrap();
        match SubGameOptions::from_arg_matches(&typed).unwrap().settle() {
            Ok(game) => game.name(),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn sub_games_are_named_in_several_ways() {
        for (line, name) in [
            ("3x3", "3x3"),
            ("4x3 --tile 512", "3x4-512"),
            ("2x3 --four 0.25", "2x3-four0.25"),
            ("block --tile 512", "block-512"),
            ("--walls 0,1,2,4,5,6 --tile 512 --target anywhere", "block-512-anywhere"),
            ("t --tile 256 --max-sum 300", "t-256-sum300"),
            ("block-512", "block-512"),
            ("walls-0f-64", "walls-0f-64"),
        ] {
            assert_eq!(settled(line), name, "{line}");
        }
    }

    #[test]
    fn wrong_combinations_are_refused_in_one_sentence() {
        for (line, part) in [
            ("", "name a sub-game: a board size like 3x3"),
            ("block --walls 0,1 --tile 64", "use either 'block' or --walls"),
            ("block", "needs the tile to make"),
            ("3x3 --target beside", "--target needs --tile"),
            ("3x3 --tile 64 --target beside", "without walls, the target counts anywhere"),
            ("tower --tile 64", "'tower' is not known"),
            ("0,1,2 --tile 64", "'0,1,2' is not known"),
            ("tower-64", "'tower-64' is not the name of a table"),
            ("block-512 --tile 512", "--tile cannot be combined"),
            ("block --tile 500", "power of two"),
            ("4x4", "too many positions"),
            ("5x5 --tile 64", "from 2 to 4"),
        ] {
            let said = settled(line);
            assert!(said.contains(part) && !said.contains('\n'), "{line}: {said}");
        }
    }
}
