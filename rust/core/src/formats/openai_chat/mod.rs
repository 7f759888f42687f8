//! OpenAI Chat Completions. The wire is described in `docs/formats/openai_chat.md`.

mod annotation;
mod choice;
mod context;
mod encode;
mod usage_writer;

pub(crate) use context::request_context;
pub use encode::ChatEncoder;
