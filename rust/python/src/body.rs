//! `translate_response`: argument handling around the core's body translation.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use transcodec_core::error::{Code, Error};
use transcodec_core::formats::Format;
use transcodec_core::stream::body::{BodyFailure, error_body, translate_body};
use transcodec_core::stream::context::Context as CoreContext;
use transcodec_core::stream::delta::FaultInfo;
use transcodec_core::stream::loss::LossLog;
use transcodec_core::stream::options::{Limits, Options, SameFormat};

use crate::bytes::{Input, release_if_long};
use crate::context::{Context, format_named};
use crate::errors;
use crate::numbers::{limit, optional_unsigned};
use crate::translator::{loss_list, reasoning_field, refuses_losses, same_format, usage_of};

/// Body, losses, outcome and usage.
type Translated<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyList>, &'static str, Option<Bound<'py, PyAny>>);

/// Translates a whole response body; `transcodec.translate_response` is the public face.
#[pyfunction]
#[pyo3(signature = (
    body,
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
    think_tags=false,
    max_body_bytes=67_108_864,
))]
#[expect(clippy::too_many_arguments, reason = "each is one keyword of the Python signature")]
pub(crate) fn translate_response_bytes<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
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
    think_tags: bool,
    #[pyo3(from_py_with = limit)] max_body_bytes: usize,
) -> PyResult<Translated<'py>> {
    let (source, target) = (format_named("source", source)?, format_named("target", target)?);
    // Places in a JSON text are counted in 32 bits.
    let max_body_bytes = max_body_bytes.min(u32::MAX as usize);
    let context = context.map(|context| &context.get().inner);
    let flag = include_usage.or_else(|| context.and_then(|context| context.include_usage));
    let same_format = self::same_format(same_format)?;
    let is_verbatim = source == target && same_format == SameFormat::Verbatim;
    let limits = Limits {
        max_held_bytes: max_body_bytes,
        max_answer_bytes: max_body_bytes,
        ..Limits::default()
    };
    let options = Options {
        model,
        response_id,
        created,
        id_seed,
        omit_usage: flag == Some(false),
        reasoning_field: self::reasoning_field(reasoning_field)?,
        // A body that is given back as it is loses nothing.
        refuse_losses: refuses_losses(on_loss)? && !is_verbatim,
        same_format,
        collect: false,
        think_tags,
        custom_tools: context.map(CoreContext::custom_tools).unwrap_or_default(),
        limits,
    };
    let input = Input::of(body)?;
    let json = input.as_slice();
    if json.len() > max_body_bytes {
        let offset = max_body_bytes as u64;
        let error = Error { code: Code::EventTooLarge, offset, path: String::new() };
        let code = error.code.as_str();
        let message = format!("invalid upstream body: {code} at byte {offset}");
        let output =
            unless(is_verbatim, json, || refusal_body(&message, "upstream_error", code, target));
        return Err(errors::decode_error(py, &error, &output));
    }
    let mut losses = LossLog::new(limits.max_losses, options.refuse_losses);
    let result = release_if_long(py, json.len(), || {
        translate_body(json, source, target, &options, &mut losses)
    });
    match result {
        Ok(translated) => Ok((
            PyBytes::new(py, &translated.body),
            loss_list(py, &losses)?,
            translated.outcome.as_str(),
            usage_of(py, &translated.counts)?,
        )),
        Err(BodyFailure::Decode(error)) => {
            let code = error.code.as_str();
            let message = format!("invalid upstream body: {code} at byte {}", error.offset);
            let output = unless(is_verbatim, json, || {
                refusal_body(&message, "upstream_error", code, target)
            });
            Err(errors::decode_error(py, &error, &output))
        }
        Err(BodyFailure::Refused { code, path }) => {
            let word = code.as_str();
            let output =
                refusal_body(&format!("refused: {word}"), "translation_error", word, target);
            Err(errors::refused(py, code, &path, &output))
        }
        Err(BodyFailure::Upstream { fault, body }) => {
            Err(errors::upstream_error(py, &fault.message, &body))
        }
    }
}

/// The output of an error: the body itself where that is given back as it is.
fn unless(is_verbatim: bool, json: &[u8], written: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    if is_verbatim { json.to_vec() } else { written() }
}

/// The target's error body for what is no answer.
fn refusal_body(message: &str, kind: &str, code: &str, target: Format) -> Vec<u8> {
    error_body(&FaultInfo { message, kind: Some(kind), code: Some(code), param: None }, target)
}
