//! Whole bodies: read through the same referee, written by the same writers (`DESIGN.md` 7).

use super::decode::Decode;
use super::delta::{Counts, OwnedFault};
use super::encode::Encode;
use super::loss::{LossCode, LossLog};
use super::options::Options;
use super::snapshot::Snapshot;
use super::stop::Stop;
use super::turn::{Outcome, Referee, Turn};
use crate::error::{Code, Error};
use crate::formats::{self, Format};

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
    formats::translate_body(json, source, target, options, losses)
}

/// The same for one pair of formats.
pub(crate) fn through<D: Decode, W: WriteBody>(
    decoder: &mut D,
    json: &[u8],
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    let mut turn = Turn::new(options);
    let mut writer = W::new(options);
    let mut events = Vec::new();
    let mut referee = Referee {
        turn: &mut turn,
        encoder: &mut writer,
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
        Some(outcome) => {
            Ok(TranslatedBody { body: writer.into_body(), outcome, counts: *turn.counts() })
        }
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

/// The body of an answer of the source that was kept.
#[must_use]
pub fn body_of(snapshot: &Snapshot, source: Format, target: Format, options: &Options) -> Vec<u8> {
    formats::body_of(snapshot, source, target, options)
}

/// The same for one writer.
pub(crate) fn tell<W: WriteBody>(snapshot: &Snapshot, options: &Options) -> Vec<u8> {
    let mut writer = W::new(options);
    snapshot.tell(&mut writer, &options.custom_tools, &mut Vec::new());
    writer.into_body()
}
