//! What a solution has found so far: layers of positions, and the table that grows from them. In a
//! folder, it survives the program: a checkpoint says how much of the files is valid.

use std::io;

use serde::{Deserialize, Serialize};

use super::blob::Blob;
use super::layer::{ValueKind, encode};
use super::positions::Positions;
use super::table::{LayerEntry, TableInfo, head, tail};
use super::{PositionCounts, SubGame};
#[cfg(feature = "files")]
pub(super) use folder::Unfinished;
#[cfg(feature = "files")]
pub(super) use folder::remove_work;
#[cfg(feature = "files")]
pub use folder::{FolderError, UnfinishedWork, unfinished_work};

/// Layers and table of a solution.
#[derive(Debug)]
pub(super) struct Work {
    layers: Blob,
    table: Blob,
    state: State,
    #[cfg(feature = "files")]
    folder: Option<folder::Folder>,
}

/// What is to be computed. A checkpoint belongs to one plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) game: SubGame,
    /// Chances of at most this are not stored.
    pub(super) keep: f64,
    /// Afterstates whose values are wanted, as packed bits.
    pub(super) asked: Vec<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    plan: Plan,
    /// The layers found so far, from the smallest sum on.
    found: Vec<FoundLayer>,
    counts: PositionCounts,
    /// Whether all layers have been found.
    all_found: bool,
    /// The number of layers whose values are still to be computed, once all have been found.
    open: u32,
    /// The layers of the table.
    entries: Vec<LayerEntry>,
    /// The number of afterstates whose values have been computed.
    valued: u64,
    start: f64,
    answers: Vec<Option<f64>>,
}

/// A layer of positions: where its words are.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundLayer {
    offset: u64,
    bytes: u64,
    crc: u32,
}

/// The values of the boards of the two layers above the next one, which a checkpoint needs.
#[cfg(feature = "files")]
pub(super) type BestValues<'a> = [&'a [f64]; 2];

impl Work {
    /// Work in memory.
    pub(super) fn in_memory(plan: Plan) -> Work {
        let table = Blob::Memory(head().to_vec());
        Work {
            layers: Blob::Memory(Vec::new()),
            table,
            state: State::new(plan),
            #[cfg(feature = "files")]
            folder: None,
        }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.state.plan
    }

    /// The number of layers found so far.
    pub(super) fn found(&self) -> u32 {
        self.state.found.len() as u32
    }

    pub(super) fn all_found(&self) -> bool {
        self.state.all_found
    }

    pub(super) fn counts(&self) -> PositionCounts {
        self.state.counts
    }

    /// The positions of a layer.
    pub(super) fn layer(&self, sum: u32) -> io::Result<Positions> {
        let Some(&FoundLayer { offset, bytes, .. }) = self.state.found.get(sum as usize) else {
            return Ok(Positions::default());
        };
        Ok(Positions::new(unpack(&self.layers.read(offset, bytes)?).into_iter()))
    }

    /// Adds the layer of the next sum.
    pub(super) fn add_layer(&mut self, positions: &Positions, counts: PositionCounts) -> io::Result<()> {
        let bytes = pack(positions);
        let offset = self.layers.append(&bytes)?;
        let (bytes, crc) = (bytes.len() as u64, crc32fast::hash(&bytes));
        self.state.found.push(FoundLayer { offset, bytes, crc });
        self.state.counts.boards += counts.boards;
        self.state.counts.afterstates += counts.afterstates;
        self.state.counts.terminal += counts.terminal;
        Ok(())
    }

    /// No further layer has positions.
    pub(super) fn finish_layers(&mut self) {
        self.state.all_found = true;
        self.state.open = self.found();
    }

    /// The next sum whose values are to be computed, from the largest to the smallest.
    pub(super) fn next_sum(&self) -> Option<u32> {
        self.state.open.checked_sub(1)
    }

    /// The number of afterstates whose values have been computed.
    pub(super) fn valued(&self) -> u64 {
        self.state.valued
    }

    /// Adds the values of the layer of [`Work::next_sum`] to the table.
    pub(super) fn add_values(&mut self, positions: &Positions, values: &[f64]) -> io::Result<()> {
        let sum = self.next_sum().expect("a layer is open");
        let (keep, kind) = (self.state.plan.keep, ValueKind::of(self.state.plan.game.goal()));
        let (bytes, stored) = match kind {
            ValueKind::Chance16 => encode(positions, values, kind, |value| value > keep),
            ValueKind::Score32 => encode(positions, values, kind, |_| true),
        };
        let crc = crc32fast::hash(&bytes);
        let offset = self.table.append(&bytes)?;
        self.state.entries.push(LayerEntry { sum, offset, bytes: bytes.len() as u64, stored, crc });
        self.state.valued += values.len() as u64;
        self.state.open = sum;
        Ok(())
    }

