//! The one map from core errors to the Python classes of `transcodec.errors`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use transcodec_core::error::{Code, Error};
use transcodec_core::stream::loss::LossCode;
use transcodec_core::stream::translate::{Failure, Misuse};
use transcodec_core::transcript::Error as HistoryError;

static DECODE_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TRUNCATED_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static UNSUPPORTED_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static STATE_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

const MODULE: &str = "transcodec.errors";

fn instance(
    class: &Bound<'_, PyType>,
    arguments: (&str, String, Option<u64>, Option<&str>, &[u8]),
) -> PyErr {
    let (code, message, offset, path, output) = arguments;
    let output = PyBytes::new(class.py(), output);
    match class.call1((code, message, offset, path, output)) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The exception for a wrong input; `output` is what was ready before.
pub(crate) fn decode_error(py: Python<'_>, error: &Error, output: &[u8]) -> PyErr {
    let class = match error.code {
        Code::StreamTruncated => TRUNCATED_ERROR.import(py, MODULE, "TruncatedError"),
        _ => DECODE_ERROR.import(py, MODULE, "DecodeError"),
    };
    match class {
        Ok(class) => {
            let code = error.code.as_str();
            let message = error.code.sentence().to_owned();
            instance(class, (code, message, Some(error.offset), Some(&error.path), output))
        }
        Err(error) => error,
    }
}

/// The exception for a history that is wrong, or cannot be turned into what was asked for.
#[cold]
pub(crate) fn history_error(py: Python<'_>, error: &HistoryError) -> PyErr {
    let class = match error.code {
        Code::Unpaired | Code::CallType => UNSUPPORTED_ERROR.import(py, MODULE, "UnsupportedError"),
        _ => DECODE_ERROR.import(py, MODULE, "DecodeError"),
    };
    match class {
        Ok(class) => {
            let (code, message) = (error.code.as_str(), error.code.sentence().to_owned());
            let offset = error.offset.map(|offset| offset as u64);
            instance(class, (code, message, offset, error.path.as_deref(), b""))
        }
        Err(error) => error,
    }
}

pub(crate) fn refused(py: Python<'_>, code: LossCode, path: &str, output: &[u8]) -> PyErr {
    match UNSUPPORTED_ERROR.import(py, MODULE, "UnsupportedError") {
        Ok(class) => {
            let message =
                format!("the target cannot say this, and losses are refused: {}", code.as_str());
            instance(class, (code.as_str(), message, None, Some(path), output))
        }
        Err(error) => error,
    }
}

/// The exception for a body that is an error, or an answer that failed; `output` is the target's error body.
pub(crate) fn upstream_error(py: Python<'_>, message: &str, output: &[u8]) -> PyErr {
    match DECODE_ERROR.import(py, MODULE, "DecodeError") {
        Ok(class) => instance(class, ("upstream_error", message.to_owned(), None, None, output)),
        Err(error) => error,
    }
}

/// The exception for a stream that stopped.
#[cold]
pub(crate) fn failure(py: Python<'_>, failure: &Failure, output: &[u8]) -> PyErr {
    match failure {
        Failure::Decode(error) => decode_error(py, error, output),
        Failure::Refused { code, path } => refused(py, *code, path, output),
    }
}

fn state_error(py: Python<'_>, code: &str, message: &str) -> PyErr {
    match STATE_ERROR.import(py, MODULE, "StateError") {
        Ok(class) => instance(class, (code, message.to_owned(), None, None, b"")),
        Err(error) => error,
    }
}

/// The exception for a call that makes no sense any more.
#[cold]
pub(crate) fn misuse(py: Python<'_>, misuse: Misuse) -> PyErr {
    let message = match misuse {
        Misuse::FeedAfterError => "feed() was called after it had raised; only finish() may follow",
        Misuse::FeedAfterFinish => "the stream is finished",
        Misuse::NotCollected => "response() needs collect=True",
        Misuse::NotEnded => "response() needs the end of the stream; call finish() first",
    };
    state_error(py, misuse.as_str(), message)
}

/// The exception for use from two threads at once.
#[cold]
pub(crate) fn concurrent_use(py: Python<'_>) -> PyErr {
    state_error(py, "concurrent_use", "one stream was used from two threads at once")
}
