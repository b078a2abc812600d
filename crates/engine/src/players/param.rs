//! Parameters: one line gives name, default, range, unit and meaning. Listing, checking and parsing
//! use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use super::{AnyEvaluator, BuildError, EvaluatorEntry, Registry};
use crate::search::TimeLimit;
use crate::text::whole_numbers;

/// A parameter of a player or of an evaluator.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in a spec.
    pub name: &'static str,
    /// The text of the default value; `None` if it must be given.
    pub default: Option<&'static str>,
    /// The allowed values.
    pub kind: Kind,
    /// The unit.
    pub unit: Option<&'static str>,
    /// What it does, and where the default comes from.
    pub help: &'static str,
}

impl Param {
    /// The unit in brackets after a blank; empty if there is none.
    pub fn unit_in_brackets(&self) -> String {
        self.unit.map_or_else(String::new, |unit| format!(" ({unit})"))
    }

    /// The transposition table of a search; read by [`Settings::table_bytes`].
    pub(super) const fn table(default: &'static str) -> Param {
        Param {
            name: "table",
            default: Some(default),
            kind: Kind::Whole(0, 1 << 16),
            unit: Some("MiB"),
            help: "maximum size of the transposition table, per playing thread; 0 for none. It changes no value (except with cut), but with a node or time limit it affects the depth reached",
        }
    }
}

/// The values that a parameter can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number in a range.
    Whole(u64, u64),
    /// A whole number in a range, or `none`.
    WholeOrNone(u64, u64),
    /// A number in a range.
    Number(f64, f64),
    /// A time like `300ms`, `0.3s` or `10us`, or `none`.
    TimeOrNone,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// The name of an evaluator, whose parameters are part of the same spec.
    Evaluator,
    /// The spec of another player.
    Player,
    /// The names of tables of exact values, joined by `+`.
    Table,
    /// The path of a file. Refused where strangers can name players, as on the web page.
    File,
    /// A program on this machine and its arguments. Refused like [`Kind::File`].
    Command,
}

impl Kind {
    /// The allowed values in words.
    pub fn describe(self) -> String {
        match self {
            Kind::Whole(least, most) => whole_numbers(least, most),
            Kind::WholeOrNone(least, most) => format!("{}, or none", whole_numbers(least, most)),
            Kind::Number(least, most) if most == f64::INFINITY => format!("a number from {least} on"),
            Kind::Number(least, most) => format!("a number from {least} to {most}"),
            Kind::TimeOrNone => "a time like 300ms, 0.3s or 50us, or none".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Evaluator => "the name of an evaluator".to_owned(),
            Kind::Player => "a player, in double quotes if it has several parameters".to_owned(),
            Kind::Table => "the name of a table, or several joined by +".to_owned(),
            Kind::Text => "a text".to_owned(),
            Kind::File => "the path of a file".to_owned(),
            Kind::Command => "a command".to_owned(),
        }
    }

    /// Parses a value; `None` if it is not allowed.
    pub(super) fn parse(self, text: &str) -> Option<Setting> {
        let whole = |least, most| {
            text.parse().ok().filter(|number| (least..=most).contains(number)).map(Setting::Whole)
        };
        match self {
            Kind::WholeOrNone(..) | Kind::TimeOrNone if text == "none" => Some(Setting::None),
            Kind::Whole(least, most) | Kind::WholeOrNone(least, most) => whole(least, most),
            Kind::Number(least, most) => {
                let finite = text.parse().ok().filter(|number: &f64| number.is_finite());
                finite.filter(|number| (least..=most).contains(number)).map(Setting::Number)
            }
            Kind::TimeOrNone => {
                let sensible = |time: &Duration| !time.is_zero() && *time <= Duration::from_secs(86_400);
                parse_time(text).filter(sensible).map(Setting::Time)
            }
            Kind::Flag => text.parse().ok().map(Setting::Flag),
            Kind::Choice(words) => words.contains(&text).then(|| Setting::Text(text.to_owned())),
            Kind::Text | Kind::Table | Kind::File | Kind::Command | Kind::Evaluator | Kind::Player => {
                (!text.is_empty()).then(|| Setting::Text(text.to_owned()))
            }
        }
    }
}

