//! The registry of players and evaluators.

use std::sync::Arc;

use super::drawing::Drawing;
use super::param::{Kind, Param, Setting, Settings};
use super::{
    BuildError, EvaluatorEntry, Networks, ShippedNetwork, Spec, SpecError, auto, evaluators, exact,
    expectimax, networks, program, searching, simple,
};
use crate::board::Board;
use crate::clock::Clock;
use crate::game::{Player, Probability};
#[cfg(feature = "files")]
use crate::ntuple::NetworkCache;
use crate::search::CancelCheck;
use crate::solve::Tables;
use crate::text::shortened;

/// A player in the registry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in a spec.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Whether it needs the coming spawns with its default parameters. Its summary says so.
    /// [`Player::facts`] of the built player takes the parameters into account.
    pub needs_future: bool,
    /// Whether it is a person at the keyboard.
    pub is_person: bool,
    /// Builds one.
    pub build: fn(&Settings) -> Result<Box<dyn Player>, BuildError>,
    /// For a player that only chooses between others: the one for a board.
    pub stands_for: Option<fn(&Resources, &Board, Probability) -> Spec>,
    /// How its search tree is drawn, if it builds one.
    pub drawing: Option<Drawing>,
}

/// What players need besides their parameters. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Trained networks.
    pub(super) networks: Arc<Networks>,
    /// Exact values.
    pub(super) tables: Arc<Tables>,
}

/// All players, and all evaluators that they can use. Clones share their networks and tables.
#[derive(Clone, Debug)]
pub struct Registry {
    entries: Vec<Entry>,
    evaluators: Vec<EvaluatorEntry>,
    pub(super) resources: Resources,
    pub(super) clock: Clock,
    pub(super) cancel: CancelCheck,
}

