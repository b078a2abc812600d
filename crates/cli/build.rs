//! Builds the command again when a file of the page appears, changes or goes: the page is part of
//! the program (`src/serve/assets.rs`).

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=../../web");
    println!("cargo::rerun-if-changed=build.rs");
}
