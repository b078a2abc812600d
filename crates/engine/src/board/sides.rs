//! Dispatch from a size known at run time to code compiled for that size.

use super::Size;

/// Work that is compiled for every packed size. Run it with [`Size::with_sides`].
pub trait WithSides {
    /// The result of the work.
    type Output;

    /// Does the work for boards of `R` rows and `C` columns.
    fn with_sides<const R: usize, const C: usize>(self) -> Self::Output;
}

impl Size {
    /// Runs work that is compiled for this size; `None` if packed boards do not have this size.
    ///
    /// ```
    /// use lab2048::board::{Board, Packed, Size, WithSides};
    ///
    /// /// The largest rank of the packed form of a board.
    /// struct LargestRank<'a>(&'a Board);
    ///
    /// impl WithSides for LargestRank<'_> {
    ///     type Output = Option<u8>;
    ///
    ///     fn with_sides<const R: usize, const C: usize>(self) -> Option<u8> {
    ///         Packed::<R, C>::pack(self.0).ok().map(|packed| packed.max_rank())
    ///     }
    /// }
    ///
    /// let board: Board = "2 0 16/4 2 0".parse()?;
    /// assert_eq!(board.size().with_sides(LargestRank(&board)), Some(Some(4)));
    /// assert_eq!(Size::new(5, 5)?.with_sides(LargestRank(&board)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_sides<W: WithSides>(self, work: W) -> Option<W::Output> {
        Some(match (self.rows(), self.cols()) {
            (2, 2) => work.with_sides::<2, 2>(),
            (2, 3) => work.with_sides::<2, 3>(),
            (2, 4) => work.with_sides::<2, 4>(),
            (3, 2) => work.with_sides::<3, 2>(),
            (3, 3) => work.with_sides::<3, 3>(),
            (3, 4) => work.with_sides::<3, 4>(),
            (4, 2) => work.with_sides::<4, 2>(),
            (4, 3) => work.with_sides::<4, 3>(),
            (4, 4) => work.with_sides::<4, 4>(),
            _ => return None,
        })
    }
}
