//! Tables: the values of a sub-game's afterstates, in a file or in memory. The format is described
//! in `docs/reference/table-format.md`.

use std::fmt;
use std::io;
#[cfg(feature = "files")]
use std::path::Path;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::exact::{Moves, moves_of};
use super::keys::{Keys, LayerKeys};
use super::layer::{DamagedLayer, StoredLayer, ValueKind};
use super::{Estimate, Goal, PositionCounts, SubGame};
use crate::board::Grid;
use crate::game::Rules;
use crate::hash::hex;
use crate::text::in_words;

pub(super) const MAGIC: &[u8; 8] = b"L2048TAB";
const VERSION: u32 = 1;
/// Magic, version, four bytes of zero.
pub(super) const HEAD: usize = 16;
/// The length of the header, its checksum, the magic.
const TAIL: usize = 8 + 4 + 8;
/// Far larger than any real header, which has a line for each layer.
const MAX_HEADER: u64 = 16 << 20;

/// Why a table cannot be used.
#[derive(Debug, Error)]
pub enum TableError {
    /// The file cannot be opened.
    #[error("{}", in_words(.0))]
    Io(#[from] io::Error),
    /// The data is not a table.
    #[error("it is not a table of lab2048")]
    Foreign,
    /// A later version of the program wrote it.
    #[error("it has the table format {0}; this program reads format {VERSION}")]
    Version(u32),
    /// The content is wrong.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
}

impl From<DamagedLayer> for TableError {
    fn from(_: DamagedLayer) -> TableError {
        TableError::Damaged("a layer has the wrong checksum")
    }
}

/// What a table says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableInfo {
    /// The sub-game.
    pub game: SubGame,
    /// How values are stored.
    pub values: ValueKind,
    /// Chances of at most this are not stored.
    pub keep: f64,
    /// The value of the start, see [`Solution::start`](super::Solution::start).
    pub start: f64,
    /// The number of positions of the sub-game.
    pub counts: PositionCounts,
    /// The number of afterstates in the table.
    pub stored: u64,
}

/// The header of a file, which stands at its end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    info: TableInfo,
    layers: Vec<LayerEntry>,
}

/// Where a layer is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayerEntry {
    /// The tile sum, in twos.
    pub(super) sum: u32,
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) stored: u64,
    pub(super) crc: u32,
}

/// The values of a sub-game, ready to be looked up.
pub struct Table {
    bytes: Bytes,
    info: TableInfo,
    hash: String,
    keys: Keys,
    pub(super) moves: Box<dyn Moves>,
    /// The board with nothing but its walls, as it is shown.
    pub(super) walls: Grid,
    /// By tile sum, in twos.
    layers: Vec<Option<OpenLayer>>,
}

/// A layer, whose checksum is verified when it is first used.
struct OpenLayer {
    entry: LayerEntry,
    keys: OnceLock<Result<LayerKeys, DamagedLayer>>,
}

/// The content of a file.
enum Bytes {
    Owned(Vec<u8>),
    #[cfg(feature = "files")]
    Mapped(memmap2::Mmap),
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes) => bytes,
            #[cfg(feature = "files")]
            Bytes::Mapped(map) => map,
        }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("info", &self.info).field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// The beginning of a file.
pub(super) fn head() -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// The end of a file.
pub(super) fn tail(info: TableInfo, layers: Vec<LayerEntry>) -> Vec<u8> {
    let header = Header { info, layers };
    let mut bytes = serde_json::to_vec(&header).expect("a header can be written as JSON");
    let (len, crc) = (bytes.len() as u64, crc32fast::hash(&bytes));
    bytes.extend(len.to_le_bytes());
    bytes.extend(crc.to_le_bytes());
    bytes.extend(MAGIC);
    bytes
}

impl Table {
    /// Opens a table file as a memory map. Only its header is read and verified; each layer is
    /// verified when it is first used.
    #[cfg(feature = "files")]
    #[allow(unsafe_code)]
    pub fn open(path: &Path) -> Result<Table, TableError> {
        // Checked before opening, which would wait for the other end of a pipe.
        if !std::fs::metadata(path)?.is_file() {
            return Err(TableError::Foreign);
        }
        let file = std::fs::File::open(path)?;
        // SAFETY: the bytes are only read, and every access is checked against the length of the
        // map. Table files are never written in place: a new one is renamed over the old one, which
        // stays as it was for this map. There is no safe interface to memory maps, and reading a
        // table of gigabytes instead would take its whole size in memory.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Table::new(Bytes::Mapped(map))
    }

