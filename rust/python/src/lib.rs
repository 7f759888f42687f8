//! The module `transcodec._native`: a list of exports, nothing else.

mod body;
mod bytes;
mod context;
mod errors;
mod translator;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::body::translate_response_bytes;
    #[pymodule_export]
    use crate::context::Context;
    #[pymodule_export]
    use crate::translator::StreamTranslator;
}
