//! The marks of the reports, which people give: a file with lines `NAME,PERCENT`, after a line with
//! the names of the columns or without one.

use std::collections::BTreeMap;
use std::path::Path;

use lab2048::files::read_limited;

use crate::failure::{Failure, Outcome};

/// The maximum size of the file.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the marks. Every name must belong to a submission: otherwise a typo would cost a student
/// the report's mark.
pub(super) fn read(path: &Path, names: &[&str]) -> Outcome<BTreeMap<String, f64>> {
    let bytes = read_limited(path, MOST_BYTES).map_err(Failure::bad_input)?;
    let bad = |reason: String| Failure::BadInput(format!("{}: {reason}", path.display()));
    let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8 text".to_owned()))?;
    // Some programs begin a file with a byte order mark.
    parse(text.trim_start_matches('\u{feff}'), names).map_err(bad)
}

fn parse(text: &str, names: &[&str]) -> Result<BTreeMap<String, f64>, String> {
    let mut marks = BTreeMap::new();
    let mut is_first = true;
    for (place, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("line {place}: {what}");
        let (name, percent) = fields(line).ok_or_else(|| wrong("write NAME,PERCENT, like alice,85"))?;
        let name = name.as_str();
        let percent = percent.trim_end_matches('%').trim_end();
        let number: Option<f64> = percent.parse().ok();
        // Spreadsheets begin with the names of the columns. The line of a submission is not one.
        let is_header = is_first && number.is_none() && !percent.is_empty() && !names.contains(&name);
        is_first = false;
        if is_header {
            continue;
        }
        let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
        let percent = percent.ok_or_else(|| wrong("the mark must be a number from 0 to 100"))?;
        if !names.contains(&name) {
            return Err(wrong(&format!("there is no submission '{name}'")));
        }
        if marks.insert(name.to_owned(), percent).is_some() {
            return Err(wrong(&format!("'{name}' already has a mark")));
        }
    }
    Ok(marks)
}

/// The name and the mark of a line. Spreadsheets quote fields that contain commas and double the
/// quotes in them (RFC 4180). A name without quotes may contain commas too.
fn fields(line: &str) -> Option<(String, &str)> {
    let (name, percent) = match line.strip_prefix('"') {
        Some(quoted) => {
            let (name, rest) = quoted_field(quoted)?;
            (name, rest.trim_start().strip_prefix(',')?)
        }
        None => {
            let (name, percent) = line.rsplit_once(',')?;
            (name.to_owned(), percent)
        }
    };
    let percent = percent.trim();
    let bare = percent.strip_prefix('"').and_then(|percent| percent.strip_suffix('"'));
    Some((name.trim().to_owned(), bare.unwrap_or(percent).trim()))
}

/// The text up to the closing quote, and the rest after it.
fn quoted_field(text: &str) -> Option<(String, &str)> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let (before, behind) = rest.split_once('"')?;
        field.push_str(before);
        match behind.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return Some((field, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_a_line() {
        let marks =
            parse("# reports\n\nalice, 85.5\r\nbob the, great ,100%\n", &["alice", "bob the, great", "c"]);
        let expected = [("alice".to_owned(), 85.5), ("bob the, great".to_owned(), 100.0)];
        assert_eq!(marks, Ok(BTreeMap::from(expected)));
    }

    #[test]
    fn quotes_are_those_of_spreadsheets() {
        let names = ["Doe, Jane", "Ann \"A\" Lee", "bob"];
        let text = "\"Doe, Jane\",70\n\"Ann \"\"A\"\" Lee\", \"80.5\"\n\"bob\" ,90%\n";
        let expected = [("Doe, Jane", 70.0), ("Ann \"A\" Lee", 80.5), ("bob", 90.0)];
        let expected = expected.map(|(name, mark)| (name.to_owned(), mark));
        assert_eq!(parse(text, &names), Ok(BTreeMap::from(expected)));
    }

    #[test]
    fn the_names_of_the_columns_are_skipped() {
        let parse = |text: &str| parse(text, &["alice"]).map(|marks| marks["alice"]);
        assert_eq!(parse("# reports\nname,percent\nalice,85\n"), Ok(85.0));
        assert_eq!(parse("\"name\",\"mark (%)\"\nalice,85\n"), Ok(85.0));
        let says = "line 2: the mark must be a number from 0 to 100".to_owned();
        assert_eq!(parse("alice,85\nname,percent\n"), Err(says.clone()));
        assert_eq!(parse("name,percent\nname,percent\nalice,85\n"), Err(says));
    }

    #[test]
    fn a_slip_is_told_with_its_line() {
        let cases = [
            ("alice 85", "line 1: write NAME,PERCENT"),
            ("alice,1\nalice,2", "line 2: 'alice' already has a mark"),
            ("alcie,85", "line 1: there is no submission 'alcie'"),
            ("alice,101", "line 1: the mark must be a number from 0 to 100"),
            ("alice,nan", "from 0 to 100"),
            ("alice,", "from 0 to 100"),
            ("alice,good", "line 1: the mark must be a number from 0 to 100"),
            ("alcie,", "from 0 to 100"),
            ("alice,-1", "from 0 to 100"),
            ("\"alice,85", "line 1: write NAME,PERCENT"),
            ("\"alice\" 85", "line 1: write NAME,PERCENT"),
            ("\"alice\",", "from 0 to 100"),
        ];
        for (text, says) in cases {
            let error = parse(text, &["alice"]).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
