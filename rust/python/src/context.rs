//! `Context`: what a stream must know of its request.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use transcodec_core::formats::Format;
use transcodec_core::stream::context::Context as CoreContext;

use crate::bytes::Input;
use crate::errors::decode_error;

/// What a stream must know of its request: declared tools and the usage flag.
#[pyclass(frozen, eq, module = "transcodec")]
#[derive(PartialEq)]
pub(crate) struct Context {
    pub(crate) inner: CoreContext,
}

/// The format that an argument names, or `ValueError`.
pub(crate) fn format_named(argument: &str, name: &str) -> PyResult<Format> {
    Format::named(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::as_str).join(", ");
        PyValueError::new_err(format!("{argument} must be one of {names}, not '{name}'"))
    })
}

/// JSON bytes of a body given as bytes, text or a parsed object.
fn body_bytes<'py>(body: &Bound<'py, PyAny>) -> PyResult<Input<'py>> {
    if let Ok(text) = body.extract::<String>() {
        return Ok(Input::Copied(text.into_bytes()));
    }
    if body.is_instance_of::<PyDict>() {
        let options = PyDict::new(body.py());
        options.set_item("ensure_ascii", true)?;
        let json = body.py().import("json")?.call_method("dumps", (body,), Some(&options))?;
        return Ok(Input::Copied(json.extract::<String>()?.into_bytes()));
    }
    Input::of(body)
}

#[pymethods]
impl Context {
    /// Reads a request body: JSON as bytes or text, or the parsed object.
    #[staticmethod]
    #[pyo3(signature = (body, *, format))]
    fn from_request(py: Python<'_>, body: &Bound<'_, PyAny>, format: &str) -> PyResult<Self> {
        let format = format_named("format", format)?;
        let body = body_bytes(body)?;
        match CoreContext::from_request(body.as_slice(), format) {
            Ok(inner) => Ok(Self { inner }),
            Err(error) => Err(decode_error(py, &error, b"")),
        }
    }

    /// Declared tools: name to `"function"` or `"custom"`.
    #[getter]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tools = PyDict::new(py);
        for tool in &self.inner.tools {
            tools.set_item(&tool.name, if tool.is_custom { "custom" } else { "function" })?;
        }
        Ok(tools)
    }

    /// Whether the client asked for token counts; None if its format has no such flag.
    #[getter]
    fn include_usage(&self) -> Option<bool> {
        self.inner.include_usage
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.inner.tools.iter().map(|tool| tool.name.as_str()).collect();
        let flag = match self.inner.include_usage {
            None => "None",
            Some(true) => "True",
            Some(false) => "False",
        };
        format!("Context(tools={names:?}, include_usage={flag})")
    }
}