impl Registry {
    /// The networks that ship with the program.
    pub(super) fn shipped(&self) -> &'static [ShippedNetwork] {
        self.resources.networks.shipped()
    }

    /// The players of the engine.
    pub fn built_in() -> Registry {
        let searching = searching::entries().into_iter().chain(expectimax::entries());
        let entries = auto::entries().into_iter().chain(simple::entries()).chain(searching);
        let entries =
            entries.chain(networks::entries()).chain(program::entries()).chain(exact::entries()).collect();
        Registry {
            entries,
            evaluators: evaluators::entries(),
            resources: Resources::default(),
            clock: Clock::system(),
            cancel: CancelCheck::default(),
        }
    }

    /// The same players with networks that ship with the program. The first one is the built-in
    /// one.
    #[must_use]
    pub fn with_networks(self, networks: &'static [ShippedNetwork]) -> Registry {
        let networks = Arc::new(self.resources.networks.with_shipped(networks));
        Registry { resources: Resources { networks, ..self.resources }, ..self }
    }

    /// The same players with a folder where decoded networks are kept for the next start.
    #[cfg(feature = "files")]
    #[must_use]
    pub fn with_network_cache(self, cache: NetworkCache) -> Registry {
        let networks = Arc::new(self.resources.networks.with_cache(cache));
        Registry { resources: Resources { networks, ..self.resources }, ..self }
    }

    /// The same players with the tables of exact values in a folder, which need not exist.
    #[must_use]
    pub fn with_tables(self, tables: Tables) -> Registry {
        Registry { resources: Resources { tables: Arc::new(tables), ..self.resources }, ..self }
    }

    /// The tables of exact values.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.resources.tables
    }

    /// Takes over the bytes of a shipped network that is
    /// [`HandedOver`](super::ShippedFile::HandedOver), and returns its hash.
    pub fn hand_over(&self, name: &str, bytes: &[u8]) -> Result<String, BuildError> {
        let network = self.resources.networks.hand_over(name, bytes)?;
        Ok(network.fingerprint().unwrap_or_default().to_owned())
    }

    /// The same players with another clock, for time limits and for the times of contests.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Registry {
        Registry { clock, ..self }
    }

    /// The same players with searches that can be ended when nobody needs their result any more.
    #[must_use]
    pub fn with_cancel(self, cancel: CancelCheck) -> Registry {
        Registry { cancel, ..self }
    }

    /// Adds a player from outside the engine, such as a person or a bot.
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

    /// The entry with a name; the error suggests the nearest name.
    pub fn find(&self, name: &str) -> Result<&Entry, SpecError> {
        self.entry(name).ok_or_else(|| SpecError::UnknownPlayer {
            name: name.to_owned(),
            hint: hint(name, self.entries.iter().map(|entry| entry.name)),
        })
    }

    /// All evaluators.
    pub fn evaluators(&self) -> &[EvaluatorEntry] {
        &self.evaluators
    }

    /// The evaluator with a name.
    pub fn evaluator(&self, name: &str) -> Option<&EvaluatorEntry> {
        self.evaluators.iter().find(|entry| entry.name == name)
    }

    /// The player and the evaluator with a name, at least one of them. The error suggests the
    /// nearest name.
    pub fn find_either(&self, name: &str) -> Result<(Option<&Entry>, Option<&EvaluatorEntry>), SpecError> {
        let found = (self.entry(name), self.evaluator(name));
        if found.0.is_some() || found.1.is_some() {
            return Ok(found);
        }
        let evaluators = self.evaluators.iter().map(|entry| entry.name);
        let evaluators = evaluators.filter(|name| self.entry(name).is_none());
        let names = self.entries.iter().map(|entry| entry.name).chain(evaluators);
        Err(SpecError::UnknownEither { name: name.to_owned(), hint: hint(name, names) })
    }

    /// Parses and checks a spec. The given parameters are put in the order of the entry's list,
    /// with those of the evaluator last, and their values are written in canonical form, so that
    /// equal parameters give equal specs. Defaults are not added, because they may improve in a
    /// later version.
    pub fn parse(&self, text: &str) -> Result<Spec, SpecError> {
        let spec = Spec::split(text)?;
        let settings = self.settings(&spec)?;
        let params = self.params(&spec)?.into_iter().map(|param| param.name);
        let given = params.filter(|param| spec.value(param).is_some());
        Ok(given.fold(Spec::named(spec.name()), |known, param| known.with(param, &settings.values[param])))
    }

    /// Builds the player of a spec.
    pub fn build(&self, spec: &Spec) -> Result<Box<dyn Player>, BuildError> {
        let entry = self.find(spec.name())?;
        let settings = self.settings(spec)?;
        (entry.build)(&settings)
    }

    /// The player that really plays a board, with this chance of a 4. For a player that only
    /// chooses between others (`auto`) it is the chosen one; otherwise it is the spec itself.
    ///
    /// ```
    /// use lab2048::game::Probability;
    /// use lab2048::players::Registry;
    ///
    /// let registry = Registry::built_in();
    /// let auto = registry.parse("auto").unwrap();
    /// let four = Probability::TENTH;
    /// let resolved = |board: &str| registry.resolve(&auto, &board.parse().unwrap(), four);
    /// assert_eq!(resolved("2 4 8/0 0 2/0 0 0").to_string(), "expectimax:depth=3");
    /// assert_eq!(resolved("2 4 8/0 0 2").to_string(), "optimal");
    /// ```
    pub fn resolve(&self, spec: &Spec, board: &Board, four: Probability) -> Spec {
        let stands_for = self.entry(spec.name()).and_then(|entry| entry.stands_for);
        stands_for.map_or_else(|| spec.clone(), |stands_for| stands_for(&self.resources, board, four))
    }

    /// Whether a spec names a person at the keyboard.
    pub fn is_person(&self, spec: &Spec) -> bool {
        self.entry(spec.name()).is_some_and(|entry| entry.is_person)
            || self.others(spec).iter().any(|other| self.is_person(other))
    }

    /// The players that a spec names in its parameters.
    fn others(&self, spec: &Spec) -> Vec<Spec> {
        let params = self.params(spec).unwrap_or_default().into_iter();
        let named = params.filter(|param| param.kind == Kind::Player);
        let texts = named.filter_map(|param| spec.value(param.name).or(param.default));
        texts.filter_map(|text| self.parse(text).ok()).collect()
    }

    /// Whether the player of a spec may load a network: it or its evaluator has the parameter that
    /// names one, or it chooses between other players.
    pub fn may_load_network(&self, spec: &Spec) -> bool {
        let is_network = |param: &&Param| param.name == networks::NET.name;
        self.entry(spec.name()).is_some_and(|entry| entry.stands_for.is_some())
            || self.params(spec).is_ok_and(|params| params.iter().any(is_network))
            || self.others(spec).iter().any(|other| self.may_load_network(other))
    }

    /// The parameters that a spec can have: those of the player, then those of its evaluator.
    pub fn params(&self, spec: &Spec) -> Result<Vec<&'static Param>, SpecError> {
        let entry = self.find(spec.name())?;
        let of_evaluator = self.chosen_evaluator(entry, spec)?.map_or(&[][..], |evaluator| evaluator.params);
        Ok(entry.params.iter().chain(of_evaluator).collect())
    }

    /// The evaluator of a spec, or the player's default; `None` for a player without one.
    fn chosen_evaluator(&self, entry: &Entry, spec: &Spec) -> Result<Option<&EvaluatorEntry>, SpecError> {
        let Some(param) = entry.params.iter().find(|param| param.kind == Kind::Evaluator) else {
            return Ok(None);
        };
        let Some(name) = spec.value(param.name).or(param.default) else { return Err(missing(entry, param)) };
        let evaluator = self.evaluator(name).ok_or_else(|| SpecError::UnknownEvaluator {
            player: entry.name.to_owned(),
            name: name.to_owned(),
            hint: hint(name, self.evaluators.iter().map(|entry| entry.name)),
        })?;
        Ok(Some(evaluator))
    }

    /// Checks the given parameters and adds the defaults.
    pub(super) fn settings(&self, spec: &Spec) -> Result<Settings, SpecError> {
        let entry = self.find(spec.name())?;
        let player = || entry.name.to_owned();
        let params = self.params(spec)?;
        let evaluator = self.chosen_evaluator(entry, spec)?.cloned();
        let (values, given) = Default::default();
        let mut settings = Settings { values, given, evaluator, registry: self.clone() };
        for (name, value) in spec.given() {
            let param = params.iter().find(|param| param.name == name).ok_or_else(|| {
                let hint = hint(name, params.iter().map(|param| param.name));
                SpecError::UnknownParam { player: player(), name: name.to_owned(), hint }
            })?;
            let setting = param.kind.parse(value).ok_or_else(|| SpecError::BadValue {
                player: player(),
                name: name.to_owned(),
                value: value.to_owned(),
                expected: param.kind.describe(),
            })?;
            settings.given.insert(param.name);
            if settings.values.insert(param.name, setting).is_some() {
                return Err(SpecError::Twice { player: player(), name: name.to_owned() });
            }
        }
        for param in params {
            if !settings.values.contains_key(param.name) {
                settings.values.insert(param.name, default_of(entry, param)?);
            }
        }
        Ok(settings)
    }
}

