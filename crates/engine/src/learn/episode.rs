//! One training game: played greedily by the network that learns from it.

use super::rule::Rule;
use super::tables::Tables;
use crate::board::{Direction, Packed, PackedAfter};
use crate::game::Stream;
use crate::ntuple::is_beyond;

/// An afterstate of a training game, with the reward of the move that led to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<const R: usize, const C: usize> {
    pub(crate) after: PackedAfter<R, C>,
    pub(crate) reward: u32,
}

/// When the weights change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// After every move.
    Forward,
    /// After the game, from its end to its beginning, so that what the end teaches reaches the beginning at once.
    Backward,
}

/// How a training game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End<const R: usize, const C: usize> {
    /// No move was left.
    Over,
    /// A tile beyond the network's largest was made. The game is cut there: the last move's target is its reward and the
    /// value of the downgraded afterstate, from which another game may go on.
    Beyond { reward: u32, after: PackedAfter<R, C> },
}

/// The luck of one training game: one draw for each spawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Luck {
    stream: Stream,
    place: u64,
    /// A 4 appears when the low 32 bits are below this.
    four: u64,
}

impl Luck {
    pub(crate) fn new(stream: Stream, four: f64) -> Luck {
        Luck { stream, place: 0, four: (four * 4_294_967_296.0) as u64 }
    }

    /// The board after a spawn: the cell from the high bits of the draw, the tile from the low ones. A full afterstate
    /// does not occur: every move empties a cell or merges.
    #[inline(always)]
    pub(crate) fn spawn<const R: usize, const C: usize>(&mut self, after: PackedAfter<R, C>) -> Packed<R, C> {
        let draw = self.stream.draw(self.place);
        self.place += 1;
        let empty = after.empty_mask();
        let index = ((draw >> 32) * u64::from(empty.count_ones())) >> 32;
        let mut rest = empty;
        for _ in 0..index {
            rest &= rest - 1;
        }
        let rank = if (draw & 0xffff_ffff) < self.four { 2 } else { 1 };
        after.spawned(rest & rest.wrapping_neg(), rank)
    }
}

impl Luck {
    /// The first board of a game: two spawns on the empty one.
    pub(crate) fn first_board<const R: usize, const C: usize>(&mut self) -> Packed<R, C> {
        let empty = PackedAfter::<R, C>::from_bits(0).expect("the empty board has every size");
        let one = self.spawn(empty);
        self.spawn(PackedAfter::from_bits(one.bits()).expect("the cells stay the same"))
    }
}

/// The best move by reward plus value, the first one among equals.
#[inline(always)]
pub(crate) fn best_move<const R: usize, const C: usize, K: Rule>(
    tables: &Tables<K>,
    board: Packed<R, C>,
) -> Option<(Step<R, C>, f32)> {
    let mut best: Option<(Step<R, C>, f32)> = None;
    let mut most = f32::NEG_INFINITY;
    let slides = board.slide_all();
    for direction in Direction::ALL {
        let Some(after) = slides.afters[direction.index()] else { continue };
        let reward = slides.reward(direction);
        let value = tables.value(after);
        let total = reward as f32 + value;
        if best.is_none() || total > most {
            most = total;
            best = Some((Step { after, reward }, value));
        }
    }
    best
}

/// Plays a game from a board. The afterstates are left in `steps`; with [`Order::Forward`] the network has learned from
/// them already.
#[inline(always)]
pub(crate) fn play<const R: usize, const C: usize, K: Rule>(
    tables: &Tables<K>,
    start: Packed<R, C>,
    luck: &mut Luck,
    order: Order,
    rate: f32,
    steps: &mut Vec<Step<R, C>>,
) -> End<R, C> {
    steps.clear();
    let mut board = start;
    loop {
        let Some((step, value)) = best_move(tables, board) else {
            if let (Order::Forward, Some(last)) = (order, steps.last()) {
                tables.learn(last.after, 0.0 - tables.value(last.after), rate);
            }
            return End::Over;
        };
        if let (Order::Forward, Some(last)) = (order, steps.last()) {
            let target = step.reward as f32 + value;
            tables.learn(last.after, target - tables.value(last.after), rate);
        }
        if is_beyond(step.after.bits(), tables.shape().top) {
            let known = PackedAfter::from_bits(tables.known(step.after.bits()));
            return End::Beyond { reward: step.reward, after: known.expect("the cells stay the same") };
        }
        steps.push(step);
        board = luck.spawn(step.after);
    }
}

/// Learns from a game that was only played: from its end back to its beginning.
#[inline(always)]
pub(crate) fn learn_backward<const R: usize, const C: usize, K: Rule>(
    tables: &Tables<K>,
    steps: &[Step<R, C>],
    end: End<R, C>,
    rate: f32,
) {
    let mut target = match end {
        End::Over => 0.0,
        End::Beyond { reward, after } => reward as f32 + tables.value(after),
    };
    for step in steps.iter().rev() {
        let value = tables.value(step.after);
        let changed = tables.learn(step.after, target - value, rate);
        target = step.reward as f32 + value + changed;
    }
}
