//! Decoded networks in a folder, so that a network is decoded only once.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use super::block::Block;
use super::decoded::{self, Loading, Writer};
use super::file::{self, Header, Squeezed};
use super::{Network, NetworkError, NetworkFile};
use crate::files::CacheFolder;

/// A folder of decoded networks. Decoding takes nearly all of the time of loading a network; with
/// this folder, it is done only once. The files are named by the hashes of the networks. All
/// together they take at most 1 GB: a new one replaces the oldest.
///
/// Nothing depends on the folder. If it cannot be used, or if a file in it is damaged, networks are
/// decoded. It holds nothing that cannot be made again.
#[derive(Clone, Debug)]
pub struct NetworkCache {
    files: CacheFolder,
    loading: Loading,
}

impl NetworkCache {
    /// The size of all files.
    pub const LIMIT: u64 = 1_000_000_000;

    /// The networks of a folder, which need not exist. They are copied into huge pages, so that
    /// players are as fast as with a network that was decoded.
    pub fn in_folder(folder: PathBuf) -> NetworkCache {
        let files = CacheFolder { folder, extension: "decoded", limit: Self::LIMIT };
        NetworkCache { files, loading: Loading::Copy }
    }

    /// The same folder for players that make only a few moves. The files are mapped, which takes
    /// less time than copying them, but on many systems play is slower.
    #[must_use]
    pub fn for_few_moves(self) -> NetworkCache {
        NetworkCache { loading: Loading::Map, ..self }
    }

    /// The network of a network file.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<Network, NetworkError> {
        let (Header { shape, unit, .. }, squeezed) = file::parse(bytes)?;
        let source = Source { hash: NetworkFile::hash(bytes), shape, unit, squeezed };
        if let Some(network) = self.read(&source) {
            return Ok(network);
        }
        let written = if decoded::size(&source.shape) > self.files.limit {
            None
        } else if self.loading == Loading::Map {
            self.write(&source).ok().and_then(|()| self.read(&source))
        } else {
            self.decode_and_write(&source)?
        };
        match written {
            Some(network) => Ok(network),
            None => file::in_memory(source.shape, source.unit, source.hash, &source.squeezed),
        }
    }

    fn name(source: &Source<'_>) -> String {
        format!("{}-{}", source.hash, decoded::VERSION)
    }

    /// The decoded network of the folder, if there is a sound one.
    fn read(&self, source: &Source<'_>) -> Option<Network> {
        let path = self.files.path(&Self::name(source));
        // Checked before opening, which would wait for the other end of a pipe.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        decoded::read(&file, source.shape.clone(), source.unit, &source.hash, self.loading).ok()
    }

    /// Decodes a network into the folder. Its memory is then that of the file: less memory is
    /// touched than by decoding and writing.
    fn write(&self, source: &Source<'_>) -> io::Result<()> {
        self.files.write(&Self::name(source), |file| {
            let writer = Writer::new(file, &source.shape);
            let blocks = Block::divide(&source.shape.patterns);
            let targets = 0..source.shape.stages.len() * blocks.len();
            file::decode(&source.shape, &blocks, &source.squeezed, targets, |block, _, place, part, used| {
                writer.put(block, place, part, used)
            });
            writer.finish(&source.hash)
        })
    }

    /// Decodes a network into memory and into the folder. `None` if the folder cannot be used.
    fn decode_and_write(&self, source: &Source<'_>) -> Result<Option<Network>, NetworkError> {
        let Source { shape, unit, hash, squeezed } = source;
        let mut network = None;
        let outcome = self.files.write(&Self::name(source), |file| {
            let writer = Writer::new(file, shape);
            let blocks = Block::divide(&shape.patterns);
            let weights = Network::zeroed(shape, &blocks);
            let mut weights = weights.map_err(|error| Failure::Network(NetworkError::Memory(error)))?;
            file::decode(shape, &blocks, squeezed, weights.iter_mut(), |block, memory, place, part, used| {
                memory.put(place, part, used);
                writer.put(block, place, part, used);
                true
            });
            network = Some(Network::new(shape.clone(), *unit, weights, Some(hash.clone())));
            Ok(writer.finish(hash)?)
        });
        match outcome {
            Err(Failure::Network(error)) => Err(error),
            // Without the file, the network is still there.
            Ok(()) | Err(Failure::Folder) => Ok(network),
        }
    }
}

/// A network file that was checked but not decoded.
struct Source<'a> {
    hash: String,
    shape: super::Shape,
    unit: f32,
    squeezed: Vec<Squeezed<'a>>,
}

/// Why decoding into memory and into the folder failed.
enum Failure {
    /// The folder cannot be used.
    Folder,
    /// There is not enough memory.
    Network(NetworkError),
}

impl From<io::Error> for Failure {
    fn from(_: io::Error) -> Failure {
        Failure::Folder
    }
}
