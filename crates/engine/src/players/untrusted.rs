//! Specs from outside, such as those that a web page sends. They must not read files, start
//! programs or take the machine's memory.

use super::networks::NET;
use super::{Entry, EvaluatorEntry, Kind, Param, Registry, ShippedNetwork, Spec, SpecError};

/// The largest transposition table, in MiB.
const MOST_TABLE: u64 = 64;

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

/// Whether one of the parameters must name a file. (The player `exec` is such a player, too.)
fn needs_file<'a>(params: impl IntoIterator<Item = &'a Param>) -> bool {
    params.into_iter().any(|param| param.kind == Kind::File && param.default.is_none())
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
        let entry = self.find(&split.name)?;
        if !entry.is_open() {
            return Err(SpecError::Closed { name: split.name });
        }
        if needs_file(self.params(&split)?) {
            return Err(SpecError::Closed { name: text.trim().to_owned() });
        }
        let spec = self.parse(text)?;
        let params = self.params(&spec)?;
        for (name, value) in &spec.given {
            let Some(param) = params.iter().find(|param| param.name == name) else { continue };
            let bad = |expected: String| SpecError::BadValue {
                player: spec.name.clone(),
                name: name.clone(),
                value: value.clone(),
                expected,
            };
            if param.kind == Kind::File && !(param.name == NET.name && self.ships(value)) {
                return Err(bad(format!("files cannot be named here, only {}", self.shipped_names())));
            }
            if param.name == Param::table("0").name && value.parse().is_ok_and(|mib: u64| mib > MOST_TABLE) {
                return Err(bad(Kind::Whole(0, MOST_TABLE).describe()));
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
        assert!(refused("expectimax:table=65").contains("a whole number from 0 to 64"));
        assert!(refused("expectimax:depht=2").contains("did you mean 'depth'?"), "ordinary mistakes");
    }
}
