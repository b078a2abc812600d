//! The commit that the program is built from. Part of the build script; `tests/commit.rs` tests it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the program consists of, from the root of the project. Changes elsewhere, as in documents
/// and tests, do not make another program.
const SOURCES: [&str; 12] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/cli/Cargo.toml",
    "crates/cli/src",
    "crates/draw/Cargo.toml",
    "crates/draw/src",
    "crates/engine/Cargo.toml",
    "crates/engine/src",
    "crates/exec/Cargo.toml",
    "crates/exec/src",
    "nets",
    "web",
];

/// The commit as the program names it.
pub(crate) struct Commit {
    /// Its hash, its date, and whether the sources were changed after it.
    pub(crate) text: String,
    /// Files and folders of which `text` is a function. All of them exist.
    pub(crate) depends_on: Vec<PathBuf>,
}

/// The commit of a package in `crates/cli` of the project, or of a published one. `None` if it is
/// not known, as in an archive without the folder `.git`, or if there is no program `git`.
pub(crate) fn of(package: &Path) -> Option<Commit> {
    published(package).or_else(|| checked_out(package))
}

/// Cargo writes the commit into a package that it publishes.
fn published(package: &Path) -> Option<Commit> {
    let path = package.join(".cargo_vcs_info.json");
    let info = fs::read_to_string(&path).ok()?;
    let hash = info.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    let is_hash = hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let changes = if info.contains("\"dirty\": true") { ", with changes" } else { "" };
    is_hash.then(|| Commit { text: format!("{}{changes}", &hash[..12]), depends_on: vec![path] })
}

/// The commit that is checked out.
fn checked_out(package: &Path) -> Option<Commit> {
    let root = package.parent()?.parent()?;
    // Without this, a copy inside a foreign repository would name the foreign commit.
    if !root.join(".git").exists() {
        return None;
    }
    let head = git(root, &["log", "-1", "--abbrev=12", "--format=%h of %cs"])?;
    let present: Vec<&str> = SOURCES.into_iter().filter(|source| root.join(source).exists()).collect();
    let changed = git(root, &[&["status", "--porcelain", "--"], present.as_slice()].concat())?;
    let changes = if changed.is_empty() { "" } else { ", with changes" };
    let mut depends_on: Vec<PathBuf> = present.iter().map(|source| root.join(source)).collect();
    depends_on.extend(state(root));
    Some(Commit { text: format!("{head}{changes}"), depends_on })
}

/// The files of git that change with the commit. A branch can be a file of its own or a line of
/// `packed-refs`; the log of `HEAD` grows with every commit and checkout.
fn state(root: &Path) -> Vec<PathBuf> {
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"].into_iter().map(str::to_owned).chain(branch);
    let paths = names.filter_map(|name| git(root, &["rev-parse", "--git-path", &name]));
    paths.map(|path| root.join(path)).filter(|path| path.is_file()).collect()
}

/// What git prints, without the line end. `None` if it cannot be run or fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("--no-optional-locks").args(arguments).current_dir(root);
    // A hook of git that builds the program sets these, perhaps for another repository.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
