//! Checkpoints: a training run as a file, from which it goes on, on this machine or another.
//!
//! The format is described in `docs/reference/network-format.md`. A checkpoint is written under a
//! temporary name and then renamed; the one before is kept beside it as `.previous`. So whatever
//! happens, a complete one is there.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::rule::Rule;
use super::tables::Tables;
use super::trainer::Trainer;
use super::{Progress, Recipe};
use crate::files::{FileError, numbered, rename_to_free, write_whole};

const MAGIC: &[u8; 8] = b"L2048TRN";
const VERSION: u32 = 1;
/// The words of one block; a multiple of 3, so that no weight is torn.
const BLOCK: usize = 3 << 16;
/// Far more than any header has: stages times thousands of boards.
const MAX_HEADER: u32 = 64 << 20;
const END: u32 = u32::MAX;

/// Why a checkpoint cannot be read or written.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system says no.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// It could not be written; the one before is still there.
    #[error(transparent)]
    Write(#[from] FileError),
    /// There is nothing worth writing; the one before is still there.
    #[error("the weights have grown beyond all numbers, so nothing more was written; a lower --rate learns")]
    Diverged,
    /// Another kind of file.
    #[error("{} is not a training checkpoint of lab2048", .0.display())]
    Foreign(PathBuf),
    /// Written by a later version.
    #[error("{} has the checkpoint format {version}; this program reads format {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Not what was written.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: &'static str,
    },
    /// Something follows what was written.
    #[error("{} is damaged: there is more after its end, from byte {offset} on", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The first byte that does not belong to it, counted from 0.
        offset: u64,
    },
}

impl CheckpointError {
    /// Whether there is nothing to go on from, so that the checkpoint before is the better one. One
    /// that this program or this user only cannot read is as good as ever.
    fn is_lost(&self) -> bool {
        match self {
            CheckpointError::Io { error, .. } => error.kind() == io::ErrorKind::NotFound,
            CheckpointError::Damaged { .. } | CheckpointError::Foreign(_) => true,
            // Everything that was written is there before the end.
            CheckpointError::TooLong { .. } => false,
            CheckpointError::Write(_) | CheckpointError::Diverged | CheckpointError::Version { .. } => false,
        }
    }
}

/// What a checkpoint says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingFile {
    /// What is trained, and how.
    pub recipe: Recipe,
    /// How far.
    pub progress: Progress,
    /// Where the threads start their next games: afterstates as packed bits, 0 for anew.
    pub pending: Vec<u64>,
    /// Afterstates on which games entered the later stages.
    #[serde(default)]
    pub entries: Vec<Vec<u64>>,
    /// The number of words.
    pub words: u64,
}

/// The file of the checkpoint before the one at `path`.
fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous")
}

/// Loads the checkpoint at a path. If it is lost, loads the one before and tells why. The rest of
/// the lost one is renamed to the first free name of `.damaged`, `-2.damaged`, ...: in its old
/// place it would become the checkpoint before the next one.
pub(super) fn with_this_or_before<T, E: From<CheckpointError>>(
    path: &Path,
    load: impl Fn(&Path) -> Result<T, E>,
    reason: impl Fn(E) -> Result<CheckpointError, E>,
) -> Result<(T, Option<CheckpointError>), E> {
    let lost = match load(path).map_err(reason) {
        Ok(loaded) => return Ok((loaded, None)),
        Err(Ok(error)) if error.is_lost() => error,
        Err(Ok(error)) => return Err(error.into()),
        Err(Err(other)) => return Err(other),
    };
    let Ok(loaded) = load(&previous(path)) else { return Err(lost.into()) };
    if path.exists() {
        let damaged = path.with_extension("damaged");
        let aside = rename_to_free(path, (1..).map(|number| numbered(&damaged, number)));
        aside.map_err(|error| CheckpointError::Io { path: path.to_owned(), error })?;
    }
    Ok((loaded, Some(lost)))
}

impl TrainingFile {
    /// What a checkpoint says about itself.
    pub fn open(path: &Path) -> Result<TrainingFile, CheckpointError> {
        Source::open(path).map(|source| source.header)
    }
}

/// A checkpoint whose header has been read.
struct Source {
    path: PathBuf,
    input: BufReader<File>,
    header: TrainingFile,
    /// How many bytes of the file have been read.
    offset: u64,
}

impl Source {
    fn open(path: &Path) -> Result<Source, CheckpointError> {
        let io = |error| CheckpointError::Io { path: path.to_owned(), error };
        let damaged = |reason| CheckpointError::Damaged { path: path.to_owned(), reason };
        let cut = |_| damaged("it ends too early");
        let mut input = BufReader::with_capacity(1 << 20, File::open(path).map_err(io)?);
        let mut magic = [0; 8];
        if input.read_exact(&mut magic).is_err() || &magic != MAGIC {
            return Err(CheckpointError::Foreign(path.to_owned()));
        }
        let version = word(&mut input).map_err(cut)?;
        if version != VERSION {
            return Err(CheckpointError::Version { path: path.to_owned(), version });
        }
        let (len, crc) = (word(&mut input).map_err(cut)?, word(&mut input).map_err(cut)?);
        if len > MAX_HEADER {
            return Err(damaged("its header is too long"));
        }
        let mut header = vec![0; len as usize];
        input.read_exact(&mut header).map_err(cut)?;
        if crc32fast::hash(&header) != crc {
            return Err(damaged("its header does not have the right checksum"));
        }
        let header: TrainingFile =
            serde_json::from_slice(&header).map_err(|_| damaged("its header cannot be understood"))?;
        let shape = &header.recipe.shape;
        /// No run counts so far.
        const MOST: u64 = 1 << 60;
        let Progress { episodes, games, moves, seconds } = header.progress;
        if [episodes, games, moves].iter().any(|&count| count > MOST)
            || !(0.0..1e18).contains(&seconds)
            || !(1..=15).contains(&shape.top)
            || !shape.start_value.is_finite()
        {
            return Err(damaged("its header has impossible values"));
        }
        let offset = (MAGIC.len() + 3 * 4) as u64 + u64::from(len);
        Ok(Source { path: path.to_owned(), input, header, offset })
    }

