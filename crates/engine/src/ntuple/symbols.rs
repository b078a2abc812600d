//! Entropy coding of symbols with known frequencies and fast decoding: range asymmetric numeral
//! systems (rANS).
//!
//! The coder is that of Jarek Duda ("Asymmetric numeral systems", 2013) in the form of Fabian
//! Giesen's `ryg_rans`: 32-bit states, 16 bits read at a time. Several states are interleaved, so
//! that the processor works on several symbols at once. The frequency of a symbol depends on its
//! context. Contexts and symbols are small integers. The frequencies are written first.

/// The size of the alphabet.
pub(super) const SYMBOLS: usize = 32;

/// The frequencies of a context add up to this power of two.
const SCALE_BITS: u32 = 12;
const SCALE: u32 = 1 << SCALE_BITS;
/// The lower bound of a state. The upper bound is 2^16 times as large.
const LEAST: u32 = 1 << 16;
/// The number of interleaved states.
const STATES: usize = 4;

/// The cumulative frequencies of one context: where each symbol begins and ends on the scale.
/// Aligned to cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Frequencies {
    ends: [u16; SYMBOLS],
    begins: [u16; SYMBOLS],
}

impl Frequencies {
    /// Scales counts so that they add up to `SCALE`. Every symbol that occurs keeps a frequency
    /// above 0.
    fn of(counts: &[u32; SYMBOLS]) -> Frequencies {
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let mut scaled = [0u32; SYMBOLS];
        for (scaled, &count) in scaled.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
            *scaled = ((u64::from(count) * u64::from(SCALE) / total.max(1)) as u32).max(1);
        }
        // Rounding errors go to the most frequent symbols.
        while scaled.iter().sum::<u32>() != SCALE && total > 0 {
            let sum: u32 = scaled.iter().sum();
            let most = (0..SYMBOLS).max_by_key(|&symbol| scaled[symbol]).unwrap_or(0);
            if sum < SCALE {
                scaled[most] += SCALE - sum;
            } else {
                scaled[most] -= (sum - SCALE).min(scaled[most] / 2);
            }
        }
        Frequencies::from_each(scaled.map(|frequency| frequency as u16))
    }

    /// Accepts any frequencies. No cumulative sum exceeds the scale.
    fn from_each(frequencies: [u16; SYMBOLS]) -> Frequencies {
        let mut sums = Frequencies { ends: [0; SYMBOLS], begins: [0; SYMBOLS] };
        let mut sum = 0;
        for (symbol, frequency) in frequencies.into_iter().enumerate() {
            sums.begins[symbol] = sum;
            sum = (sum + frequency.min(SCALE as u16)).min(SCALE as u16);
            sums.ends[symbol] = sum;
        }
        sums
    }

    fn of_symbol(&self, symbol: usize) -> u32 {
        u32::from(self.ends[symbol] - self.begins[symbol])
    }

    /// Writes which symbols occur, and their frequencies.
    fn put(&self, bytes: &mut Vec<u8>) {
        let occurs = (0..SYMBOLS).filter(|&symbol| self.of_symbol(symbol) > 0);
        let mask = occurs.clone().fold(0u32, |mask, symbol| mask | 1 << symbol);
        bytes.extend(mask.to_le_bytes());
        occurs.for_each(|symbol| bytes.extend((self.of_symbol(symbol) as u16).to_le_bytes()));
    }

    /// Reads the output of [`Frequencies::put`]. The frequencies add up whatever the input is.
    fn take(input: &mut Input<'_>) -> Frequencies {
        let mask = u32::from(input.short()) | u32::from(input.short()) << 16;
        let frequency = |symbol: usize| if mask >> symbol & 1 == 1 { input.short() } else { 0 };
        let mut sums = Frequencies::from_each(std::array::from_fn(frequency));
        sums.ends[SYMBOLS - 1] = SCALE as u16;
        sums
    }

    /// The symbol at a position of the scale. Vector instructions compare all sums at once.
    #[inline(always)]
    fn symbol_at(&self, place: u16) -> usize {
        let mut count = 0u8;
        for &end in &self.ends {
            count += u8::from(end <= place);
        }
        usize::from(count)
    }
}

/// Bytes that are read in pairs. Zeros follow the end. Damage is detected by checksums, not here.
#[derive(Clone, Copy, Debug)]
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    #[inline(always)]
    fn short(&mut self) -> u16 {
        match self.0.split_first_chunk() {
            Some((&bytes, rest)) => {
                self.0 = rest;
                u16::from_le_bytes(bytes)
            }
            None => 0,
        }
    }
}