    /// A table from the content of its file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Table, TableError> {
        Table::new(Bytes::Owned(bytes))
    }

    fn new(bytes: Bytes) -> Result<Table, TableError> {
        let all = bytes.as_slice();
        let (head, _) = all.split_at_checked(HEAD).ok_or(TableError::Foreign)?;
        if &head[..8] != MAGIC {
            return Err(TableError::Foreign);
        }
        let version = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
        if version != VERSION {
            return Err(TableError::Version(version));
        }
        if *head != self::head() {
            return Err(TableError::Damaged("its beginning is not valid"));
        }
        let cut = TableError::Damaged("its end is missing");
        let start = all.len().checked_sub(TAIL).filter(|&start| start >= HEAD).ok_or(cut)?;
        let tail = &all[start..];
        let len = u64::from_le_bytes(tail[..8].try_into().expect("eight bytes"));
        let crc = u32::from_le_bytes(tail[8..12].try_into().expect("four bytes"));
        if &tail[12..] != MAGIC || len > MAX_HEADER || len > (start - HEAD) as u64 {
            return Err(TableError::Damaged("its end is missing"));
        }
        let text = &all[start - len as usize..start];
        if crc32fast::hash(text) != crc {
            return Err(TableError::Damaged("the header has the wrong checksum"));
        }
        let header: Header =
            serde_json::from_slice(text).map_err(|_| TableError::Damaged("the header is not valid"))?;
        // The numbering of such a sub-game could fill the memory.
        Estimate::of(&header.info.game).map_err(|_| TableError::Damaged("no table can hold its sub-game"))?;
        let keys = Keys::new(&header.info.game);
        let layers = place(&header, &keys, (start as u64) - len)?;
        let hash = hex(Sha256::new_with_prefix(text));
        let (moves, walls) = (moves_of(&header.info.game), header.info.game.shown_walls());
        Ok(Table { info: header.info, hash, keys, moves, walls, layers, bytes })
    }

    /// What the table says about itself.
    pub fn info(&self) -> &TableInfo {
        &self.info
    }

    /// The sub-game.
    pub fn game(&self) -> &SubGame {
        &self.info.game
    }

    /// The rules of its games.
    pub fn rules(&self) -> Rules {
        Rules { size: self.game().size(), four: self.game().four(), ..Rules::default() }
    }

    /// The hash that identifies the table in records: the SHA-256 of its header, which has the
    /// checksum of every layer.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.as_slice().len() as u64
    }

    /// Whether values are expected points; otherwise they are chances.
    pub fn counts_points(&self) -> bool {
        self.info.game.goal() == Goal::Score
    }

    /// Verifies the checksums of all layers.
    pub fn verify(&self) -> Result<(), TableError> {
        self.layers.iter().flatten().try_for_each(|layer| Ok(self.verify_layer(layer.entry)?))
    }

    /// The value of a folded afterstate; `None` if the table does not hold it.
    pub(super) fn value(&self, bits: u64) -> Result<Option<f64>, TableError> {
        if !self.keys.are_for(bits) {
            return Ok(None);
        }
        let sum = self.keys.sum_of(bits);
        let Some(Some(layer)) = self.layers.get(sum as usize) else { return Ok(None) };
        let keys = self.keys_of(layer)?;
        Ok(self.stored(layer).value(self.keys.number(keys, bits)))
    }

    /// The tile sums of the layers that hold something, with the number of their positions.
    pub fn layers(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let entries = self.layers.iter().flatten().map(|layer| layer.entry);
        entries.filter(|entry| entry.stored > 0).map(|entry| (2 * entry.sum, entry.stored))
    }

    /// The packed bits and the value of one of the positions of a layer, counted from 0.
    pub(super) fn nth(&self, sum: u32, place: u64) -> Result<Option<(u64, f64)>, TableError> {
        let Some(Some(layer)) = self.layers.get(sum as usize / 2) else { return Ok(None) };
        let keys = self.keys_of(layer)?;
        let found = self.stored(layer).nth(place).filter(|&(number, _)| number < keys.len());
        Ok(found.map(|(number, value)| (self.keys.reader(keys).bits(number), value)))
    }

    /// The packed bits and the value of one of all stored positions, counted from 0.
    pub(super) fn nth_of_all(&self, mut place: u64) -> Result<Option<(u64, f64)>, TableError> {
        for (sum, stored) in self.layers() {
            match place.checked_sub(stored) {
                Some(rest) => place = rest,
                None => return self.nth(sum, place),
            }
        }
        Ok(None)
    }

    fn stored(&self, layer: &OpenLayer) -> StoredLayer<'_> {
        StoredLayer::new(self.bytes_of(layer.entry), self.info.values, self.keys.count(layer.entry.sum))
    }

    fn bytes_of(&self, LayerEntry { offset, bytes, .. }: LayerEntry) -> &[u8] {
        &self.bytes.as_slice()[offset as usize..(offset + bytes) as usize]
    }

    fn verify_layer(&self, entry: LayerEntry) -> Result<(), DamagedLayer> {
        if crc32fast::hash(self.bytes_of(entry)) == entry.crc { Ok(()) } else { Err(DamagedLayer) }
    }

    /// The numbering of a layer, once its checksum was verified.
    fn keys_of<'a>(&self, layer: &'a OpenLayer) -> Result<&'a LayerKeys, DamagedLayer> {
        let keys = layer.keys.get_or_init(|| {
            self.verify_layer(layer.entry)?;
            Ok(self.keys.layer(layer.entry.sum))
        });
        keys.as_ref().map_err(|error| *error)
    }
}

/// The layers by their sums, if they follow one another up to `end` and can hold what they should.
fn place(header: &Header, keys: &Keys, end: u64) -> Result<Vec<Option<OpenLayer>>, TableError> {
    let wrong = || TableError::Damaged("the header is not valid");
    let (mut next, mut stored) = (HEAD as u64, 0);
    let mut layers: Vec<Option<OpenLayer>> = Vec::new();
    for &entry in &header.layers {
        let count = if entry.sum <= keys.largest_sum() { keys.count(entry.sum) } else { u64::MAX };
        let has_room = count <= u64::from(u32::MAX) && StoredLayer::fits(entry.bytes, count);
        if entry.offset != next || entry.bytes > end - next || !has_room || entry.stored > count {
            return Err(wrong());
        }
        next += entry.bytes;
        stored += entry.stored;
        let place = entry.sum as usize;
        if layers.len() <= place {
            layers.resize_with(place + 1, || None);
        }
        if layers[place].replace(OpenLayer { entry, keys: OnceLock::new() }).is_some() {
            return Err(wrong());
        }
    }
    let TableInfo { values, stored: all, ref game, .. } = header.info;
    if next != end || stored != all || values != ValueKind::of(game.goal()) {
        return Err(wrong());
    }
    Ok(layers)
}
