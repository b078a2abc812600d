//! Errors of players.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// A player cannot play this game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Cannot(#[source] Reason);

/// A player failed during a game. The game ends there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PlayerError(#[source] Reason);

impl Cannot {
    /// With a message.
    pub fn new(words: impl Into<Cow<'static, str>>) -> Cannot {
        Cannot(Reason::Words(words.into()))
    }

    /// Caused by another error, whose message it shows.
    pub fn because(error: impl StdError + Send + Sync + 'static) -> Cannot {
        Cannot(Reason::Error(Arc::new(error)))
    }
}

impl PlayerError {
    /// With a message.
    pub fn new(words: impl Into<Cow<'static, str>>) -> PlayerError {
        PlayerError(Reason::Words(words.into()))
    }

    /// Caused by another error, whose message it shows.
    pub fn because(error: impl StdError + Send + Sync + 'static) -> PlayerError {
        PlayerError(Reason::Error(Arc::new(error)))
    }

    /// The board has no legal move. Players are not asked on such a board.
    pub fn no_move() -> PlayerError {
        PlayerError::new("the board has no legal move")
    }
}

/// A message, or another error.
#[derive(Clone, Debug)]
enum Reason {
    Words(Cow<'static, str>),
    Error(Arc<dyn StdError + Send + Sync>),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Words(words) => f.write_str(words),
            Reason::Error(error) => error.fmt(f),
        }
    }
}

impl StdError for Reason {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Reason::Words(_) => None,
            Reason::Error(error) => Some(&**error),
        }
    }
}

/// Reasons are equal if their messages are equal.
impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Reason {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_kept_and_gives_the_words() {
        let cause = std::io::Error::other("no space");
        let error = Cannot::because(cause);
        assert_eq!(error.to_string(), "no space");
        let causes = std::iter::successors(error.source(), |error| (*error).source());
        assert_eq!(causes.filter(|error| error.is::<std::io::Error>()).count(), 1);
        assert_eq!(error, Cannot::new("no space"));
    }
}