/// Encodes symbols, each given with its context.
pub(super) fn pack(contexts: usize, symbols: &[(u16, u8)]) -> Vec<u8> {
    let mut counts = vec![[0; SYMBOLS]; contexts];
    symbols.iter().for_each(|&(context, symbol)| counts[context as usize][symbol as usize] += 1);
    let frequencies: Vec<Frequencies> = counts.iter().map(Frequencies::of).collect();
    let mut bytes = Vec::new();
    frequencies.iter().for_each(|frequencies| frequencies.put(&mut bytes));
    // The decoder reads in reverse order of writing.
    let mut shorts = Vec::new();
    let mut states = [LEAST; STATES];
    for (place, &(context, symbol)) in symbols.iter().enumerate().rev() {
        let (state, sums) = (&mut states[place % STATES], &frequencies[context as usize]);
        let frequency = sums.of_symbol(symbol as usize);
        if u64::from(*state) >= u64::from(frequency) << (32 - SCALE_BITS) {
            shorts.push(*state as u16);
            *state >>= 16;
        }
        let before = u32::from(sums.begins[symbol as usize]);
        *state = ((*state / frequency) << SCALE_BITS) + *state % frequency + before;
    }
    for state in states {
        bytes.extend(state.to_le_bytes());
    }
    shorts.iter().rev().for_each(|short| bytes.extend(short.to_le_bytes()));
    bytes
}

/// Decodes the output of [`pack`] symbol by symbol. The contexts must be the same as in encoding.
#[derive(Debug)]
pub(super) struct Unpacker<'a> {
    frequencies: Vec<Frequencies>,
    states: [u32; STATES],
    input: Input<'a>,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(contexts: usize, bytes: &'a [u8]) -> Unpacker<'a> {
        let mut input = Input(bytes);
        let frequencies = (0..contexts).map(|_| Frequencies::take(&mut input)).collect();
        let mut states = [0; STATES];
        for state in &mut states {
            *state = u32::from(input.short()) | u32::from(input.short()) << 16;
        }
        Unpacker { frequencies, states, input }
    }

    /// The next symbols in these contexts. Their number is a multiple of four.
    #[inline(always)]
    pub(super) fn symbols<const N: usize>(&mut self, contexts: &[u16; N]) -> [u8; N] {
        const { assert!(N.is_multiple_of(STATES), "N must be a multiple of the number of states") };
        let mut symbols = [0; N];
        for place in 0..N {
            let state = &mut self.states[place % STATES];
            let sums = &self.frequencies[contexts[place] as usize];
            let at = *state as u16 & (SCALE as u16 - 1);
            let symbol = sums.symbol_at(at);
            let (before, after) = (sums.begins[symbol], sums.ends[symbol]);
            *state = u32::from(after - before)
                .wrapping_mul(*state >> SCALE_BITS)
                .wrapping_add(u32::from(at.wrapping_sub(before)));
            if *state < LEAST {
                *state = *state << 16 | u32::from(self.input.short());
            }
            symbols[place] = symbol as u8;
        }
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    #[test]
    fn symbols_come_back_and_take_about_their_entropy() {
        let stream = Stream::with_purpose(5, 5);
        // Context 0 has two of 32 symbols, one of them three times as frequent. Context 1 is
        // uniform. Context 2 is always 7.
        let symbol = |place: u64| match place % 3 {
            0 => (0, if stream.below(place, 4) == 0 { 31 } else { 3 }),
            1 => (1, stream.below(place, SYMBOLS) as u8),
            _ => (2, 7),
        };
        let symbols: Vec<(u16, u8)> = (0..120_000).map(symbol).collect();
        let bytes = pack(4, &symbols);
        // 40,000 symbols of 0.8113 bits, and 40,000 of 5 bits.
        let entropy = 40_000.0 * (0.8113 + 5.0) / 8.0;
        assert!((bytes.len() as f64) < 1.01 * entropy + 150.0, "{} bytes", bytes.len());
        let mut unpacker = Unpacker::new(4, &bytes);
        for four in symbols.chunks_exact(4) {
            let contexts: [u16; 4] = std::array::from_fn(|place| four[place].0);
            assert_eq!(unpacker.symbols(&contexts), *four.iter().map(|pair| pair.1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rare_symbols_keep_a_frequency_and_all_add_up() {
        let mut counts = [1; SYMBOLS];
        counts[5] = 1 << 30;
        for counts in [counts, [1; SYMBOLS], [0; SYMBOLS]] {
            let frequencies = Frequencies::of(&counts);
            let all = (0..SYMBOLS).all(|symbol| (frequencies.of_symbol(symbol) > 0) == (counts[symbol] > 0));
            assert!(all && frequencies.ends[SYMBOLS - 1] == if counts[0] > 0 { SCALE as u16 } else { 0 });
        }
    }

    #[test]
    fn damaged_bytes_do_no_harm() {
        let stream = Stream::with_purpose(6, 5);
        for number in 0..200 {
            let bytes: Vec<u8> = (0..300).map(|place| stream.draw(300 * number + place) as u8).collect();
            let mut unpacker = Unpacker::new(3, &bytes);
            for _ in 0..200 {
                assert!(unpacker.symbols(&[0, 1, 2, 0]).iter().all(|&symbol| (symbol as usize) < SYMBOLS));
            }
        }
    }
}
