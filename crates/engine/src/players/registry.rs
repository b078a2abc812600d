//! The list of players.

use thiserror::Error;

use super::param::{Kind, Param, Setting, Settings};
use super::{Spec, SpecError, simple};
use crate::game::Player;

/// A player that can be named.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in a spec.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Whether it is handed the coming spawns. Such a player is marked everywhere.
    pub knows_future: bool,
    /// Makes one.
    pub build: fn(&Settings) -> Result<Box<dyn Player>, BuildError>,
}

/// A player that is well described but cannot be had: a file is missing or damaged, a program does not start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BuildError(pub String);

/// All players that can be named.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<Entry>,
}

impl Registry {
    /// The engine's own players.
    pub fn built_in() -> Registry {
        Registry { entries: simple::entries() }
    }

    /// Adds a player of the shell's: a person, a foreign program.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn add(&mut self, entry: Entry) {
        assert!(self.entry(entry.name).is_none(), "two players are called {}", entry.name);
        self.entries.push(entry);
    }

    /// All entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with a name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The entry with a name, or the nearest name.
    pub fn find(&self, name: &str) -> Result<&Entry, SpecError> {
        self.entry(name).ok_or_else(|| SpecError::UnknownPlayer {
            name: name.to_owned(),
            hint: hint(name, self.entries.iter().map(|entry| entry.name)),
        })
    }

    /// Reads a spec and checks it completely. Parameters come out in the order of the entry's list, so that one player
    /// has one name.
    pub fn parse(&self, text: &str) -> Result<Spec, SpecError> {
        let spec = Spec::split(text)?;
        let entry = self.find(&spec.name)?;
        check(entry, &spec)?;
        let place = |name: &str| entry.params.iter().position(|param| param.name == name);
        let mut given = spec.given;
        given.sort_by_key(|(name, _)| place(name));
        Ok(Spec { name: spec.name, given })
    }

    /// Makes the player of a spec.
    pub fn build(&self, spec: &Spec) -> Result<Box<dyn Player>, BuildError> {
        let wrong = |error: SpecError| BuildError(error.to_string());
        let entry = self.find(&spec.name).map_err(wrong)?;
        let settings = check(entry, spec).map_err(wrong)?;
        (entry.build)(&settings)
    }
}

/// Checks the given parameters and fills in the others.
fn check(entry: &Entry, spec: &Spec) -> Result<Settings, SpecError> {
    let mut settings = Settings::default();
    let player = || entry.name.to_owned();
    for (name, value) in &spec.given {
        let param = entry.params.iter().find(|param| param.name == name).ok_or_else(|| {
            let hint = hint(name, entry.params.iter().map(|param| param.name));
            SpecError::UnknownParam { player: player(), name: name.clone(), hint }
        })?;
        let setting = param.kind.parse(value).ok_or_else(|| SpecError::BadValue {
            player: player(),
            name: name.clone(),
            value: value.clone(),
            expected: param.kind.describe(),
        })?;
        if settings.0.insert(param.name, setting).is_some() {
            return Err(SpecError::Twice { player: player(), name: name.clone() });
        }
    }
    for param in entry.params {
        if !settings.0.contains_key(param.name) {
            settings.0.insert(param.name, default_of(entry, param)?);
        }
    }
    Ok(settings)
}

fn default_of(entry: &Entry, param: &Param) -> Result<Setting, SpecError> {
    let missing = || SpecError::Missing {
        player: entry.name.to_owned(),
        name: param.name.to_owned(),
        help: param.help.to_owned(),
    };
    let default = param.default.ok_or_else(missing)?;
    let setting = param.kind.parse(default);
    Ok(setting
        .unwrap_or_else(|| panic!("{}: the default {}={default} is not possible", entry.name, param.name)))
}

/// Names the nearest right word, or all of them if none is near.
fn hint<'a>(wrong: &str, right: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = right.clone().map(|word| (strsim::damerau_levenshtein(wrong, word), word)).min();
    match near {
        Some((distance, word)) if distance <= 2.max(word.len() / 3) => format!("did you mean '{word}'?"),
        Some(_) => format!("there are: {}", right.collect::<Vec<_>>().join(", ")),
        None => "it has none".to_owned(),
    }
}

impl Param {
    /// Whether the parameter names a file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}
