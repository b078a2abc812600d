//! What all lists share: the next and the previous entry, and which entry was clicked.

use std::cell::Cell;

use ratatui::layout::Rect;

/// Where the entries of a list were drawn last, one in each row.
#[derive(Default)]
pub(super) struct Drawn {
    area: Cell<Rect>,
    first: Cell<usize>,
}

impl Drawn {
    /// Remembers the rows of the entries, and which entry is in the first one.
    pub(super) fn set(&self, area: Rect, first: usize) {
        self.area.set(area);
        self.first.set(first);
    }

    /// The entry at a place of the window, out of `length` entries.
    pub(super) fn entry(&self, column: u16, row: u16, length: usize) -> Option<usize> {
        let area = self.area.get();
        let inside = area.contains((column, row).into());
        inside.then(|| self.first.get() + usize::from(row - area.y)).filter(|entry| *entry < length)
    }
}

/// The next or the previous entry. After the last one comes the first.
pub(super) fn step(chosen: usize, length: usize, down: bool) -> usize {
    match down {
        true => (chosen + 1) % length.max(1),
        false => chosen.checked_sub(1).unwrap_or(length.saturating_sub(1)),
    }
}
