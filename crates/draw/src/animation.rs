//! A replay as a GIF.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use lab2048::game::replay::Position;
use lab2048::game::{Action, Replay};

use crate::film::{Film, Head};
use crate::gif::GifWriter;

/// Which moves are shown, and for how long. Times are in hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    every: u64,
    /// The number of frames of sliding tiles in each move, and the time of each.
    between: u16,
    step: u16,
    /// The time of the board after the move.
    rest: u16,
    hold: u16,
}

/// Unless asked otherwise, longer games are thinned to about this many moves. With every move, a
/// game of the default player needs more than 100 MB.
const MOST_MOVES: u64 = 300;

/// The number of moves of an animation that ends at the first position of which `is_end` is true.
pub fn moves_shown(replay: &Replay, is_end: impl FnMut(&Position) -> bool) -> u64 {
    let end = replay.positions().map_while(Result::ok).find(is_end);
    end.map_or(replay.steps().len(), |position| position.number) as u64
}

impl Pace {
    /// The default of `every` for a game of `moves` moves: 1 up to 300 moves.
    pub fn default_every(moves: u64) -> u64 {
        moves.div_ceil(MOST_MOVES).max(1)
    }

    /// The default of `smooth`: tiles slide only if every move is shown.
    pub fn default_smooth(every: u64) -> u16 {
        if every == 1 { 4 } else { 0 }
    }

    /// Shows every `every`-th move, one per `delay`, with up to `smooth` frames of sliding tiles.
    /// The last board is shown for `hold`. Viewers do not show a frame for less than 20 ms, so a
    /// shorter delay counts as 20 ms, and a short delay leaves out sliding frames.
    pub fn new(every: u64, delay: Duration, smooth: u16, hold: Duration) -> Pace {
        let hundredths = |time: Duration| u16::try_from(time.as_millis() / 10).unwrap_or(u16::MAX).max(2);
        let delay = hundredths(delay);
        // The board after the move is shown at least as long as a sliding frame.
        let between = smooth.min(delay / 2 - 1);
        let step = delay / (between + 1);
        let rest = delay - between * step;
        Pace { every: every.max(1), between, step, rest, hold: hundredths(hold) }
    }
}

/// A replay and how to show it.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::time::Duration;
///
/// use lab2048::board::Direction;
/// use lab2048::game::{Action, Game, Recorder, Rules};
/// use lab2048_draw::animation::{Animation, Pace};
///
/// let mut game = Game::new(Rules::default(), 7);
/// let mut recorder = Recorder::new(&game)?;
/// let direction = game.board().legal_moves().iter().next().expect("a new game can be played");
/// recorder.push(&game.play(Action::Move(direction))?)?;
/// let replay = recorder.finish(&game);
///
/// let pace = Pace::new(1, Duration::from_millis(200), 4, Duration::from_secs(3));
/// let animation = Animation { replay: &replay, pace, scale: 1.0, repeat: true };
/// let mut gif = Vec::new();
/// let made = animation.write(&mut gif, |_| ControlFlow::Continue(()))?;
/// assert!(gif.starts_with(b"GIF89a"));
/// assert_eq!((made.pictures, made.moves), (6, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Animation<'a> {
    /// The game.
    pub replay: &'a Replay,
    /// Which moves are shown, and for how long.
    pub pace: Pace,
    /// The size of the pictures; at 1 a tile has 64 pixels.
    pub scale: f32,
    /// Whether viewers repeat the game endlessly.
    pub repeat: bool,
}

/// A summary of a written animation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Animated {
    /// The number of frames in the file.
    pub pictures: u64,
    /// The number of moves up to the last frame.
    pub moves: u64,
    /// The score in the last frame.
    pub score: u64,
}

impl Animation<'_> {
    /// Width and height of the pictures, in pixels.
    pub fn picture_size(&self) -> (usize, usize) {
        self.film().picture_size()
    }

    fn film(&self) -> Film {
        let header = self.replay.header();
        Film::new(header.start.size(), self.scale, header.rules.goal)
    }

    /// Writes the GIF. `go_on` is called at each position. A break makes that position the last
    /// one.
    pub fn write(
        &self,
        out: &mut dyn Write,
        mut go_on: impl FnMut(&Position) -> ControlFlow<()>,
    ) -> io::Result<Animated> {
        let pace = &self.pace;
        let mut film = self.film();
        let mut writer = GifWriter::new(out, film.picture_size(), &film.colours(), self.repeat)?;
        let mut positions = self.replay.positions().map_while(Result::ok).peekable();
        let mut before: Option<Position> = None;
        let mut made = Animated::default();
        while let Some(position) = positions.next() {
            let number = position.number as u64;
            let is_last = go_on(&position).is_break() || positions.peek().is_none();
            let quit = position.turn.is_some_and(|turn| turn.action == Action::Quit);
            let head = Head { score: position.score, moves: number - u64::from(quit) };
            if is_last || number.is_multiple_of(pace.every) {
                if let Some(before) = &before {
                    self.slide(&mut film, &mut writer, before, &position, head)?;
                }
                let time = if is_last { pace.hold } else { pace.rest };
                writer.show(&film.still(&position.board, head), time)?;
            }
            made = Animated { pictures: 0, moves: head.moves, score: head.score };
            before = Some(position);
            if is_last {
                break;
            }
        }
        Ok(Animated { pictures: writer.finish()?, ..made })
    }

    /// Writes the frames between two boards.
    fn slide(
        &self,
        film: &mut Film,
        writer: &mut GifWriter<&mut dyn Write>,
        before: &Position,
        after: &Position,
        head: Head,
    ) -> io::Result<()> {
        let Some(turn) = after.turn else { return Ok(()) };
        let Action::Move(direction) = turn.action else { return Ok(()) };
        // The move was played in the replay, so it is legal and has motions.
        let motions = before.board.motions(direction).unwrap_or_default();
        for picture in 1..=self.pace.between {
            let phase = f32::from(picture) / f32::from(self.pace.between + 1);
            writer.show(&film.moving(&motions, turn.spawn, head, phase), self.pace.step)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_games_are_thinned() {
        let every = [0, 1, 300, 301, 600, 30_000].map(Pace::default_every);
        assert_eq!(every, [1, 1, 1, 2, 2, 100]);
        assert_eq!([1, 2].map(Pace::default_smooth), [4, 0]);
    }

    #[test]
    fn a_move_takes_the_time_of_its_delay() {
        let millis = Duration::from_millis;
        for delay in [20, 40, 80, 200, 1000] {
            let pace = Pace::new(1, millis(delay), 4, millis(3000));
            assert_eq!(u64::from(pace.between * pace.step + pace.rest), delay / 10);
            assert!(pace.step >= 2 && pace.rest >= pace.step, "{pace:?}");
        }
        let hasty = Pace::new(0, Duration::ZERO, 4, Duration::ZERO);
        assert_eq!(hasty, Pace { every: 1, between: 0, step: 2, rest: 2, hold: 2 });
    }
}
