//! One training game. The network that learns plays it greedily.

use super::value_function::ValueFunction;
use crate::board::{Direction, Packed, PackedAfter};
use crate::game::Stream;
use crate::ntuple::{Machine, Portable};

/// An afterstate of a training game, with the reward of the move that led to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<const R: usize, const C: usize> {
    pub(crate) after: PackedAfter<R, C>,
    pub(crate) reward: u32,
}

impl<const R: usize, const C: usize> Step<R, C> {
    /// The empty board, as a placeholder.
    const NONE: Self = Step { after: PackedAfter::EMPTY, reward: 0 };
}

/// When the weights are updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// After every move.
    Forward,
    /// After the game, from its end to its beginning. The result of the end reaches the beginning
    /// within one game.
    Backward,
}

/// How a training game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EpisodeEnd<const R: usize, const C: usize> {
    /// No move is left.
    Over,
    /// The game made a tile larger than the network knows and is cut there. The target of the last
    /// afterstate is this reward plus the value of the downgraded afterstate. Another episode may
    /// continue from that afterstate.
    Beyond { reward: u32, after: PackedAfter<R, C> },
    /// The move limit is reached. The value of the last afterstate is kept, and earlier afterstates
    /// learn from it.
    Paused,
}

/// The random stream of one training game. It uses one draw for each spawn, while
/// [`SpawnSource`](crate::game::SpawnSource) uses two. This second spawn function is kept only
/// because the networks and checkpoints of a seed depend on it. The gain in speed is small: with
/// `SpawnSource` a training move takes 0.8% to 0.9% more instructions (callgrind, 600,000 moves on
/// two networks).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Luck {
    stream: Stream,
    place: u64,
    /// A 4 spawns if the low 32 bits of the draw are below this.
    four: u64,
}

impl Luck {
    pub(crate) fn new(stream: Stream, four: f64) -> Luck {
        Luck { stream, place: 0, four: (four * 4_294_967_296.0) as u64 }
    }

    /// The board after a spawn. The high bits of the draw choose the cell, the low bits the tile.
    /// The afterstate always has an empty cell, since every move leaves one.
    #[inline(always)]
    pub(crate) fn spawn<const R: usize, const C: usize>(
        &mut self,
        machine: impl Machine,
        after: PackedAfter<R, C>,
    ) -> Packed<R, C> {
        let draw = self.stream.draw(self.place);
        self.place += 1;
        let empty = after.empty_mask();
        let number = ((draw >> 32) * u64::from(empty.count_ones())) >> 32;
        let rank = if (draw & 0xffff_ffff) < self.four { 2 } else { 1 };
        after.spawned(machine.nth_bit(empty, number as u32), rank)
    }

    /// The first board of a game: two spawns on the empty board.
    pub(crate) fn first_board<const R: usize, const C: usize>(&mut self) -> Packed<R, C> {
        let one = self.spawn(Portable, PackedAfter::<R, C>::EMPTY);
        self.spawn(Portable, one.pass())
    }
}

/// The legal moves of a board, with the active features of their afterstates.
struct Moves<const R: usize, const C: usize, V: ValueFunction<R, C>> {
    steps: [Step<R, C>; 4],
    active: [V::Active; 4],
    count: usize,
}

impl<const R: usize, const C: usize, V: ValueFunction<R, C>> Moves<R, C, V> {
    const NONE: Self = Moves { steps: [Step::NONE; 4], active: [const { V::NONE }; 4], count: 0 };

    /// Generates the moves of a board and prefetches the weights of all of them.
    #[inline(always)]
    fn make(&mut self, network: &V, machine: impl Machine, board: Packed<R, C>) {
        let slides = board.slide_all();
        self.count = 0;
        for direction in Direction::ALL {
            let Some(after) = slides.afters[direction.index()] else { continue };
            self.steps[self.count] = Step { after, reward: slides.reward(direction) };
            self.count += 1;
        }
        let afters: [_; 4] = std::array::from_fn(|place| self.steps[place].after);
        network.find_active(machine, afters, &mut self.active[..self.count]);
    }

    /// The best move by reward plus value, and that sum. The first one wins a tie.
    #[inline(always)]
    fn best(&self, network: &V) -> Option<(usize, f32)> {
        let mut best = None;
        for place in 0..self.count {
            let total = self.steps[place].reward as f32 + network.value(&self.active[place]);
            if best.is_none_or(|(_, most)| total > most) {
                best = Some((place, total));
            }
        }
        best
    }
}

