//! OpenAI Chat Completions. The wire is described in `docs/formats/openai_chat.md`.

mod annotation;
mod call;
mod choice;
mod context;
mod decode;
mod delta;
mod encode;
mod finish;
mod think;
mod usage;
mod usage_writer;

pub(crate) use context::request_context;
pub use decode::ChatDecoder;
pub use encode::ChatEncoder;
