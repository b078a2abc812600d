//! What the fuzz targets share.

use std::fmt::Display;

/// Every refusal is one line of a readable length, whatever was refused.
pub fn assert_one_line(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.chars().count() <= 600, "too long or empty: {text:?}");
    assert!(!text.contains(|letter: char| letter.is_control()), "control characters: {text:?}");
}
