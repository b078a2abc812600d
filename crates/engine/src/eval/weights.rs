//! Named weights. One line declares the name, default, range and meaning of an evaluator's
//! parameter. The struct, the list for the registry and the lookup by name are all generated from
//! that line.

/// A weight of an evaluator: its name, default, range and meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedWeight {
    /// Its name in a spec.
    pub name: &'static str,
    /// The default as text.
    pub default: &'static str,
    /// The smallest sensible value.
    pub least: f64,
    /// The largest sensible value.
    pub most: f64,
    /// What it does.
    pub help: &'static str,
}

/// Declares the weights of an evaluator as a struct called `Weights`, one weight on each line.
macro_rules! weights {
    ($($name:ident: $default:literal, $least:literal to $most:literal, $help:literal;)*) => {
        /// The weights of the evaluator. [`Weights::ALL`] explains each.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the list says what each weight does")]
        pub struct Weights { $(pub $name: f64,)* }

        impl Weights {
            /// All weights, in their order.
            pub const ALL: &'static [$crate::eval::NamedWeight] = &[$($crate::eval::NamedWeight {
                name: stringify!($name), default: $default, least: $least, most: $most, help: $help,
            },)*];

            /// The weights with values that `value` returns for each name.
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
                        .expect("every default is a number")
                };
                Weights::from_names(default)
            }
        }
    };
}

pub(super) use weights;
