//! Unsigned integers from Python.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

/// An argument that must be an `int` of 64 bits without sign: `TypeError` for another type, also `bool`;
/// `ValueError` for another value.
pub(crate) fn unsigned(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("must be an int, not {kind}")));
    }
    value.extract().map_err(|_| {
        PyValueError::new_err(format!("must be an unsigned 64-bit integer, not {value}"))
    })
}

/// The same where None stands for no number.
pub(crate) fn optional_unsigned(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if value.is_none() { Ok(None) } else { unsigned(value).map(Some) }
}

/// The same for a limit; one beyond what can be addressed is none.
pub(crate) fn limit(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(unsigned(value)?).unwrap_or(usize::MAX))
}
