//! The trained networks that ship with lab2048, and the list of them: the usual one as the bytes of its file, the large one as the
//! place of a file. Each has its card next to it: what it is made of, how it was trained, how it plays.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lab2048::players::{ShippedFile, ShippedNetwork};

/// All of them; the first one plays when nobody names another. A constant would be in the program once for each of its uses.
pub static NETWORKS: &[ShippedNetwork] = &[
    ShippedNetwork { name: "default", file: ShippedFile::Inside(include_bytes!("../default.net")) },
    ShippedNetwork { name: "full", file: ShippedFile::Beside { path: full_path, hint: FULL_HINT } },
];

/// What to do where the large network `full` is not found.
const FULL_HINT: &str =
    "full ships as a file of its own: put full.net beside the program, or name its folder in LAB2048_NETS";

/// Where the large network `full` is: in the folder that the variable `LAB2048_NETS` names, if it is set; otherwise beside the program if
/// it lies there, or else where it lay when the program was built.
fn full_path() -> PathBuf {
    place(std::env::var_os("LAB2048_NETS"), std::env::current_exe().ok())
}

fn place(variable: Option<OsString>, program: Option<PathBuf>) -> PathBuf {
    const NAME: &str = "full.net";
    if let Some(folder) = variable.filter(|folder| !folder.is_empty()) {
        return Path::new(&folder).join(NAME);
    }
    let beside = program.map(|program| program.with_file_name(NAME)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_network_is_looked_for_in_three_places() {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("full.net");
        assert!(built.is_file(), "it lies in this folder");
        let elsewhere = Some(PathBuf::from("/nowhere/lab2048"));
        assert_eq!(place(None, None), built);
        assert_eq!(place(None, elsewhere.clone()), built);
        assert_eq!(place(Some("".into()), elsewhere.clone()), built);
        assert_eq!(place(Some("nets".into()), elsewhere), Path::new("nets/full.net"));
        // A program in the folder of the network finds it there, by that path.
        let here = PathBuf::from("../nets/lab2048");
        assert_eq!(place(None, Some(here)), Path::new("../nets/full.net"));
    }
}
