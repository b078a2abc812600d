//! Weight files of TDL2048+ (github.com/moporgic/TDL2048), read as networks. The format is
//! described in `docs/reference/network-format.md`.
//!
//! Source: `weight::save`, `weight::load` and the operators of `weight` in its `2048.cpp` at commit
//! a99f620, and files written by it.
//!
//! Both programs add up one weight for each pattern and each of the eight symmetries, number cells
//! row by row, and make the first cell of a pattern the lowest digit of an index. So the weights
//! only have to be rounded to the 16 bits of a network for play.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use thiserror::Error;

use super::network::unit_for;
use super::{Network, NetworkFile, Pattern, PatternError, Patterns, Shape, Stages};
use crate::board::Size;
use crate::text::{in_words, shortened};

/// The most cells of a pattern of TDL2048+.
const MAX_CELLS: u32 = 8;

/// Beginnings of compressed files: xz, gzip, bzip2, zstd.
const COMPRESSED: [&[u8]; 4] = [b"\xfd7zXZ\0", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"];

/// Why weights of TDL2048+ cannot be read as a network.
#[derive(Debug, Error)]
pub enum TdlError {
    /// The system cannot read them.
    #[error("it cannot be read: {}", in_words(.0))]
    Unreadable(#[source] io::Error),
    /// It is another kind of file.
    #[error("it is not a weight file of TDL2048+")]
    Foreign,
    /// It is compressed.
    #[error("it is compressed; unpack it first, for example with 'xz -d'")]
    Compressed,
    /// It ends within a table.
    #[error("it ends too early, in table {table} of {tables}")]
    CutOff {
        /// Counted from 1.
        table: u32,
        /// The number of tables that the file announces.
        tables: u32,
    },
    /// Something follows the last table.
    #[error("something follows its last table, from byte {0}")]
    TooLong(u64),
    /// A table of features that are not tiles on cells.
    #[error(
        "its table '{}' does not belong to a pattern of cells; only networks of patterns can be read",
        shortened(.0)
    )]
    NotAPattern(String),
    /// A table whose length does not fit its name.
    #[error("its table '{}' has {len} weights, which does not fit its name", shortened(name))]
    Length {
        /// The name of the table.
        name: String,
        /// The number of weights.
        len: u64,
    },
    /// Later stages: their conditions are not in the file.
    #[error("it has several stages, but not their conditions; only networks with one stage can be read")]
    Stages,
    /// The patterns do not make a network of ours.
    #[error(transparent)]
    Patterns(#[from] PatternError),
    /// The weights have another type.
    #[error("its weights take {0} bytes each; 2, 4 and 8 are known")]
    Width(u16),
    /// A weight is infinite, not a number, or far too large.
    #[error("a weight of its table '{}' is not a number of points", shortened(.0))]
    NotPoints(String),
    /// There is not enough memory.
    #[error("not enough memory for the network: {}", in_words(.0))]
    Memory(#[source] io::Error),
}

/// A table of the file.
struct Table {
    /// Its cells in the order of the digits of an index, the lowest first.
    cells: String,
    /// Where its weights are.
    at: u64,
    /// The number of weights.
    len: usize,
    width: Width,
    /// The largest distance of a weight from `base`.
    largest: f32,
    /// The weight of the last index, with the largest tile on all cells. No game gets there, so it
    /// is the value that training began with.
    base: f32,
}

/// The type of a weight: an IEEE 754 number of 16, 32 or 64 bits.
#[derive(Clone, Copy)]
enum Width {
    Half,
    Single,
    Double,
}

impl NetworkFile {
    /// Whether a file with this beginning may be a weight file of TDL2048+. Seven bytes are enough.
    pub fn is_tdl(beginning: &[u8]) -> bool {
        // The version of the list, the number of tables, the version of the first table.
        let rest = beginning.strip_prefix(b"w").unwrap_or(beginning);
        matches!(rest, [0, 1..=255, 0, 0, 0, 4, ..])
    }

    /// Reads a weight file of TDL2048+ with one stage. The weights are rounded to multiples of a
    /// power of two, as exactly as 16 bits allow.
    pub fn from_tdl(source: &mut (impl Read + Seek)) -> Result<NetworkFile, TdlError> {
        let tables = scan(source)?;
        let cells: Vec<&str> = tables.iter().map(|table| table.cells.as_str()).collect();
        let patterns = Patterns::parse(Size::FOUR, &cells.join(" "))?;
        let images = patterns.features() as f32 / patterns.list().len() as f32;
        let start_value = images * tables.iter().map(|table| table.base).sum::<f32>();
        let unit = unit_for(tables.iter().map(|table| table.largest).fold(0.0, f32::max));
        let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value };
        let weights = |number: usize| {
            let table: &Table = &tables[number];
            Ok(in_order(&table.cells, table.rounded(source, unit)?))
        };
        let network = Network::from_tables(shape, unit, weights, TdlError::Memory)?;
        let notes = BTreeMap::from([("origin".to_owned(), "weights of TDL2048+".to_owned())]);
        Ok(NetworkFile { network, notes })
    }
}

/// Finds the tables of a file and checks it whole.
fn scan(source: &mut (impl Read + Seek)) -> Result<Vec<Table>, TdlError> {
    let end = source.seek(SeekFrom::End(0)).map_err(TdlError::Unreadable)?;
    source.rewind().map_err(TdlError::Unreadable)?;
    let mut beginning = Vec::new();
    source.take(7).read_to_end(&mut beginning).map_err(TdlError::Unreadable)?;
    if COMPRESSED.iter().any(|magic| beginning.starts_with(magic)) {
        return Err(TdlError::Compressed);
    }
    if !NetworkFile::is_tdl(&beginning) {
        return Err(TdlError::Foreign);
    }
    // The type of the file comes first unless its name says it.
    let start = u64::from(beginning.starts_with(b"w"));
    source.seek(SeekFrom::Start(start + 1)).map_err(TdlError::Unreadable)?;
    let count = u32::from_le_bytes(take(source).map_err(TdlError::Unreadable)?);
    let mut tables = Vec::new();
    for number in 1..=count {
        let cut_off = |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => TdlError::CutOff { table: number, tables: count },
            _ => TdlError::Unreadable(error),
        };
        let mut table = read_head(source, cut_off)?;
        table.measure(source, cut_off)?;
        skip_fields(source, end).map_err(cut_off)?;
        tables.push(table);
    }
    match source.stream_position() {
        Ok(place) if place == end => Ok(tables),
        Ok(place) => Err(TdlError::TooLong(place)),
        Err(error) => Err(TdlError::Unreadable(error)),
    }
}

