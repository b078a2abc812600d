//! The trained networks that ship with lab2048: the usual one as the bytes of its file, the large one as a file that lies
//! beside. Each has its card next to it: what it is made of, how it was trained, how it plays.

use std::path::{Path, PathBuf};

/// The network that plays when nobody names another.
pub const DEFAULT: &[u8] = include_bytes!("../default.net");

/// Where the large network `full` is: in the folder that the variable `LAB2048_NETS` names, beside the program, or else where it lay
/// when the program was built.
pub fn full() -> PathBuf {
    const NAME: &str = "full.net";
    if let Some(folder) = std::env::var_os("LAB2048_NETS") {
        return Path::new(&folder).join(NAME);
    }
    let program = std::env::current_exe().ok();
    let beside = program.map(|program| program.with_file_name(NAME)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(NAME))
}
