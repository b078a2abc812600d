//! A trained network for play, with two bytes for each weight.
//!
//! Weights are integer multiples of one unit, so a value is a sum of integers and does not depend
//! on the order. That is accurate enough for play and takes half the memory of floating-point
//! weights. 256 levels for each table are not accurate enough: they cost 7% of the score.

use std::fmt;
use std::io;

use super::block::Block;
use super::squeeze::Unsqueezed;
use super::{
    IMAGES, Instructions, Machine, Portable, Shape, Short, Shorts, WithMachine, images, images_of_all, lanes,
};
use crate::board::{Board, PackedAfter, Size, WithSides, rank_of};
use crate::eval::{Evaluator, FastEvaluator, Judges, View};
use crate::game::{Refusal, Unit};

/// A trained network.
pub struct Network {
    shape: Shape,
    /// How the patterns share memory.
    blocks: Vec<Block>,
    /// The weights of each stage and block.
    weights: Vec<Shorts>,
    /// The value of a weight of 1, in points.
    unit: f32,
    /// The hash of the file that the network was read from.
    hash: Option<String>,
    instructions: Instructions,
}

impl Network {
    /// A network with the given weights. `unit` is the value of a weight of 1, in points. `table`
    /// returns the weights of the table with a number: first all patterns of the first stage, then
    /// those of the next. In an index, the rank of a pattern's first cell is the lowest of the
    /// 4-bit digits.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Panics
    /// If a table does not have one weight for each content of its pattern.
    pub fn from_weights(
        shape: Shape,
        unit: f32,
        mut table: impl FnMut(usize) -> Vec<i16>,
    ) -> io::Result<Network> {
        Network::from_tables(shape, unit, |number| Ok(table(number)), |error| error)
    }

    /// Like [`Network::from_weights`], with tables that may fail.
    pub(super) fn from_tables<E>(
        shape: Shape,
        unit: f32,
        mut table: impl FnMut(usize) -> Result<Vec<i16>, E>,
        no_memory: impl FnOnce(io::Error) -> E,
    ) -> Result<Network, E> {
        let blocks = Block::divide(&shape.patterns);
        let patterns = shape.patterns.list().len();
        let mut weights = Network::zeroed(&shape, &blocks).map_err(no_memory)?;
        for (number, memory) in weights.iter_mut().enumerate() {
            let (stage, block) = (number / blocks.len(), &blocks[number % blocks.len()]);
            let numbers = block.patterns().map(|pattern| stage * patterns + pattern);
            let tables = numbers.map(|number| table(number).map(Unsqueezed::of));
            let tables = tables.collect::<Result<Vec<_>, E>>()?;
            block.assemble(&shape.patterns, &tables, |place, part, used| memory.put(place, part, used));
        }
        Ok(Network::new(shape, unit, weights, None))
    }

    /// Memory for all weights, stage by stage and block by block. Fails if there is not enough.
    pub(super) fn zeroed(shape: &Shape, blocks: &[Block]) -> io::Result<Vec<Shorts>> {
        let all = (0..shape.stages.len()).flat_map(|_| blocks);
        all.map(|block| Shorts::zeroed(block.len)).collect()
    }

    /// A network with the weights of each stage and block.
    pub(super) fn new(shape: Shape, unit: f32, weights: Vec<Shorts>, hash: Option<String>) -> Network {
        let blocks = Block::divide(&shape.patterns);
        Network { shape, blocks, weights, unit, hash, instructions: Instructions::detect() }
    }

    /// The shape of the network.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The value of a weight of 1, in points.
    pub fn weight_scale(&self) -> f32 {
        self.unit
    }

    /// The weights of each table, stage by stage, in file order.
    pub(crate) fn tables(&self) -> impl Iterator<Item = impl Iterator<Item = i16>> {
        let patterns = self.shape.patterns.list();
        (0..self.shape.stages.len()).flat_map(move |stage| {
            patterns.iter().enumerate().map(move |(number, pattern)| {
                let holds = |(block, _): &(&Block, _)| block.patterns().any(|other| other == number);
                let (block, weights) =
                    self.blocks_of(stage).find(holds).expect("every pattern belongs to a block");
                let places = block.places(number, pattern).all();
                places.map(|place| i16::from_le_bytes(weights[place]))
            })
        })
    }

    /// The blocks of a stage with their weights.
    #[inline(always)]
    fn blocks_of(&self, stage: usize) -> impl Iterator<Item = (&Block, &[Short])> {
        let blocks = self.blocks.len();
        let weights = &self.weights[stage * blocks..][..blocks];
        self.blocks.iter().zip(weights).map(|(block, weights)| (block, weights.as_slice()))
    }

    /// The value of a board in a stage, from its images.
    #[inline(always)]
    fn value_by_images<const R: usize, const C: usize>(
        &self,
        machine: impl Machine,
        stage: usize,
        images: &[u64; IMAGES],
    ) -> f32 {
        // One sum for each image: eight short chains of additions instead of one long chain.
        let mut sums = [0i32; IMAGES];
        for (block, weights) in self.blocks_of(stage) {
            block.add_up(machine, images, weights, &mut sums[..lanes::<R, C>()]);
        }
        self.shape.start_value + sums.iter().sum::<i32>() as f32 * self.unit
    }