fn default_of(entry: &Entry, param: &Param) -> Result<Setting, SpecError> {
    let default = param.default.ok_or_else(|| missing(entry, param))?;
    let setting = param.kind.parse(default);
    Ok(setting
        .unwrap_or_else(|| panic!("{}: the default {}={default} is not possible", entry.name, param.name)))
}

fn missing(entry: &Entry, param: &Param) -> SpecError {
    SpecError::Missing {
        player: entry.name.to_owned(),
        name: param.name.to_owned(),
        help: param.help.to_owned(),
    }
}

/// Suggests the nearest word, ignoring case, or lists all words if none is near.
fn hint<'a>(wrong: &str, right: impl Iterator<Item = &'a str> + Clone) -> String {
    // The distance takes time and memory proportional to the lengths; a long text is never near.
    let wrong = shortened(wrong).to_lowercase();
    let near = right.clone().map(|word| (strsim::damerau_levenshtein(&wrong, word), word)).min();
    match near {
        Some((distance, word)) if distance <= 2.max(word.len() / 3) => format!("did you mean '{word}'?"),
        Some(_) => format!("there are: {}", right.collect::<Vec<_>>().join(", ")),
        None => "it has none".to_owned(),
    }
}

impl Entry {
    /// A player that does not need the coming spawns, is not a person, plays itself and has no
    /// search tree to draw.
    /// For other players set the remaining fields:
    /// `Entry { needs_future: true, ..Entry::new(...) }`.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        params: &'static [Param],
        build: fn(&Settings) -> Result<Box<dyn Player>, BuildError>,
    ) -> Entry {
        Entry {
            name,
            summary,
            params,
            build,
            needs_future: false,
            is_person: false,
            stands_for: None,
            drawing: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Random;

    /// A player that builds its evaluator but plays at random.
    fn judge_player() -> Entry {
        const PARAMS: &[Param] = &[
            Param { name: "eval", default: Some("rows"), kind: Kind::Evaluator, unit: None, help: "" },
            Param {
                name: "depth",
                default: Some("2"),
                kind: Kind::Whole(1, 9),
                unit: Some("moves"),
                help: "",
            },
        ];
        let build = |settings: &Settings| {
            settings.evaluator()?;
            Ok(Box::new(Random) as Box<dyn Player>)
        };
        Entry::new("judge", "", PARAMS, build)
    }

    fn registry() -> Registry {
        let mut registry = Registry::built_in().with_networks(networks::testing::shipped());
        registry.add(judge_player());
        registry
    }

    #[test]
    fn the_evaluators_parameters_stand_in_the_players_spec() {
        let spec = registry().parse("judge:empty=3,depth=4,eval=rows").unwrap();
        assert_eq!(spec.to_string(), "judge:eval=rows,depth=4,empty=3");
        assert!(registry().build(&spec).is_ok());
        assert!(
            registry().build(&registry().parse("judge:empty=3").unwrap()).is_ok(),
            "also with the default evaluator"
        );
    }

    #[test]
    fn mistakes_are_named_with_the_nearest_right_word() {
        let wrong = |text: &str| registry().parse(text).unwrap_err().to_string();
        assert_eq!(wrong("judge:eval=row"), "judge: there is no evaluator 'row'; did you mean 'rows'?");
        assert_eq!(wrong("judge:emptty=1"), "judge has no parameter 'emptty'; did you mean 'empty'?");
        assert!(wrong("judge:empty=x").starts_with("judge: empty=x is not possible: a number from "));
        assert_eq!(wrong("judge:empty=1,empty=2"), "judge: 'empty' is given twice");
        assert_eq!(wrong("EXPECTIMAX"), "there is no player 'EXPECTIMAX'; did you mean 'expectimax'?");
        let either = registry().find_either("Smoth").unwrap_err().to_string();
        assert_eq!(either, "there is no player or evaluator 'Smoth'; did you mean 'smooth'?");
        assert!(wrong("greedy:empty=1").starts_with("greedy has no parameter 'empty'"));
    }

    #[test]
    fn every_entry_builds_with_its_defaults_unless_it_must_be_told_something() {
        let registry = registry();
        for entry in registry.entries() {
            let Ok(spec) = registry.parse(entry.name) else {
                assert!(entry.params.iter().any(|param| param.default.is_none()), "{}", entry.name);
                continue;
            };
            registry.build(&spec).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        }
    }

    #[test]
    fn every_evaluator_builds_and_none_takes_a_name_of_a_player_that_may_use_it() {
        let registry = registry();
        for evaluator in registry.evaluators() {
            let uses_evaluator =
                |entry: &&Entry| entry.params.iter().any(|param| param.kind == Kind::Evaluator);
            for entry in registry.entries().iter().filter(uses_evaluator) {
                for param in evaluator.params {
                    let taken = entry.params.iter().any(|own| own.name == param.name);
                    assert!(!taken, "{} and {} both have '{}'", entry.name, evaluator.name, param.name);
                }
            }
            let spec = Spec::named("judge").with("eval", evaluator.name);
            if evaluator.params.iter().all(|param| param.default.is_some()) {
                registry.build(&spec).unwrap_or_else(|error| panic!("{}: {error}", evaluator.name));
            }
        }
    }
}
