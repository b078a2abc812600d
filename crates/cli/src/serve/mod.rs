//! The page: its files, and the server of `lab2048 serve`.
//!
//! One thread handles all connections. A thought, and anything else that may take long, runs in a
//! thread of its own. Nothing that a client sends names a file: it picks from names that the server
//! has listed.

mod api;
mod assets;
mod content;
mod files;
mod guard;
mod limits;
mod networks;
#[cfg(test)]
mod page_tests;
mod practice;
mod query;
mod router;
mod server;
pub(crate) mod site;
mod thoughts;

pub(crate) use server::{ServeOptions, serve};
