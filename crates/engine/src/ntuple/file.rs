//! Network files: a trained network as bytes. The format is described in
//! `docs/reference/network-format.md`.

use std::collections::BTreeMap;
use std::io;
#[cfg(feature = "files")]
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::hash;

use super::block::Block;
use super::memory::UsedPages;
use super::squeeze::{Unsqueezed, squeeze, unsqueeze};
use super::{Network, Shape, Short};
#[cfg(feature = "files")]
use crate::files::{FileError, read_limited, write_whole};
use crate::parallel;
use crate::text::in_words;

const MAGIC: &[u8; 8] = b"L2048NET";
const VERSION: u32 = 2;
/// The maximal size of a file.
#[cfg(feature = "files")]
const MAX_BYTES: u64 = 1 << 30;

/// Why a network cannot be read.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// The file cannot be read or written.
    #[cfg(feature = "files")]
    #[error(transparent)]
    File(#[from] FileError),
    /// The data is not a network.
    #[error("it is not a network of lab2048")]
    Foreign,
    /// The data is weights of another program that can be imported.
    #[error("it has weights of TDL2048+; make a network of them with 'lab2048 import'")]
    Importable,
    /// A later version of the program wrote it.
    #[error("it has the network format {0}; this program reads format {VERSION}")]
    Version(u32),
    /// The content is wrong.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// Extra data follows the end, from this byte, counted from 0.
    #[error("it is damaged: extra data after its end, from byte {0}")]
    TooLong(usize),
    /// There is not enough memory.
    #[error("not enough memory for the network: {}", in_words(.0))]
    Memory(#[source] io::Error),
}

/// The header of a network file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) shape: Shape,
    /// The value of a weight of 1, in points.
    pub(super) unit: f32,
    /// The origin of the network: patterns, recipe, moves trained. The notes are for people, and
    /// for `train --from`, which reads how the weights were rounded. Players do not need them.
    notes: BTreeMap<String, String>,
}

/// A network from a file or from bytes, with its notes.
#[derive(Debug)]
pub struct NetworkFile {
    /// The network. Records name it by its hash, the SHA-256 of the file.
    pub network: Network,
    /// The origin of the network.
    pub notes: BTreeMap<String, String>,
}

impl NetworkFile {
    /// Encodes the network.
    pub fn to_bytes(network: &Network, notes: BTreeMap<String, String>) -> Vec<u8> {
        let header = Header { shape: network.shape().clone(), unit: network.weight_scale(), notes };
        let header = serde_json::to_vec(&header).expect("a header is plain data");
        let mut bytes = MAGIC.to_vec();
        put_words(&mut bytes, &[VERSION, header.len() as u32, crc32fast::hash(&header)]);
        bytes.extend_from_slice(&header);
        for (cells, weights) in tables_of(network.shape()).into_iter().zip(network.tables()) {
            let table = squeeze(&weights.collect::<Vec<_>>(), cells);
            put_words(&mut bytes, &[table.len() as u32, crc32fast::hash(&table)]);
            bytes.extend(table);
        }
        bytes
    }

    /// Decodes a network.
    pub fn from_bytes(bytes: &[u8]) -> Result<NetworkFile, NetworkError> {
        let (header, squeezed) = parse(bytes)?;
        let Header { shape, unit, notes } = header;
        let hash = Self::hash(bytes);
        Ok(NetworkFile { network: in_memory(shape, unit, hash, &squeezed)?, notes })
    }

    /// The hash that identifies the network of these bytes.
    pub fn hash(bytes: &[u8]) -> String {
        hash::hex_of(bytes)
    }
}

