//! Results for people and programs: tables as text, Markdown and CSV, and number formats.

mod contest;
mod figures;
mod format;
mod lines;
mod results;
mod table;

pub(crate) use contest::{Contest, EXPLANATION};
pub(crate) use figures::{decimal, mean, percent, rate, share, whole};
pub(crate) use format::{Format, write_file};
pub(crate) use lines::wrapped;
pub(crate) use results::{FIGURES, LONGEST_ERROR, Names, Results, Style};
pub(crate) use table::{GAP, Table, csv_line};
