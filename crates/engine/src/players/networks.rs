//! The player `ntuple` and the evaluator of the same name: trained networks, from files or shipped
//! with the program.

use std::borrow::Cow;
use std::collections::HashMap;
#[cfg(feature = "files")]
use std::error::Error;
use std::fmt;
#[cfg(feature = "files")]
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::drawing::{Drawing, expectimax_tree};
use super::expectimax::{ADAPT, CUT, DEPTH_FROM_ONE, FOURS, NODES, TABLE, TIME, options, options_from_one};
use super::{AnyEvaluator, BuildError, Entry, EvaluatorEntry, Kind, Param, Searchable, Settings};
#[cfg(feature = "train")]
use crate::learn::CheckpointNetwork;
#[cfg(feature = "files")]
use crate::ntuple::NetworkCache;
use crate::ntuple::{Network, NetworkError, NetworkFile, let_go};
use crate::text::shortened;

/// A network that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedNetwork {
    /// Its name in a spec. The first of the list is also called `built-in`.
    pub name: &'static str,
    /// Its file.
    pub file: ShippedFile,
}

/// The location of the file of a shipped network.
#[derive(Clone, Copy, Debug)]
pub enum ShippedFile {
    /// Its bytes are part of the program.
    Inside(&'static [u8]),
    /// A separate file, because it is too large. Its path is looked up on use.
    Beside {
        /// The path.
        path: fn() -> PathBuf,
        /// What to do if it is missing.
        hint: &'static str,
    },
    /// Its bytes are handed over at run time, with
    /// [`Registry::hand_over`](super::Registry::hand_over).
    HandedOver,
}

impl ShippedNetwork {
    /// The alternative name of the first network of a list.
    pub const BUILT_IN: &'static str = "built-in";

    /// The network of a list with this name. The first one is also called `built-in`.
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
                read_bytes(&path).map(Cow::Owned).map_err(|error| hinted(error, &path, hint))
            }
            ShippedFile::HandedOver => Err(BuildError::NotHandedOver { name: self.name }),
        }
    }
}

/// Adds the hint if the file of a shipped network is missing.
#[cfg(feature = "files")]
fn hinted(error: BuildError, path: &Path, hint: &'static str) -> BuildError {
    if path.exists() { error } else { BuildError::MissingShipped { source: Box::new(error), hint } }
}

/// Without support for files, a file in the right place would not help.
#[cfg(not(feature = "files"))]
fn hinted(error: BuildError, _: &Path, _: &'static str) -> BuildError {
    error
}

pub(super) const NET: Param = Param {
    name: "net",
    default: Some(ShippedNetwork::BUILT_IN),
    kind: Kind::File,
    unit: None,
    help: "network: built-in, another shipped one (small, full), a network file, or a training checkpoint for 4x4",
};

const PARAMS: &[Param] = &[NET, DEPTH_FROM_ONE, NODES, TIME, ADAPT, CUT, FOURS, TABLE];

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        drawing: Some(Drawing {
            depth: 2,
            own_search: true,
            tree: |settings, game, view| {
                expectimax_tree(evaluator(settings)?, options(settings)?, game, view)
            },
        }),
        ..Entry::new(
            "ntuple",
            "takes the move with the best expected value over all spawns, with a trained n-tuple network",
            PARAMS,
            |settings| Ok(evaluator(settings)?.expectimax(options_from_one(settings)?)?),
        )
    }]
}

pub(super) fn evaluator_entries() -> Vec<EvaluatorEntry> {
    vec![EvaluatorEntry {
        name: "ntuple",
        summary: "a trained n-tuple network that estimates the points still to come",
        params: &[NET],
        build: evaluator,
    }]
}

pub(super) fn evaluator(settings: &Settings) -> Result<AnyEvaluator, BuildError> {
    let name = settings.text(NET.name);
    let networks = &settings.registry.resources.networks;
    let network = match networks.named(name) {
        Some(shipped) => networks.load(shipped),
        None if name == ShippedNetwork::BUILT_IN => {
            let words = "no network is built in; name a network file, like ntuple:net=FILE";
            return Err(BuildError::impossible(words));
        }
        None => networks.read(Path::new(name)),
    };
    Ok(AnyEvaluator::Fast(network?))
}

