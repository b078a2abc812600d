//! Finds the Python that runs submissions, and tries it out in the sandbox.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use lab2048::text::in_words;
use lab2048_exec::{BotProcess, Trouble};

use super::fence::{self, Apart, Place, Protections, Who};
use crate::failure::{Failure, Outcome, warn};

/// How long Python may take for one line of output. The machine may be busy and the disk slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// The Python that runs submissions.
#[derive(Clone, Debug)]
pub(super) struct Python {
    pub(super) path: PathBuf,
    /// Its version, like `3.11`.
    pub(super) version: String,
    /// The user and the file system that it runs with.
    pub(super) place: Place,
    /// The protections that apply to submissions.
    pub(super) protections: Protections,
    /// What keeps submissions apart.
    pub(super) apart: Apart,
}

impl Python {
    /// Finds a Python and warns of protections that are missing with it.
    pub(super) fn find(named: &Path) -> Outcome<Python> {
        let python = Python::find_quietly(named)?;
        python.warn_of_rights();
        if let Some(warning) = python.protections.warning() {
            warn(&warning);
        }
        Ok(python)
    }

    /// Asks a Python for its real path. The command in PATH is often a script that needs the user's
    /// environment.
    pub(super) fn find_quietly(named: &Path) -> Outcome<Python> {
        let question = "import sys, resource; print(sys.executable); print('%d.%d' % sys.version_info[:2])";
        let refused =
            |why: String| Failure::BadInput(format!("cannot use {} as Python: {why}", named.display()));
        let no_python = |why: &str| refused(format!("it is not a working Python 3 ({why})"));
        let mut command = Command::new(named);
        // Isolated mode: a module beside a submission must not replace one of the imported modules.
        command.args(["-I", "-c", question]);
        match interview(command, None, 2).map(<[String; 2]>::try_from) {
            Ok(Ok([path, version])) if version.starts_with("3.") => {
                let path = PathBuf::from(path);
                match fence::place(&path) {
                    Ok(place) => {
                        let protections = Protections::of(place);
                        Ok(Python { path, version, place, protections, apart: Apart::default() })
                    }
                    Err(Silence::Failed(why)) => Err(refused(why)),
                    Err(Silence::Interrupted) => Err(Failure::interrupted("interrupted")),
                }
            }
            Ok(_) => Err(no_python("it reports another version")),
            Err(Silence::Failed(why)) => Err(no_python(&why)),
            Err(Silence::Interrupted) => Err(Failure::interrupted("interrupted")),
        }
    }
}

impl Python {
    /// Warns if submissions can read files that they should not.
    fn warn_of_rights(&self) {
        if !matches!(self.place.who, Who::OwnUser { reads_all: true, .. }) {
            return;
        }
        let temporary = std::env::temp_dir();
        let (what, path, remedy) = match everyone_reaches(&temporary) {
            true => ("Python", &self.path, "choose another one with --python"),
            false => ("temporary folder", &temporary, "choose another one with TMPDIR"),
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

/// Why a program did not give the expected output.
#[derive(Debug)]
pub(super) enum Silence {
    /// It failed, with the reason.
    Failed(String),
    /// The user wants to stop.
    Interrupted,
}

impl From<io::Error> for Silence {
    fn from(error: io::Error) -> Silence {
        Silence::Failed(in_words(&error))
    }
}

/// Starts a program, sends it `first_word` if there is one, and returns its output. The program
/// must print exactly `lines` lines and then exit successfully.
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
        // If the program has already ended, its exit tells why.
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
                    _ => Err(Silence::Failed(last_words.unwrap_or_else(|| "it printed nothing".to_owned()))),
                };
            }
            Err(Trouble::Interrupted) => return Err(Silence::Interrupted),
            Err(Trouble::Late(limit)) => {
                process.kill();
                return Err(Silence::Failed(format!("it did not answer within {} s", limit.as_secs())));
            }
            Err(Trouble::Deaf | Trouble::TooLong | Trouble::Unasked(_)) => {
                return Err(Silence::Failed("it printed something unexpected".to_owned()));
            }
        }
        if said.len() > lines {
            return Err(Silence::Failed("it printed more than expected".to_owned()));
        }
    }
}