/// Plays a game from a board, for at most `most` moves. This is not a
/// [`PackedGame`](crate::game::PackedGame): it keeps no score, spawns differently and ends at the
/// network's largest tile.
///
/// The afterstates are left in `steps`. With [`Order::Forward`] the network has already learned
/// from them.
#[inline(always)]
pub(crate) fn play<const R: usize, const C: usize, V: ValueFunction<R, C>>(
    network: &V,
    machine: impl Machine,
    start: Packed<R, C>,
    luck: &mut Luck,
    (order, rate): (Order, f32),
    most: usize,
    steps: &mut Vec<Step<R, C>>,
) -> EpisodeEnd<R, C> {
    steps.clear();
    let forward = order == Order::Forward;
    let mut moves = Moves::<R, C, V>::NONE;
    moves.make(network, machine, start);
    // The previous afterstate, and whether it still has to be updated.
    let (mut last, mut coming, mut waits) = (V::NONE, V::NONE, false);
    loop {
        let Some((best, total)) = moves.best(network) else {
            if waits {
                network.learn(&last, 0.0, rate);
            }
            return EpisodeEnd::Over;
        };
        let step = moves.steps[best];
        let beyond = network.beyond(step.after);
        if forward {
            network.copy_active(&moves.active[best], &mut coming);
        }
        if beyond.is_none() {
            steps.push(step);
            moves.make(network, machine, luck.spawn(machine, step.after));
        }
        // Update before evaluating the next moves. Their weights are being prefetched meanwhile.
        if waits {
            network.learn(&last, total, rate);
        }
        if let Some(after) = beyond {
            return EpisodeEnd::Beyond { reward: step.reward, after };
        }
        if steps.len() >= most {
            return EpisodeEnd::Paused;
        }
        if forward {
            std::mem::swap(&mut last, &mut coming);
            waits = true;
        }
    }
}

