//! The shipped networks as files beside the page: `networks/list.json` and `networks/NAME.net`. The
//! same paths serve the static site and the server.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use hyper::body::Bytes;
use lab2048::files::hash_of;
use lab2048::hash::hex_of;
use lab2048::players::{ShippedFile, ShippedNetwork};
use serde_json::{Value, json};

use super::content::Content;

/// The folder of the networks below the page.
pub(super) const FOLDER: &str = "networks/";

/// The list of the networks in [`FOLDER`].
pub(super) const LIST: &str = "networks/list.json";

/// A shipped network that is there.
#[derive(Clone, Debug)]
pub(super) struct NetworkFile {
    pub(super) network: &'static ShippedNetwork,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl NetworkFile {
    /// The name of its file.
    pub(super) fn file(&self) -> String {
        format!("{}.net", self.network.name)
    }

    /// Its content, to be sent.
    pub(super) fn content(&self) -> io::Result<Content> {
        match self.network.file {
            ShippedFile::Inside(bytes) => Ok(Content::Memory(Some(Bytes::from_static(bytes)))),
            ShippedFile::Beside { path, .. } => Content::file(File::open(path())?),
            ShippedFile::HandedOver => Err(ErrorKind::NotFound.into()),
        }
    }

    /// Its entry in the list.
    fn json(&self) -> Value {
        json!({
            "name": self.network.name,
            "file": self.file(),
            "bytes": self.bytes,
            "sha256": self.sha256,
        })
    }
}

/// The list as JSON.
pub(super) fn list_json(networks: &[NetworkFile]) -> Value {
    networks.iter().map(NetworkFile::json).collect()
}

/// The state of a file: its length and modification time.
type State = (u64, Option<SystemTime>);

/// The shipped networks, with the hashes of their files once they are known.
#[derive(Debug, Default)]
pub(super) struct NetworkFiles {
    known: Mutex<Vec<(PathBuf, State, String)>>,
}

impl NetworkFiles {
    /// The networks that are there. Hashing a large one the first time takes a moment.
    pub(super) fn list(&self) -> Vec<NetworkFile> {
        lab2048_nets::NETWORKS.iter().filter_map(|network| self.find(network)).collect()
    }

    /// The network with this file name.
    pub(super) fn named(&self, file: &str) -> Option<NetworkFile> {
        let name = file.strip_suffix(".net")?;
        self.find(lab2048_nets::NETWORKS.iter().find(|network| network.name == name)?)
    }

    fn find(&self, network: &'static ShippedNetwork) -> Option<NetworkFile> {
        let (bytes, sha256) = match network.file {
            ShippedFile::Inside(bytes) => {
                let state = (bytes.len() as u64, None);
                (state.0, self.hash(Path::new(network.name), state, || Some(hex_of(bytes)))?)
            }
            ShippedFile::Beside { path, .. } => {
                let path = path();
                let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
                let state = (found.len(), found.modified().ok());
                (state.0, self.hash(&path, state, || hash_of(&path).ok())?)
            }
            // The program has no file of such a network.
            ShippedFile::HandedOver => return None,
        };
        Some(NetworkFile { network, bytes, sha256 })
    }

    /// The hash of a file in this state.
    fn hash(&self, path: &Path, state: State, hash: impl FnOnce() -> Option<String>) -> Option<String> {
        // A panic of another thread leaves the list as it was.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., hash)) = known.iter().find(|(place, then, _)| place == path && *then == state) {
            return Some(hash.clone());
        }
        let hash = hash()?;
        known.retain(|(place, ..)| place != path);
        known.push((path.to_owned(), state, hash.clone()));
        Some(hash)
    }
}
