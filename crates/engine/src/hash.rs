//! SHA-256 in hexadecimal, used to identify networks, programs, files and records.

use sha2::{Digest as _, Sha256};

/// The finished hash in hexadecimal.
pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of some bytes, in hexadecimal.
pub fn hex_of(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::new_with_prefix(bytes))
}
