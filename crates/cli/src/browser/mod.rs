//! Games in other people's pages, played in a real browser.
//!
//! Two things stay separate: `transport` runs scripts and presses keys, `page` knows how pages keep
//! their game. `game` plays one game on a page and checks every move; `records` keeps the results.

mod game;
mod page;
mod records;
pub(crate) mod transport;

pub(crate) use game::{Impossible, PageGame, Stop, Style, Times};
pub(crate) use page::{Input, Model, Page, PageFault};
pub(crate) use records::{PageLog, PageRecord, Source};
pub(crate) use transport::{BrowserKind, Fault, Start, WebDriver, has_display};
