//! Codecs for LLM transcripts: bytes in, bytes out, no I/O.
#![forbid(unsafe_code)]

pub mod error;
pub mod frame;
pub mod json;
