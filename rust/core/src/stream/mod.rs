//! Streams: the hub between all formats.
//!
//! [`translate::Translator`] is what callers use. `DESIGN.md` holds the rules that the modules here follow.

pub mod body;
pub mod clean;
mod commas;
pub mod context;
pub mod decode;
pub mod delta;
pub mod digest;
pub mod encode;
pub(crate) mod error_object;
pub mod loss;
pub mod mirror;
pub mod options;
pub(crate) mod pipe;
pub mod place;
mod riders;
pub mod snapshot;
pub mod stop;
pub(crate) mod token_counts;
pub mod translate;
pub mod turn;
