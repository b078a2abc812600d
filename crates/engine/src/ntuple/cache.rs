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
        // On other systems nothing can be written, which would be noticed only after decoding.
        let fits = cfg!(unix) && decoded::size(&source.shape) <= self.files.limit;
        let written = if !fits {
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::board::{PackedAfter, Size};
    use crate::eval::{Evaluator as _, FastEvaluator as _};
    use crate::game::Stream;
    use crate::ntuple::{Patterns, Shape, Stages};

    /// The bytes of a network whose weights depend on the seed. It has one block of two parts and
    /// smaller blocks, in two stages. Most pages of the large block are empty.
    fn network(seed: u64) -> Vec<u8> {
        let patterns = Patterns::parse(Size::FOUR, "01234 01235 0145 05").unwrap();
        let shape = Shape { patterns, stages: "16384".parse().unwrap(), top: 14, start_value: 7.5 };
        let lens = [1 << 20, 1 << 20, 1 << 16, 1 << 8];
        let stream = Stream::with_purpose(seed, 31);
        let weight = |place: u64| if place >> 4 & 7 < 3 { stream.draw(place) as i16 >> 5 } else { 0 };
        // The lower half of the ranks on the first two cells.
        let known = |number: u64| number & 0x88 == 0;
        let table = |number: usize| {
            let weights = 0..lens[number % 4];
            weights.map(|place| if known(place) { weight(place << 3 | number as u64) } else { 0 }).collect()
        };
        let network = Network::from_weights(shape, 0.25, table).unwrap();
        NetworkFile::to_bytes(&network, BTreeMap::new())
    }

    /// Loads a network, in one of the two ways, and compares it with the decoded one.
    fn check(cache: &NetworkCache, bytes: &[u8], what: &str) {
        let (found, decoded) = (cache.load(bytes).unwrap(), NetworkFile::from_bytes(bytes).unwrap().network);
        assert_eq!(found.fingerprint(), decoded.fingerprint());
        assert!(found.tables().flatten().eq(decoded.tables().flatten()), "{what}");
        let stream = Stream::with_purpose(13, 14);
        for number in 0..1000 {
            let after = PackedAfter::from_bits(stream.draw(number)).unwrap();
            assert_eq!(found.evaluate_packed(after), decoded.evaluate_packed(after), "{what}");
        }
    }

    /// Both ways of loading.
    fn ways(folder: &Path) -> [NetworkCache; 2] {
        let cache = NetworkCache::in_folder(folder.join("cache"));
        [cache.clone(), cache.for_few_moves()]
    }

    /// The files of a folder, without the lock.
    fn files(cache: &NetworkCache) -> Vec<PathBuf> {
        let entries = fs::read_dir(&cache.files.folder).into_iter().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| !path.ends_with("lock"));
        files.sort();
        files
    }

    /// Which file this is: a file that was written again is another one.
    fn identity(path: &Path) -> u64 {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).unwrap().ino()
    }

    #[test]
    fn the_first_load_writes_a_file_and_the_next_ones_use_it() {
        let (bytes, others) = (network(1), network(2));
        for first in 0..2 {
            let folder = tempfile::tempdir().unwrap();
            let ways = ways(folder.path());
            check(&ways[first], &bytes, "the first load");
            let [file] = &files(&ways[0])[..] else { panic!("one file") };
            let name = format!("{}-{}.decoded", NetworkFile::hash(&bytes), decoded::VERSION);
            assert_eq!(file.file_name().unwrap().to_str().unwrap(), name);
            let written = identity(file);
            for cache in &ways {
                check(cache, &bytes, "the second load");
                assert_eq!(identity(file), written, "it is not written again");
            }
            // Sound weights of another network in this file are what the next load finds. So the
            // file is really used.
            let (Header { shape, unit, .. }, squeezed) = file::parse(&others).unwrap();
            let source = Source { hash: NetworkFile::hash(&bytes), shape, unit, squeezed };
            ways[0].write(&source).unwrap();
            let other = NetworkFile::from_bytes(&others).unwrap().network;
            for cache in &ways {
                assert!(cache.load(&bytes).unwrap().tables().flatten().eq(other.tables().flatten()));
            }
        }
    }

    #[test]
    fn damage_is_noticed_and_repaired() {
        let bytes = network(3);
        let folder = tempfile::tempdir().unwrap();
        let ways = ways(folder.path());
        check(&ways[0], &bytes, "undamaged");
        let file = &files(&ways[0])[0];
        let sound = fs::read(file).unwrap();
        let index = decoded::size(&file::parse(&bytes).unwrap().0.shape) as usize;
        let stored = (0..index).filter(|&place| sound[place] != 0);
        // Weights at several places, every kind of field in the index, and other lengths.
        let places = stored.step_by(40_009).chain((index..sound.len()).step_by(37));
        let flipped = places.map(|place| {
            let mut damaged = sound.clone();
            damaged[place] ^= 0x10;
            (format!("changed at {place}"), damaged)
        });
        let cut =
            [0, 1, 4096, index, sound.len() - 1].map(|len| (format!("cut to {len}"), sound[..len].to_vec()));
        let longer = ("longer".to_owned(), [&sound[..], &[0]].concat());
        let mut tried = 0;
        for (what, damaged) in flipped.chain(cut).chain([longer]) {
            fs::write(file, damaged).unwrap();
            check(&ways[tried % 2], &bytes, &what);
            assert!(fs::read(file).unwrap() == sound, "{what}: it was written again");
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    }

    /// A map would take what is in an unused page for weights.
    #[test]
    fn damage_of_unused_pages_is_noticed() {
        use std::os::unix::fs::FileExt;

        let bytes = network(12);
        let folder = tempfile::tempdir().unwrap();
        let ways = ways(folder.path());
        check(&ways[0], &bytes, "undamaged");
        let file = &files(&ways[0])[0];
        let sound = fs::read(file).unwrap();
        // Zero pages without others near them are unused.
        let pages: Vec<&[u8]> = sound.chunks(4096).collect();
        let is_zero = |pages: &[&[u8]]| pages.concat().iter().all(|&byte| byte == 0);
        let place = 4096 * (8 + pages.windows(17).position(is_zero).unwrap());
        for (number, cache) in ways.iter().enumerate() {
            // The file has a hole there.
            let hole = fs::File::options().write(true).open(file).unwrap();
            hole.write_all_at(&[1], place as u64).unwrap();
            check(cache, &bytes, &format!("a byte in a hole, way {number}"));
            assert!(fs::read(file).unwrap() == sound, "way {number}: it was written again");
            // A copy without holes is as good as the file, but not with this byte.
            let mut copy = sound.clone();
            fs::write(file, &copy).unwrap();
            let written = identity(file);
            check(cache, &bytes, "without holes");
            assert_eq!(identity(file), written, "way {number}: it is not written again");
            copy[place] = 1;
            fs::write(file, &copy).unwrap();
            check(cache, &bytes, &format!("a byte that is no hole, way {number}"));
            assert!(fs::read(file).unwrap() == sound, "way {number}: it was written again");
        }
    }

    #[test]
    fn the_file_of_another_network_is_not_used() {
        let [bytes, others] = [network(4), network(5)];
        let folder = tempfile::tempdir().unwrap();
        for cache in ways(folder.path()) {
            check(&cache, &others, "the other network");
            let theirs = files(&cache).remove(0);
            let (Header { shape, unit, .. }, squeezed) = file::parse(&bytes).unwrap();
            let source = Source { hash: NetworkFile::hash(&bytes), shape, unit, squeezed };
            fs::rename(theirs, cache.files.path(&NetworkCache::name(&source))).unwrap();
            check(&cache, &bytes, "this network");
            fs::remove_file(files(&cache).remove(0)).unwrap();
        }
    }

    #[test]
    fn the_oldest_network_makes_room() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        for mut cache in ways(folder.path()) {
            check(&cache, &network(6), "the first");
            let whole = decoded::size(&file::parse(&network(6)).unwrap().0.shape);
            let size = 512 * fs::metadata(&files(&cache)[0]).unwrap().blocks();
            assert!(size < whole, "the file has holes");
            cache.files.limit = whole;
            let most = whole / size;
            let names: Vec<PathBuf> = (0..=most)
                .map(|number| {
                    let bytes = network(6 + number);
                    check(&cache, &bytes, "within the limit");
                    let path =
                        cache.files.path(&format!("{}-{}", NetworkFile::hash(&bytes), decoded::VERSION));
                    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(number);
                    fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
                    path
                })
                .collect();
            let there: Vec<bool> = names.iter().map(|path| path.exists()).collect();
            assert!(most >= 2 && !there[0] && there[1..].iter().all(|there| *there), "{there:?}");
            cache.files.limit = whole - 1;
            fs::remove_dir_all(&cache.files.folder).unwrap();
            check(&cache, &network(6), "too large");
            assert!(files(&cache).is_empty());
        }
    }

    #[test]
    fn without_a_usable_folder_networks_are_decoded() {
        let bytes = network(9);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "no folder").unwrap();
        for cache in ways(&folder.path().join("file")) {
            check(&cache, &bytes, "a file instead of a folder");
        }
        for cache in ways(folder.path()) {
            check(&cache, &bytes, "usable");
            let file = files(&cache).remove(0);
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
            check(&cache, &bytes, "a folder instead of a file");
            fs::remove_dir(&file).unwrap();
            // Another process is writing.
            let _busy = crate::files::LockedFile::open(&cache.files.folder.join("lock")).unwrap();
            check(&cache, &bytes, "busy");
            assert!(files(&cache).is_empty());
        }
    }

    #[test]
    fn wrong_network_files_are_refused_as_without_a_cache() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = network(10);
        for cache in ways(folder.path()) {
            for wrong in [&b"no network"[..], &bytes[..bytes.len() / 2]] {
                let alone = NetworkFile::from_bytes(wrong).unwrap_err().to_string();
                assert_eq!(cache.load(wrong).unwrap_err().to_string(), alone);
            }
            assert!(files(&cache).is_empty());
        }
    }

    /// If this fails, the order of the weights in memory has changed. Then files of earlier
    /// versions must not be used: change `decoded::VERSION` and this description.
    #[test]
    fn the_order_of_the_weights_belongs_to_the_version() {
        let patterns = Patterns::parse(Size::FOUR, "0123 0124 57").unwrap();
        let shape = Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 };
        let weight = |table: usize, number: usize| (7919 * number + 104_729 * table) as i16 >> 1;
        let lens = [1 << 16, 1 << 16, 1 << 8];
        let table = |table: usize| (0..lens[table]).map(|number| weight(table, number)).collect();
        let network = Network::from_weights(shape, 1.0, table).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let cache = NetworkCache::in_folder(folder.path().join("cache"));
        cache.load(&NetworkFile::to_bytes(&network, BTreeMap::new())).unwrap();
        let file = fs::read(&files(&cache)[0]).unwrap();
        let stored = |place: usize| i16::from_le_bytes([file[2 * place], file[2 * place + 1]]);
        let ranks = |number: usize| -> [usize; 4] { std::array::from_fn(|cell| number >> (4 * cell) & 15) };
        // The lowest bits of all ranks, then the next ones.
        let planes = |ranks: &[usize]| {
            let bit = |plane: usize, cell: usize| (ranks[cell] >> plane & 1) << (plane * ranks.len() + cell);
            (0..4).flat_map(|plane| (0..ranks.len()).map(move |cell| bit(plane, cell))).sum::<usize>()
        };
        assert_eq!(decoded::VERSION, 1);
        // Two patterns that share three cells, line by line; then a pattern alone, at a page.
        for number in 0..1 << 16 {
            let line = 32 * planes(&ranks(number)[..3]);
            for side in 0..2 {
                assert_eq!(stored(line + 16 * side + ranks(number)[3]), weight(side, number));
            }
        }
        for number in 0..1 << 8 {
            assert_eq!(stored((1 << 17) + planes(&ranks(number)[..2])), weight(2, number));
        }
    }
}
