//! Decoded networks in files: the weights as they lie in memory, ready to be mapped.
//!
//! First come the weights of all stages and blocks, each block starting at a page. Unused pages are
//! holes, which have no bytes on the disk. The index follows: for every part of every block (2 MB)
//! which pages are used, and the CRC-32 of those pages. At the very end stand the hash of the
//! network file, the version and the CRC-32 of the index.
//!
//! Reading verifies everything, each time, also that unused pages are zero: a map would take
//! whatever is there for weights. That takes 15 ms of CPU time for 256 MB, 1/40 of what decoding
//! takes, and it also brings all used pages into memory before a player starts to think.
//! Verification reads the file instead of its map: damage of the disk and a file that is cut short
//! are then errors, not signals.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::block::Block;
#[cfg(unix)]
use super::memory::next_data;
use super::memory::{PAGE, PART, Short, Shorts, UsedPages};
use super::{Network, Shape};
use crate::parallel;

const MAGIC: &[u8; 8] = b"L2048DEC";
/// The version of this format and of the order of the weights in memory (`ntuple/block.rs`,
/// `ntuple/index.rs`). A change of either needs a new version.
pub(super) const VERSION: u32 = 1;

/// The length of a network hash in hexadecimal.
const HASH: usize = 64;
/// The length of an entry of the index: the used pages of a part and a checksum.
const ENTRY: usize = UsedPages::BYTES + 4;
/// The length of what follows the entries: hash, version, checksum, magic.
const END: usize = HASH + 4 + 4 + MAGIC.len();

/// How the weights of a file are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loading {
    /// The file is mapped. This takes the least time and no memory of its own.
    Map,
    /// The weights are copied into huge pages, which most systems do not use for files.
    Copy,
}

/// Where the weights of a network are in a file.
struct Layout {
    /// Where each block of each stage starts, and its number of weights.
    blocks: Vec<(u64, usize)>,
    /// The number of the first part of each block.
    parts: Vec<usize>,
    /// The number of all parts.
    count: usize,
    /// Where the index starts.
    index: u64,
}

impl Layout {
    fn of(shape: &Shape) -> Layout {
        let mut layout = Layout { blocks: Vec::new(), parts: Vec::new(), count: 0, index: 0 };
        let blocks = Block::divide(&shape.patterns);
        for block in (0..shape.stages.len()).flat_map(|_| &blocks) {
            layout.blocks.push((layout.index, block.len));
            layout.parts.push(layout.count);
            layout.count += block.len.div_ceil(PART);
            layout.index += (size_of::<Short>() * block.len).next_multiple_of(PAGE) as u64;
        }
        layout
    }

    /// The length of the index.
    fn index_len(&self) -> usize {
        ENTRY * self.count + END
    }
}

/// The number of bytes of the weights of a network.
pub(super) fn size(shape: &Shape) -> u64 {
    Layout::of(shape).index
}

/// A part of a block: which pages are used, and their checksum.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    used: UsedPages,
    crc: u32,
}

