//! Source bytes in, target bytes out.

use super::body::{body_of, error_body};
use super::delta::{Counts, FaultInfo};
use super::encode::Encode;
use super::loss::{LossCode, LossLog};
use super::mirror::Mirror;
use super::options::{Options, SameFormat};
use super::stop::Stop;
use super::turn::Outcome;
use crate::error::Error;
use crate::formats::{Format, Pair, with_pipe};
use crate::frame::SseReader;

/// Why `feed` stopped for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The input is wrong.
    Decode(Error),
    /// The next event would lose content, and the caller refuses that.
    Refused {
        /// What would get lost.
        code: LossCode,
        /// Where it stands.
        path: String,
    },
}

impl Failure {
    /// What stopped the end of an answer: there is no event to blame, so it can only be a refused loss.
    pub(super) fn from_ending(stop: Stop) -> Self {
        match stop {
            Stop::Refused { code, path } => Self::Refused { code, path },
            Stop::Wire { code, at, path } => Self::Decode(Error { code, offset: at as u64, path }),
        }
    }
}

/// A call that makes no sense any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// `feed` after an error of `feed`.
    FeedAfterError,
    /// `feed` or `fail` after `finish`.
    FeedAfterFinish,
    /// `response` without `collect`.
    NotCollected,
    /// `response` before the end.
    NotEnded,
}

impl Misuse {
    /// The public spelling of its code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FeedAfterError => "feed_after_error",
            Self::FeedAfterFinish => "feed_after_finish",
            Self::NotCollected => "not_collected",
            Self::NotEnded => "not_ended",
        }
    }
}

/// Translates one answer from one format to another.
///
/// ```
/// use transcodec_core::formats::Format;
/// use transcodec_core::stream::options::Options;
/// use transcodec_core::stream::translate::Translator;
///
/// let mut translator =
///     Translator::new(Format::OpenaiResponses, Format::OpenaiChat, &Options::default());
/// let mut out = Vec::new();
/// translator.feed(b"data: {\"type\":\"response.output_text.delta\",\"output_index\":0,", &mut out).unwrap();
/// translator.feed(b"\"delta\":\"Hi\"}\n\n", &mut out).unwrap();
/// translator.finish(&mut out); // The stream was cut: the client gets an error event.
/// assert!(String::from_utf8(out).unwrap().contains(r#"{"content":"Hi"}"#));
/// ```
#[derive(Debug)]
pub struct Translator {
    reader: SseReader,
    pair: Pair,
    source: Format,
    target: Format,
    options: Options,
    progress: Progress,
    /// What passes every byte on, if the stream is only observed.
    verbatim: Option<Verbatim>,
}

/// A stream that is passed on as it is.
#[derive(Debug, Default)]
struct Verbatim {
    /// What cleaning would have written; nobody reads it.
    unread: Vec<u8>,
    /// The last two bytes that are no carriage returns.
    last_bytes: [u8; 2],
}

impl Verbatim {
    fn pass(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(piece);
        let ends = piece.iter().rev().filter(|byte| **byte != b'\r').take(2);
        for byte in ends.copied().collect::<Vec<_>>().into_iter().rev() {
            self.last_bytes = [self.last_bytes[1], byte];
        }
    }

    /// Ends what stands open, so that an event can follow.
    fn end_block(&self, out: &mut Vec<u8>) {
        if self.last_bytes != *b"\n\n" && self.last_bytes != [0, 0] {
            out.extend_from_slice(b"\n\n");
        }
    }
}

#[derive(Debug)]
enum Progress {
    Open,
    Stopped(Failure),
    /// The caller told the client of a fault: what still comes is ignored.
    Failed,
    Finished,
}

impl Translator {
    /// A translator at the start of an answer.
    #[must_use]
    pub fn new(source: Format, target: Format, options: &Options) -> Self {
        let is_verbatim = source == target && options.same_format == SameFormat::Verbatim;
        // Bytes that are passed on lose nothing.
        let options =
            &Options { refuse_losses: options.refuse_losses && !is_verbatim, ..options.clone() };
        let pair = Pair::new(source, target, options);
        let reader = SseReader::new(options.limits.max_event_bytes as u64);
        let verbatim = is_verbatim.then(Verbatim::default);
        let options = options.clone();
        Self { reader, pair, source, target, options, progress: Progress::Open, verbatim }
    }