/// Parses a time like `300ms`, `0.3s`, `50us` or `40min`.
///
/// ```
/// use std::time::Duration;
/// use lab2048::players::parse_time;
///
/// assert_eq!(parse_time("0.3s"), Some(Duration::from_millis(300)));
/// assert_eq!(parse_time("40min"), Some(Duration::from_secs(2400)));
/// assert_eq!(parse_time("300"), None);
/// ```
pub fn parse_time(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        _ => return None,
    };
    let seconds = number.parse::<f64>().ok()? * scale;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Setting {
    Whole(u64),
    Number(f64),
    Time(Duration),
    Flag(bool),
    Text(String),
    None,
}

/// The canonical text of a value: `03` becomes `3`, `0.3s` becomes `300ms`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Whole(number) => number.fmt(f),
            Setting::Number(number) => number.fmt(f),
            Setting::Time(time) => match time.as_nanos() {
                nanos if nanos % 1_000_000_000 == 0 => write!(f, "{}s", nanos / 1_000_000_000),
                nanos if nanos % 1_000_000 == 0 => write!(f, "{}ms", nanos / 1_000_000),
                nanos => write!(f, "{}us", nanos as f64 / 1_000.0),
            },
            Setting::Flag(flag) => flag.fmt(f),
            Setting::Text(text) => f.write_str(text),
            Setting::None => f.write_str("none"),
        }
    }
}

/// All parameters of a player and its evaluator, checked and with defaults.
///
/// The getters panic if the player does not declare the parameter, or declares it with another
/// kind. That is a bug in the entry, found by the test that builds every player.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) values: BTreeMap<&'static str, Setting>,
    /// The names of the parameters that the spec gives.
    pub(super) given: BTreeSet<&'static str>,
    /// The player's evaluator.
    pub(super) evaluator: Option<EvaluatorEntry>,
    /// The registry that builds the player: its networks, tables, clock and other players.
    pub(super) registry: Registry,
}

impl Settings {
    fn get(&self, name: &str) -> &Setting {
        self.values.get(name).unwrap_or_else(|| panic!("no parameter '{name}' is declared"))
    }

    /// Whether the spec gives a parameter.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// Builds the chosen evaluator from the parameters in the same spec.
    pub fn evaluator(&self) -> Result<AnyEvaluator, BuildError> {
        let entry = self.evaluator.as_ref().expect("no parameter of the kind Evaluator is declared");
        (entry.build)(self)
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> u64 {
        self.whole_or_none(name).unwrap_or_else(|| panic!("'{name}' is declared optional"))
    }

    /// The size of [`Param::table`] in bytes.
    pub(super) fn table_bytes(&self) -> usize {
        usize::try_from(self.whole("table") << 20).unwrap_or(usize::MAX)
    }

    /// A whole number, or `none`.
    pub fn whole_or_none(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Setting::Whole(number) => Some(*number),
            Setting::None => None,
            other => panic!("'{name}' is declared as another kind: {other:?}"),
        }
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Setting::Number(number) => *number,
            other => panic!("'{name}' is declared as another kind: {other:?}"),
        }
    }

    /// A time, or `none`.
    pub fn time_or_none(&self, name: &str) -> Option<Duration> {
        match self.get(name) {
            Setting::Time(time) => Some(*time),
            Setting::None => None,
            other => panic!("'{name}' is declared as another kind: {other:?}"),
        }
    }

    /// A time limit with the clock of the registry.
    pub fn limit(&self, most: Duration) -> TimeLimit {
        TimeLimit { most, clock: self.registry.clock }
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Setting::Flag(flag) => *flag,
            other => panic!("'{name}' is declared as another kind: {other:?}"),
        }
    }

    /// A text, a word of a choice or a path.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Setting::Text(text) => text,
            other => panic!("'{name}' is declared as another kind: {other:?}"),
        }
    }
}
