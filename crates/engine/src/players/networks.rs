//! The player `ntuple` and the evaluator of the same name: trained networks, from files or shipped with the program.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use super::drawing::{Drawing, expectimax_tree};
use super::expectimax::{ADAPT, CUT, DEPTH, FOURS, NODES, TABLE, TIME, options};
use super::{AnyEvaluator, BuildError, Entry, EvaluatorEntry, Kind, Param, Searchable, Settings};
#[cfg(feature = "train")]
use crate::learn::ExactNetwork;
use crate::ntuple::{Network, NetworkError, NetworkFile, let_go};
use crate::search::{Limits, Options};

/// A network that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedNetwork {
    /// Its name in a spec; the first of the list is also called `built-in`.
    pub name: &'static str,
    /// Its file.
    pub file: ShippedFile,
}

/// Where the file of a shipped network is.
#[derive(Clone, Copy, Debug)]
pub enum ShippedFile {
    /// Its bytes are part of the program.
    Inside(&'static [u8]),
    /// It is too large for that and lies in a place that is looked up when it is wanted.
    Beside {
        /// The place.
        path: fn() -> PathBuf,
        /// What to do if it is not there.
        hint: &'static str,
    },
}

impl ShippedNetwork {
    /// What the first of a list is called, whatever its name is.
    pub const BUILT_IN: &'static str = "built-in";

    /// The one of a list that has this name; the first one is also called `built-in`.
    pub fn named<'a>(list: &'a [ShippedNetwork], name: &str) -> Option<&'a ShippedNetwork> {
        let first = list.first().filter(|_| name == Self::BUILT_IN);
        list.iter().find(|network| network.name == name).or(first)
    }

    /// The bytes of its file.
    pub fn bytes(&self) -> Result<Cow<'static, [u8]>, BuildError> {
        match self.file {
            ShippedFile::Inside(bytes) => Ok(Cow::Borrowed(bytes)),
            ShippedFile::Beside { path, hint } => {
                let path = path();
                let read = read_bytes(&path).map(Cow::Owned);
                read.map_err(|error| missing_or_unfit(error, &path, hint))
            }
        }
    }

    /// The network itself.
    pub(super) fn load(&self) -> Result<Arc<dyn Searchable>, BuildError> {
        let bytes = match self.file {
            ShippedFile::Inside(bytes) => bytes,
            ShippedFile::Beside { path, hint } => {
                let path = path();
                return from_file(path.clone()).map_err(|error| missing_or_unfit(error, &path, hint));
            }
        };
        shared(Key::Shipped(self.name), || {
            let network = network(NetworkFile::from_bytes(bytes))?;
            let_go(bytes);
            Ok(Arc::new(network))
        })
    }
}

/// Why the file of a shipped network cannot be used, and what to do if it is not there.
fn missing_or_unfit(error: impl Display, path: &Path, hint: &str) -> BuildError {
    BuildError(if path.exists() { error.to_string() } else { format!("{error}; {hint}") })
}

const NET: Param = Param {
    name: "net",
    default: Some(ShippedNetwork::BUILT_IN),
    kind: Kind::File,
    unit: "",
    help: "the network: built-in, another that ships (full), a network file, or the checkpoint of a training for 4x4",
};

const PARAMS: &[Param] = &[
    NET,
    Param {
        help: "the most own moves to look ahead, with adapt the fewest; none: 1, or as many as nodes or time allow",
        ..DEPTH
    },
    NODES,
    TIME,
    ADAPT,
    CUT,
    FOURS,
    TABLE,
];

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        name: "ntuple",
        summary: "takes the best move against the average spawn, by a trained network",
        params: PARAMS,
        knows_future: false,
        build: |settings| Ok(evaluator(settings)?.expectimax(ntuple_options(settings)?)?),
        stands_for: None,
        drawing: Some(Drawing {
            depth: 2,
            own_search: true,
            tree: |settings, game, view| {
                expectimax_tree(evaluator(settings)?, options(settings)?, game, view)
            },
        }),
    }]
}

pub(super) fn evaluator_entries() -> Vec<EvaluatorEntry> {
    vec![EvaluatorEntry {
        name: "ntuple",
        summary: "asks a trained network how many points are to come",
        params: &[NET],
        build: evaluator,
    }]
}

/// A network judges so well that one move ahead is a player already.
fn ntuple_options(settings: &Settings) -> Result<Options, BuildError> {
    let options = options(settings)?;
    let unlimited = options.limits == Limits::default() && options.adapt.is_none();
    Ok(if unlimited {
        Options { limits: Limits { depth: Some(1), ..options.limits }, ..options }
    } else {
        options
    })
}