    /// The value of packed cells without tiles larger than the network knows.
    #[inline(always)]
    fn value<const R: usize, const C: usize>(&self, machine: impl Machine, known: u64) -> f32 {
        let (stage, seen) = self.shape.stages.of(known);
        self.value_by_images::<R, C>(machine, stage, &images::<R, C>(seen))
    }

    /// The values of several 4x4 afterstates.
    #[inline(always)]
    fn values(&self, machine: impl Machine, afters: &[PackedAfter], values: &mut [f32]) {
        /// The number of boards that vector instructions process at once. No position has more
        /// moves.
        const LANES: usize = 4;
        // A short list may be the moves of a new position, with none of its weights in the caches.
        // So all of them are prefetched before the first one is read. The many afterstates of a
        // search share most of their weights.
        let cold = afters.len() <= LANES;
        for (afters, values) in afters.chunks(LANES).zip(values.chunks_mut(LANES)) {
            let (mut stages, mut cells) = ([0; LANES], [0; LANES]);
            for (place, after) in afters.iter().enumerate() {
                let known = self.shape.known(after.bits());
                (stages[place], cells[place]) = self.shape.stages.of(known);
            }
            let images = images_of_all::<4, 4, LANES>(cells);
            if cold {
                for (&stage, images) in stages.iter().zip(&images[..afters.len()]) {
                    for (block, weights) in self.blocks_of(stage) {
                        block.prefetch(machine, images, weights);
                    }
                }
            }
            for ((value, &stage), images) in values[..afters.len()].iter_mut().zip(&stages).zip(&images) {
                *value = self.value_by_images::<4, 4>(machine, stage, images);
            }
        }
    }
}

/// The smallest power of two for which all weights up to `largest`, divided by it, fit 16 bits.
pub(crate) fn unit_for(largest: f32) -> f32 {
    let exact = largest / f32::from(i16::MAX);
    if exact > 0.0 { exact.log2().ceil().exp2().max(f32::MIN_POSITIVE) } else { 1.0 }
}

/// The value of packed 4x4 cells without tiles larger than the network knows.
struct Value<'a> {
    network: &'a Network,
    known: u64,
}

impl WithMachine for Value<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_machine(self, machine: impl Machine) -> f32 {
        self.network.value::<4, 4>(machine, self.known)
    }
}

/// The value of packed cells of any size without tiles larger than the network knows.
struct ValueOfSize<'a> {
    network: &'a Network,
    known: u64,
}

impl WithSides for ValueOfSize<'_> {
    type Output = f32;

    fn with_sides<const R: usize, const C: usize>(self) -> f32 {
        self.network.value::<R, C>(Portable, self.known)
    }
}

/// The values of several 4x4 afterstates.
struct Values<'a> {
    network: &'a Network,
    afters: &'a [PackedAfter],
    values: &'a mut [f32],
}

impl WithMachine for Values<'_> {
    type Output = ();

    #[inline(always)]
    fn with_machine(self, machine: impl Machine) {
        self.network.values(machine, self.afters, self.values);
    }
}

/// Whether a network for this board size can evaluate a board.
pub(crate) fn check_board(own: Size, board: &Board) -> Result<(), Refusal> {
    let size = board.size();
    if size != own {
        return Err(Refusal::new(format!("the network is for {own} boards, not {size}")));
    }
    match board.tiles().find(|&tile| rank_of(tile).is_none()) {
        Some(tile) => {
            Err(Refusal::new(format!("the network knows only powers of two, but the board has a {tile}")))
        }
        None => Ok(()),
    }
}

impl Evaluator for Network {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Points
    }

    fn accepts(&self, board: &Board) -> Result<(), Refusal> {
        check_board(self.shape.patterns.size(), board)
    }

    fn fingerprint(&self) -> Option<&str> {
        self.hash.as_deref()
    }

    fn evaluate(&self, view: &View) -> f64 {
        let size = self.shape.patterns.size();
        let value = size.with_sides(ValueOfSize { network: self, known: self.shape.known_cells(view) });
        f64::from(value.expect("patterns exist only for boards of at most 4x4"))
    }
}

