//! Whole bodies: read through the same referee, written by the same writers (`DESIGN.md` 7).

use super::clean::{put_in_place, with_riders};
use super::context::member;
use super::decode::Decode;
use super::delta::{Counts, OwnedFault};
use super::encode::Encode;
use super::loss::{LossCode, LossLog};
use super::options::{Options, SameFormat};
use super::riders::Riders;
use super::snapshot::Snapshot;
use super::stop::Stop;
use super::turn::{Outcome, Referee, Turn};
use crate::error::{Code, Error};
use crate::formats::{self, Format};
use crate::json::{Kind, Raw};

/// A translated body.
#[derive(Debug)]
pub struct TranslatedBody {
    /// JSON of the target format.
    pub body: Vec<u8>,
    /// How the answer ended.
    pub outcome: Outcome,
    /// Its token counts.
    pub counts: Counts,
}

/// Why a body has no translation.
#[derive(Debug)]
pub enum BodyFailure {
    /// It is wrong, or cut.
    Decode(Error),
    /// Content would get lost, and the caller refuses that.
    Refused {
        /// What would get lost.
        code: LossCode,
        /// Where it stands.
        path: String,
    },
    /// It is an error, or an answer that failed.
    Upstream {
        /// What the provider says.
        fault: OwnedFault,
        /// The target's error body.
        body: Vec<u8>,
    },
}

/// An encoder that writes one body instead of a stream.
pub trait WriteBody: Encode {
    /// A writer of an answer that was not heard of yet.
    fn new(options: &Options) -> Self;
    /// The body, once the answer has ended.
    fn into_body(self) -> Vec<u8>;
}

/// Translates a response body. The losses so far are in `losses`, also after a failure.
///
/// # Errors
/// Why there is no translation.
pub fn translate_body(
    json: &[u8],
    source: Format,
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    if source == target {
        return within_format(json, target, options, losses);
    }
    formats::translate_body(json, source, target, options, losses)
}

/// The same where source and target are one format: a body that needs no change stays as it is.
fn within_format(
    json: &[u8],
    format: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    let (known, translated) = formats::translate_own_body(json, format, options, losses);
    let is_verbatim = options.same_format == SameFormat::Verbatim;
    match translated {
        Ok(TranslatedBody { body, outcome, counts }) => {
            let body = if is_verbatim { json.to_vec() } else { put_in_place(json, &body, known) };
            Ok(TranslatedBody { body, outcome, counts })
        }
        Err(BodyFailure::Upstream { fault, body }) => {
            let body = match (is_verbatim, is_error_body(json)) {
                (true, _) => json.to_vec(),
                (false, true) => put_in_place(json, &body, known),
                (false, false) => body,
            };
            Err(BodyFailure::Upstream { fault, body })
        }
        Err(failure) => Err(failure),
    }
}

/// Whether a body has the form of an error, and not that of an answer that failed.
fn is_error_body(json: &[u8]) -> bool {
    Raw::parse(json).is_ok_and(|body| {
        member(body, "error").is_some_and(|error| error.kind() == Kind::Object)
            && ["choices", "output"].iter().all(|name| member(body, name).is_none())
    })
}

/// A body of a format with a life cycle, written by the mirror of its events.
pub(crate) fn mirrored<D: Decode, E: Encode>(
    decoder: &mut D,
    mirror: &mut E,
    json: &[u8],
    format: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    let (outcome, counts) = read(decoder, mirror, json, format, options, losses)?;
    Ok(TranslatedBody { body: mirror.answer().unwrap_or_default().to_vec(), outcome, counts })
}

/// The same for one pair of formats.
pub(crate) fn through<D: Decode, W: WriteBody>(
    decoder: &mut D,
    json: &[u8],
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    let mut writer = W::new(options);
    let (outcome, counts) = read(decoder, &mut writer, json, target, options, losses)?;
    Ok(TranslatedBody { body: writer.into_body(), outcome, counts })
}

/// Tells a writer the answer that a body holds.
fn read<D: Decode, E: Encode>(
    decoder: &mut D,
    writer: &mut E,
    json: &[u8],
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<(Outcome, Counts), BodyFailure> {
    let mut turn = Turn::new(options);
    let mut events = Vec::new();
    let mut referee = Referee {
        turn: &mut turn,
        encoder: writer,
        out: &mut events,
        losses,
        event: None,
        original: None,
    };
    let failure =
        |code, at: usize, path| BodyFailure::Decode(Error { code, offset: at as u64, path });
    decoder.body(json, &mut referee).map_err(|stop| match stop {
        Stop::Refused { code, path } => BodyFailure::Refused { code, path },
        Stop::Wire { code, at, path } => failure(code, at, path),
    })?;
    if let Some(fault) = turn.fault() {
        let body = error_body(&fault.info(), target);
        return Err(BodyFailure::Upstream { fault: fault.clone(), body });
    }
    match turn.outcome() {
        Some(outcome) => Ok((outcome, *turn.counts())),
        None => Err(failure(Code::StreamTruncated, json.len(), String::new())),
    }
}

/// The error body of a format.
#[must_use]
pub fn error_body(fault: &super::delta::FaultInfo<'_>, target: Format) -> Vec<u8> {
    let mut body = Vec::new();
    formats::push_error_body(&mut body, fault, target);
    body
}

/// The body of an answer of the source that was kept, with what was kept of members that the format does not know.
pub(crate) fn body_of(
    snapshot: &Snapshot,
    riders: Option<&Riders>,
    source: Format,
    target: Format,
    options: &Options,
) -> Vec<u8> {
    let body = formats::body_of(snapshot, source, target, options);
    match riders.filter(|_| source == target) {
        Some(riders) => with_riders(&body, &riders.to_json(), formats::known_of_body(target)),
        None => body,
    }
}

/// The same for one writer.
pub(crate) fn tell<W: WriteBody>(snapshot: &Snapshot, options: &Options) -> Vec<u8> {
    let mut writer = W::new(options);
    snapshot.tell(&mut writer, &options.custom_tools, &mut Vec::new());
    writer.into_body()
}