pub(super) fn evaluator(settings: &Settings) -> Result<AnyEvaluator, BuildError> {
    let name = settings.text("net");
    let network = match ShippedNetwork::named(settings.networks, name) {
        Some(shipped) => shipped.load(),
        None if name == ShippedNetwork::BUILT_IN => {
            let words = "no network is built in; name a network file, like ntuple:net=FILE";
            return Err(BuildError(words.to_owned()));
        }
        None => from_file(PathBuf::from(name)),
    };
    Ok(AnyEvaluator::Fast(network?))
}

fn from_file(path: PathBuf) -> Result<Arc<dyn Searchable>, BuildError> {
    let seen = fs::metadata(&path);
    let seen =
        seen.map_err(|error| BuildError(format!("cannot read the network {}: {error}", path.display())))?;
    let state = format!("{} {:?}", seen.len(), seen.modified());
    shared(Key::File(path.clone(), state), || {
        #[cfg(feature = "train")]
        if ExactNetwork::is_checkpoint(&path) {
            let network = ExactNetwork::read(&path);
            return Ok(Arc::new(network.map_err(|error| BuildError(error.to_string()))?));
        }
        let bytes = read_bytes(&path).map_err(|error| BuildError(error.to_string()))?;
        Ok(Arc::new(network(NetworkFile::from_bytes(&bytes))?))
    })
    .map_err(|error| BuildError(format!("cannot use {} as a network: {error}", path.display())))
}

#[cfg(feature = "files")]
fn read_bytes(path: &Path) -> Result<Vec<u8>, crate::files::FileError> {
    NetworkFile::read_bytes(path)
}

#[cfg(not(feature = "files"))]
fn read_bytes(_: &Path) -> Result<Vec<u8>, &'static str> {
    Err(super::NO_FILES)
}

fn network(read: Result<NetworkFile, NetworkError>) -> Result<Network, BuildError> {
    read.map(|file| file.network).map_err(|error| BuildError(error.to_string()))
}

/// What a network was read from. A file that has changed, by its length and time, is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Shipped(&'static str),
    File(PathBuf, String),
}

/// Reads a network unless somebody uses the same one already: all players of a process share one copy of its hundred
/// megabytes, which never change.
fn shared(
    key: Key,
    load: impl FnOnce() -> Result<Arc<dyn Searchable>, BuildError>,
) -> Result<Arc<dyn Searchable>, BuildError> {
    static IN_USE: LazyLock<Mutex<HashMap<Key, Weak<dyn Searchable>>>> = LazyLock::new(Mutex::default);
    let mut in_use = locked(&IN_USE);
    if let Some(network) = in_use.get(&key).and_then(Weak::upgrade) {
        return Ok(network);
    }
    let network = load()?;
    in_use.retain(|_, network| network.strong_count() > 0);
    in_use.insert(key, Arc::downgrade(&network));
    let mut kept = locked(&KEPT);
    if kept.keepers > 0 {
        kept.networks.push(Arc::clone(&network));
    }
    Ok(network)
}

/// A panic of another thread while it was loading leaves what is here as it was before.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many [`KeepNetworks`] there are, and what stays because of them. Apart from the networks in use, for which one may have to wait
/// while another is read.
static KEPT: Mutex<Kept> = Mutex::new(Kept { keepers: 0, networks: Vec::new() });

struct Kept {
    keepers: usize,
    networks: Vec<Arc<dyn Searchable>>,
}

/// While one of these lives, the networks that are read stay in memory, also when nobody plays with them: players can be made, asked
/// and dropped before the next ones are made, and nothing is read twice.
#[derive(Debug)]
pub struct KeepNetworks(());

impl KeepNetworks {
    /// From now on.
    #[allow(clippy::new_without_default, reason = "one is made for what it does, not as a value")]
    pub fn new() -> KeepNetworks {
        locked(&KEPT).keepers += 1;
        KeepNetworks(())
    }
}

impl Drop for KeepNetworks {
    fn drop(&mut self) {
        let mut kept = locked(&KEPT);
        kept.keepers -= 1;
        if kept.keepers == 0 {
            kept.networks.clear();
        }
    }
}

/// A network for tests of everything that may use one.
#[cfg(test)]
pub(super) mod testing {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use super::*;
    use crate::board::Size;
    use crate::ntuple::{Patterns, Shape, Stages};

