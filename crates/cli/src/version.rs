//! What `--version` says: the build, and what it finds on this machine.

use std::fmt::Write as _;

use lab2048::ntuple::instructions;
use lab2048::players::{ShippedFile, ShippedNetwork};

use crate::players;

/// Name and version, as `-V` prints them.
pub(crate) const SHORT: &str = concat!("lab2048 ", env!("CARGO_PKG_VERSION"), "\n");

/// The version that clap takes for the long one. The real one looks at files, so it is written only
/// if it is asked for.
pub(crate) const LONG: &str = "(long)";

/// The commit and the changes after it; empty if unknown.
const COMMIT: &str = env!("LAB2048_COMMIT");

/// The date of the commit, like 2026-01-31.
pub(crate) fn date() -> Option<&'static str> {
    COMMIT.split_once(" of ").and_then(|(_, rest)| rest.get(..10))
}

/// The answer to `--version`.
pub(crate) fn long() -> String {
    let mut text = SHORT.to_owned();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    line("commit", if COMMIT.is_empty() { "unknown" } else { COMMIT });
    line("target", &format!("{}, {build} build; networks use {}", env!("LAB2048_TARGET"), instructions()));
    let sandbox = if cfg!(target_os = "linux") { "; sandbox for submissions" } else { "" };
    line("features", &format!("{}{sandbox}", lab2048::FEATURES.join(", ")));
    let (inside, beside): (Vec<_>, Vec<_>) =
        lab2048_nets::NETWORKS.iter().partition(|network| matches!(network.file, ShippedFile::Inside(_)));
    let inside: Vec<String> = inside.into_iter().map(size).collect();
    line("networks", &format!("inside: {}", inside.join(", ")));
    for network in beside {
        line("", &place(network));
    }
    tables(&mut line);
    text
}

/// A network inside the program.
fn size(network: &ShippedNetwork) -> String {
    match network.file {
        ShippedFile::Inside(bytes) => format!("{} ({})", network.name, megabytes(bytes.len() as u64)),
        ShippedFile::Beside { .. } | ShippedFile::HandedOver => network.name.to_owned(),
    }
}

/// Where a network is that is not inside the program.
fn place(network: &ShippedNetwork) -> String {
    let ShippedFile::Beside { path, hint } = network.file else { return network.name.to_owned() };
    let path = path();
    match path.metadata() {
        Ok(file) if file.is_file() => {
            format!("{} ({}) at {}", network.name, megabytes(file.len()), path.display())
        }
        _ => format!("{} not found; {hint}", network.name),
    }
}

/// The tables of exact values in the data folder.
fn tables(line: &mut impl FnMut(&str, &str)) {
    let registry = players::registry();
    let Some(folder) = registry.tables().folder() else {
        return line("tables", "none: there is no data folder");
    };
    let found = match registry.tables().names() {
        Ok(names) if names.is_empty() => "none".to_owned(),
        Ok(names) => names.join(", "),
        Err(error) => error.to_string(),
    };
    line("tables", &format!("{found} (in {})", folder.display()));
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
