//! Rows, envelopes, replay and wire messages: JSON text in, JSON text out. The Python package puts objects
//! around them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use transcodec_core::dialects::native::{self, Accept, Order, Refusal, Role, UnpackOptions};
use transcodec_core::transcript::{
    self, AbsentText, DuplicateIds, Error, Output, PairingOptions, SplitResults, Unpaired,
    UnpairedPolicy, WireOptions,
};

use crate::bytes::{Input, release_if_long};
use crate::errors::history_error;
use crate::output::Passing;

/// The option of that name, or `ValueError`.
fn option<T>(found: Option<T>, option: &str, name: &str) -> PyResult<T> {
    found.ok_or_else(|| PyValueError::new_err(format!("unknown {option} {name:?}")))
}

fn order_named(name: &str) -> PyResult<Order> {
    option(Order::named(name), "order", name)
}

fn accept_named(name: &str) -> PyResult<Accept> {
    option(Accept::named(name), "accept", name)
}

fn pairing_options(
    unpaired: &str,
    split_results: &str,
    duplicate_ids: &str,
) -> PyResult<PairingOptions> {
    Ok(PairingOptions {
        unpaired: option(UnpairedPolicy::named(unpaired), "unpaired", unpaired)?,
        split_results: option(SplitResults::named(split_results), "split_results", split_results)?,
        duplicate_ids: option(DuplicateIds::named(duplicate_ids), "duplicate_ids", duplicate_ids)?,
    })
}

/// From so many bytes on, an output must not exist twice.
const LARGE_BYTES: usize = 4 << 20;

/// Runs `work` on a text, without the interpreter lock if the text is long. It is asked twice for a large
/// output, and must give the same both times.
fn run<'py, T: Send>(
    data: &Bound<'py, PyAny>,
    work: impl Fn(&[u8], &mut dyn Output) -> Result<T, Error> + Sync,
) -> PyResult<(Bound<'py, PyBytes>, T)> {
    let py = data.py();
    let input = Input::of(data)?;
    let json = input.as_slice();
    let failed = |error: Error| history_error(py, &error);
    if json.len() < LARGE_BYTES {
        let mut output = Vec::with_capacity(json.len() + json.len() / 4);
        let report = release_if_long(py, json.len(), || work(json, &mut output));
        return Ok((PyBytes::new(py, &output), report.map_err(failed)?));
    }
    let counted = py.detach(|| {
        let mut output = Passing::to(0);
        work(json, &mut output).map(|report| (output.finish(), report))
    });
    let (length, report) = counted.map_err(failed)?;
    let rows = PyBytes::new_with(py, length, |room| {
        let filled = py.detach(|| {
            let mut output = Passing::to(room);
            work(json, &mut output).map(|_| {
                output.finish();
            })
        });
        filled.map_err(failed)
    })?;
    Ok((rows, report))
}

/// As [`run`], for what gives no rows.
fn inspect<T: Send>(
    data: &Bound<'_, PyAny>,
    work: impl FnOnce(&[u8]) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let py = data.py();
    let input = Input::of(data)?;
    let json = input.as_slice();
    release_if_long(py, json.len(), || work(json)).map_err(|error| history_error(py, &error))
}

/// Reports as `(code, entries, ids)`.
fn reports<'py>(py: Python<'py>, unpaired: &[Unpaired]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for report in unpaired {
        let entries = PyTuple::new(py, report.index..report.index + report.entry_count)?;
        let mut ids = Vec::with_capacity(report.ids.len());
        for id in &report.ids {
            let bytes = PyBytes::new(py, id);
            ids.push(PyString::from_encoded_object(
                &bytes,
                Some(c"utf-8"),
                Some(c"surrogatepass"),
            )?);
        }
        list.append((report.code.as_str(), entries, PyTuple::new(py, ids)?))?;
    }
    Ok(list)
}

#[pyfunction]
pub(crate) fn pack<'py>(data: &Bound<'py, PyAny>, order: &str) -> PyResult<Bound<'py, PyBytes>> {
    let order = order_named(order)?;
    run(data, |json, mut output| native::pack(json, order, &mut output)).map(|(rows, ())| rows)
}

#[pyfunction]
pub(crate) fn unpack<'py>(
    data: &Bound<'py, PyAny>,
    accept: &str,
    order: &str,
    paired_only: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (accept, order) = (accept_named(accept)?, order_named(order)?);
    let options = UnpackOptions { accept, order, paired_only };
    run(data, |json, mut output| native::unpack(json, options, &mut output)).map(|(rows, ())| rows)
}

