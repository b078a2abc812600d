//! Specs from outside, such as those that a web page sends. They must not read files, start
//! programs or take the machine's memory.

use super::networks::NET;
use super::{Entry, EvaluatorEntry, Kind, Param, Registry, ShippedNetwork, Spec, SpecError};

/// The largest values of parameters that need memory: a transposition table in MiB, the boards of a
/// clairvoyant layer.
const MOST: [(&str, u64); 2] = [("table", 64), (BEAM, 2000)];

/// The parameter that bounds the layers of a clairvoyant tree.
const BEAM: &str = "beam";

/// The largest depth of a clairvoyant tree without [`BEAM`]. Its 90,000 boards take 60 MB on 8x8.
const MOST_DEPTH_WITHOUT_BEAM: u64 = 8;

impl Entry {
    /// Whether a spec from outside may use this player. A person, a program and a player from a
    /// file are refused.
    pub fn is_open(&self) -> bool {
        !self.is_person && !needs_file(self.params)
    }
}

impl EvaluatorEntry {
    /// Whether a spec from outside may use this evaluator: unless it is read from a file.
    pub fn is_open(&self) -> bool {
        !needs_file(self.params)
    }
}

/// Whether one of the parameters must name a file or a program.
fn needs_file<'a>(params: impl IntoIterator<Item = &'a Param>) -> bool {
    let outside = |param: &Param| matches!(param.kind, Kind::File | Kind::Command);
    params.into_iter().any(|param| outside(param) && param.default.is_none())
}

impl Registry {
    /// Parses and checks a spec from outside. It is refused if it names a file, other than a
    /// shipped network by its name, or needs one, or a person, or a large table.
    ///
    /// ```
    /// use lab2048::players::Registry;
    ///
    /// let registry = Registry::built_in();
    /// assert!(registry.parse_untrusted("expectimax:depth=2").is_ok());
    /// assert!(registry.parse_untrusted("ntuple:net=/etc/passwd").is_err());
    /// ```
    pub fn parse_untrusted(&self, text: &str) -> Result<Spec, SpecError> {
        let split = Spec::split(text)?;
        let entry = self.find(split.name())?;
        if !entry.is_open() {
            return Err(SpecError::Closed { name: split.name().to_owned() });
        }
        if needs_file(self.params(&split)?) {
            return Err(SpecError::Closed { name: text.trim().to_owned() });
        }
        let spec = self.parse(text)?;
        let params = self.params(&spec)?;
        for (name, value) in spec.given() {
            let Some(param) = params.iter().find(|param| param.name == name) else { continue };
            let bad = |expected: String| SpecError::BadValue {
                player: spec.name().to_owned(),
                name: name.to_owned(),
                value: value.to_owned(),
                expected,
            };
            if param.kind == Kind::File && !(param.name == NET.name && self.ships(value)) {
                return Err(bad(format!("files cannot be named here, only {}", self.shipped_names())));
            }
            if param.kind == Kind::Player {
                self.parse_untrusted(value)?;
            }
            let without_beam = param.name == "depth"
                && params.iter().any(|param| param.name == BEAM)
                && spec.value(BEAM).is_none_or(|value| value == "none");
            let most = match without_beam {
                true => Some(MOST_DEPTH_WITHOUT_BEAM),
                false => MOST.iter().find(|(name, _)| *name == param.name).map(|&(_, most)| most),
            };
            if let Some(most) = most.filter(|&most| value.parse().is_ok_and(|given: u64| given > most)) {
                let beam = if without_beam { " without a beam" } else { "" };
                return Err(bad(format!("at most {most} is allowed here{beam}")));
            }
        }
        Ok(spec)
    }

    /// Whether a name is that of a shipped network.
    fn ships(&self, name: &str) -> bool {
        ShippedNetwork::named(self.shipped(), name).is_some()
    }

    fn shipped_names(&self) -> String {
        let names = self.shipped().iter().map(|network| network.name);
        [ShippedNetwork::BUILT_IN].into_iter().chain(names).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::networks::testing::shipped;

    #[test]
    fn specs_from_outside_name_no_files() {
        let registry = Registry::built_in().with_networks(shipped());
        for fine in
            ["random", "auto", "ntuple", "ntuple:net=tiny,depth=2", "expectimax:eval=ntuple,net=built-in"]
        {
            assert_eq!(registry.parse_untrusted(fine), registry.parse(fine), "{fine}");
        }
        let refused = |text: &str| registry.parse_untrusted(text).unwrap_err().to_string();
        assert_eq!(
            refused("ntuple:net=tiny.net"),
            "ntuple: net=tiny.net is not possible: files cannot be named here, only built-in, tiny"
        );
        assert!(refused("expectimax:eval=ntuple,net=/dev/zero").contains("files cannot be named here"));
        for text in ["program", "program:file=tiny", "program:file=x.gp", "expectimax:eval=program,file=tiny"]
        {
            assert!(refused(text).ends_with("is not offered here: it needs a file, a program or a person"));
        }
        assert_eq!(
            refused("expectimax:table=65"),
            "expectimax: table=65 is not possible: at most 64 is allowed here"
        );
        assert!(refused("clairvoyant:depth=9").ends_with("at most 8 is allowed here without a beam"));
        assert!(refused("clairvoyant:depth=9,beam=none").ends_with("without a beam"));
        assert!(refused("clairvoyant:depth=9,beam=2001").ends_with("at most 2000 is allowed here"));
        assert!(registry.parse_untrusted("clairvoyant:depth=60,beam=2000").is_ok());
        assert!(registry.parse_untrusted("expectimax:depth=60,table=64").is_ok(), "time ends it");
        assert!(refused("expectimax:depht=2").contains("did you mean 'depth'?"), "ordinary mistakes");
    }
}
