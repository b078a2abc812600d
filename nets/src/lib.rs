//! The trained networks that ship with lab2048. The default network is embedded. The large one is a
//! separate file. Each network has a card next to it, which describes its shape, its training and
//! its strength.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lab2048::players::{ShippedFile, ShippedNetwork};

/// All shipped networks. The first one is the default. This is a static, because a constant would
/// be copied into the program for each use.
pub static NETWORKS: &[ShippedNetwork] = &[
    ShippedNetwork { name: "default", file: ShippedFile::Inside(include_bytes!("../default.net")) },
    ShippedNetwork { name: "small", file: ShippedFile::Inside(include_bytes!("../small.net")) },
    ShippedNetwork { name: "full", file: ShippedFile::Beside { path: full_path, hint: FULL_HINT } },
];

/// What to do if the large network `full` is not found.
const FULL_HINT: &str =
    "full ships as a separate file: put full.net next to the program, or set LAB2048_NETS to its folder";

/// The path of the large network `full`. If the variable `LAB2048_NETS` is set, it is in that
/// folder. Otherwise it is next to the program if it exists there, or else where it was when the
/// program was built.
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
        assert!(built.is_file(), "it is in this folder");
        let elsewhere = Some(PathBuf::from("/nowhere/lab2048"));
        assert_eq!(place(None, None), built);
        assert_eq!(place(None, elsewhere.clone()), built);
        assert_eq!(place(Some("".into()), elsewhere.clone()), built);
        assert_eq!(place(Some("nets".into()), elsewhere), Path::new("nets/full.net"));
        // A program in the folder of the network finds it there.
        let here = PathBuf::from("../nets/lab2048");
        assert_eq!(place(None, Some(here)), Path::new("../nets/full.net"));
    }
}