    pub(super) fn answer(&mut self, index: usize, value: f64) {
        self.state.answers[index] = Some(value);
    }

    /// The values that were asked for; 0 where no layer has the position.
    pub(super) fn answers(&self) -> Vec<f64> {
        self.state.answers.iter().map(|answer| answer.unwrap_or(0.0)).collect()
    }

    /// The value of the start so far.
    pub(super) fn start(&self) -> f64 {
        self.state.start
    }

    pub(super) fn set_start(&mut self, start: f64) {
        self.state.start = start;
    }

    /// Completes the table.
    fn complete(&mut self) -> io::Result<()> {
        let State { plan, counts, start, entries, .. } = &self.state;
        let info = TableInfo {
            game: plan.game.clone(),
            values: ValueKind::of(plan.game.goal()),
            keep: plan.keep,
            start: *start,
            counts: *counts,
            stored: entries.iter().map(|entry| entry.stored).sum(),
        };
        let tail = tail(info, entries.clone());
        self.table.append(&tail)?;
        Ok(())
    }

    /// The bytes of the table of finished work in memory.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.complete().expect("memory can be written");
        match self.table {
            Blob::Memory(bytes) => bytes,
            #[cfg(feature = "files")]
            Blob::File { .. } => unreachable!("this work is in memory"),
        }
    }
}

impl State {
    fn new(plan: Plan) -> State {
        let answers = vec![None; plan.asked.len()];
        State {
            plan,
            found: Vec::new(),
            counts: PositionCounts::default(),
            all_found: false,
            open: 0,
            entries: Vec::new(),
            valued: 0,
            start: 0.0,
            answers,
        }
    }
}

