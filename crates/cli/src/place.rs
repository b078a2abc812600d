//! Where a picture or page may be written.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// How SVG pictures begin.
pub(crate) const SVG: &[u8] = b"<svg";

/// Says before long work, instead of after it, that its result has no folder to go to, or that it would replace a file of another
/// kind: one that does not begin as files of its kind do.
pub(crate) fn check(path: &Path, beginning: &[u8], kind: &str) -> Outcome<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return Err(Failure::Failed(format!("cannot write {}: it is a folder", path.display())));
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::Failed(format!("cannot write {}: there is no such folder", path.display())));
    }
    if path.is_file() && !begins_with(path, beginning)? {
        let sentence = format!("{} is there already and is not {kind}; choose another name", path.display());
        return Err(Failure::BadInput(sentence));
    }
    Ok(())
}

/// Whether a file begins so, or has nothing to lose.
fn begins_with(path: &Path, beginning: &[u8]) -> Outcome<bool> {
    let cannot = |error| Failure::BadInput(format!("cannot read {}: {error}", path.display()));
    let mut start = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(beginning.len() as u64).read_to_end(&mut start).map_err(cannot)?;
    Ok(start.is_empty() || start == beginning)
}