    /// Reads the blocks; `take` is given the first word's place and the bytes.
    fn blocks(mut self, mut take: impl FnMut(usize, &[u8]) -> bool) -> Result<(), CheckpointError> {
        let damaged = |reason| CheckpointError::Damaged { path: self.path.clone(), reason };
        let cut = |_| damaged("it ends too early");
        let mut seen = 0;
        loop {
            let (number, len, crc) = (
                word(&mut self.input).map_err(cut)?,
                word(&mut self.input).map_err(cut)?,
                word(&mut self.input).map_err(cut)?,
            );
            self.offset += 3 * 4;
            if number == END {
                return match (len == seen, crc) {
                    (false, _) => Err(damaged("blocks are missing")),
                    (true, 0) => self.end(),
                    (true, _) => Err(damaged("its end is not as it should be")),
                };
            }
            if len as usize > 2 * 4 * BLOCK {
                return Err(damaged("a block is too long"));
            }
            let mut packed = vec![0; len as usize];
            self.input.read_exact(&mut packed).map_err(cut)?;
            if crc32fast::hash(&packed) != crc {
                return Err(damaged("a block does not have the right checksum"));
            }
            let bytes = zstd::bulk::decompress(&packed, 4 * BLOCK)
                .map_err(|_| damaged("a block cannot be unpacked"))?;
            if !take(number as usize * BLOCK, &bytes) {
                return Err(damaged("a block does not belong to the network"));
            }
            self.offset += u64::from(len);
            seen += 1;
        }
    }

    /// Makes sure that nothing follows.
    fn end(mut self) -> Result<(), CheckpointError> {
        match self.input.fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => Err(CheckpointError::TooLong { path: self.path, offset: self.offset }),
            Err(error) => Err(CheckpointError::Io { path: self.path, error }),
        }
    }
}

fn put(out: &mut dyn Write, numbers: &[u32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn word(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, Tables<K>> {
    /// Writes a checkpoint, keeping the one before as `.previous`. Refused where a weight is no
    /// number any more, which a high rate can come to: nothing can be learned from there.
    pub(super) fn write_checkpoint(&self, path: &Path) -> Result<(), CheckpointError> {
        if !self.tables.are_finite() {
            return Err(CheckpointError::Diverged);
        }
        let io = |error| CheckpointError::Io { path: path.to_owned(), error };
        let new = path.with_extension("new");
        write_whole(&new, |out| self.write(out))?;
        match fs::rename(path, previous(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
        fs::rename(&new, path).map_err(io)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let header = TrainingFile {
            recipe: self.recipe.clone(),
            progress: self.progress,
            pending: self.pending(),
            entries: self.shelves.contents(),
            words: self.tables.words().len() as u64,
        };
        let header = serde_json::to_vec(&header)?;
        out.write_all(MAGIC)?;
        put(out, &[VERSION, header.len() as u32, crc32fast::hash(&header)])?;
        out.write_all(&header)?;
        let mut compressor = zstd::bulk::Compressor::new(1)?;
        let mut bytes = Vec::with_capacity(4 * BLOCK);
        let mut count = 0;
        let mut words = self.tables.weights_from(0).flatten();
        for number in 0..self.tables.words().len().div_ceil(BLOCK) {
            bytes.clear();
            let block = words.by_ref().take(BLOCK);
            block.for_each(|word| bytes.extend_from_slice(&word.load(Relaxed).to_le_bytes()));
            if bytes.iter().all(|&byte| byte == 0) {
                continue;
            }
            let packed = compressor.compress(&bytes)?;
            put(out, &[number as u32, packed.len() as u32, crc32fast::hash(&packed)])?;
            out.write_all(&packed)?;
            count += 1;
        }
        put(out, &[END, count, 0])
    }

    /// Reads a checkpoint.
    pub(super) fn load(path: &Path) -> Result<Self, CheckpointError> {
        let io = |error| CheckpointError::Io { path: path.to_owned(), error };
        let damaged = |reason| CheckpointError::Damaged { path: path.to_owned(), reason };
        let source = Source::open(path)?;
        let header = source.header.clone();
        let size = header.recipe.shape.patterns.size();
        if (size.rows(), size.cols()) != (R, C) || header.recipe.rule != K::RULE {
            return Err(damaged("it is for another size of boards or another rule"));
        }
        let mut trainer = Trainer::new(header.recipe).map_err(io)?;
        let tables = &trainer.tables;
        if tables.words().len() as u64 != header.words {
            return Err(damaged("its number of words is not that of the network"));
        }
        source.blocks(|start, bytes| {
            let fits = bytes.len() % (4 * K::WORDS) == 0 && start + bytes.len() / 4 <= tables.words().len();
            let numbers = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            if fits {
                let words = tables.weights_from(start / K::WORDS).flatten();
                // Untouched pages stay untouched.
                let known = words.zip(numbers).filter(|&(_, number)| number != 0);
                known.for_each(|(word, number)| word.store(number, Relaxed));
            }
            fits
        })?;
        trainer.progress = header.progress;
        trainer.set_pending(&header.pending);
        trainer.shelves.restore(&header.entries);
        Ok(trainer)
    }
}
