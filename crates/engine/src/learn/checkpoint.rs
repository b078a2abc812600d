//! Checkpoints: a training run as a file. A run can resume from it on any machine.
//!
//! The format is described in `docs/reference/network-format.md`. A checkpoint is written under a
//! temporary name and then renamed. The previous one is kept next to it as `.previous`. So there is
//! a complete checkpoint at any time.

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
use crate::text::in_words;

const MAGIC: &[u8; 8] = b"L2048TRN";
const VERSION: u32 = 1;
/// The number of words in a block. A multiple of 3, so that no record is split.
const BLOCK: usize = 3 << 16;
/// Far larger than any real header, which holds thousands of boards for each stage.
const MAX_HEADER: u32 = 64 << 20;
const END: u32 = u32::MAX;

/// Why a checkpoint cannot be read or written.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system reported an error.
    #[error("{}: {}", path.display(), in_words(error))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// Writing failed. The previous checkpoint still exists.
    #[error(transparent)]
    Write(#[from] FileError),
    /// A weight is infinite or not a number. The previous checkpoint still exists.
    #[error("the weights diverged, so nothing was written; use a lower --rate")]
    Diverged,
    /// The file is not a checkpoint.
    #[error("{} is not a training checkpoint of lab2048", .0.display())]
    Foreign(PathBuf),
    /// A later version of the program wrote the file.
    #[error("{} has the checkpoint format {version}; this program reads format {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        version: u32,
    },
    /// The content is wrong.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// Extra data follows the end.
    #[error("{} is damaged: extra data after its end, from byte {offset}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The offset of the first extra byte, counted from 0.
        offset: u64,
    },
}

impl CheckpointError {
    /// Whether the checkpoint is missing or damaged, so that the previous one should be used. A
    /// checkpoint is not lost just because this program or this user cannot read it.
    fn is_lost(&self) -> bool {
        match self {
            CheckpointError::Io { error, .. } => error.kind() == io::ErrorKind::NotFound,
            CheckpointError::Damaged { .. } | CheckpointError::Foreign(_) => true,
            // Everything up to the end is intact.
            CheckpointError::TooLong { .. } => false,
            CheckpointError::Write(_) | CheckpointError::Diverged | CheckpointError::Version { .. } => false,
        }
    }
}

/// The header of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingFile {
    /// The settings of the run.
    pub recipe: Recipe,
    /// The progress of the run.
    pub progress: Progress,
    /// Where the threads start their next episodes: afterstates as packed bits, 0 for a new game.
    pub pending: Vec<u64>,
    /// For each later stage, the afterstates on which games entered it.
    #[serde(default)]
    pub entries: Vec<Vec<u64>>,
    /// The number of words in the tables.
    pub words: u64,
}

/// The path of the checkpoint before the one at `path`.
fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous")
}

/// Loads the checkpoint at a path. If it is lost, loads the previous one and returns the reason
/// too. The lost file is renamed to the first free name of `.damaged`, `-2.damaged` and so on.
/// Otherwise the next save would keep it as the previous checkpoint.
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
    let loaded = match load(&previous(path)) {
        Ok(loaded) => loaded,
        // The only file of the run is the one to name.
        Err(error) if !path.exists() && previous(path).exists() => return Err(error),
        Err(_) => return Err(lost.into()),
    };
    if path.exists() {
        let damaged = path.with_extension("damaged");
        let aside = rename_to_free(path, (1..).map(|number| numbered(&damaged, number)));
        aside.map_err(|error| CheckpointError::Io { path: path.to_owned(), error })?;
    }
    Ok((loaded, Some(lost)))
}

impl TrainingFile {
    /// Reads the header of a checkpoint.
    pub fn open(path: &Path) -> Result<TrainingFile, CheckpointError> {
        Source::open(path).map(|source| source.header)
    }
}

/// A checkpoint whose header has been read.
struct Source {
    path: PathBuf,
    input: BufReader<File>,
    header: TrainingFile,
    /// The number of bytes read so far.
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
            return Err(damaged("the checksum of its header is wrong"));
        }
        let header: TrainingFile =
            serde_json::from_slice(&header).map_err(|_| damaged("its header cannot be parsed"))?;
        let shape = &header.recipe.shape;
        /// Larger than any real count.
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

    /// Reads the blocks. `take` gets the number of the first word and the bytes of each.
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
                    (true, _) => Err(damaged("its end marker is wrong")),
                };
            }
            if len as usize > 2 * 4 * BLOCK {
                return Err(damaged("a block is too long"));
            }
            let mut packed = vec![0; len as usize];
            self.input.read_exact(&mut packed).map_err(cut)?;
            if crc32fast::hash(&packed) != crc {
                return Err(damaged("the checksum of a block is wrong"));
            }
            let bytes = zstd::bulk::decompress(&packed, 4 * BLOCK)
                .map_err(|_| damaged("a block cannot be decompressed"))?;
            if !take(number as usize * BLOCK, &bytes) {
                return Err(damaged("a block does not fit the network"));
            }
            self.offset += u64::from(len);
            seen += 1;
        }
    }

    /// Checks that nothing follows the end.
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
    /// Writes a checkpoint and keeps the previous one as `.previous`. Fails if a weight is infinite
    /// or not a number, which a high learning rate can cause. A run cannot recover from that.
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
            return Err(damaged("it is for another board size or update rule"));
        }
        let mut trainer = Trainer::new(header.recipe).map_err(io)?;
        let tables = &trainer.tables;
        if tables.words().len() as u64 != header.words {
            return Err(damaged("its number of words does not fit the network"));
        }
        source.blocks(|start, bytes| {
            let fits = bytes.len() % (4 * K::WORDS) == 0 && start + bytes.len() / 4 <= tables.words().len();
            let numbers = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            if fits {
                let words = tables.weights_from(start / K::WORDS).flatten();
                // Skipping zeros leaves untouched pages unallocated.
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
