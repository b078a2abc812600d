//! Errors of players.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// Declares an error that is a message or shows the message of its cause.
macro_rules! error_with_reason {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Error)]
        #[error("{0}")]
        pub struct $name(#[source] Reason);

        impl $name {
            /// With a message.
            pub fn new(words: impl Into<Cow<'static, str>>) -> $name {
                $name(Reason::Words(words.into()))
            }

            /// Caused by another error, whose message it shows.
            pub fn because(error: impl StdError + Send + Sync + 'static) -> $name {
                $name(Reason::Error(Arc::new(error)))
            }
        }
    };
}

error_with_reason! {
    /// A player cannot be made.
    MakeError
}

error_with_reason! {
    /// A player, a judge or an evaluator does not accept a game or a board.
    Refusal
}

error_with_reason! {
    /// A player failed during a game. The game ends there.
    PlayerError
}

impl PlayerError {
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
        let error = Refusal::because(cause);
        assert_eq!(error.to_string(), "no space");
        let causes = std::iter::successors(error.source(), |error| (*error).source());
        assert_eq!(causes.filter(|error| error.is::<std::io::Error>()).count(), 1);
        assert_eq!(error, Refusal::new("no space"));
    }
}