/// The words of a set of positions, 64 at a time: which of them are not zero, then those.
fn pack(positions: &Positions) -> Vec<u8> {
    let words: Vec<u64> = positions.bits().collect();
    let mut bytes = (words.len() as u64).to_le_bytes().to_vec();
    for group in words.chunks(64) {
        let mask: u64 = group.iter().enumerate().map(|(index, &word)| u64::from(word != 0) << index).sum();
        bytes.extend(mask.to_le_bytes());
        for word in group.iter().filter(|&&word| word != 0) {
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes
}

/// The words that [`pack`] wrote.
fn unpack(bytes: &[u8]) -> Vec<u64> {
    let mut numbers = bytes.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
    let mut next = || numbers.next().expect("a layer is read as it was written");
    let count = next() as usize;
    let mut words = Vec::with_capacity(count);
    while words.len() < count {
        let mask = next();
        let group = 64.min(count - words.len());
        words.extend((0..group).map(|index| if mask >> index & 1 == 1 { next() } else { 0 }));
    }
    words
}

#[cfg(feature = "files")]
mod folder {
    //! Work in a folder.

    use std::fs;
    use std::io::{self, Read as _};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use thiserror::Error;

    use super::super::Tables;
    use super::super::table::HEAD;
    use super::{BestValues, Blob, Plan, State, Work, head};
    use crate::clock::Clock;
    use crate::files::{FileError, LockError, LockedFile, write_whole};
    use crate::text::in_words;

    const MAGIC: &[u8; 8] = b"L2048SLV";
    const VERSION: u32 = 1;
    /// How much work a kill may lose.
    const INTERVAL: Duration = Duration::from_secs(15);

    /// The folder of unfinished work.
    #[derive(Debug)]
    pub(super) struct Folder {
        path: PathBuf,
        /// Held until the work is done or given up.
        lock: LockedFile,
        clock: Clock,
        saved: Duration,
    }

    /// Why work in a folder is not possible.
    #[derive(Debug, Error)]
    pub enum FolderError {
        /// A file cannot be read or written.
        #[error("cannot use {}: {}", path.display(), in_words(source))]
        Io {
            /// The file or folder.
            path: PathBuf,
            /// The error of the system.
            source: io::Error,
        },
        /// The checkpoint cannot be written.
        #[error(transparent)]
        Write(#[from] FileError),
        /// Another process computes the same table.
        #[error("cannot use {}: {source}", path.display())]
        Locked {
            /// The file with the lock.
            path: PathBuf,
            /// The reason.
            source: LockError,
        },
        /// The folder has work with other settings.
        #[error("{} holds an unfinished table with other settings; finish it, or remove it with lab2048 solve --remove", .0.display())]
        Other(PathBuf),
        /// The checkpoint cannot be used.
        #[error("the unfinished work in {} is damaged; remove it with lab2048 solve --remove, and start again", .0.display())]
        Damaged(PathBuf),
        /// A later version of the program wrote the checkpoint.
        #[error(
            "the unfinished work in {} has format {version}; this program reads format {VERSION}; \
            remove it with lab2048 solve --remove, and start again",
            path.display()
        )]
        Version {
            /// The folder.
            path: PathBuf,
            /// The format of the checkpoint.
            version: u32,
        },
    }

    /// Work that was found in a folder, with the values that its checkpoint holds.
    #[derive(Debug)]
    pub(in super::super) struct Unfinished {
        pub(in super::super) work: Work,
        pub(in super::super) best: [Vec<f64>; 2],
    }

    const LAYERS: &str = "layers";
    const TABLE: &str = "table";
    const STATE: &str = "state";
    const LOCK: &str = "lock";

    impl Work {
        /// Work in a folder, which is created if it is missing: what is there, or a new beginning.
        pub(in super::super) fn in_folder(path: &Path, plan: Plan) -> Result<Unfinished, FolderError> {
            let failed = |source| FolderError::Io { path: path.to_owned(), source };
            fs::create_dir_all(path).map_err(failed)?;
            let lock = path.join(LOCK);
            let lock =
                LockedFile::open(&lock).map_err(|source| FolderError::Locked { path: lock, source })?;
            let (state, best) = match read_state(&path.join(STATE)) {
                Ok((state, _)) if state.plan != plan => return Err(FolderError::Other(path.to_owned())),
                Ok(found) => found,
                Err(ReadError::Missing) => (State::new(plan), Default::default()),
                Err(ReadError::Io(source)) => return Err(failed(source)),
                Err(ReadError::Damaged) => return Err(FolderError::Damaged(path.to_owned())),
                Err(ReadError::Version(version)) => {
                    return Err(FolderError::Version { path: path.to_owned(), version });
                }
            };
            let end_of_layers = state.found.last().map_or(0, |layer| layer.offset + layer.bytes);
            let end_of_table = state.entries.last().map_or(HEAD as u64, |entry| entry.offset + entry.bytes);
            let open = |name, len| {
                Blob::in_file(&path.join(name), len).map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => FolderError::Damaged(path.to_owned()),
                    _ => failed(error),
                })
            };
            let layers = open(LAYERS, end_of_layers)?;
            let table = if state.entries.is_empty() {
                let mut table = open(TABLE, 0)?;
                table.append(&head()).map_err(failed)?;
                table
            } else {
                open(TABLE, end_of_table)?
            };
            let found = state.found.iter().map(|layer| (layer.offset, layer.bytes, layer.crc));
            let values = state.entries.iter().map(|entry| (entry.offset, entry.bytes, entry.crc));
            let values = values.chain([(0, HEAD as u64, crc32fast::hash(&head()))]);
            let is_intact =
                are_intact(&layers, found).and_then(|intact| Ok(intact && are_intact(&table, values)?));
            let is_intact = is_intact.map_err(failed)?;
            if !is_intact {
                return Err(FolderError::Damaged(path.to_owned()));
            }
            let clock = Clock::system();
            let folder = Folder { path: path.to_owned(), lock, clock, saved: clock.now() };
            Ok(Unfinished { work: Work { layers, table, state, folder: Some(folder) }, best })
        }

        /// Writes a checkpoint if it is time for one, or if it is the last chance. Work in memory
        /// has none.
        pub(in super::super) fn checkpoint(
            &mut self,
            best: BestValues<'_>,
            is_last: bool,
        ) -> Result<(), FolderError> {
            let Some(folder) = &mut self.folder else { return Ok(()) };
            if !is_last && folder.clock.since(folder.saved) < INTERVAL {
                return Ok(());
            }
            let failed = |source| FolderError::Io { path: folder.path.clone(), source };
            self.layers.sync().and_then(|()| self.table.sync()).map_err(failed)?;
            write_whole(&folder.path.join(STATE), |out| {
                let header = serde_json::to_vec(&self.state)?;
                let mut bytes = MAGIC.to_vec();
                bytes.extend(VERSION.to_le_bytes());
                bytes.extend((header.len() as u64).to_le_bytes());
                bytes.extend(&header);
                for values in best {
                    bytes.extend((values.len() as u64).to_le_bytes());
                    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                }
                let crc = crc32fast::hash(&bytes);
                out.write_all(&bytes)?;
                out.write_all(&crc.to_le_bytes())
            })?;
            folder.saved = folder.clock.now();
            Ok(())
        }

        /// Completes the table, gives it its final name and removes the folder.
        pub(in super::super) fn finish(mut self, target: &Path) -> Result<(), FolderError> {
            let failed = |source| FolderError::Io { path: target.to_owned(), source };
            self.complete().and_then(|()| self.table.sync()).map_err(failed)?;
            let Folder { path, lock, .. } = self.folder.take().expect("this work is in a folder");
            drop(self);
            fs::rename(path.join(TABLE), target).map_err(failed)?;
            // The table is there. A leftover only costs room.
            let _ = remove_files(&path);
            drop(lock);
            Ok(())
        }
    }

    /// Removes unfinished work that no process uses.
    pub(in super::super) fn remove_work(path: &Path) -> Result<(), FolderError> {
        let lock = path.join(LOCK);
        let held = LockedFile::open(&lock).map_err(|source| FolderError::Locked { path: lock, source })?;
        remove_files(path).map_err(|source| FolderError::Io { path: path.to_owned(), source })?;
        drop(held);
        Ok(())
    }

    /// Removes the files of unfinished work and their folder, but nothing of others.
    fn remove_files(path: &Path) -> io::Result<()> {
        for name in [LAYERS, TABLE, STATE, LOCK] {
            match fs::remove_file(path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::remove_dir(path)
    }

    /// What an unfinished solution computes, besides the sub-game.
    #[derive(Clone, Debug, PartialEq)]
    pub struct UnfinishedWork {
        /// Its [`Job::keep`](crate::solve::Job::keep).
        pub keep: f64,
        /// Its [`Job::asked`](crate::solve::Job::asked).
        pub asked: Vec<u64>,
    }

    /// The unfinished work on the table of this file, if there is a checkpoint that can be read.
    pub fn unfinished_work(target: &Path) -> Option<UnfinishedWork> {
        let (state, _) = read_state(&Tables::work_of(target).join(STATE)).ok()?;
        let Plan { keep, asked, .. } = state.plan;
        Some(UnfinishedWork { keep, asked })
    }

    /// Whether parts of a file, given by their places, have the right checksums.
    fn are_intact(blob: &Blob, parts: impl Iterator<Item = (u64, u64, u32)>) -> io::Result<bool> {
        for (offset, bytes, crc) in parts {
            if crc32fast::hash(&blob.read(offset, bytes)?) != crc {
                return Ok(false);
            }
        }
        Ok(true)
    }

    enum ReadError {
        Missing,
        Io(io::Error),
        Damaged,
        Version(u32),
    }

    fn read_state(path: &Path) -> Result<(State, [Vec<f64>; 2]), ReadError> {
        let mut bytes = Vec::new();
        match fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ReadError::Missing),
            Err(error) => return Err(ReadError::Io(error)),
            Ok(_) => {}
        }
        let (version, content) = versioned(&bytes).ok_or(ReadError::Damaged)?;
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        parse_state(content).ok_or(ReadError::Damaged)
    }

    /// The version of a checkpoint with the right checksum, and what follows it.
    fn versioned(bytes: &[u8]) -> Option<(u32, &[u8])> {
        let (content, crc) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
            return None;
        }
        let (version, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        Some((u32::from_le_bytes(*version), rest))
    }

    fn parse_state(rest: &[u8]) -> Option<(State, [Vec<f64>; 2])> {
        let (len, rest) = rest.split_first_chunk::<8>()?;
        let (header, mut rest) = rest.split_at_checked(u64::from_le_bytes(*len) as usize)?;
        let state = serde_json::from_slice(header).ok()?;
        let mut best: [Vec<f64>; 2] = Default::default();
        for values in &mut best {
            let (len, after) = rest.split_first_chunk::<8>()?;
            let (own, after) = after.split_at_checked(u64::from_le_bytes(*len).checked_mul(8)? as usize)?;
            *values = own.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
            rest = after;
        }
        rest.is_empty().then_some((state, best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_read_as_they_were_written() {
        for words in [vec![], vec![5], vec![0; 200], (0..130).map(|word| word % 3).collect()] {
            let positions = Positions::new(words.iter().copied());
            assert_eq!(unpack(&pack(&positions)), words);
        }
    }
}