    /// A list with one network, called `tiny`: rows whose first cell holds a 32 are worth something.
    pub(crate) fn shipped() -> &'static [ShippedNetwork] {
        static SHIPPED: LazyLock<[ShippedNetwork; 1]> = LazyLock::new(|| {
            let patterns = Patterns::parse(Size::FOUR, "0123").expect("it is a pattern");
            let shape = Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 };
            let mut network = Network::new(shape, 1.0).expect("it is small");
            let weights: Vec<i16> = (0..1 << 16).map(|place| if place % 16 == 5 { 26 } else { 0 }).collect();
            network.fill(|_| weights.clone());
            let bytes = NetworkFile::to_bytes(&network, BTreeMap::new());
            [ShippedNetwork { name: "tiny", file: ShippedFile::Inside(bytes.leak()) }]
        });
        &*SHIPPED
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::game::{Game, Rules, Situation};
    use crate::players::Registry;

    #[test]
    fn networks_stay_while_somebody_keeps_them() {
        let mut reads = 0;
        let mut read = |name| {
            let key = Key::Shipped(name);
            drop(shared(key, || {
                reads += 1;
                Ok(Arc::new(network(NetworkFile::from_bytes(&testing::shipped()[0].bytes()?))?))
            }));
            reads
        };
        assert_eq!([read("dropped"), read("dropped")], [1, 2]);
        let (one, other) = (KeepNetworks::new(), KeepNetworks::new());
        assert_eq!([read("kept"), read("kept")], [3, 3]);
        drop(one);
        assert_eq!(read("kept"), 3);
        drop(other);
        assert_eq!(read("kept"), 4);
    }

    #[test]
    fn a_network_file_plays_and_is_loaded_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.net");
        fs::write(&path, testing::shipped()[0].bytes().unwrap()).unwrap();
        let registry = Registry::built_in();
        let spec = registry.parse(&format!("ntuple:net={}", path.display())).unwrap();
        let mut player = registry.build(&spec).unwrap();
        let game = Game::new(Rules::default(), 3);
        let decision = player.choose(&Situation::with_future(&game)).unwrap();
        assert_eq!(decision.depth, 1);
        let (one, other) = (from_file(path.clone()).unwrap(), from_file(path.clone()).unwrap());
        assert!(Arc::ptr_eq(&one, &other));
        let deeper =
            registry.parse(&format!("expectimax:eval=ntuple,net={},depth=2", path.display())).unwrap();
        assert_eq!(registry.build(&deeper).unwrap().choose(&Situation::with_future(&game)).unwrap().depth, 2);
    }

    #[test]
    fn missing_networks_are_named() {
        let registry = Registry::built_in();
        let refusal = |text: &str| registry.build(&registry.parse(text).unwrap()).err().unwrap().to_string();
        assert_eq!(refusal("ntuple"), "no network is built in; name a network file, like ntuple:net=FILE");
        assert!(refusal("ntuple:net=nowhere.net").starts_with("cannot read the network nowhere.net: "));
        let file = tempfile::NamedTempFile::new().unwrap();
        let refused = refusal(&format!("ntuple:net={}", file.path().display()));
        assert!(refused.ends_with("as a network: it is not a network of lab2048"), "{refused}");
    }

    #[test]
    fn shipped_networks_are_found_by_name() {
        let registry = Registry::built_in().with_networks(testing::shipped());
        for text in ["ntuple", "ntuple:net=built-in,depth=2", "ntuple:net=tiny", "expectimax:eval=ntuple"] {
            assert!(registry.build(&registry.parse(text).unwrap()).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_shipped_network_may_lie_beside_the_program() {
        static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
        let (there, nowhere) = (|| FOLDER.path().join("there.net"), || PathBuf::from("nowhere.net"));
        fs::write(there(), testing::shipped()[0].bytes().unwrap()).unwrap();
        let beside = |path| ShippedFile::Beside { path, hint: "put it there" };
        let networks = [
            ShippedNetwork { name: "there", file: beside(there) },
            ShippedNetwork { name: "missing", file: beside(nowhere) },
        ];
        assert!(networks[0].bytes().unwrap() == testing::shipped()[0].bytes().unwrap());
        assert!(networks[1].bytes().unwrap_err().to_string().ends_with("; put it there"));
        let registry = Registry::built_in().with_networks(networks.to_vec().leak());
        let build = |text: &str| registry.build(&registry.parse(text).unwrap());
        assert!(build("ntuple:net=there,depth=2").is_ok());
        let refusal = build("ntuple:net=missing").err().unwrap().to_string();
        assert!(refusal.starts_with("cannot read the network nowhere.net: "), "{refusal}");
        assert!(refusal.ends_with("; put it there"), "{refusal}");
    }
}
