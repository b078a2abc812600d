//! Helpers of the fuzz targets.

use std::fmt::Display;

/// Checks that an error message is one line of readable length.
pub fn assert_one_line(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.chars().count() <= 600, "too long or empty: {text:?}");
    assert!(!text.contains(|letter: char| letter.is_control()), "control characters: {text:?}");
}

/// Appends bytes in the format of the binary files: length, checksum, bytes.
pub fn put_checked(file: &mut Vec<u8>, bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(crc32fast::hash(bytes).to_le_bytes());
    file.extend(bytes);
}