#[cfg(feature = "files")]
fn read_bytes(path: &Path) -> Result<Vec<u8>, BuildError> {
    Ok(NetworkFile::read_bytes(path)?)
}

#[cfg(not(feature = "files"))]
fn read_bytes(_: &Path) -> Result<Vec<u8>, BuildError> {
    Err(BuildError::impossible(super::NO_FILES))
}

/// The networks of a registry and its clones: those that ship with the program, and those read from
/// files. A network stays in memory once it was read, and all players share it.
#[derive(Debug, Default)]
pub struct Networks {
    shipped: &'static [ShippedNetwork],
    read: Mutex<HashMap<Source, Read>>,
    /// Where decoded networks are kept for the next start.
    #[cfg(feature = "files")]
    cache: Option<NetworkCache>,
}

/// The source of a network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    Shipped(&'static str),
    #[cfg(feature = "files")]
    File(PathBuf),
}

/// A network that was read.
struct Read {
    network: Arc<dyn Searchable>,
    /// The length and modification time of its file. A changed file is read again.
    state: Option<(u64, Option<SystemTime>)>,
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Read").field(&self.network.fingerprint()).finish()
    }
}

impl Networks {
    /// These networks ship with the program. The first one is the built-in one. The cache stays.
    pub(super) fn with_shipped(&self, shipped: &'static [ShippedNetwork]) -> Networks {
        Networks {
            shipped,
            #[cfg(feature = "files")]
            cache: self.cache.clone(),
            ..Networks::default()
        }
    }

    /// The same networks, decoded only if the cache does not have them.
    #[cfg(feature = "files")]
    pub(super) fn with_cache(&self, cache: NetworkCache) -> Networks {
        Networks { shipped: self.shipped, cache: Some(cache), ..Networks::default() }
    }

    /// All networks that ship with the program.
    pub(super) fn shipped(&self) -> &'static [ShippedNetwork] {
        self.shipped
    }

    /// The built-in network.
    pub(super) fn built_in(&self) -> Option<&'static ShippedNetwork> {
        self.shipped.first()
    }

    fn named(&self, name: &str) -> Option<&'static ShippedNetwork> {
        ShippedNetwork::named(self.shipped, name)
    }

    /// A network that ships with the program.
    pub(super) fn load(&self, shipped: &ShippedNetwork) -> Result<Arc<dyn Searchable>, BuildError> {
        match shipped.file {
            ShippedFile::Inside(bytes) => self.shared(Source::Shipped(shipped.name), None, || {
                let network = self.decoded(bytes)?;
                let_go(bytes);
                Ok(Arc::new(network))
            }),
            ShippedFile::Beside { path, hint } => {
                let path = path();
                self.read(&path).map_err(|error| hinted(error, &path, hint))
            }
            ShippedFile::HandedOver => self.shared(Source::Shipped(shipped.name), None, || {
                Err(BuildError::NotHandedOver { name: shipped.name })
            }),
        }
    }

    /// Takes over the bytes of a shipped network.
    pub(super) fn hand_over(&self, name: &str, bytes: &[u8]) -> Result<Arc<dyn Searchable>, BuildError> {
        let Some(shipped) = self.named(name) else {
            return Err(BuildError::impossible(format!("there is no network '{}'", shortened(name))));
        };
        let network = NetworkFile::from_bytes(bytes)?.network;
        self.shared(Source::Shipped(shipped.name), None, || Ok(Arc::new(network)))
    }

    #[cfg(not(feature = "files"))]
    fn read(&self, _: &Path) -> Result<Arc<dyn Searchable>, BuildError> {
        Err(BuildError::impossible(super::NO_FILES))
    }

    /// The network of a file.
    #[cfg(feature = "files")]
    fn read(&self, path: &Path) -> Result<Arc<dyn Searchable>, BuildError> {
        let missing = |source| BuildError::MissingNetwork { path: path.to_owned(), source };
        let unfit = |source| BuildError::UnfitNetwork { path: path.to_owned(), source };
        let found = fs::metadata(path).map_err(missing)?;
        let state = Some((found.len(), found.modified().ok()));
        self.shared(Source::File(path.to_owned()), state, || self.read_network(path).map_err(unfit))
    }

    /// Reads a network file or a training checkpoint.
    #[cfg(feature = "files")]
    fn read_network(&self, path: &Path) -> Result<Arc<dyn Searchable>, Box<dyn Error + Send + Sync>> {
        #[cfg(feature = "train")]
        if CheckpointNetwork::is_checkpoint(path) {
            return Ok(Arc::new(CheckpointNetwork::read(path)?));
        }
        Ok(Arc::new(self.decoded(&read_bytes(path)?)?))
    }

    /// The network of the bytes of a network file.
    fn decoded(&self, bytes: &[u8]) -> Result<Network, NetworkError> {
        #[cfg(feature = "files")]
        if let Some(cache) = &self.cache {
            return cache.load(bytes);
        }
        Ok(NetworkFile::from_bytes(bytes)?.network)
    }

    /// Loads a network unless it is cached. Other threads wait, because they may need the same one.
    fn shared(
        &self,
        source: Source,
        state: Option<(u64, Option<SystemTime>)>,
        load: impl FnOnce() -> Result<Arc<dyn Searchable>, BuildError>,
    ) -> Result<Arc<dyn Searchable>, BuildError> {
        // A panic of another thread while loading leaves the cache unchanged.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&source).filter(|known| known.state == state) {
            return Ok(Arc::clone(&known.network));
        }
        let network = load()?;
        read.insert(source, Read { network: Arc::clone(&network), state });
        Ok(network)
    }
}