#[cfg(feature = "files")]
impl NetworkFile {
    /// The unchecked bytes of a network file.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
        read_limited(path, MAX_BYTES)
    }

    /// Reads a network file.
    pub fn read(path: &Path) -> Result<NetworkFile, NetworkError> {
        Self::from_bytes(&Self::read_bytes(path)?)
    }

    /// The notes of a network file. The whole file is checked, but its tables are not decoded.
    pub fn read_notes(path: &Path) -> Result<BTreeMap<String, String>, NetworkError> {
        Ok(parse(&Self::read_bytes(path)?)?.0.notes)
    }

    /// Writes a network file atomically.
    pub fn write(path: &Path, network: &Network, notes: BTreeMap<String, String>) -> Result<(), FileError> {
        let bytes = Self::to_bytes(network, notes);
        write_whole(path, |out| out.write_all(&bytes))
    }
}

/// A compressed table: its number of cells and its bytes.
pub(super) type Squeezed<'a> = (usize, &'a [u8]);

/// Splits a file into its parts and checks it.
pub(super) fn parse(bytes: &[u8]) -> Result<(Header, Vec<Squeezed<'_>>), NetworkError> {
    let foreign =
        || if NetworkFile::is_tdl(bytes) { NetworkError::Importable } else { NetworkError::Foreign };
    let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(foreign)?;
    let version = take_word(&mut rest)?;
    if version != VERSION {
        return Err(NetworkError::Version(version));
    }
    let header = take_checked(&mut rest, "the checksum of its header is wrong")?;
    let header: Header =
        serde_json::from_slice(header).map_err(|_| NetworkError::Damaged("its header cannot be parsed"))?;
    let Header { shape, unit, .. } = &header;
    let sound = shape.start_value.is_finite() && *unit > 0.0 && (unit * f32::from(i16::MAX)).is_finite();
    if !(1..=15).contains(&shape.top) || !sound {
        return Err(NetworkError::Damaged("its header has impossible values"));
    }
    let mut squeezed = Vec::new();
    for cells in tables_of(shape) {
        squeezed.push((cells, take_checked(&mut rest, "the checksum of a table is wrong")?));
    }
    if !rest.is_empty() {
        return Err(NetworkError::TooLong(bytes.len() - rest.len()));
    }
    Ok((header, squeezed))
}

/// The number of cells of each table, stage by stage.
fn tables_of(shape: &Shape) -> Vec<usize> {
    let stage = || shape.patterns.list().iter().map(|pattern| pattern.cells().len());
    (0..shape.stages.len()).flat_map(|_| stage()).collect()
}