/// Learns from a finished game, from its end back to its beginning.
#[inline(always)]
pub(crate) fn learn_backward<const R: usize, const C: usize, V: ValueFunction<R, C>>(
    network: &V,
    machine: impl Machine,
    steps: &[Step<R, C>],
    end: EpisodeEnd<R, C>,
    rate: f32,
) {
    /// Weights are prefetched this many steps ahead, enough to hide the memory latency.
    const AHEAD: usize = 4;
    let mut target = match end {
        EpisodeEnd::Over => 0.0,
        EpisodeEnd::Beyond { reward, after } => {
            reward as f32 + network.value(&network.active(machine, after))
        }
        EpisodeEnd::Paused => {
            steps.last().map_or(0.0, |step| network.value(&network.active(machine, step.after)))
        }
    };
    let find = |step: &Step<R, C>, active: &mut V::Active| {
        network.find_active(machine, [step.after], std::slice::from_mut(active));
    };
    let mut coming = steps.iter().rev();
    let mut all = [const { V::NONE }; AHEAD];
    for (active, step) in all.iter_mut().zip(coming.by_ref()) {
        find(step, active);
    }
    for (number, step) in steps.iter().rev().enumerate() {
        let active = &mut all[number % AHEAD];
        target = step.reward as f32 + network.learn(active, target, rate);
        if let Some(step) = coming.next() {
            find(step, active);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::learn::rule::Td;
    use crate::learn::tables::Tables;
    use crate::ntuple::{Patterns, Shape, Stages};

    fn tables(top: u8) -> Tables<Td> {
        let patterns = Patterns::parse(Size::new(2, 2).unwrap(), "0123").unwrap();
        Tables::new(Shape { patterns, stages: Stages::one(), top, start_value: 0.0 }).unwrap()
    }

    fn after(ranks: [u8; 4]) -> PackedAfter<2, 2> {
        PackedAfter::from_ranks(&ranks)
    }

    fn value(tables: &Tables<Td>, after: PackedAfter<2, 2>) -> f32 {
        tables.value(&tables.active(Portable, after))
    }

    fn learn(tables: &Tables<Td>, after: PackedAfter<2, 2>, target: f32) {
        tables.learn(&tables.active(Portable, after), target, 1.0);
    }

    // The values of these afterstates are independent: none is an image of another, and the pattern
    // sees all cells. Each has eight images with eight different weights.
    const STEPS: [[u8; 4]; 3] = [[1, 2, 3, 0], [1, 2, 3, 4], [1, 2, 3, 5]];

    fn steps() -> Vec<Step<2, 2>> {
        STEPS.iter().zip([4, 16, 32]).map(|(&ranks, reward)| Step { after: after(ranks), reward }).collect()
    }

    #[test]
    fn what_the_end_teaches_reaches_the_beginning_in_one_game() {
        let tables = tables(15);
        learn(&tables, after(STEPS[2]), 100.0);
        learn_backward(&tables, Portable, &steps(), EpisodeEnd::Over, 0.5);
        // The last value moves halfway from 100 to 0. The one before moves halfway from 0 to its
        // reward 32 plus the new 50. The first moves halfway to 16 + 41.
        assert_eq!(STEPS.map(|ranks| value(&tables, after(ranks))), [28.5, 41.0, 50.0]);
    }

    #[test]
    fn a_game_that_is_cut_learns_from_the_downgraded_afterstate() {
        let tables = tables(15);
        let beyond = after([1, 2, 6, 7]);
        learn(&tables, beyond, 1000.0);
        learn_backward(&tables, Portable, &steps(), EpisodeEnd::Beyond { reward: 64, after: beyond }, 1.0);
        assert_eq!(STEPS.map(|ranks| value(&tables, after(ranks))), [1112.0, 1096.0, 1064.0]);
    }

    #[test]
    fn a_game_that_is_long_enough_learns_from_the_value_of_its_last_afterstate() {
        let tables = tables(15);
        learn(&tables, after(STEPS[2]), 100.0);
        learn_backward(&tables, Portable, &steps(), EpisodeEnd::Paused, 0.5);
        // The last value stays. The one before moves halfway from 0 to 32 + 100, the first halfway
        // to 16 + 66.
        assert_eq!(STEPS.map(|ranks| value(&tables, after(ranks))), [41.0, 66.0, 100.0]);
        // 2 2   The limit of two moves stops a game that would go on.
        // . .
        let start = Packed::<2, 2>::from_ranks(&[1, 1, 0, 0]);
        let (mut luck, mut steps) = (Luck::new(Stream::with_purpose(1, 1), 0.1), Vec::new());
        let end = play(&tables, Portable, start, &mut luck, (Order::Backward, 1.0), 2, &mut steps);
        assert_eq!((end, steps.len()), (EpisodeEnd::Paused, 2));
    }

    #[test]
    fn games_are_cut_where_a_tile_beyond_the_largest_is_made() {
        // 8 8   The largest known tile is 8. Both merging moves make a 16, which downgrades to 8.
        // 4 2
        let tables = tables(3);
        let start = Packed::<2, 2>::from_ranks(&[3, 3, 2, 1]);
        let mut steps = Vec::new();
        let mut luck = Luck::new(Stream::with_purpose(1, 1), 0.1);
        let end = play(&tables, Portable, start, &mut luck, (Order::Forward, 1.0), usize::MAX, &mut steps);
        let EpisodeEnd::Beyond { reward: 16, after: cut } = end else { panic!("{end:?}") };
        assert!(steps.is_empty());
        assert_eq!(cut.max_rank(), 3);
    }

    #[test]
    fn spawns_are_uniform_over_the_empty_cells_and_one_in_ten_is_a_four() {
        let mut luck = Luck::new(Stream::with_purpose(3, 1), 0.1);
        let start = after([0, 5, 0, 0]);
        let mut counts = [[0; 3]; 4];
        for _ in 0..30_000 {
            let board = luck.spawn(Portable, start);
            (0..4).filter(|&cell| cell != 1).for_each(|cell| {
                let rank = board.rank(cell / 2, cell % 2);
                counts[cell][usize::from(rank)] += usize::from(rank > 0);
            });
        }
        for cell in [0, 2, 3] {
            let [_, twos, fours] = counts[cell];
            // Five standard deviations of 30,000 draws with probabilities 0.3 and 1/30.
            assert!((twos as i32 - 9000).abs() < 400 && (fours as i32 - 1000).abs() < 160, "{counts:?}");
        }
    }
}