/// Reads what stands before the weights of a table.
fn read_head(
    source: &mut (impl Read + Seek),
    cut_off: impl Fn(io::Error) -> TdlError,
) -> Result<Table, TdlError> {
    let [version] = take(source).map_err(&cut_off)?;
    if version != 4 {
        return Err(TdlError::Foreign);
    }
    let name: [u8; 8] = take(source).map_err(&cut_off)?;
    let width = u16::from_le_bytes(take(source).map_err(&cut_off)?);
    let len = u64::from_le_bytes(take(source).map_err(&cut_off)?);
    let at = source.stream_position().map_err(&cut_off)?;
    let width = match width {
        2 => Width::Half,
        4 => Width::Single,
        8 => Width::Double,
        other => return Err(TdlError::Width(other)),
    };
    let digits = (1..=MAX_CELLS).find(|&digits| 16u64.pow(digits) == len);
    let name = name_of(name, digits)?;
    let wrong = || TdlError::Length { name: name.clone(), len };
    // If a name has eight digits, those before the cells are the stage.
    let digits = digits.ok_or_else(wrong)? as usize;
    if name.len() != digits && name.len() != MAX_CELLS as usize {
        return Err(wrong());
    }
    let (stage, cells) = name.split_at_checked(name.len().wrapping_sub(digits)).ok_or_else(wrong)?;
    if stage.contains(|digit| digit != '0') {
        return Err(TdlError::Stages);
    }
    if digits > Pattern::MAX_CELLS {
        return Err(PatternError::TooLong(cells.to_owned()).into());
    }
    Ok(Table { cells: cells.to_owned(), at, len: len as usize, width, largest: 0.0, base: 0.0 })
}

