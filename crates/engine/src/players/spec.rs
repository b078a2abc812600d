//! The text of a spec, split into its parts. The registry interprets the names.

use std::fmt;

use thiserror::Error;

use crate::text::shortened;

/// A player's name and the given parameters, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    name: String,
    /// The given parameters in order.
    given: Vec<(String, String)>,
}

/// Why a text is not a spec of a known player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// The text is empty.
    #[error("the player is missing: write a name like 'random', or 'name:key=value,key=value'")]
    Empty,
    /// A parameter is not `key=value`.
    #[error("'{}' in '{}' is not a parameter: write key=value", shortened(part), shortened(spec))]
    NotAPair {
        /// The wrong part.
        part: String,
        /// The whole spec.
        spec: String,
    },
    /// A quoted value has no closing quote, or text follows it.
    #[error("the quotes in '{}' do not match", shortened(.0))]
    Quotes(String),
    /// The player is unknown.
    #[error("there is no player '{}'; {hint}", shortened(name))]
    UnknownPlayer {
        /// The given name.
        name: String,
        /// What to write instead.
        hint: String,
    },
    /// Neither a player nor an evaluator.
    #[error("there is no player or evaluator '{}'; {hint}", shortened(name))]
    UnknownEither {
        /// The given name.
        name: String,
        /// What to write instead.
        hint: String,
    },
    /// The evaluator is unknown.
    #[error("{player}: there is no evaluator '{}'; {hint}", shortened(name))]
    UnknownEvaluator {
        /// The player.
        player: String,
        /// The given name.
        name: String,
        /// What to write instead.
        hint: String,
    },
    /// The parameter is unknown.
    #[error("{player} has no parameter '{}'; {hint}", shortened(name))]
    UnknownParam {
        /// The player.
        player: String,
        /// The given parameter.
        name: String,
        /// What to write instead.
        hint: String,
    },
    /// A parameter is given twice.
    #[error("{player}: '{name}' is given twice")]
    Twice {
        /// The player.
        player: String,
        /// The parameter.
        name: String,
    },
    /// A value out of range or of the wrong kind.
    #[error("{player}: {}: {expected}", bad_value(name, value))]
    BadValue {
        /// The player.
        player: String,
        /// The parameter.
        name: String,
        /// The given value.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// A player that a spec from outside cannot use.
    #[error("{} is not offered here: it needs a file, a program or a person", shortened(name))]
    Closed {
        /// The player, or the whole spec.
        name: String,
    },
    /// A parameter without a default is missing.
    #[error("{player} needs {name}=...: {help}")]
    Missing {
        /// The player.
        player: String,
        /// The parameter.
        name: String,
        /// Its meaning.
        help: String,
    },
}

/// What is wrong with a value.
fn bad_value(name: &str, value: &str) -> String {
    match value {
        "" => format!("{name} needs a value"),
        _ => format!("{name}={} is not possible", shortened(value)),
    }
}

impl Spec {
    /// A player with all its defaults. The name is not looked up.
    ///
    /// ```
    /// use lab2048::players::Spec;
    ///
    /// let spec = Spec::named("ntuple").with("depth", 3);
    /// assert_eq!(spec.to_string(), "ntuple:depth=3");
    /// assert_eq!((spec.name(), spec.value("depth")), ("ntuple", Some("3")));
    /// ```
    pub fn named(name: impl Into<String>) -> Spec {
        Spec { name: name.into(), given: Vec::new() }
    }

    /// The same player with a parameter, which comes last. A value that was given is replaced.
    #[must_use]
    pub fn with(self, param: &str, value: impl fmt::Display) -> Spec {
        let mut spec = self.without(|given| given == param);
        spec.given.push((param.to_owned(), value.to_string()));
        spec
    }

    /// The same player without some of the given parameters.
    #[must_use]
    pub fn without(mut self, is_left_out: impl Fn(&str) -> bool) -> Spec {
        self.given.retain(|(param, _)| !is_left_out(param));
        self
    }

    /// The player's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The given parameters and their values, in order.
    pub fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.given.iter().map(|(param, value)| (param.as_str(), value.as_str()))
    }

    /// The given value of a parameter.
    pub fn value(&self, param: &str) -> Option<&str> {
        self.given().find(|(given, _)| *given == param).map(|(_, value)| value)
    }

    /// Splits a text. The names are not looked up.
    pub fn split(text: &str) -> Result<Spec, SpecError> {
        let text = text.trim();
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(SpecError::Empty);
        }
        let mut given = Vec::new();
        let mut rest = rest.trim();
        while !rest.is_empty() {
            let (part, after) = next_part(rest).ok_or_else(|| SpecError::Quotes(text.to_owned()))?;
            let wrong = || SpecError::NotAPair { part: part.to_owned(), spec: text.to_owned() };
            let (key, value) = part.split_once('=').ok_or_else(wrong)?;
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || key.contains('"') {
                return Err(wrong());
            }
            let value = unquoted(value).ok_or_else(|| SpecError::Quotes(text.to_owned()))?;
            given.push((key.to_owned(), value));
            rest = after;
        }
        Ok(Spec { name: name.trim().to_owned(), given })
    }
}

/// Splits at the first comma outside quotes; `None` if a quote is not closed.
fn next_part(text: &str) -> Option<(&str, &str)> {
    let (mut quoted, mut escaped) = (false, false);
    for (index, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => return Some((&text[..index], &text[index + 1..])),
            _ => {}
        }
    }
    (!quoted).then_some((text, ""))
}

/// Removes the quotes of a value that begins with one; `None` if text follows the closing quote.
/// Quotes in the middle belong to the value: `cmd=sh -c "exit 3"`.
fn unquoted(value: &str) -> Option<String> {
    let Some(inner) = value.strip_prefix('"') else { return Some(value.to_owned()) };
    let mut out = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return letters.as_str().is_empty().then_some(out),
            '\\' => out.push(letters.next()?),
            _ => out.push(letter),
        }
    }
    None
}

/// The text that [`Spec::split`] reads back.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.given.iter().enumerate() {
            f.write_str(if index == 0 { ":" } else { "," })?;
            let plain = value.trim() == value && !value.contains(['"', ',']);
            if plain {
                write!(f, "{key}={value}")?;
            } else {
                write!(f, "{key}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}
