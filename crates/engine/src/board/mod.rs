//! Boards: positions, how tiles slide, and text forms.
//!
//! | type | holds | for |
//! |---|---|---|
//! | [`Board`], [`Afterstate`] | any size, any tile value, exactly | the game itself and every screen |
//! | [`Packed`], [`PackedAfter`] | ranks 0 to 15, sides up to 4, one `u64` | search, learning, fast games |
//! | [`Grid`] | any matrix of numbers | input, and the slow reference for the fast paths |
//!
//! A *board* waits for the player's move. An *afterstate* has been slid and waits for the spawn.
//! They are different types: a move makes an afterstate, and a spawn makes a board again.

mod direction;
mod exact;
mod four;
mod grid;
mod json;
mod packed;
mod packing;
mod rank;
mod sides;
mod size;
mod symmetry;
mod tables;
mod text;
mod validate;

pub use direction::{Direction, Directions, UnknownDirection};
pub use exact::{Afterstate, Board, ImpossibleSpawn, Slid};
pub use grid::{Grid, GridSlide, Motion, Overflow};
pub use packed::{Packed, PackedAfter, Slides};
pub use packing::NotPackable;
pub(crate) use packing::{
    TOP_PACKED_RANK, capped, count_at_least, downgrade, downgrade_to, downgraded, gaps, is_beyond,
};
pub use rank::{rank_of, tile_of};
pub use sides::WithSides;
pub use size::{Size, SizeError};
pub use symmetry::Symmetry;
pub(crate) use tables::{slid_left, slid_right};
pub use text::{BoardForm, BoardTextError, CannotWrite, parse_board};
pub use validate::{CellProblem, InvalidBoard, RawCell, check_rows};
