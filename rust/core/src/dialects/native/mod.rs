//! The native dialect: an envelope is JSON text with the turn's text, calls and reasoning, or with a
//! result's id and output.
//!
//! [`pack`] and [`unpack`] turn histories between typed and packed rows. Tokens are copied from
//! input to output with one level of escapes more or less; nothing is parsed into a tree.

mod decode;
mod encode;
mod extra;
mod options;
mod pack;
mod single;
mod unpack;
mod usual;

pub use decode::Refusal;
pub(crate) use decode::is_json_object;
pub use options::{Accept, Order, Role};
pub use pack::pack;
pub(crate) use pack::pack_element;
pub use single::{decode_assistant, decode_tool, encode_assistant, encode_tool, refusal};
pub use unpack::{UnpackOptions, refused_envelopes, unpack};
