//! Histories of rows and entries: pairing, replay, and the way to Chat Completions messages and
//! back. `docs/envelopes.md` is the contract.
//!
//! Every function reads JSON text and writes JSON text: an array of rows, or where it says so a lone
//! row. What does not change is copied as it stands.

pub(crate) mod call;
pub(crate) mod error;
mod from_wire;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod pairing;
mod replay;
pub(crate) mod results;
mod text_replay;
mod to_wire;

pub use error::Error;
pub use from_wire::from_wire;
pub use output::Output;
pub use pairing::{
    DuplicateIds, PairingOptions, SplitResults, Unpaired, UnpairedCode, UnpairedPolicy,
};
pub use replay::{to_provider_messages, to_typed_messages};
pub use text_replay::to_text_messages;
pub use to_wire::{AbsentText, WireOptions, to_wire};