/// A network for tests.
#[cfg(test)]
pub(super) mod testing {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use super::*;
    use crate::board::Size;
    use crate::ntuple::{Patterns, Shape, Stages};

    /// A list with one network, called `tiny`. It gives a value only to rows whose first cell is a
    /// 32.
    pub(crate) fn shipped() -> &'static [ShippedNetwork] {
        static SHIPPED: LazyLock<[ShippedNetwork; 1]> = LazyLock::new(|| {
            let patterns = Patterns::parse(Size::FOUR, "0123").expect("a valid pattern");
            let shape = Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 };
            let weight = |place| if place % 16 == 5 { 26 } else { 0 };
            let network = Network::from_weights(shape, 1.0, |_| (0..1 << 16).map(weight).collect());
            let network = network.expect("a small network fits in memory");
            let bytes = NetworkFile::to_bytes(&network, BTreeMap::new());
            [ShippedNetwork { name: "tiny", file: ShippedFile::Inside(bytes.leak()) }]
        });
        &*SHIPPED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Registry;

    #[test]
    fn a_network_is_read_once_in_the_life_of_a_registry() {
        let networks = Networks::default().with_shipped(testing::shipped());
        let tiny = networks.built_in().unwrap();
        let one = Arc::downgrade(&networks.load(tiny).unwrap());
        assert!(Arc::ptr_eq(&one.upgrade().unwrap(), &networks.load(tiny).unwrap()));
        drop(networks);
        assert!(one.upgrade().is_none(), "dropping the registry frees it");
    }

    #[cfg(feature = "files")]
    #[test]
    fn a_file_that_has_changed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.net");
        fs::write(&path, testing::shipped()[0].bytes().unwrap()).unwrap();
        let networks = Networks::default();
        let one = networks.read(&path).unwrap();
        assert!(Arc::ptr_eq(&one, &networks.read(&path).unwrap()));
        fs::write(&path, "no network").unwrap();
        assert!(networks.read(&path).is_err());
    }

    /// The order in which a registry is told of its networks and its cache does not matter.
    #[cfg(all(feature = "files", unix))]
    #[test]
    fn a_cache_stays_when_networks_are_added() {
        let folder = tempfile::tempdir().unwrap();
        let cache = |name| NetworkCache::in_folder(folder.path().join(name));
        let registries = [
            (
                "before",
                Registry::built_in().with_network_cache(cache("before")).with_networks(testing::shipped()),
            ),
            (
                "after",
                Registry::built_in().with_networks(testing::shipped()).with_network_cache(cache("after")),
            ),
        ];
        for (name, registry) in registries {
            registry.build(&registry.parse("ntuple").unwrap()).unwrap();
            let decoded = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|own| own == "decoded");
            let files = fs::read_dir(folder.path().join(name)).unwrap().map(Result::unwrap);
            assert_eq!(files.filter(decoded).count(), 1, "{name}");
        }
    }

    #[cfg(feature = "files")]
    #[test]
    fn a_network_file_plays() {
        use crate::game::{Game, Rules, Situation};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.net");
        fs::write(&path, testing::shipped()[0].bytes().unwrap()).unwrap();
        let registry = Registry::built_in();
        let spec = registry.parse(&format!("ntuple:net={}", path.display())).unwrap();
        let mut player = registry.build(&spec).unwrap();
        let game = Game::new(Rules::default(), 3);
        let decision = player.choose(&Situation::with_future(&game)).unwrap();
        assert_eq!(decision.depth, 1);
        let deeper =
            registry.parse(&format!("expectimax:eval=ntuple,net={},depth=2", path.display())).unwrap();
        assert_eq!(registry.build(&deeper).unwrap().choose(&Situation::with_future(&game)).unwrap().depth, 2);
    }

    #[test]
    fn a_network_can_be_handed_over_later() {
        static LATER: &[ShippedNetwork] = &[ShippedNetwork { name: "later", file: ShippedFile::HandedOver }];
        let registry = Registry::built_in().with_networks(LATER);
        let spec = registry.parse("ntuple:net=later").unwrap();
        let missing = registry.build(&spec).err().unwrap();
        assert!(matches!(missing, BuildError::NotHandedOver { name: "later" }), "{missing}");
        assert!(registry.hand_over("later", b"no network").is_err());
        let bytes = testing::shipped()[0].bytes().unwrap();
        assert!(registry.hand_over("other", &bytes).is_err());
        let hash = registry.hand_over("later", &bytes).unwrap();
        assert_eq!(hash, NetworkFile::hash(&bytes));
        assert!(registry.build(&spec).is_ok());
        assert!(registry.build(&registry.parse("auto").unwrap()).is_ok());
    }

    #[test]
    fn missing_networks_are_named() {
        let registry = Registry::built_in();
        let refusal = |text: &str| registry.build(&registry.parse(text).unwrap()).err().unwrap().to_string();
        assert_eq!(refusal("ntuple"), "no network is built in; name a network file, like ntuple:net=FILE");
        #[cfg(not(feature = "files"))]
        assert_eq!(refusal("ntuple:net=nowhere.net"), crate::players::NO_FILES);
        #[cfg(feature = "files")]
        {
            assert!(refusal("ntuple:net=nowhere.net").starts_with("cannot read the network nowhere.net: "));
            let file = tempfile::NamedTempFile::new().unwrap();
            let refused = refusal(&format!("ntuple:net={}", file.path().display()));
            assert!(refused.ends_with("as a network: it is not a network of lab2048"), "{refused}");
        }
    }

    #[test]
    fn shipped_networks_are_found_by_name() {
        let registry = Registry::built_in().with_networks(testing::shipped());
        for text in ["ntuple", "ntuple:net=built-in,depth=2", "ntuple:net=tiny", "expectimax:eval=ntuple"] {
            assert!(registry.build(&registry.parse(text).unwrap()).is_ok(), "{text}");
        }
    }

    #[cfg(feature = "files")]
    #[test]
    fn a_shipped_network_may_lie_beside_the_program() {
        use std::sync::LazyLock;

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
