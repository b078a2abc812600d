//! The names of sub-games, which are those of their tables.

use super::{Goal, Place, SubGame, SubGameError, Walls};
use crate::board::Size;
use crate::game::Probability;

impl SubGame {
    /// The name of its table: `3x3`, `3x3-512`, `block-512`, `block-512-anywhere`. Other walls are
    /// written as hexadecimal digits. Rules that differ from the usual ones are added.
    pub fn name(&self) -> String {
        let walls = self.walls();
        let mut name = match walls.formation() {
            Some(formation) => formation.to_owned(),
            None if walls.cells().is_empty() => self.size().to_string(),
            None => {
                let digits: String = walls.cells().iter().map(|cell| format!("{cell:x}")).collect();
                format!("walls-{digits}")
            }
        };
        if let Goal::Tile { tile, place } = self.goal() {
            name += &format!("-{tile}");
            if place == Place::Anywhere && !walls.cells().is_empty() {
                name += "-anywhere";
            }
        }
        if self.four() != Probability::TENTH {
            name += &format!("-four{}", self.four().get());
        }
        let usual = self.target().filter(|_| !walls.cells().is_empty());
        let usual = usual.map(|tile| tile as u32 + Self::SLACK);
        if let Some(max) = self.max_sum().filter(|&max| Some(max) != usual) {
            name += &format!("-sum{max}");
        }
        name
    }

    /// The sub-game with a name, as [`SubGame::name`] gives it.
    ///
    /// ```
    /// use lab2048::solve::SubGame;
    ///
    /// assert_eq!(SubGame::named("block-512-anywhere")?.name(), "block-512-anywhere");
    /// assert!(SubGame::named("block").is_err(), "an endgame has a tile");
    /// # Ok::<(), lab2048::solve::SubGameError>(())
    /// ```
    pub fn named(name: &str) -> Result<SubGame, SubGameError> {
        let wrong = || SubGameError::Name(name.to_owned());
        let mut words = name.split('-').peekable();
        let first = words.next().unwrap_or_default();
        let size = first.parse::<Size>().ok();
        let walls = match first {
            _ if size.is_some() => None,
            "walls" => Some(words.next().and_then(of_digits).ok_or_else(wrong)?),
            formation => Some(formation.parse::<Walls>().map_err(|_| wrong())?),
        };
        let tile = words.next_if(|word| word.starts_with(|first: char| first.is_ascii_digit()));
        let tile = tile.map(|tile| tile.parse().map_err(|_| wrong())).transpose()?;
        let anywhere = walls.is_none() || words.next_if_eq(&"anywhere").is_some();
        let place = if anywhere { Place::Anywhere } else { Place::Beside };
        let goal = tile.map_or(Goal::Score, |tile| Goal::Tile { tile, place });
        let mut game = match (size, walls, tile) {
            (Some(size), ..) => SubGame::on_board(size, goal)?,
            (None, Some(walls), Some(tile)) => SubGame::endgame(walls, tile, place)?,
            _ => return Err(wrong()),
        };
        if let Some(four) = words.peek().and_then(|word| word.strip_prefix("four")) {
            game = game.with_four(four.parse().map_err(|_| wrong())?);
            words.next();
        }
        if let Some(sum) = words.peek().and_then(|word| word.strip_prefix("sum")) {
            game = game.with_max_sum(sum.parse().map_err(|_| wrong())?)?;
            words.next();
        }
        if words.next().is_some() { Err(wrong()) } else { Ok(game) }
    }
}

/// Walls written as hexadecimal digits.
fn of_digits(digits: &str) -> Option<Walls> {
    let cells: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).map(|cell| cell as u8)).collect();
    Walls::new(cells?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_formations() {
        let name = |walls: &str, tile, place| {
            SubGame::endgame(walls.parse().unwrap(), tile, place).map(|game| game.name())
        };
        assert_eq!(name("block", 512, Place::Beside).unwrap(), "block-512");
        assert_eq!(name("0,1,2,4,5,6", 256, Place::Anywhere).unwrap(), "block-256-anywhere");
        assert_eq!(name("0, 15", 64, Place::Beside).unwrap(), "walls-0f-64");
        assert_eq!(
            name("block", 4096, Place::Beside),
            Err(SubGameError::Impossible { tile: 4096, cells: 10 })
        );
        assert_eq!(name("block", 500, Place::Beside), Err(SubGameError::Target(500)));
        assert_eq!(name("2,3,7,6", 64, Place::Beside).unwrap(), "walls-2376-64");
        assert_eq!(name("1,4,0", 64, Place::Beside), Err(SubGameError::NothingBeside(0)));
        let slow = SubGame::on_board("3x3".parse().unwrap(), Goal::Score).unwrap();
        assert_eq!(slow.with_four(Probability::ZERO).name(), "3x3-four0");
    }

    #[test]
    fn a_name_leads_back_to_its_sub_game() {
        for name in [
            "3x3",
            "2x3-64",
            "3x3-four0",
            "block-512",
            "t-256-anywhere",
            "walls-0f-64",
            "snake-256-anywhere-four0.25-sum300",
        ] {
            assert_eq!(SubGame::named(name).unwrap().name(), name);
        }
        for text in
            ["", "block", "tower-64", "walls", "walls-0g-64", "3x3-64-anywhere", "block-512-x", "3x3-four2"]
        {
            assert_eq!(SubGame::named(text), Err(SubGameError::Name(text.to_owned())), "{text}");
        }
        assert_eq!(SubGame::named("block-500"), Err(SubGameError::Target(500)));
    }
}