/// Decodes a network into memory.
pub(super) fn in_memory(
    shape: Shape,
    unit: f32,
    hash: String,
    squeezed: &[Squeezed<'_>],
) -> Result<Network, NetworkError> {
    let blocks = Block::divide(&shape.patterns);
    let mut weights = Network::zeroed(&shape, &blocks).map_err(NetworkError::Memory)?;
    decode(&shape, &blocks, squeezed, weights.iter_mut(), |_, memory, place, part, used| {
        memory.put(place, part, used);
        true
    });
    Ok(Network::new(shape, unit, weights, Some(hash)))
}

/// Decodes the tables on all cores. This takes nearly all of the loading time. `targets` has one
/// item for each block of each stage. `take` gets the number of a block, its target, and a part of
/// its weights: their place, the weights, and the used pages. If it returns false, no
/// other part is decoded.
pub(super) fn decode<T: Send>(
    shape: &Shape,
    blocks: &[Block],
    squeezed: &[Squeezed<'_>],
    targets: impl Iterator<Item = T> + Send,
    take: impl Fn(usize, &mut T, usize, &[Short], &UsedPages) -> bool + Sync,
) {
    let patterns = shape.patterns.list().len();
    let wanted = AtomicBool::new(true);
    parallel::for_each(targets.enumerate(), parallel::cores(), || {
        let mut tables = [Unsqueezed::default(), Unsqueezed::default()];
        let (take, wanted) = (&take, &wanted);
        move |(number, mut target)| {
            let (stage, block) = (number / blocks.len(), &blocks[number % blocks.len()]);
            let of_block = block.patterns().map(|pattern| squeezed[stage * patterns + pattern]);
            for ((cells, bytes), table) in of_block.zip(&mut tables) {
                if wanted.load(Ordering::Relaxed) {
                    unsqueeze(bytes, cells, table);
                }
            }
            if wanted.load(Ordering::Relaxed) {
                block.assemble(&shape.patterns, &tables, |place, part, used| {
                    if wanted.load(Ordering::Relaxed) && !take(number, &mut target, place, part, used) {
                        wanted.store(false, Ordering::Relaxed);
                    }
                });
            }
        }
    });
}

fn put_words(bytes: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

fn take_word(rest: &mut &[u8]) -> Result<u32, NetworkError> {
    let (word, others) = rest.split_first_chunk::<4>().ok_or(NetworkError::Damaged("it ends too early"))?;
    *rest = others;
    Ok(u32::from_le_bytes(*word))
}

/// Reads bytes that follow their length and checksum.
fn take_checked<'a>(rest: &mut &'a [u8], wrong: &'static str) -> Result<&'a [u8], NetworkError> {
    let (len, crc) = (take_word(rest)? as usize, take_word(rest)?);
    let (bytes, others) = rest.split_at_checked(len).ok_or(NetworkError::Damaged("it ends too early"))?;
    *rest = others;
    if crc32fast::hash(bytes) == crc { Ok(bytes) } else { Err(NetworkError::Damaged(wrong)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{PackedAfter, Size};
    use crate::eval::{Evaluator as _, FastEvaluator};
    use crate::game::Stream;
    use crate::ntuple::{Patterns, Stages};

    fn small() -> Network {
        let shape = Shape {
            patterns: Patterns::parse(Size::FOUR, "0123 0145 05").unwrap(),
            stages: "16384".parse::<Stages>().unwrap(),
            top: 14,
            start_value: 7.5,
        };
        let stream = Stream::with_purpose(11, 12);
        let weight = |place| if place % 3 == 0 { stream.draw(place) as i16 >> (place % 7) } else { 0 };
        let tables = tables_of(&shape);
        let table = |number: usize| (0..1 << (4 * tables[number])).map(weight).collect();
        Network::from_weights(shape, 0.25, table).unwrap()
    }

    fn bytes() -> Vec<u8> {
        NetworkFile::to_bytes(&small(), BTreeMap::from([("recipe".to_owned(), "none".to_owned())]))
    }

    #[test]
    fn a_network_comes_back_from_its_bytes() {
        let (network, bytes) = (small(), bytes());
        let file = NetworkFile::from_bytes(&bytes).unwrap();
        assert!(file.network.tables().flatten().eq(network.tables().flatten()));
        assert_eq!(file.network.weight_scale(), network.weight_scale());
        assert_eq!(file.network.shape(), network.shape());
        assert_eq!(file.notes["recipe"], "none");
        assert_eq!(file.network.fingerprint().map(str::len), Some(64));
        let stream = Stream::with_purpose(13, 14);
        for number in 0..1000 {
            let after = PackedAfter::from_bits(stream.draw(number)).unwrap();
            assert_eq!(file.network.evaluate_packed(after), network.evaluate_packed(after));
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_refused_with_a_reason() {
        let whole = bytes();
        let refusal = |bytes: &[u8]| NetworkFile::from_bytes(bytes).unwrap_err().to_string();
        assert_eq!(refusal(b"PNG and so on"), "it is not a network of lab2048");
        assert_eq!(refusal(&[]), "it is not a network of lab2048");
        let mut later = whole.clone();
        later[8] = 9;
        assert_eq!(refusal(&later), "it has the network format 9; this program reads format 2");
        for len in [8, 11, 15, 30, 200, whole.len() / 2, whole.len() - 1] {
            assert!(refusal(&whole[..len]).starts_with("it is damaged"), "cut to {len}");
        }
        for place in (12..whole.len()).step_by(97) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            assert!(refusal(&damaged).starts_with("it is damaged"), "changed at {place}");
        }
        assert_eq!(
            refusal(&[whole.as_slice(), &[0; 3]].concat()),
            format!("it is damaged: extra data after its end, from byte {}", whole.len())
        );
    }
}
