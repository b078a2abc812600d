//! Paragraphs for a terminal.

/// A text in lines of at most `width` characters. Every line but the first starts with `indent`
/// blanks. Lines break at blanks, inside words after a comma, a colon or a slash, and elsewhere
/// only if there is no other way.
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let width = width.max(indent + 8);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let length = |text: &str| text.chars().count();
    for (number, word) in text.split(' ').enumerate() {
        let mut rest = word;
        let mut gap = if number > 0 { " " } else { "" };
        loop {
            let free = width.saturating_sub(length(&line) + gap.len());
            if length(rest) <= free {
                line = format!("{line}{gap}{rest}");
                break;
            }
            // A word that fits into a line of its own is not broken.
            let is_whole = length(rest) <= width - indent && !line.trim().is_empty();
            let cut = if is_whole { None } else { breakable(rest, free) };
            let (part, left) = match cut {
                Some(cut) => rest.split_at(cut),
                None if !line.trim().is_empty() => ("", rest),
                None => rest.split_at(rest.char_indices().nth(free.max(1)).map_or(rest.len(), |(at, _)| at)),
            };
            if !part.is_empty() {
                line = format!("{line}{gap}{part}");
            }
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            (rest, gap) = (left, "");
        }
    }
    lines.push(line);
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Where a long word can be cut so that the first part has at most `free` characters.
fn breakable(word: &str, free: usize) -> Option<usize> {
    let places = word.char_indices().take(free).filter(|(_, letter)| ",:/".contains(*letter));
    places.map(|(at, letter)| at + letter.len_utf8()).last().filter(|&cut| cut < word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
        assert_eq!(wrapped("short", 80, 2), "short");
        assert_eq!(wrapped("", 80, 2), "");
    }

    #[test]
    fn long_words_break_after_their_commas() {
        let spec = "A  expectimax:eval=rows,nodes=200000,cut=0.0005,fours=2";
        assert_eq!(wrapped(spec, 40, 3), "A  expectimax:eval=rows,nodes=200000,\n   cut=0.0005,fours=2");
        assert_eq!(wrapped("abcdefghijklmnopqrst", 12, 2), "abcdefghijkl\n  mnopqrst");
        assert_eq!(wrapped("an ±±±±±±±±±±±±±±±±", 12, 2), "an\n  ±±±±±±±±±±\n  ±±±±±±");
    }
}
