//! Questions that are answered by a line.

use crate::failure::{Failure, Outcome};
use crate::keyboard::{self, Typed};
use crate::out;

/// An answer.
pub(crate) enum Answer<T> {
    Given(T),
    /// The user wants to go back.
    Back,
    /// The end of the input.
    End,
}

/// Asks until there is a valid answer. An empty line is the default. `q` goes back.
pub(crate) fn ask<T>(
    question: &str,
    default: Option<&str>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Outcome<Answer<T>> {
    let default_words = default.map_or_else(String::new, |default| format!(" [{default}]"));
    loop {
        // In a terminal the answer follows the question. Elsewhere a program reads lines.
        let end = if keyboard::is_terminal() { "> " } else { "\n" };
        out::print(&format!("{question}{default_words}{end}"))?;
        let line = match keyboard::next_line() {
            Typed::Line(line) => line,
            Typed::End => {
                end_of_line()?;
                return Ok(Answer::End);
            }
            Typed::Interrupted => {
                end_of_line()?;
                return Err(Failure::Interrupted(None));
            }
        };
        let answer = match (line.trim(), default) {
            ("", Some(default)) => default,
            ("", None) => continue,
            ("q" | "Q" | "quit" | "exit", _) => return Ok(Answer::Back),
            (line, _) => line,
        };
        match read(answer) {
            Ok(answer) => return Ok(Answer::Given(answer)),
            Err(why) => out::print(&format!("{why}\n"))?,
        }
    }
}

fn end_of_line() -> Outcome<()> {
    if keyboard::is_terminal() { out::print("\n") } else { Ok(()) }
}

/// A list of names and descriptions, with a number for each.
pub(crate) fn numbered<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let entries: Vec<(&str, &str)> = entries.into_iter().collect();
    let longest = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let digits = entries.len().to_string().len();
    let line = |(place, (name, about)): (usize, &(&str, &str))| {
        let line = format!("  {:>digits$}  {name:<longest$}  {about}", place + 1);
        format!("{}\n", line.trim_end())
    };
    entries.iter().enumerate().map(line).collect()
}

/// The place in a list that was typed: a number from 1, or a name.
pub(crate) fn place_of<'a>(line: &str, names: impl IntoIterator<Item = &'a str>) -> Option<usize> {
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let is_it = |(place, name): &(usize, &str)| number == Some(*place) || name.eq_ignore_ascii_case(line);
    names.into_iter().enumerate().find(is_it).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_answered_by_a_number_or_a_name() {
        let names = ["2x3", "block-512", "mistakes"];
        assert_eq!(
            numbered([("2x3", ""), ("block-512", "an endgame")]),
            "  1  2x3\n  2  block-512  an endgame\n"
        );
        assert_eq!(numbered([("x", ""); 10]).lines().next(), Some("   1  x"));
        for (line, place) in
            [("1", Some(0)), ("3", Some(2)), ("BLOCK-512", Some(1)), ("0", None), ("4", None), ("2x", None)]
        {
            assert_eq!(place_of(line, names), place, "{line}");
        }
    }
}
