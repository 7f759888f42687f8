//! `StreamTranslator`: argument handling around the core's translator.

use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};
use transcodec_core::stream::delta::Counts;
use transcodec_core::stream::loss::LossLog;
use transcodec_core::stream::options::{Limits, Options, ReasoningField, SameFormat};
use transcodec_core::stream::translate::{FeedError, Translator};

use crate::bytes::{Input, release_if_long};
use crate::context::{Context, format_named};
use crate::errors;
use crate::numbers::{limit, optional_unsigned};

static LOSS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static USAGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// An output buffer larger than this is given back after use.
const KEPT_BUFFER_BYTES: usize = 1 << 20;

/// Translates one streamed answer from one provider format to another.
#[pyclass(frozen, module = "transcodec")]
pub(crate) struct StreamTranslator {
    source: &'static str,
    target: &'static str,
    content_type: &'static str,
    state: Mutex<State>,
}

struct State {
    translator: Translator,
    /// Reused from call to call.
    out: Vec<u8>,
}

impl State {
    fn take_output<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let output = PyBytes::new(py, &self.out);
        if self.out.capacity() > KEPT_BUFFER_BYTES {
            self.out = Vec::new();
        } else {
            self.out.clear();
        }
        output
    }
}

pub(crate) fn reasoning_field(name: Option<&str>) -> PyResult<ReasoningField> {
    match name {
        None => Ok(ReasoningField::Omit),
        Some("reasoning_content") => Ok(ReasoningField::ReasoningContent),
        Some("reasoning") => Ok(ReasoningField::Reasoning),
        Some(other) => Err(PyValueError::new_err(format!("unknown reasoning_field {other:?}"))),
    }
}

pub(crate) fn same_format(name: &str) -> PyResult<SameFormat> {
    match name {
        "clean" => Ok(SameFormat::Clean),
        "verbatim" => Ok(SameFormat::Verbatim),
        other => Err(PyValueError::new_err(format!("unknown same_format {other:?}"))),
    }
}

pub(crate) fn refuses_losses(on_loss: &str) -> PyResult<bool> {
    match on_loss {
        "report" => Ok(false),
        "error" => Ok(true),
        other => Err(PyValueError::new_err(format!("unknown on_loss {other:?}"))),
    }
}

impl StreamTranslator {
    #[inline]
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|_| errors::concurrent_use(py))
    }
}

/// The kept losses as instances of `transcodec.losses.Loss`.
pub(crate) fn loss_list<'py>(py: Python<'py>, log: &LossLog) -> PyResult<Bound<'py, PyList>> {
    let class = LOSS.import(py, "transcodec.losses", "Loss")?;
    let losses = PyList::empty(py);
    for loss in log.stored() {
        let severity = loss.code.severity().as_str();
        losses.append(class.call1((loss.code.as_str(), severity, &loss.path, &loss.detail))?)?;
    }
    Ok(losses)
}

/// The counts as an instance of `transcodec.usage.Usage`, or None.
pub(crate) fn usage_of<'py>(
    py: Python<'py>,
    counts: &Counts,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !counts.is_known() {
        return Ok(None);
    }
    let class = USAGE.import(py, "transcodec.usage", "Usage")?;
    let Counts { input, output, total, cached, cache_write, reasoning } = *counts;
    class.call1((input, output, total, cached, cache_write, reasoning)).map(Some)
}

