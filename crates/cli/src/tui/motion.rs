//! The animation of a move: the tiles slide, then merged ones swell for a moment and the new one
//! appears.

use std::time::{Duration, Instant};

use lab2048::board::{Board, Motion};
use lab2048::game::{Action, Spawn, Turn};

const SLIDE: Duration = Duration::from_millis(100);
const APPEAR: Duration = Duration::from_millis(90);
const FRAME: Duration = Duration::from_millis(16);

/// A move that is being animated.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    motions: Vec<Motion>,
    spawn: Option<Spawn>,
    started: Instant,
}

/// The progress of an animation. The values go from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    Slide(f32),
    Appear(f32),
    Over,
}

impl Moving {
    /// The duration of the whole animation.
    pub(super) const TIME: Duration = Duration::from_millis(190);

    /// Starts the animation of a turn. `None` if there is nothing to show.
    pub(super) fn start(before: &Board, turn: &Turn) -> Option<Moving> {
        let motions = match turn.action {
            Action::Move(direction) => before.motions(direction).ok()?,
            Action::Pass => Vec::new(),
            Action::Quit => return None,
        };
        let pass = motions.is_empty();
        let now = Instant::now();
        // A pass shows only its new tile.
        let started = if pass { now.checked_sub(SLIDE).unwrap_or(now) } else { now };
        Some(Moving { motions, spawn: turn.spawn, started })
    }

    /// The motions of the tiles.
    pub(super) fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The new tile.
    pub(super) fn spawn(&self) -> Option<Spawn> {
        self.spawn
    }

    /// Whether two tiles merge at a cell.
    pub(super) fn merges_at(&self, cell: usize) -> bool {
        self.motions.iter().any(|motion| motion.merged && motion.to == cell)
    }

    /// The current stage.
    pub(super) fn stage(&self) -> Stage {
        stage_after(self.started.elapsed())
    }

    /// Whether the animation has finished.
    pub(super) fn is_over(&self) -> bool {
        self.stage() == Stage::Over
    }

    /// When the next frame is due.
    pub(super) fn next_frame(&self) -> Instant {
        Instant::now() + if self.is_over() { Duration::ZERO } else { FRAME }
    }
}

fn stage_after(time: Duration) -> Stage {
    let part = |time: Duration, of: Duration| (time.as_secs_f32() / of.as_secs_f32()).min(1.0);
    if time < SLIDE {
        // Fast at first, then slower, so that the tiles seem to have weight.
        let left = 1.0 - part(time, SLIDE);
        Stage::Slide(1.0 - left * left)
    } else if time < SLIDE + APPEAR {
        Stage::Appear(part(time - SLIDE, APPEAR))
    } else {
        Stage::Over
    }
}

#[cfg(test)]
mod tests {
    use lab2048::board::{Direction, parse_board};

    use super::*;

    #[test]
    fn a_move_slides_then_appears_then_is_over() {
        assert_eq!(stage_after(Duration::ZERO), Stage::Slide(0.0));
        assert!(matches!(stage_after(Duration::from_millis(50)), Stage::Slide(part) if part > 0.5));
        assert_eq!(stage_after(SLIDE), Stage::Appear(0.0));
        assert_eq!(stage_after(Moving::TIME), Stage::Over);
        assert_eq!(SLIDE + APPEAR, Moving::TIME);
    }

    #[test]
    fn merges_are_known_by_their_cell() {
        let board = parse_board("2 2/4 0", None).unwrap();
        let turn = Turn { action: Action::Move(Direction::Right), reward: 4, spawn: None };
        let moving = Moving::start(&board, &turn).unwrap();
        assert!(moving.merges_at(1) && !moving.merges_at(3));
        assert_eq!(moving.motions().len(), 3);
        let quit = Turn { action: Action::Quit, reward: 0, spawn: None };
        assert!(Moving::start(&board, &quit).is_none());
    }
}
