//! The checkpoint of `evolve`, `evolve sweep` and `evolve reproduce`: the finished runs and the
//! state of the current run, as one JSON file that is replaced as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use lab2048::evolve::Evolution;
use lab2048::files::{self, LockError, LockedFile, read_limited, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};
use crate::{out, place};

/// The largest checkpoint that is read.
const MOST_BYTES: u64 = 1 << 30;
const VERSION: u32 = 1;

const CHECKPOINT: place::Kind<'static> =
    place::Kind { name: "a checkpoint", content: place::Content::Any, endings: &["json"] };

/// The kind of work that a checkpoint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Evolution,
    Sweep,
    Reproduction,
}

/// The first fields of every checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    lab2048: Kind,
    version: u32,
}

/// The content of a checkpoint. `P` are the settings of the work, `D` is the result of a finished
/// run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint<P, D> {
    lab2048: Kind,
    version: u32,
    pub(super) settings: P,
    pub(super) finished: Vec<D>,
    pub(super) current: Option<Evolution>,
    /// Held while the work runs: two processes would overwrite each other's results.
    #[serde(skip)]
    _lock: Option<LockedFile>,
}

impl<P: Serialize + DeserializeOwned + PartialEq, D: Serialize + DeserializeOwned> Checkpoint<P, D> {
    pub(super) fn new(kind: Kind, settings: P) -> Checkpoint<P, D> {
        Checkpoint {
            lab2048: kind,
            version: VERSION,
            settings,
            finished: Vec::new(),
            current: None,
            _lock: None,
        }
    }

    /// Reads the checkpoint with these settings, or makes a new one if there is no file. `check` is
    /// called with the number and the result of each finished run.
    pub(super) fn open(
        path: &Path,
        kind: Kind,
        settings: P,
        check: impl Fn(usize, &D) -> Result<(), String>,
    ) -> Outcome<Checkpoint<P, D>> {
        check_writable(path)?;
        place::check_resumed(path, &CHECKPOINT)?;
        let lock = Some(locked(path, kind)?);
        if !path.exists() {
            return Ok(Checkpoint { _lock: lock, ..Checkpoint::new(kind, settings) });
        }
        let bad = |reason: String| refused(path, kind, &reason);
        let bytes = read_limited(path, MOST_BYTES).map_err(Failure::bad_input)?;
        let head: Head = serde_json::from_slice(&bytes).map_err(|_| bad("it is another file".to_owned()))?;
        if head != (Head { lab2048: kind, version: VERSION }) {
            let (name, version) = (head.lab2048.name(), head.version);
            return Err(bad(format!("it is of kind '{name}' and version {version}")));
        }
        let found: Checkpoint<P, D> =
            serde_json::from_slice(&bytes).map_err(|_| bad("it is damaged".to_owned()))?;
        if found.settings != settings {
            return Err(bad("it was made with other settings".to_owned()));
        }
        for (number, finished) in found.finished.iter().enumerate() {
            check(number, finished).map_err(bad)?;
        }
        if let Some(current) = &found.current {
            current.check().map_err(|error| bad(error.to_string()))?;
        }
        Ok(Checkpoint { _lock: lock, ..found })
    }

    pub(super) fn write(&self, path: &Path) -> Outcome<()> {
        let text = serde_json::to_string(self).map_err(Failure::failed)?;
        write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::failed)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Evolution => "evolution",
            Kind::Sweep => "sweep",
            Kind::Reproduction => "reproduction",
        }
    }
}

/// The error for a file that cannot be resumed.
pub(super) fn refused(path: &Path, kind: Kind, reason: &str) -> Failure {
    Failure::BadInput(format!("{} is not the checkpoint of this {}: {reason}", path.display(), kind.name()))
}

/// The lock file of a checkpoint.
pub(super) fn lock_of(checkpoint: &Path) -> PathBuf {
    let mut beside = checkpoint.as_os_str().to_owned();
    beside.push(".lock");
    PathBuf::from(beside)
}

/// Whether two paths lead to the same file, which need not exist.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let whole = fs::canonicalize(path);
        whole.ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Some(fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?))
        })
    };
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

/// Locks a checkpoint for this process. The lock is a separate file, because the checkpoint is
/// replaced whenever it is written.
fn locked(path: &Path, kind: Kind) -> Outcome<LockedFile> {
    let beside = lock_of(path);
    LockedFile::open(&beside).map_err(|error| match error {
        LockError::Busy => {
            Failure::Failed(format!("{} is in use by another {}", path.display(), kind.name()))
        }
        error => Failure::Failed(format!("cannot write {}: {error}", beside.display())),
    })
}

/// Refuses a file that cannot be written, before the work that makes its content. The file is not
/// changed.
pub(super) fn check_writable(path: &Path) -> Outcome<()> {
    place::check_folder(path)?;
    files::check_writable(path).map_err(Failure::failed)
}

/// Writes a text to a file, or to the standard output if the path is `-`.
pub(super) fn write_text(path: &Path, text: &str) -> Outcome<()> {
    if is_stdout(path) {
        return out::print(text);
    }
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::failed)
}

/// Whether a path means the standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
