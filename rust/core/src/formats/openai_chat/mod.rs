//! OpenAI Chat Completions. The wire is described in `docs/formats/openai_chat.md`.

mod annotation;
mod body;
mod call;
mod choice;
mod clean;
mod context;
mod decode;
mod delta;
mod encode;
mod finish;
mod plain;
mod reasoning;
mod think;
mod told;
mod usage;
mod usage_writer;

pub use body::ChatBody;
pub use clean::{BODY, KNOWN};
pub(crate) use context::request_context;
pub use decode::ChatDecoder;
pub use encode::ChatEncoder;
pub(crate) use encode::push_error_body;
