//! The module `transcodec._native`: a list of exports, nothing else.

use pyo3::prelude::*;

#[pymodule]
mod _native {}
