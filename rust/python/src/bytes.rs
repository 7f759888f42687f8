//! Bytes from and to Python.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Work on at least so many bytes is done with the interpreter lock released: below, taking it again can
/// cost more than the work (measured: a whole switch interval beside a busy Python thread).
pub(crate) const RELEASE_AT_BYTES: usize = 64 << 10;

/// Bytes of an argument: borrowed from `bytes`, copied from any other buffer.
pub(crate) enum Input<'py> {
    Borrowed(Bound<'py, PyBytes>),
    Copied(Vec<u8>),
}

impl Input<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes.as_bytes(),
            Self::Copied(bytes) => bytes,
        }
    }
}

impl<'py> Input<'py> {
    /// Takes `bytes`, or anything with a buffer of bytes (`bytearray`, `memoryview`); `TypeError` else.
    #[inline]
    pub(crate) fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        match value.cast_exact::<PyBytes>() {
            Ok(bytes) => Ok(Self::Borrowed(bytes.clone())),
            Err(_) => Self::copy_of(value),
        }
    }

    #[cold]
    fn copy_of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Copied(PyBuffer::<u8>::get(value)?.to_vec(value.py())?))
    }
}

/// Runs `work` with the interpreter lock released if there is much of it.
#[inline]
pub(crate) fn release_if_long<T: Send>(
    py: Python<'_>,
    size_bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if size_bytes >= RELEASE_AT_BYTES { py.detach(work) } else { work() }
}
