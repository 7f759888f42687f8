//! OpenAI Responses. The wire is described in `docs/formats/openai_responses.md`.

mod annotation;
mod body;
mod clean;
mod context;
mod decode;
mod encode;
mod events;
mod fault;
mod item;
mod mirror;
mod object;
mod terminal;
mod usage;

pub use body::ResponsesBody;
pub(crate) use body::push_error_body;
pub use clean::{BODY, KNOWN};
pub(crate) use context::request_context;
pub use decode::ResponsesDecoder;
pub use encode::ResponsesEncoder;
pub use mirror::ResponsesMirror;
