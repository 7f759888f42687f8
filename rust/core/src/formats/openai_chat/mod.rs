//! OpenAI Chat Completions. The wire is described in `docs/formats/openai_chat.md`.

mod context;
mod encode;

pub(crate) use context::request_context;
pub use encode::ChatEncoder;
