//! Texts of messages: how they quote texts from outside, and what they call numbers and errors of
//! the system.

use std::io::{self, ErrorKind};

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

/// A whole number with commas between groups of three digits: `65,536`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A range of whole numbers in words. The largest number of a type means that there is no limit.
///
/// ```
/// use lab2048::text::whole_numbers;
///
/// assert_eq!(whole_numbers(1, 65_536), "a whole number from 1 to 65,536");
/// assert_eq!(whole_numbers(1, u64::MAX), "a whole number of at least 1");
/// ```
pub fn whole_numbers(least: u64, most: u64) -> String {
    if most == u64::MAX || most == u64::from(u32::MAX) {
        return format!("a whole number of at least {}", grouped(least));
    }
    format!("a whole number from {} to {}", grouped(least), grouped(most))
}

/// An error of the system in plain words, the same on every system: `no such file or folder`.
///
/// ```
/// use lab2048::text::in_words;
///
/// let error = std::fs::read("no-such-file").unwrap_err();
/// assert_eq!(in_words(&error), "no such file or folder");
/// ```
pub fn in_words(error: &io::Error) -> String {
    let said = error.to_string();
    // An error with a text of its own says more than its kind.
    let is_plain = error.raw_os_error().is_some() || said == io::Error::from(error.kind()).to_string();
    match words(error.kind()).filter(|_| is_plain) {
        Some(words) => words.to_owned(),
        None => without_codes(&said),
    }
}

/// What went wrong, for the errors that users meet.
fn words(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotFound => "no such file or folder",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::AlreadyExists => "it already exists",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "a part of its path is not a folder",
        ErrorKind::DirectoryNotEmpty => "the folder is not empty",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::StorageFull => "no space is left on the disk",
        ErrorKind::QuotaExceeded => "your disk quota is used up",
        ErrorKind::FileTooLarge => "the file would be too large",
        ErrorKind::InvalidFilename => "the name is not possible",
        ErrorKind::ExecutableFileBusy => "the program is being written",
        ErrorKind::ResourceBusy => "it is in use",
        ErrorKind::OutOfMemory => "there is not enough memory",
        ErrorKind::UnexpectedEof => "it ends too early",
        ErrorKind::TimedOut => "it takes too long",
        ErrorKind::Interrupted => "it was interrupted",
        ErrorKind::BrokenPipe => "its reader has closed it",
        ErrorKind::ConnectionRefused => "the connection was refused",
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => "the connection was cut",
        ErrorKind::AddrInUse => "the address is in use",
        ErrorKind::AddrNotAvailable => "this machine does not have the address",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "the network does not reach it",
        _ => return None,
    })
}

/// The text of the system without the numbers of its errors.
fn without_codes(said: &str) -> String {
    let mut parts = said.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_000_000, "1,000,000"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn errors_of_the_system_have_no_numbers() {
        for code in 1..134 {
            let said = in_words(&io::Error::from_raw_os_error(code));
            assert!(!said.contains("os error") && !said.is_empty(), "{code}: {said}");
        }
        assert_eq!(in_words(&ErrorKind::IsADirectory.into()), "it is a folder");
    }

    #[test]
    fn an_error_with_a_text_of_its_own_keeps_it() {
        let own =
            io::Error::new(ErrorKind::NotFound, "'runs': No such file (os error 2), so (os error 13) no");
        assert_eq!(in_words(&own), "'runs': No such file, so no");
        let text =
            String::from_utf8(vec![0xff]).map_err(|error| io::Error::new(ErrorKind::InvalidData, error));
        assert!(in_words(&text.unwrap_err()).starts_with("invalid utf-8"));
    }
}