/// The name of a table, made of hexadecimal digits. It is stored as a number and its width, or as
/// text.
fn name_of(bytes: [u8; 8], digits: Option<u32>) -> Result<String, TdlError> {
    let [a, b, c, d, low, high, 0, 0] = bytes else {
        let text = String::from_utf8_lossy(&bytes);
        let name = text.split(' ').next().unwrap_or_default().to_owned();
        let is_hex = !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        return if is_hex { Ok(name) } else { Err(TdlError::NotAPattern(name)) };
    };
    let number = u32::from_le_bytes([a, b, c, d]);
    let width = match u16::from_le_bytes([low, high]) {
        // Older files leave out the width; it follows from the length.
        0 => digits.unwrap_or(MAX_CELLS),
        width => width.into(),
    };
    Ok(format!("{number:0width$x}", width = width.min(MAX_CELLS) as usize))
}

/// Skips the fields after the weights of a table, for example the sums of temporal coherence.
fn skip_fields(source: &mut (impl Read + Seek), end: u64) -> io::Result<()> {
    loop {
        let width = u16::from_le_bytes(take(source)?);
        if width == 0 {
            return Ok(());
        }
        let len = u64::from_le_bytes(take(source)?);
        let next =
            len.checked_mul(width.into()).and_then(|bytes| bytes.checked_add(source.stream_position().ok()?));
        let next = next.filter(|&next| next <= end).ok_or(ErrorKind::UnexpectedEof)?;
        source.seek(SeekFrom::Start(next))?;
    }
}

fn take<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl Table {
    /// Finds the range of the weights. Leaves the source behind them.
    fn measure(
        &mut self,
        source: &mut (impl Read + Seek),
        cut_off: impl Fn(io::Error) -> TdlError,
    ) -> Result<(), TdlError> {
        /// No game has nearly as many points.
        const TOO_LARGE: f32 = 1e20;
        let (mut least, mut most, mut base, mut sound) = (f32::INFINITY, f32::NEG_INFINITY, 0.0, true);
        let read = self.each(source, |weight| {
            sound &= weight.abs() < TOO_LARGE;
            (least, most, base) = (least.min(weight), most.max(weight), weight);
        });
        read.map_err(cut_off)?;
        (self.base, self.largest) = (base, f32::max(most - base, base - least));
        if sound { Ok(()) } else { Err(TdlError::NotPoints(self.cells.clone())) }
    }

    /// The weights as multiples of `unit`, relative to `base`.
    fn rounded(&self, source: &mut (impl Read + Seek), unit: f32) -> Result<Vec<i16>, TdlError> {
        let mut rounded = Vec::with_capacity(self.len);
        let read =
            self.each(source, |weight| rounded.push(((weight - self.base) / unit).round_ties_even() as i16));
        read.map_err(TdlError::Unreadable)?;
        Ok(rounded)
    }

    /// Reads all weights in the order of the file.
    fn each(&self, source: &mut (impl Read + Seek), mut weight: impl FnMut(f32)) -> io::Result<()> {
        const MANY: usize = 1 << 16;
        source.seek(SeekFrom::Start(self.at))?;
        let width = self.width.bytes();
        let mut bytes = vec![0; MANY.min(self.len) * width];
        let mut left = self.len;
        while left > 0 {
            let chunk = &mut bytes[..MANY.min(left) * width];
            source.read_exact(chunk)?;
            chunk.chunks_exact(width).for_each(|bytes| weight(self.width.number(bytes)));
            left -= chunk.len() / width;
        }
        Ok(())
    }
}

impl Width {
    fn bytes(self) -> usize {
        match self {
            Width::Half => 2,
            Width::Single => 4,
            Width::Double => 8,
        }
    }

    /// The number of its bytes, the lowest first.
    fn number(self, bytes: &[u8]) -> f32 {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        match self {
            Width::Half => half(bits as u16),
            Width::Single => f32::from_bits(bits as u32),
            Width::Double => f64::from_bits(bits) as f32,
        }
    }
}