    /// Takes the next bytes of the source, split anywhere, and appends what follows from them to `out`.
    ///
    /// # Errors
    /// Once, when the input turns out to be wrong or a loss is refused; `out` holds all that was right before.
    /// Later calls are misuse.
    pub fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        if self.verbatim.is_some()
            && !matches!(self.progress, Progress::Failed | Progress::Finished)
        {
            self.observe(piece, out);
            return Ok(());
        }
        match self.progress {
            Progress::Open => {}
            Progress::Failed => return Ok(()),
            Progress::Stopped(_) => return Err(FeedError::Misuse(Misuse::FeedAfterError)),
            Progress::Finished => return Err(FeedError::Misuse(Misuse::FeedAfterFinish)),
        }
        let reader = &mut self.reader;
        let result = with_pipe!(&mut self.pair, pipe => pipe.feed(reader, piece, out));
        result.map_err(|failure| {
            self.progress = Progress::Stopped(failure.clone());
            FeedError::Failure(failure)
        })
    }

    /// Passes bytes on, and follows the answer as long as the source is right.
    fn observe(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let Some(verbatim) = &mut self.verbatim else { return };
        verbatim.pass(piece, out);
        if !matches!(self.progress, Progress::Open) {
            return;
        }
        verbatim.unread.clear();
        let (reader, unread) = (&mut self.reader, &mut verbatim.unread);
        if let Err(failure) = with_pipe!(&mut self.pair, pipe => pipe.feed(reader, piece, unread)) {
            self.progress = Progress::Stopped(failure);
        }
    }

    /// Takes the end of the source and appends what closes the client's stream: the rest of the answer, or the
    /// target's error event if the source was wrong or cut. Returns why the stream failed, if it did. A second
    /// call appends nothing.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Option<Failure> {
        match core::mem::replace(&mut self.progress, Progress::Finished) {
            Progress::Failed | Progress::Finished => None,
            Progress::Stopped(failure) => {
                if let Some(verbatim) = &self.verbatim {
                    verbatim.end_block(out);
                    with_pipe!(&mut self.pair, pipe => pipe.encoder.forget_annotations());
                }
                with_pipe!(&mut self.pair, pipe => pipe.write_failure(&failure, out));
                Some(failure)
            }
            Progress::Open => {
                let reader = &mut self.reader;
                let Some(verbatim) = &mut self.verbatim else {
                    return with_pipe!(&mut self.pair, pipe => pipe.finish(reader, out)).err();
                };
                let unread = &mut verbatim.unread;
                let failure = with_pipe!(&mut self.pair, pipe => pipe.settle(reader, unread)).err();
                if let Some(failure) = &failure {
                    verbatim.end_block(out);
                    with_pipe!(&mut self.pair, pipe => {
                        pipe.encoder.forget_annotations();
                        pipe.write_failure(failure, out);
                    });
                }
                failure
            }
        }
    }

    /// Ends the client's stream with a fault that the caller saw, such as a time-out.
    ///
    /// # Errors
    /// After `finish`.
    pub fn fail(
        &mut self,
        message: &str,
        code: Option<&str>,
        out: &mut Vec<u8>,
    ) -> Result<(), Misuse> {
        match self.progress {
            Progress::Finished => return Err(Misuse::FeedAfterFinish),
            Progress::Failed => return Ok(()),
            Progress::Stopped(_) if self.verbatim.is_none() => {}
            Progress::Open | Progress::Stopped(_) => self.progress = Progress::Failed,
        }
        let code = code.or(Some("upstream_failed"));
        let fault = FaultInfo { message, kind: Some("upstream_error"), code, param: None };
        let is_over = with_pipe!(&self.pair, pipe => pipe.turn.outcome()).is_some();
        if let Some(verbatim) = self.verbatim.as_ref().filter(|_| !is_over) {
            verbatim.end_block(out);
            with_pipe!(&mut self.pair, pipe => pipe.encoder.forget_annotations());
        }
        with_pipe!(&mut self.pair, pipe => pipe.write_fault(&fault, Outcome::Failed, out));
        Ok(())
    }

    /// How the answer ended; `None` while it is open.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.progress {
            Progress::Stopped(_) => Some(Outcome::Failed),
            _ => with_pipe!(&self.pair, pipe => pipe.turn.outcome()),
        }
    }

    /// The whole answer as a body, of the target's format or another one: what the stream said. The error body
    /// if the answer failed.
    ///
    /// # Errors
    /// Before the end, or if the answer was not kept.
    pub fn response(&self, format: Option<Format>) -> Result<Vec<u8>, Misuse> {
        let format = format.unwrap_or(self.target);
        with_pipe!(&self.pair, pipe => {
            let Some(snapshot) = &pipe.encoder.snapshot else { return Err(Misuse::NotCollected) };
            if let Some(fault) = pipe.turn.fault() {
                return Ok(error_body(&fault.info(), format));
            }
            match pipe.turn.outcome() {
                Some(_) if format == self.target && pipe.encoder.answer().is_some() => {
                    Ok(pipe.encoder.answer().unwrap_or_default().to_vec())
                }
                Some(_) => Ok(body_of(snapshot, pipe.riders.as_deref(), self.source, format, &self.options)),
                None => Err(Misuse::NotEnded),
            }
        })
    }

    /// The token counts so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        with_pipe!(&self.pair, pipe => pipe.turn.counts())
    }

    /// The losses so far.
    #[must_use]
    pub fn losses(&self) -> &LossLog {
        with_pipe!(&self.pair, pipe => &pipe.losses)
    }

    /// The media type of the target's stream.
    #[must_use]
    pub const fn content_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }
}

/// Why `feed` refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedError {
    /// The stream is over, with a reason that `finish` tells the client.
    Failure(Failure),
    /// The call makes no sense.
    Misuse(Misuse),
}