#[pyfunction]
pub(crate) fn refused_envelopes(
    data: &Bound<'_, PyAny>,
    accept: &str,
    order: &str,
) -> PyResult<Vec<(usize, &'static str)>> {
    let (accept, order) = (accept_named(accept)?, order_named(order)?);
    let refused = inspect(data, |json| native::refused_envelopes(json, accept, order))?;
    Ok(refused.into_iter().map(|(index, refusal)| (index, refusal.as_str())).collect())
}

#[pyfunction]
pub(crate) fn encode_assistant(data: &Bound<'_, PyAny>, order: &str) -> PyResult<String> {
    encode(data, order, native::encode_assistant)
}

#[pyfunction]
pub(crate) fn encode_tool(data: &Bound<'_, PyAny>, order: &str) -> PyResult<String> {
    encode(data, order, native::encode_tool)
}

fn encode(
    data: &Bound<'_, PyAny>,
    order: &str,
    encode: impl FnOnce(&[u8], Order) -> Result<Vec<u8>, Error> + Send,
) -> PyResult<String> {
    let order = order_named(order)?;
    let envelope = inspect(data, |json| encode(json, order))?;
    Ok(String::from_utf8(envelope)?)
}

/// What reads one envelope's text.
type Decode = fn(&str, Accept, Order) -> Result<Vec<u8>, Refusal>;

#[pyfunction]
pub(crate) fn decode_assistant<'py>(
    py: Python<'py>,
    content: &str,
    accept: &str,
    order: &str,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    decode(py, content, accept, order, native::decode_assistant)
}

#[pyfunction]
pub(crate) fn decode_tool<'py>(
    py: Python<'py>,
    content: &str,
    accept: &str,
    order: &str,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    decode(py, content, accept, order, native::decode_tool)
}

fn decode<'py>(
    py: Python<'py>,
    content: &str,
    accept: &str,
    order: &str,
    decode: Decode,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let (accept, order) = (accept_named(accept)?, order_named(order)?);
    let value = release_if_long(py, content.len(), || decode(content, accept, order));
    Ok(value.ok().map(|value| PyBytes::new(py, &value)))
}

#[pyfunction]
pub(crate) fn refusal(
    py: Python<'_>,
    content: &str,
    role: &str,
    accept: &str,
    order: &str,
) -> PyResult<Option<&'static str>> {
    let role = option(Role::named(role), "role", role)?;
    let (accept, order) = (accept_named(accept)?, order_named(order)?);
    let refusal =
        release_if_long(py, content.len(), || native::refusal(content, role, accept, order));
    Ok(refusal.map(Refusal::as_str))
}

#[pyfunction]
pub(crate) fn to_provider_messages<'py>(
    data: &Bound<'py, PyAny>,
    order: &str,
    unpaired: &str,
    split_results: &str,
    duplicate_ids: &str,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyList>)> {
    let order = order_named(order)?;
    let options = pairing_options(unpaired, split_results, duplicate_ids)?;
    let (rows, unpaired) = run(data, |json, mut output| {
        transcript::to_provider_messages(json, order, options, &mut output)
    })?;
    Ok((rows, reports(data.py(), &unpaired)?))
}

#[pyfunction]
pub(crate) fn to_typed_messages<'py>(
    data: &Bound<'py, PyAny>,
    unpaired: &str,
    split_results: &str,
    duplicate_ids: &str,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyList>)> {
    let options = pairing_options(unpaired, split_results, duplicate_ids)?;
    let (rows, unpaired) =
        run(data, |json, mut output| transcript::to_typed_messages(json, options, &mut output))?;
    Ok((rows, reports(data.py(), &unpaired)?))
}

#[pyfunction]
pub(crate) fn to_text_messages<'py>(
    data: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<usize>)> {
    run(data, |json, mut output| transcript::to_text_messages(json, &mut output))
}

#[pyfunction]
pub(crate) fn to_wire<'py>(
    data: &Bound<'py, PyAny>,
    content: &str,
    reasoning: bool,
    extra_content: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let content = option(AbsentText::named(content), "content", content)?;
    let options = WireOptions { content, reasoning, extra_content };
    run(data, |json, mut output| transcript::to_wire(json, options, &mut output))
        .map(|(rows, ())| rows)
}

#[pyfunction]
pub(crate) fn from_wire<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    run(data, |json, mut output| transcript::from_wire(json, &mut output)).map(|(rows, ())| rows)
}
