//! The trained networks that ship with lab2048, as the bytes of their files. Beside each lies its card: what it is made
//! of, how it was trained, how it plays.

/// The network that plays when nobody names another.
pub const DEFAULT: &[u8] = include_bytes!("../default.net");
