//! Texts from outside, as messages quote them.

/// The maximum length of a sentence that quotes texts from outside, for [`one_line`].
pub const SENTENCE: usize = 200;

/// A text from outside as one line of at most `most` characters. Control characters, and
/// characters that change the direction of writing (UAX #9), become question marks.
///
/// ```
/// use lab2048::text::one_line;
///
/// assert_eq!(one_line("two\nlines", 20), "two?lines");
/// assert_eq!(one_line("a long text", 6), "a long...");
/// ```
pub fn one_line(text: &str, most: usize) -> String {
    let turns = |letter| matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut letters =
        text.chars().map(|letter| if letter.is_control() || turns(letter) { '?' } else { letter });
    let mut line: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        line.push_str("...");
    }
    line
}

/// A word from outside: one short line.
pub fn shortened(text: &str) -> String {
    one_line(text, 40)
}
