//! Strict JSON reading and writing over byte slices: no tree, no recursion, no allocation on
//! success.
//!
//! A [`Cursor`] walks one text and hands out validated string tokens ([`Tok`]) and validated values
//! ([`Raw`]) that borrow from it; the writer copies them into an output without decoding. Since
//! every byte that is walked is checked, copied tokens can never make the output invalid.

mod cursor;
mod error;
mod escape;
mod long_values;
mod members;
mod number;
mod raw;
mod respell;
mod scalars;
mod string;
mod template;
mod token;
mod value;
mod writer;

#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Kind};
pub use error::JsonError;
pub use escape::{Piece, Pieces};
pub use long_values::LongValues;
pub use members::{MemberFault, Members};
pub use number::Num;
pub use raw::Raw;
pub(crate) use respell::{
    decode_exactly, push_decoded, push_respelt, push_respelt_nested, push_stretch,
};
pub(crate) use scalars::{Scalar, Scalars};
pub(crate) use string::find_stop_alone;
pub use template::{Noise, Reading, Template, Templates};
pub(crate) use token::TextBuf;
pub use token::{Tok, TokBuf};
pub(crate) use writer::{push_body_passed, push_raw_passed};
pub use writer::{
    push_escaped_once, push_raw_compact, push_string, push_string_raw_separators, push_token,
    push_token_as_json_text, push_u64, shortest_spelling,
};

/// Deepest nesting of arrays and objects that is accepted, counted from the root of the text.
pub const MAX_DEPTH: usize = 128;
