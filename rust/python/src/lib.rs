//! The module `transcodec._native`: a list of exports, nothing else.

mod body;
mod bytes;
mod context;
mod envelopes;
mod errors;
mod numbers;
mod output;
mod translator;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::body::translate_response_bytes;
    #[pymodule_export]
    use crate::context::Context;
    #[pymodule_export]
    use crate::envelopes::{
        decode_assistant, decode_tool, encode_assistant, encode_tool, from_wire, pack, refusal,
        refused_envelopes, to_provider_messages, to_text_messages, to_typed_messages, to_wire,
        unpack,
    };
    #[pymodule_export]
    use crate::translator::StreamTranslator;
}