/// Writes the weights of a network while they are decoded, from several threads.
pub(super) struct Writer<'a> {
    file: &'a File,
    layout: Layout,
    entries: Vec<Mutex<Entry>>,
    failed: Mutex<Option<io::Error>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(file: &'a File, shape: &Shape) -> Writer<'a> {
        let layout = Layout::of(shape);
        let entries = (0..layout.count).map(|_| Mutex::default()).collect();
        Writer { file, layout, entries, failed: Mutex::default() }
    }

    /// Writes a part of a block. Returns false after an error, also after an earlier one.
    pub(super) fn put(&self, block: usize, place: usize, weights: &[Short], used: &UsedPages) -> bool {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed().is_some() {
            return false;
        }
        let bytes = weights.as_flattened();
        let at = self.layout.blocks[block].0 + (size_of::<Short>() * place) as u64;
        let write = |run: Range<usize>| write_at(self.file, &bytes[run.clone()], at + run.start as u64);
        if let Err(error) = used.bytes(bytes.len()).try_for_each(write) {
            *failed() = Some(error);
            return false;
        }
        let mut crc = crc32fast::Hasher::new();
        used.bytes(bytes.len()).for_each(|run| crc.update(&bytes[run]));
        let entry = &self.entries[self.layout.parts[block] + place / PART];
        let crc = crc.finalize();
        *entry.lock().unwrap_or_else(PoisonError::into_inner) = Entry { used: *used, crc };
        true
    }

    /// Writes the index.
    pub(super) fn finish(self, hash: &str) -> io::Result<()> {
        if let Some(error) = self.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut index = Vec::new();
        for entry in self.entries {
            let Entry { used, crc } = entry.into_inner().unwrap_or_else(PoisonError::into_inner);
            index.extend(used.to_bytes());
            index.extend(crc.to_le_bytes());
        }
        index.extend(hash.as_bytes());
        index.extend(VERSION.to_le_bytes());
        index.extend(crc32fast::hash(&index).to_le_bytes());
        index.extend(MAGIC);
        write_at(self.file, &index, self.layout.index)
    }
}

/// Reads a decoded network. `hash` is that of its network file. Everything is verified; an error
/// says that the file cannot be used.
pub(super) fn read(file: &File, shape: Shape, unit: f32, hash: &str, how: Loading) -> io::Result<Network> {
    let layout = Layout::of(&shape);
    let entries = read_index(file, &layout, hash)?;
    let blocks = || layout.blocks.iter().zip(&layout.parts);
    let of_block = |first: usize, len: usize| &entries[first..first + len.div_ceil(PART)];
    let weights = match how {
        Loading::Map => {
            verify(file, &layout, &entries)?;
            let map = |(&(at, len), &first): (&(u64, usize), &usize)| {
                let parts = of_block(first, len).iter().enumerate();
                let used: Vec<Range<usize>> = parts
                    .flat_map(|(number, entry)| {
                        let start = number * PART * size_of::<Short>();
                        entry
                            .used
                            .bytes(size_of::<Short>() * len.min(PART))
                            .map(move |run| start + run.start..start + run.end)
                    })
                    .collect();
                map(file, at, len, &used)
            };
            blocks().map(map).collect::<io::Result<_>>()?
        }
        Loading::Copy => {
            let mut weights: Vec<Shorts> =
                layout.blocks.iter().map(|&(_, len)| Shorts::zeroed(len)).collect::<io::Result<_>>()?;
            let mut jobs = Vec::new();
            for ((&(at, len), &first), weights) in blocks().zip(&mut weights) {
                for (number, entry) in of_block(first, len).iter().enumerate() {
                    weights.expect(number * PART, len.min(PART), &entry.used);
                }
                let parts = weights.as_mut_slice().chunks_mut(PART).zip(of_block(first, len)).enumerate();
                jobs.extend(parts.map(|(number, (part, entry))| {
                    (at + (number * PART * size_of::<Short>()) as u64, entry, part)
                }));
            }
            all_sound(jobs.into_iter(), || {
                |(at, entry, part): (u64, &Entry, &mut [Short])| read_part(file, at, entry, part)
            })?;
            weights
        }
    };
    Ok(Network::new(shape, unit, weights, Some(hash.to_owned())))
}

