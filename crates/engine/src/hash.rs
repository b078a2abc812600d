//! SHA-256 in hexadecimal: how networks, programs, files and records are named.

use sha2::{Digest as _, Sha256};

/// The hash of what was taken in, in hexadecimal.
pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of some bytes, in hexadecimal.
pub(crate) fn hex_of(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::new_with_prefix(bytes))
}
