//! The wire formats, one folder each; this is the only list of them, and the only place that tells them apart.

pub mod openai_chat;
pub mod openai_responses;

use self::openai_chat::{ChatBody, ChatDecoder, ChatEncoder};
use self::openai_responses::{ResponsesBody, ResponsesDecoder, ResponsesEncoder, ResponsesMirror};
use crate::json::Raw;
use crate::stream::body::{BodyFailure, TranslatedBody, WriteBody, mirrored, tell, through};
use crate::stream::clean::Known;
use crate::stream::context::Context;
use crate::stream::delta::FaultInfo;
use crate::stream::loss::LossLog;
use crate::stream::options::Options;
use crate::stream::pipe::Pipe;
use crate::stream::snapshot::{Collecting, Snapshot};

/// A wire format that streams come in or go out in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::OpenaiChat, Self::OpenaiResponses];

    /// The spelling used everywhere: in Rust paths, Python, files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
        }
    }

    /// The format of that spelling.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// One variant a pair of formats, so that the code of a pair is compiled as one piece.
#[derive(Debug)]
pub(crate) enum Pair {
    ResponsesToChat(Box<Pipe<ResponsesDecoder, Collecting<ChatEncoder>>>),
    ChatToResponses(Box<Pipe<ChatDecoder, Collecting<ResponsesEncoder>>>),
    ResponsesToResponses(Box<Pipe<ResponsesDecoder, Collecting<ResponsesMirror>>>),
    ChatToChat(Box<Pipe<ChatDecoder, Collecting<ChatEncoder<true>>>>),
}

/// Evaluates an expression with the pipe of a pair.
macro_rules! with_pipe {
    ($pair:expr, $pipe:ident => $body:expr) => {
        match $pair {
            $crate::formats::Pair::ResponsesToChat($pipe) => $body,
            $crate::formats::Pair::ChatToResponses($pipe) => $body,
            $crate::formats::Pair::ResponsesToResponses($pipe) => $body,
            $crate::formats::Pair::ChatToChat($pipe) => $body,
        }
    };
}
pub(crate) use with_pipe;

impl Pair {
    /// The pipe of a pair, before the first byte.
    pub(crate) fn new(source: Format, target: Format, options: &Options) -> Self {
        let collects = options.collect;
        match (source, target) {
            (Format::OpenaiResponses, Format::OpenaiChat) => Self::ResponsesToChat(Pipe::new(
                ResponsesDecoder::default(),
                Collecting::new(ChatEncoder::new(options), collects),
                options,
            )),
            (Format::OpenaiChat, Format::OpenaiResponses) => Self::ChatToResponses(Pipe::new(
                ChatDecoder::new(options),
                Collecting::new(ResponsesEncoder::new(options), collects),
                options,
            )),
            (Format::OpenaiResponses, Format::OpenaiResponses) => {
                Self::ResponsesToResponses(Pipe::cleaning(
                    ResponsesDecoder::default(),
                    Collecting::new(ResponsesMirror::new(options), collects),
                    &openai_responses::KNOWN,
                    options,
                ))
            }
            (Format::OpenaiChat, Format::OpenaiChat) => Self::ChatToChat(Pipe::cleaning(
                ChatDecoder::new(options),
                Collecting::new(ChatEncoder::new(options), collects),
                &openai_chat::KNOWN,
                options,
            )),
        }
    }
}

/// Translates a response body of another format.
pub(crate) fn translate_body(
    json: &[u8],
    source: Format,
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    match target {
        Format::OpenaiChat => read_body::<ChatBody>(json, source, target, options, losses),
        Format::OpenaiResponses => {
            read_body::<ResponsesBody>(json, source, target, options, losses)
        }
    }
}

/// Writes a response body anew in its own format; also the members that are known in such a body.
pub(crate) fn translate_own_body(
    json: &[u8],
    format: Format,
    options: &Options,
    losses: &mut LossLog,
) -> (&'static Known, Result<TranslatedBody, BodyFailure>) {
    let translated = match format {
        Format::OpenaiChat => read_body::<ChatBody<true>>(json, format, format, options, losses),
        Format::OpenaiResponses => {
            let mut mirror = ResponsesMirror::new(options);
            let decoder = &mut ResponsesDecoder::default();
            mirrored(decoder, &mut mirror, json, format, options, losses)
        }
    };
    (known_of_body(format), translated)
}

/// The members that are known in the bodies of a format.
pub(crate) const fn known_of_body(format: Format) -> &'static Known {
    match format {
        Format::OpenaiChat => &openai_chat::BODY,
        Format::OpenaiResponses => &openai_responses::BODY,
    }
}

fn read_body<W: WriteBody>(
    json: &[u8],
    source: Format,
    target: Format,
    options: &Options,
    losses: &mut LossLog,
) -> Result<TranslatedBody, BodyFailure> {
    match source {
        Format::OpenaiChat => {
            through::<_, W>(&mut ChatDecoder::new(options), json, target, options, losses)
        }
        Format::OpenaiResponses => {
            through::<_, W>(&mut ResponsesDecoder::default(), json, target, options, losses)
        }
    }
}

/// The body of an answer of the source that was kept.
pub(crate) fn body_of(
    snapshot: &Snapshot,
    source: Format,
    target: Format,
    options: &Options,
) -> Vec<u8> {
    match (target, source == target) {
        (Format::OpenaiChat, true) => tell::<ChatBody<true>>(snapshot, options),
        (Format::OpenaiChat, false) => tell::<ChatBody>(snapshot, options),
        (Format::OpenaiResponses, _) => tell::<ResponsesBody>(snapshot, options),
    }
}

/// Appends the error body of a format.
pub(crate) fn push_error_body(out: &mut Vec<u8>, fault: &FaultInfo<'_>, target: Format) {
    match target {
        Format::OpenaiChat => openai_chat::push_error_body(out, fault),
        Format::OpenaiResponses => openai_responses::push_error_body(out, fault),
    }
}

/// What a stream must know of a request body of a format.
pub(crate) fn request_context(request: Raw<'_>, format: Format) -> Context {
    match format {
        Format::OpenaiChat => openai_chat::request_context(request),
        Format::OpenaiResponses => openai_responses::request_context(request),
    }
}
