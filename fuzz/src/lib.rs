//! What the fuzz targets share.

use std::fmt::Display;

/// Every refusal is one line of a readable length, whatever was refused.
pub fn assert_one_line(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.chars().count() <= 600, "too long or empty: {text:?}");
    assert!(!text.contains(|letter: char| letter.is_control()), "control characters: {text:?}");
}

/// Adds bytes as the binary files hold them: the length, the checksum, the bytes.
pub fn put_checked(file: &mut Vec<u8>, bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(crc32fast::hash(bytes).to_le_bytes());
    file.extend(bytes);
}
