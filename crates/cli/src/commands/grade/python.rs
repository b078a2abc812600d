//! The Python that runs submissions: asked what it is, and tried out behind the fence.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use lab2048_exec::{BotProcess, Trouble};

use super::fence::{self, Place, Protections, Who};
use crate::failure::{Failure, Outcome, warn};

/// How long a Python may take for a line of its answer: the machine may be busy and the disk slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// The Python that runs submissions.
#[derive(Clone, Debug)]
pub(super) struct Python {
    pub(super) path: PathBuf,
    /// Its version, like `3.11`.
    pub(super) version: String,
    /// As whom it runs.
    pub(super) place: Place,
    /// How submissions are kept in.
    pub(super) protections: Protections,
}

impl Python {
    /// Asks a Python for its real place: what is on the path is often a script that needs the user's environment.
    pub(super) fn find(named: &Path) -> Outcome<Python> {
        let question = "import sys, resource; print(sys.executable); print('%d.%d' % sys.version_info[:2])";
        let refused =
            |why: String| Failure::BadInput(format!("cannot use {} as Python: {why}", named.display()));
        let no_python = |why: &str| refused(format!("it is no Python 3 that works ({why})"));
        let mut command = Command::new(named);
        // Isolated: a module beside a submission that is called like one of these must not be taken for it.
        command.args(["-I", "-c", question]);
        match interview(command, None, 2).map(<[String; 2]>::try_from) {
            Ok(Ok([path, version])) if version.starts_with("3.") => {
                let path = PathBuf::from(path);
                match fence::place(&path) {
                    Ok(place) => {
                        let protections = Protections::of(place);
                        let python = Python { path, version, place, protections };
                        python.warn_of_rights();
                        if let Some(warning) = protections.warning() {
                            warn(&warning);
                        }
                        Ok(python)
                    }
                    Err(Silence::Failed(why)) => Err(refused(why)),
                    Err(Silence::Interrupted) => Err(Failure::Interrupted("interrupted".to_owned())),
                }
            }
            Ok(_) => Err(no_python("it has another version")),
            Err(Silence::Failed(why)) => Err(no_python(&why)),
            Err(Silence::Interrupted) => Err(Failure::Interrupted("interrupted".to_owned())),
        }
    }
}

impl Python {
    /// Says so if submissions can read what they should not.
    fn warn_of_rights(&self) {
        if !matches!(self.place.who, Who::OwnUser { reads_all: true, .. }) {
            return;
        }
        let temporary = std::env::temp_dir();
        let (what, path, remedy) = match everyone_reaches(&temporary) {
            true => ("Python", &self.path, "name another one with --python"),
            false => ("temporary folder", &temporary, "name another one with TMPDIR"),
        };
        warn(&format!(
            "only root can reach the {what} {}, so submissions run with root's right to read every file; {remedy}",
            path.display()
        ));
    }
}

/// Whether every user may pass through all folders of a path.
fn everyone_reaches(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let may_pass = |folder: &Path| {
            std::fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0)
        };
        path.ancestors().filter(|folder| !folder.as_os_str().is_empty()).all(may_pass)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

/// Why a program did not tell what it was asked.
#[derive(Debug)]
pub(super) enum Silence {
    /// It cannot, and this is why.
    Failed(String),
    /// The user wants to stop.
    Interrupted,
}

impl From<io::Error> for Silence {
    fn from(error: io::Error) -> Silence {
        Silence::Failed(error.to_string())
    }
}

/// Starts a program, tells it a word if there is one, and returns what it says: so many lines, after which it ends well.
pub(super) fn interview(
    mut command: Command,
    first_word: Option<String>,
    lines: usize,
) -> Result<Vec<String>, Silence> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut process = command.spawn().and_then(BotProcess::around)?;
    if let Some(word) = first_word {
        // One that has ended already says why.
        let _ = process.tell(word);
    }
    let mut said = Vec::new();
    loop {
        match process.answer(Some(PATIENCE)) {
            Ok(line) => said.push(line),
            Err(Trouble::Closed) => {
                let (status, last_words) = process.how_it_ended();
                return match status {
                    Some(status) if status.success() && said.len() == lines => Ok(said),
                    _ => Err(Silence::Failed(last_words.unwrap_or_else(|| "it says nothing".to_owned()))),
                };
            }
            Err(Trouble::Interrupted) => return Err(Silence::Interrupted),
            Err(Trouble::Late(limit)) => {
                process.kill();
                return Err(Silence::Failed(format!("it gave no answer within {} s", limit.as_secs())));
            }
            Err(Trouble::Deaf | Trouble::TooLong | Trouble::Unasked(_)) => {
                return Err(Silence::Failed("it says other things than it was asked".to_owned()));
            }
        }
        if said.len() > lines {
            return Err(Silence::Failed("it says more than it was asked".to_owned()));
        }
    }
}
