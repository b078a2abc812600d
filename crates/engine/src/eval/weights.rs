//! Named weights: one line says the name, default, range and meaning of a number that an evaluator depends on; the
//! struct, the list for the registry and the reading by name all come from that line.

/// A weight of an evaluator: its name, its value when nothing else is said, and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedWeight {
    /// Its name in a spec.
    pub name: &'static str,
    /// The value when it is not given, as it would be written.
    pub default: &'static str,
    /// The smallest value that makes sense.
    pub least: f64,
    /// The largest value that makes sense.
    pub most: f64,
    /// What it does.
    pub help: &'static str,
}

/// Declares the weights of an evaluator as a struct called `Weights`, one weight on each line.
macro_rules! weights {
    ($($name:ident: $default:literal, $least:literal to $most:literal, $help:literal;)*) => {
        /// The weights of the evaluator; what each does is said in [`Weights::ALL`].
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the list says what each weight does")]
        pub struct Weights { $(pub $name: f64,)* }

        impl Weights {
            /// All weights, in their order.
            pub const ALL: &'static [$crate::eval::NamedWeight] = &[$($crate::eval::NamedWeight {
                name: stringify!($name), default: $default, least: $least, most: $most, help: $help,
            },)*];

            /// The weights that a function tells by name.
            pub fn from_names(mut value: impl FnMut(&'static str) -> f64) -> Weights {
                Weights { $($name: value(stringify!($name)),)* }
            }
        }

        impl Default for Weights {
            fn default() -> Self {
                let default = |name| {
                    let weight = Weights::ALL.iter().find(|weight| weight.name == name);
                    weight
                        .and_then(|weight| weight.default.parse().ok())
                        .expect("every weight has a number as default")
                };
                Weights::from_names(default)
            }
        }
    };
}

pub(super) use weights;
