//! Codecs for LLM transcripts: bytes in, bytes out, no I/O.
//!
//! - [`stream`] translates streams between provider formats ([`stream::translate::Translator`]);
//! - [`formats`] holds one folder a wire format;
//! - [`transcript`] reads and writes rows, histories and wire messages, and pairs tool cycles;
//!   [`dialects`] holds the envelopes that carry tool rounds in text;
//! - [`frame`] and [`json`] are the ground they stand on;
//! - [`error`] is the catalogue of error codes, [`stream::loss`] that of losses.
#![forbid(unsafe_code)]

pub mod dialects;
pub mod error;
pub mod formats;
pub mod frame;
pub mod json;
pub mod stream;
pub mod transcript;
