//! Results for people and programs: tables as text, Markdown and CSV, and number formats.

mod contest;
mod figures;
mod table;

pub(crate) use contest::{Contest, Format};
pub(crate) use figures::{decimal, mean, percent, rate, share, whole};
pub(crate) use table::Table;
