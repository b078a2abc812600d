//! Where the files of a user are.

use std::env;
use std::path::PathBuf;

/// The folder of the user's files: best scores, the unfinished game, tables. `None` if there is no
/// home folder.
pub fn user_folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = named("LAB2048_HOME") {
        return Some(home);
    }
    // The XDG Base Directory Specification says to ignore relative paths.
    let data = named("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data =
        data.or_else(|| named("HOME").map(|home| home.join(".local/share"))).or_else(|| named("APPDATA"));
    data.map(|data| data.join("lab2048"))
}

/// The folder of the user's tables of exact values.
pub fn table_folder() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("tables"))
}