#[pymethods]
impl StreamTranslator {
    #[new]
    #[pyo3(signature = (
        source,
        target,
        *,
        context=None,
        model=None,
        response_id=None,
        created=None,
        id_seed=None,
        include_usage=None,
        reasoning_field="reasoning_content",
        on_loss="report",
        same_format="clean",
        collect=false,
        think_tags=false,
        max_event_bytes=33_554_432,
        max_held_bytes=8_388_608,
        max_open_calls=1_024,
        max_blocks=65_536,
        max_answer_bytes=67_108_864,
        max_losses=256,
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is one keyword of the Python signature")]
    fn new(
        source: &str,
        target: &str,
        context: Option<&Bound<'_, Context>>,
        model: Option<String>,
        response_id: Option<String>,
        #[pyo3(from_py_with = optional_unsigned)] created: Option<u64>,
        id_seed: Option<String>,
        include_usage: Option<bool>,
        reasoning_field: Option<&str>,
        on_loss: &str,
        same_format: &str,
        collect: bool,
        think_tags: bool,
        #[pyo3(from_py_with = limit)] max_event_bytes: usize,
        #[pyo3(from_py_with = limit)] max_held_bytes: usize,
        #[pyo3(from_py_with = limit)] max_open_calls: usize,
        #[pyo3(from_py_with = limit)] max_blocks: usize,
        #[pyo3(from_py_with = limit)] max_answer_bytes: usize,
        #[pyo3(from_py_with = limit)] max_losses: usize,
    ) -> PyResult<Self> {
        let (source, target) = (format_named("source", source)?, format_named("target", target)?);
        let context = context.map(|context| &context.get().inner);
        let flag = include_usage.or_else(|| context.and_then(|context| context.include_usage));
        let options = Options {
            model,
            response_id,
            created,
            id_seed,
            omit_usage: flag == Some(false),
            reasoning_field: self::reasoning_field(reasoning_field)?,
            refuse_losses: refuses_losses(on_loss)?,
            same_format: self::same_format(same_format)?,
            collect,
            think_tags,
            custom_tools: context
                .map(transcodec_core::stream::context::Context::custom_tools)
                .unwrap_or_default(),
            limits: Limits {
                max_event_bytes,
                max_held_bytes,
                max_open_calls,
                max_blocks,
                max_answer_bytes,
                max_losses,
            },
        };
        let translator = Translator::new(source, target, &options);
        let content_type = translator.content_type();
        let state = Mutex::new(State { translator, out: Vec::new() });
        Ok(Self { source: source.as_str(), target: target.as_str(), content_type, state })
    }

    /// Takes the next bytes of the source, split anywhere; returns what follows from them.
    #[pyo3(signature = (data, /))]
    fn feed<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let input = Input::of(data)?;
        let piece = input.as_slice();
        let mut state = self.lock(py)?;
        let State { translator, out } = &mut *state;
        let result = release_if_long(py, piece.len(), || translator.feed(piece, out));
        match result {
            Ok(()) => Ok(state.take_output(py)),
            Err(FeedError::Misuse(misuse)) => Err(errors::misuse(py, misuse)),
            Err(FeedError::Failure(failure)) => {
                let error = errors::failure(py, &failure, &state.out);
                state.take_output(py);
                Err(error)
            }
        }
    }

    /// Takes the end of the source; returns what closes the client's stream. Never raises for the source's
    /// faults: they come out as the target's error event.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.lock(py)?;
        let State { translator, out } = &mut *state;
        translator.finish(out);
        Ok(state.take_output(py))
    }

    /// As `finish`, for whole streams: also returns the exception that tells why the stream failed, or None.
    fn _finish_whole<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>)> {
        let mut state = self.lock(py)?;
        let State { translator, out } = &mut *state;
        let failure = translator.finish(out);
        let fault = failure.map(|failure| {
            errors::failure(py, &failure, b"").into_value(py).into_bound(py).into_any()
        });
        Ok((state.take_output(py), fault))
    }

    /// Ends the client's stream with a fault that the caller saw, such as a time-out.
    #[pyo3(signature = (message, /, *, code=None))]
    fn fail<'py>(
        &self,
        py: Python<'py>,
        message: &str,
        code: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.lock(py)?;
        let State { translator, out } = &mut *state;
        match translator.fail(message, code, out) {
            Ok(()) => Ok(state.take_output(py)),
            Err(misuse) => Err(errors::misuse(py, misuse)),
        }
    }

    /// The whole answer as a response body, of the target's format or another one.
    #[pyo3(signature = (format=None))]
    fn response<'py>(
        &self,
        py: Python<'py>,
        format: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = format.map(|name| format_named("format", name)).transpose()?;
        match self.lock(py)?.translator.response(format) {
            Ok(body) => Ok(PyBytes::new(py, &body)),
            Err(misuse) => Err(errors::misuse(py, misuse)),
        }
    }

    /// How the answer ended: completed, incomplete, failed or truncated; None while it is open.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.lock(py)?.translator.outcome().map(transcodec_core::stream::turn::Outcome::as_str))
    }

    /// The losses so far, at most `max_losses`.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        loss_list(py, self.lock(py)?.translator.losses())
    }

    /// How many losses there were, also those beyond `max_losses`.
    #[getter]
    fn loss_count(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.lock(py)?.translator.losses().count())
    }

    /// The token counts so far; None if the source gave none.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        usage_of(py, self.lock(py)?.translator.counts())
    }

    /// The media type of the target's stream.
    #[getter]
    const fn content_type(&self) -> &'static str {
        self.content_type
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let outcome = self.outcome(py)?.unwrap_or("open");
        Ok(format!("<StreamTranslator {} -> {}: {outcome}>", self.source, self.target))
    }
}