impl FastEvaluator for Network {
    #[inline]
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        let known = self.shape.known(after.bits());
        self.instructions.dispatch(Value { network: self, known })
    }

    #[inline]
    fn evaluate_many(&self, afters: &[PackedAfter], values: &mut [f32]) {
        self.instructions.dispatch(Values { network: self, afters, values });
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("shape", &self.shape).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Size, Symmetry};
    use crate::game::Stream;
    use crate::ntuple::index::index_slowly;
    use crate::ntuple::{Patterns, Stages};

    fn network() -> Network {
        let shape = Shape {
            patterns: Patterns::parse(Size::FOUR, "0123 0145 05af 0157").unwrap(),
            stages: "/8192 4096*2 16384".parse::<Stages>().unwrap(),
            top: 14,
            start_value: 1000.0,
        };
        let stream = Stream::with_purpose(21, 22);
        let weight = |number: usize, place: u64| stream.draw(place << 8 | number as u64) as i16 >> 4;
        let table = |number| (0..1 << 16).map(|place| weight(number, place)).collect();
        Network::from_weights(shape, 0.5, table).unwrap()
    }

    /// The slow twin: adds weight by weight and computes each index digit by digit.
    fn value_slowly(network: &Network, after: PackedAfter) -> f32 {
        let shape = network.shape();
        let (stage, seen) = shape.stages.of(shape.known(after.bits()));
        let rank = |row: usize, col: usize| (seen >> (4 * (4 * row + col)) & 0xf) as u8;
        let mut sum = 0;
        for (pattern, mut weights) in
            shape.patterns.list().iter().zip(network.tables().skip(stage * shape.patterns.list().len()))
        {
            let weights: Vec<i16> = weights.by_ref().collect();
            for &symmetry in &Symmetry::ALL {
                let index = index_slowly(Size::FOUR, pattern, symmetry, rank);
                sum += i32::from(weights[index]);
            }
        }
        shape.start_value + sum as f32 * network.weight_scale()
    }

    #[test]
    fn fast_values_are_the_slow_ones_alone_in_batches_and_without_vector_instructions() {
        let mut network = network();
        let stream = Stream::with_purpose(23, 24);
        // About a third of the cells is empty, and all ranks occur. So all stages and downgraded
        // boards occur too.
        let afters: Vec<PackedAfter> = (0..1000)
            .map(|number| stream.draw(2 * number) & stream.draw(2 * number + 1) | (number % 16) << 60)
            .map(|bits| PackedAfter::from_bits(bits).unwrap())
            .collect();
        let mut stages = [0; 3];
        for instructions in [network.instructions, Instructions::PLAIN] {
            network.instructions = instructions;
            let mut values = vec![0.0; afters.len()];
            network.evaluate_many(&afters, &mut values);
            for (&after, value) in afters.iter().zip(values) {
                stages[network.shape.stages.of(network.shape.known(after.bits())).0] += 1;
                assert_eq!(network.evaluate_packed(after), value);
                assert_eq!(value_slowly(&network, after), value, "{after:?}");
                let exact =
                    network.evaluate(&View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0));
                assert_eq!(exact, f64::from(value));
            }
        }
        assert!(stages.iter().all(|&count| count > 0), "{stages:?}");
    }

    /// On rectangles patterns share blocks too, and a board has only four images.
    #[test]
    fn rectangles_have_the_slow_values() {
        let size = Size::new(2, 3).unwrap();
        let patterns = Patterns::parse(size, "012 014 35").unwrap();
        let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value: 10.0 };
        let stream = Stream::with_purpose(25, 26);
        let lens = [1 << 12, 1 << 12, 1 << 8];
        let weight = |number: usize, place: u64| stream.draw(place << 8 | number as u64) as i16 >> 4;
        let table = |number: usize| (0..lens[number]).map(|place| weight(number, place)).collect();
        let network = Network::from_weights(shape, 1.0, table).unwrap();
        assert_eq!(network.blocks.len(), 2, "012 and 014 share a block");
        let tables: Vec<Vec<i16>> = network.tables().map(Iterator::collect).collect();
        for number in 0..200 {
            let ranks: [u8; 6] =
                std::array::from_fn(|cell| stream.below(1 << 20 | number << 3 | cell as u64, 12) as u8);
            let rank = |row: usize, col: usize| ranks[3 * row + col];
            let found = network.shape.patterns.list().iter().zip(&tables).flat_map(|(pattern, table)| {
                let weight = move |&symmetry| i32::from(table[index_slowly(size, pattern, symmetry, rank)]);
                Symmetry::of(size).iter().map(weight)
            });
            let tiles = ranks.map(crate::board::tile_of);
            assert_eq!(
                network.evaluate(&View::new(size, tiles.into_iter(), 0)),
                10.0 + f64::from(found.sum::<i32>())
            );
        }
    }

    #[test]
    fn boards_with_65536_are_judged_and_other_sizes_refused() {
        let network = network();
        // 65536 32768 4 2 is downgraded to 16384 8192 4 2.
        let tiles = |first: [u64; 4]| first.into_iter().chain(std::iter::repeat_n(0, 12));
        let value = |first| network.evaluate(&View::new(Size::FOUR, tiles(first), 0));
        assert_eq!(value([65536, 32768, 4, 2]), value([16384, 8192, 4, 2]));
        assert_eq!(
            network.accepts(&"2 0 0/0 2 0/0 0 0".parse().unwrap()).unwrap_err().to_string(),
            "the network is for 4x4 boards, not 3x3"
        );
        assert_eq!(
            network.accepts(&"3 0 0 0/0 2 0 0/0 0 0 0/0 0 0 0".parse().unwrap()).unwrap_err().to_string(),
            "the network knows only powers of two, but the board has a 3"
        );
    }
}