/// A number of IEEE 754 with 16 bits: a sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The weights of a table whose cells are in another order than ours, which is ascending.
fn in_order(cells: &str, weights: Vec<i16>) -> Vec<i16> {
    let places: Vec<u32> = cells.chars().filter_map(|cell| cell.to_digit(16)).collect();
    if places.is_sorted() {
        return weights;
    }
    // For each of our digits, the digit of the file.
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&digit| places[digit]);
    let index = |ours: usize| {
        order
            .iter()
            .enumerate()
            .fold(0, |theirs, (digit, place)| theirs | (ours >> (4 * digit) & 0xf) << (4 * place))
    };
    (0..weights.len()).map(|ours| weights[index(ours)]).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::board::PackedAfter;
    use crate::eval::{Evaluator as _, FastEvaluator as _};
    use crate::game::Stream;

    #[test]
    fn errors_of_the_system_are_in_words() {
        let folder = || io::Error::from(ErrorKind::IsADirectory);
        assert_eq!(TdlError::Unreadable(folder()).to_string(), "it cannot be read: it is a folder");
        let memory = TdlError::Memory(folder()).to_string();
        assert_eq!(memory, "not enough memory for the network: it is a folder");
    }

    /// A table in the format of the file: its name, and its weights as bytes of a width.
    struct Written {
        name: [u8; 8],
        width: u16,
        len: u64,
        weights: Vec<u8>,
        /// Fields after the weights: width and bytes.
        fields: Vec<(u16, Vec<u8>)>,
    }

    /// The name as a number with its width.
    fn number(name: &str, width: u16) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&u32::from_str_radix(name, 16).unwrap().to_le_bytes());
        bytes[4..6].copy_from_slice(&width.to_le_bytes());
        bytes
    }

    fn singles(weights: impl IntoIterator<Item = f32>) -> Vec<u8> {
        weights.into_iter().flat_map(f32::to_le_bytes).collect()
    }

    fn table(cells: &str, weights: &[f32]) -> Written {
        Written {
            name: number(cells, cells.len() as u16),
            width: 4,
            len: weights.len() as u64,
            weights: singles(weights.iter().copied()),
            fields: Vec::new(),
        }
    }

    fn file(tables: &[Written]) -> Vec<u8> {
        let mut bytes = vec![0];
        bytes.extend((tables.len() as u32).to_le_bytes());
        for table in tables {
            bytes.push(4);
            bytes.extend(table.name);
            bytes.extend(table.width.to_le_bytes());
            bytes.extend(table.len.to_le_bytes());
            bytes.extend(&table.weights);
            for (width, field) in &table.fields {
                bytes.extend(width.to_le_bytes());
                bytes.extend((field.len() as u64 / u64::from(*width)).to_le_bytes());
                bytes.extend(field);
            }
            bytes.extend([0, 0]);
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Network, TdlError> {
        NetworkFile::from_tdl(&mut Cursor::new(bytes)).map(|file| file.network)
    }

    fn refusal(bytes: &[u8]) -> String {
        read(bytes).expect_err("it is refused").to_string()
    }

    /// Weights of a table of `cells` cells around a mean, with the last one equal to the mean.
    fn weights(seed: u64, cells: u32, mean: f32) -> Vec<f32> {
        let stream = Stream::with_purpose(seed, 77);
        let weight = |place| mean + (stream.draw(place) % 20_001) as f32 / 7.0 - 1428.0;
        let last = 16u64.pow(cells) - 1;
        (0..=last).map(|place| if place == last { mean } else { weight(place) }).collect()
    }

    /// The value of an afterstate as TDL2048+ defines it: for each of the eight images of the board
    /// and each table, the weight whose index has the rank of the first cell as its lowest digit.
    fn value_of(bits: u64, tables: &[(&str, Vec<f32>)]) -> f64 {
        let mut grid: [[u64; 4]; 4] =
            std::array::from_fn(|row| std::array::from_fn(|col| bits >> (4 * (4 * row + col)) & 15));
        let mut value = 0.0;
        for turn in 0..8 {
            for (cells, weights) in tables {
                let ranks = cells.chars().map(|cell| cell.to_digit(16).unwrap() as usize);
                let index: u64 =
                    ranks.enumerate().map(|(digit, cell)| grid[cell / 4][cell % 4] << (4 * digit)).sum();
                value += f64::from(weights[index as usize]);
            }
            // The mirror images of the rows and of the diagonal make all eight.
            grid = if turn % 2 == 0 {
                grid.map(|[a, b, c, d]| [d, c, b, a])
            } else {
                std::array::from_fn(|row| std::array::from_fn(|col| grid[col][row]))
            };
        }
        value
    }

    /// Afterstates in which all ranks up to 14 occur.
    fn afters() -> impl Iterator<Item = u64> {
        let stream = Stream::with_purpose(3, 78);
        (0..500).map(move |number| {
            let bits = stream.draw(2 * number) & stream.draw(2 * number + 1);
            // 15 becomes 14: two tiles of 32768 would be downgraded.
            bits & !((bits & bits >> 1 & bits >> 2 & bits >> 3) & 0x1111_1111_1111_1111)
        })
    }

    #[test]
    fn the_values_are_those_of_the_definition_up_to_the_rounding() {
        for (sets, mean) in [
            (vec!["0123", "4567", "0145"], 0.0),
            // An optimistic start: no weight is near 0. The cells are not in ascending order.
            (vec!["3210", "59a6", "01"], 10_000.0),
        ] {
            let tables: Vec<(&str, Vec<f32>)> = (1..)
                .zip(sets)
                .map(|(seed, cells)| (cells, weights(seed, cells.len() as u32, mean)))
                .collect();
            let written: Vec<Written> = tables.iter().map(|(cells, weights)| table(cells, weights)).collect();
            let network = read(&file(&written)).unwrap();
            // 24 weights are added up, each rounded by at most half a step.
            let most = 24.0 * f64::from(network.weight_scale()) / 2.0 + 0.1;
            assert!(network.weight_scale() <= 0.0625, "the mean does not cost precision");
            for bits in afters() {
                let (value, expected) =
                    (network.evaluate_packed(PackedAfter::from_bits(bits).unwrap()), value_of(bits, &tables));
                assert!(
                    (f64::from(value) - expected).abs() <= most,
                    "{bits:016x}: {value} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn every_way_to_write_the_same_weights_is_read() {
        let weights: Vec<f32> = (0..256u16).map(|number| f32::from(number % 16) * 0.5).rev().collect();
        let plain = file(&[table("01", &weights)]);
        let first = read(&plain).unwrap();
        let with = |change: &dyn Fn(&mut Written)| {
            let mut written = table("01", &weights);
            change(&mut written);
            file(&[written])
        };
        let doubles = || weights.iter().flat_map(|weight| f64::from(*weight).to_le_bytes()).collect();
        // 0, 0.5, 1, ..., 7.5 in the bits of a 16-bit number.
        let halves: [u16; 16] = [
            0x0000, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4300, 0x4400, 0x4480, 0x4500, 0x4580,
            0x4600, 0x4680, 0x4700, 0x4780,
        ];
        let halves =
            || weights.iter().flat_map(|weight| halves[(weight * 2.0) as usize].to_le_bytes()).collect();
        for (bytes, what) in [
            ([b"w", plain.as_slice()].concat(), "the type first"),
            (with(&|table| table.name = number("01", 0)), "no width"),
            (with(&|table| table.name = number("01", 8)), "the width of a first stage"),
            (with(&|table| table.name = *b"01      "), "a name as text"),
            (
                with(&|table| table.fields = vec![(4, vec![1; 2048]), (2, vec![])]),
                "sums of temporal coherence",
            ),
            (with(&|table| (table.width, table.weights) = (8, doubles())), "64 bits"),
            (with(&|table| (table.width, table.weights) = (2, halves())), "16 bits"),
        ] {
            let network = read(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(network.tables().flatten().eq(first.tables().flatten()), "{what}");
            assert_eq!(network.shape(), first.shape(), "{what}");
        }
        assert_eq!((half(0x8001), half(0xc900), half(0x7c00)), (-(2f32.powi(-24)), -10.0, f32::INFINITY));
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn an_imported_network_is_written_and_read_like_any_other() {
        let bytes = file(&[table("0123", &weights(5, 4, 100.0))]);
        let NetworkFile { network, notes } = NetworkFile::from_tdl(&mut Cursor::new(bytes)).unwrap();
        assert_eq!(notes["origin"], "weights of TDL2048+");
        let again = NetworkFile::from_bytes(&NetworkFile::to_bytes(&network, notes)).unwrap().network;
        for bits in afters() {
            let after = PackedAfter::from_bits(bits).unwrap();
            assert_eq!(again.evaluate_packed(after), network.evaluate_packed(after));
        }
        assert!(again.accepts(&"2 0 0/0 0 0/0 0 2".parse().unwrap()).is_err(), "only for 4x4");
    }

    #[test]
    fn what_is_no_network_of_patterns_is_refused_with_the_reason() {
        let small = || table("01", &[1.5; 256]);
        let with = |change: &dyn Fn(&mut Written)| {
            let mut written = small();
            change(&mut written);
            file(&[small(), written])
        };
        let whole = file(&[small()]);
        for (bytes, says) in [
            (Vec::new(), "it is not a weight file of TDL2048+"),
            (b"L2048NET and so on".to_vec(), "it is not a weight file of TDL2048+"),
            (file(&[]), "it is not a weight file of TDL2048+"),
            (b"\xfd7zXZ\0\0\x04".to_vec(), "it is compressed; unpack it first, for example with 'xz -d'"),
            (whole[..whole.len() - 1].to_vec(), "it ends too early, in table 1 of 1"),
            (whole[..40].to_vec(), "it ends too early, in table 1 of 1"),
            (whole[..9].to_vec(), "it ends too early, in table 1 of 1"),
            ([whole.as_slice(), b"c"].concat(), "something follows its last table, from byte 1050"),
            (
                with(&|table| table.name = *b"num@lt  "),
                "its table 'num@lt' does not belong to a pattern of cells; only networks of patterns can be read",
            ),
            (
                with(&|table| table.name = number("10000023", 8)),
                "it has several stages, but not their conditions; only networks with one stage can be read",
            ),
            (
                with(&|table| table.name = number("0123", 4)),
                "its table '0123' has 256 weights, which does not fit its name",
            ),
            (
                with(&|table| table.name = number("1", 1)),
                "its table '1' has 256 weights, which does not fit its name",
            ),
            (with(&|table| table.len = 255), "its table '01' has 255 weights, which does not fit its name"),
            (
                with(&|table| (table.name, table.len) = (number("01234567", 8), 1 << 32)),
                "the pattern '01234567' has more than 7 cells",
            ),
            (with(&|_| ()), "the patterns '01' and '01' are the same up to rotation and reflection"),
            (with(&|table| table.name = number("11", 2)), "the pattern '11' contains the cell '1' twice"),
            (with(&|table| table.width = 3), "its weights take 3 bytes each; 2, 4 and 8 are known"),
            (
                with(&|table| table.weights = singles([f32::NAN; 256])),
                "a weight of its table '01' is not a number of points",
            ),
            (
                with(&|table| table.weights = singles([1e30; 256])),
                "a weight of its table '01' is not a number of points",
            ),
            (
                with(&|table| table.fields = vec![(2, vec![0; 1 << 20])])[..3000].to_vec(),
                "it ends too early, in table 2 of 2",
            ),
        ] {
            assert_eq!(refusal(&bytes), says);
        }
        let import = NetworkFile::from_bytes(&whole).unwrap_err().to_string();
        assert_eq!(import, "it has weights of TDL2048+; make a network of them with 'lab2048 import'");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn damaged_files_are_read_or_refused(
            changes in proptest::collection::vec((0..700usize, any::<u8>()), 0..6),
            cut in proptest::option::of(0..700usize),
        ) {
            let mut bytes = file(&[table("0", &weights(1, 1, 0.0)), table("15", &weights(2, 2, 3.0))]);
            bytes.truncate(cut.unwrap_or(bytes.len()));
            for (place, byte) in changes {
                if let Some(changed) = bytes.get_mut(place) {
                    *changed = byte;
                }
            }
            match read(&bytes) {
                Ok(network) => {
                    let written = NetworkFile::to_bytes(&network, BTreeMap::new());
                    prop_assert!(NetworkFile::from_bytes(&written).is_ok());
                }
                Err(error) => prop_assert!(error.to_string().chars().count() < 300),
            }
        }
    }
}
