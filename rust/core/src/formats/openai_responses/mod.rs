//! OpenAI Responses. The wire is described in `docs/formats/openai_responses.md`.

mod context;
mod decode;
mod fault;
mod item;
mod terminal;
mod usage;

pub(crate) use context::request_context;
pub use decode::ResponsesDecoder;
