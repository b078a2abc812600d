//! Tells the program its target and, in a release build, its commit (`build/commit.rs`). Builds it
//! again when a file of the page appears, changes or goes: the page is part of the program
//! (`src/serve/assets.rs`).

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

#[path = "build/commit.rs"]
mod commit;

use std::env;
use std::path::Path;

fn main() {
    for path in ["../../web", "build.rs", "build/commit.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rustc-env=LAB2048_TARGET={}", env::var("TARGET").unwrap_or_default());
    // Every new commit would build the command again, which would be a nuisance while working on
    // it.
    let is_release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    let package = env::var_os("CARGO_MANIFEST_DIR").filter(|_| is_release);
    let Some(found) = package.and_then(|package| commit::of(Path::new(&package))) else {
        println!("cargo::rustc-env=LAB2048_COMMIT=");
        return;
    };
    println!("cargo::rustc-env=LAB2048_COMMIT={}", found.text);
    for path in found.depends_on {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