/// Reads the index and verifies that it is whole and that of this network.
fn read_index(file: &File, layout: &Layout, hash: &str) -> io::Result<Vec<Entry>> {
    let len = layout.index_len();
    let found = file.metadata()?;
    if !found.is_file() || found.len() != layout.index + len as u64 {
        return Err(damaged());
    }
    let mut index = vec![0; len];
    read_at(file, &mut index, layout.index)?;
    let (body, end) = index.split_at(len - MAGIC.len() - 4);
    let (entries, end_of_body) = body.split_at(ENTRY * layout.count);
    let expected = [&crc32fast::hash(body).to_le_bytes(), MAGIC.as_slice()].concat();
    if end != expected || end_of_body != [hash.as_bytes(), &VERSION.to_le_bytes()].concat() {
        return Err(damaged());
    }
    let (entries, _) = entries.as_chunks::<ENTRY>();
    let entry = |bytes: &[u8; ENTRY]| {
        let (used, crc) = bytes.split_first_chunk().expect("an entry starts with the used pages");
        let crc = u32::from_le_bytes(crc.try_into().expect("four bytes follow"));
        Entry { used: UsedPages::from_bytes(used), crc }
    };
    Ok(entries.iter().map(entry).collect())
}

/// Verifies all parts.
fn verify(file: &File, layout: &Layout, entries: &[Entry]) -> io::Result<()> {
    let blocks = layout.blocks.iter().zip(&layout.parts);
    let jobs = blocks.flat_map(|(&(at, len), &first)| {
        let parts = entries[first..first + len.div_ceil(PART)].iter().enumerate();
        parts.map(move |(number, entry)| {
            (at + (number * PART * size_of::<Short>()) as u64, entry, len.min(PART))
        })
    });
    all_sound(jobs, || {
        let mut buffer = Vec::new();
        move |(at, entry, len): (u64, &Entry, usize)| {
            buffer.resize(len, Short::default());
            read_part(file, at, entry, &mut buffer)
        }
    })
}

/// Runs jobs on all cores until one of them fails.
fn all_sound<J, W: FnMut(J) -> io::Result<()>>(
    jobs: impl Iterator<Item = J> + Send,
    make: impl Fn() -> W + Sync,
) -> io::Result<()> {
    let sound = AtomicBool::new(true);
    parallel::for_each(jobs, parallel::cores(), || {
        let (mut work, sound) = (make(), &sound);
        move |job| {
            if sound.load(Ordering::Relaxed) && work(job).is_err() {
                sound.store(false, Ordering::Relaxed);
            }
        }
    });
    if sound.into_inner() { Ok(()) } else { Err(damaged()) }
}

/// Reads the used pages of a part and verifies them, and that the others are zero.
fn read_part(file: &File, at: u64, entry: &Entry, part: &mut [Short]) -> io::Result<()> {
    let bytes = part.as_flattened_mut();
    let mut crc = crc32fast::Hasher::new();
    for run in entry.used.bytes(bytes.len()) {
        read_at(file, &mut bytes[run.clone()], at + run.start as u64)?;
        crc.update(&bytes[run]);
    }
    if crc.finalize() != entry.crc {
        return Err(damaged());
    }
    entry.used.unused_bytes(bytes.len()).try_for_each(|run| {
        let (start, end) = (at + run.start as u64, at + run.end as u64);
        if is_zero(file, start..end)? { Ok(()) } else { Err(damaged()) }
    })
}

/// Whether these bytes of a file are zero. Holes are not read. Some file systems have no holes, and
/// others only larger ones than a page.
#[cfg(unix)]
fn is_zero(file: &File, bytes: Range<u64>) -> io::Result<bool> {
    let mut buffer = [0; 16 * PAGE];
    let mut next = bytes.start;
    while let Some(data) = next_data(file, next).filter(|&data| data < bytes.end) {
        let len = (bytes.end - data).min(buffer.len() as u64);
        let found = &mut buffer[..len as usize];
        read_at(file, found, data)?;
        if found.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        next = data + len;
    }
    Ok(true)
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(unix)]
fn map(file: &File, at: u64, len: usize, used: &[Range<usize>]) -> io::Result<Shorts> {
    Shorts::mapped(file, at, len, used)
}

// Other systems decode each time.

#[cfg(not(unix))]
fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn is_zero(_: &File, _: Range<u64>) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn map(_: &File, _: u64, _: usize, _: &[Range<usize>]) -> io::Result<Shorts> {
    Err(io::ErrorKind::Unsupported.into())
}
