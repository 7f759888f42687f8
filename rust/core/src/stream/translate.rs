//! Source bytes in, target bytes out.

use super::body::{body_of, error_body};
use super::clean::{Around, Cleaner, Known, Told, body_as_event, is_one_line};
use super::decode::Decode;
use super::delta::{Counts, FaultInfo};
use super::encode::{Encode, Layout, Original};
use super::loss::{LossCode, LossLog, LossMark};
use super::mirror::Mirror;
use super::options::{Options, SameFormat};
use super::place::Place;
use super::riders::Riders;
use super::snapshot::Collecting;
use super::stop::Stop;
use super::turn::{Outcome, Referee, Turn};
use crate::error::{Code, Error};
use crate::formats::Format;
use crate::formats::openai_chat::{self, ChatDecoder, ChatEncoder};
use crate::formats::openai_responses::{self, ResponsesDecoder, ResponsesEncoder, ResponsesMirror};
use crate::frame::{Frame, Position, SseReader};
use crate::json::{LongValues, Raw, Templates};

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
    fn from_ending(stop: Stop) -> Self {
        match stop {
            Stop::Refused { code, path } => Self::Refused { code, path },
            Stop::Wire { code, at, path } => {
                Self::Decode(Error { code, offset: at as u64, path, detail: String::new() })
            }
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
///     Translator::new(Format::OpenaiResponses, Format::OpenaiChat, &Options::default()).unwrap();
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
    Finished,
}

/// One variant a pair of formats, so that the code of a pair is compiled as one piece.
#[derive(Debug)]
enum Pair {
    ResponsesToChat(Box<Pipe<ResponsesDecoder, Collecting<ChatEncoder>>>),
    ChatToResponses(Box<Pipe<ChatDecoder, Collecting<ResponsesEncoder>>>),
    ResponsesToResponses(Box<Pipe<ResponsesDecoder, Collecting<ResponsesMirror>>>),
    ChatToChat(Box<Pipe<ChatDecoder, Collecting<ChatEncoder<true>>>>),
}

macro_rules! with_pipe {
    ($pair:expr, $pipe:ident => $body:expr) => {
        match $pair {
            Pair::ResponsesToChat($pipe) => $body,
            Pair::ChatToResponses($pipe) => $body,
            Pair::ResponsesToResponses($pipe) => $body,
            Pair::ChatToChat($pipe) => $body,
        }
    };
}

impl Translator {
    /// A translator at the start of an answer; `None` if the pair of formats is not offered.
    #[must_use]
    pub fn new(source: Format, target: Format, options: &Options) -> Option<Self> {
        let is_verbatim = source == target && options.same_format == SameFormat::Verbatim;
        // Bytes that are passed on lose nothing.
        let options =
            &Options { refuse_losses: options.refuse_losses && !is_verbatim, ..options.clone() };
        let pair = match (source, target) {
            (Format::OpenaiResponses, Format::OpenaiChat) => Pair::ResponsesToChat(Pipe::new(
                ResponsesDecoder::default(),
                Collecting::new(ChatEncoder::new(options), options.collect),
                options,
            )),
            (Format::OpenaiChat, Format::OpenaiResponses) => Pair::ChatToResponses(Pipe::new(
                ChatDecoder::new(options),
                Collecting::new(ResponsesEncoder::new(options), options.collect),
                options,
            )),
            (Format::OpenaiResponses, Format::OpenaiResponses) => {
                Pair::ResponsesToResponses(Pipe::cleaning(
                    ResponsesDecoder::default(),
                    Collecting::new(ResponsesMirror::new(options), options.collect),
                    &openai_responses::KNOWN,
                    options,
                ))
            }
            (Format::OpenaiChat, Format::OpenaiChat) => Pair::ChatToChat(Pipe::cleaning(
                ChatDecoder::new(options),
                Collecting::new(ChatEncoder::new(options), options.collect),
                &openai_chat::KNOWN,
                options,
            )),
        };
        let reader = SseReader::new(options.limits.max_event_bytes as u64);
        let verbatim = is_verbatim.then(Verbatim::default);
        let options = options.clone();
        Some(Self { reader, pair, source, target, options, progress: Progress::Open, verbatim })
    }

    /// Takes the next bytes of the source, split anywhere, and appends what follows from them to `out`.
    ///
    /// # Errors
    /// Once, when the input turns out to be wrong or a loss is refused; `out` holds all that was right before.
    /// Later calls are misuse.
    pub fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        if self.verbatim.is_some() && !matches!(self.progress, Progress::Finished) {
            self.observe(piece, out);
            return Ok(());
        }
        match self.progress {
            Progress::Open => {}
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
            Progress::Finished => None,
            Progress::Stopped(failure) => {
                if let Some(verbatim) = &self.verbatim {
                    verbatim.end_block(out);
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
                    with_pipe!(&mut self.pair, pipe => pipe.write_failure(failure, out));
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
        if matches!(self.progress, Progress::Finished) {
            return Err(Misuse::FeedAfterFinish);
        }
        self.progress = Progress::Finished;
        let code = code.or(Some("upstream_failed"));
        let fault = FaultInfo { message, kind: Some("upstream_error"), code, param: None };
        if let Some(verbatim) = &self.verbatim {
            verbatim.end_block(out);
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

/// A decoder, an encoder, and the turn between them.
#[derive(Debug)]
struct Pipe<D: Decode, E> {
    decoder: D,
    /// The latest shapes of events that bring one text.
    shapes: Templates<Shape<D::Words>>,
    encoder: E,
    turn: Turn,
    losses: LossLog,
    /// Ordinal of the next event.
    next_event: u64,
    told_ignored_line: bool,
    told_after_end: bool,
    /// Decides what of the source is copied, if source and target are of one format.
    cleaner: Option<Cleaner>,
    /// What the client's events say beside what the format knows, if the answer is kept.
    riders: Option<Box<Riders>>,
}

/// What is known of all events of one shape.
#[derive(Debug)]
struct Shape<W> {
    words: W,
    /// If they may be copied: what is written for them.
    around: Option<Around>,
    /// What the riders said when they took the last one that was copied.
    ridden: u64,
}

impl<D: Decode, E: Encode> Pipe<D, E> {
    fn new(decoder: D, encoder: E, options: &Options) -> Box<Self> {
        Box::new(Self {
            decoder,
            shapes: Templates::default(),
            encoder,
            turn: Turn::new(options),
            losses: LossLog::new(options.limits.max_losses, options.refuse_losses),
            next_event: 0,
            told_ignored_line: false,
            told_after_end: false,
            cleaner: None,
            riders: None,
        })
    }

    /// The same for a source and a target of one format.
    fn cleaning(decoder: D, encoder: E, known: &'static Known, options: &Options) -> Box<Self> {
        let mut pipe = Self::new(decoder, encoder, options);
        if options.same_format == SameFormat::Clean {
            pipe.cleaner = Some(Cleaner::new(known, D::NOISE.counter));
        }
        if options.collect && known.folds.is_some() {
            pipe.riders = Some(Box::new(Riders::new(known)));
        }
        pipe
    }

    fn feed(
        &mut self,
        reader: &mut SseReader,
        mut piece: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        loop {
            match reader.next(&mut piece) {
                Ok(Some(frame)) => self.take(&frame, out)?,
                Ok(None) => return Ok(()),
                // What follows the end is nobody's concern.
                Err(_) if self.turn.outcome().is_some() => return Ok(()),
                Err(error) => return Err(Failure::Decode(error)),
            }
        }
    }

    #[inline]
    fn take(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
        match frame {
            Frame::Event { name, data, position } => {
                let event = self.next_event;
                self.next_event += 1;
                if self.turn.outcome().is_some() {
                    return self.tell_after_end(event);
                }
                let (written, told) = (out.len(), self.losses.mark());
                self.turn.begin_event();
                self.event(data, name, event, out)
                    .map_err(|stop| self.take_back(stop, position, written, told, out))
            }
            Frame::Body { data, position } => {
                let (written, told) = (out.len(), self.losses.mark());
                self.turn.begin_event();
                let (decoder, mut referee) = self.split(None, out);
                let result = decoder.body(data, &mut referee);
                if let (Ok(()), Some(cleaner)) = (&result, &self.cleaner) {
                    cleaner.settle_body(data, written, out);
                }
                if let Some(riders) = &mut self.riders {
                    if self.cleaner.is_none() {
                        riders.take(&body_as_event(data, riders.known()));
                    } else {
                        riders.take_events(&out[written..]);
                    }
                }
                result.map_err(|stop| self.take_back(stop, position, written, told, out))
            }
            Frame::Done => {
                if D::DONE_ENDS {
                    let written = out.len();
                    let (decoder, mut referee) = self.split(None, out);
                    let result = decoder.finish(&mut referee).and_then(|()| referee.done_mark());
                    self.settle_end(written, out);
                    return result.map_err(Failure::from_ending);
                }
                Ok(())
            }
            Frame::KeepAlive => {
                self.split(None, out).1.alive();
                Ok(())
            }
            Frame::IgnoredLine { .. } => {
                if self.turn.outcome().is_some()
                    || core::mem::replace(&mut self.told_ignored_line, true)
                {
                    return Ok(());
                }
                self.report(LossCode::LineIgnored, None)
            }
        }
    }

    #[inline]
    fn event(
        &mut self,
        data: &[u8],
        name: &[u8],
        event: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let written = out.len();
        let Self { decoder, shapes, encoder, turn, losses, cleaner, riders, .. } = self;
        let Some((shape, reading)) = shapes.read(data) else {
            return self.unlike_event(data, name, event, out);
        };
        let mut referee =
            Referee { turn, encoder, out, losses, event: Some(event), original: None };
        let Some(cleaner) = cleaner else {
            decoder.text(&shape.words, reading.text, &mut referee)?;
            return self.keep_riders(data, written, event, out);
        };
        let around = shape.around.as_ref();
        let may_copy = |_: &&Around| cleaner.is_idle() && is_one_line(data, &reading);
        let original =
            around.filter(may_copy).map(|around| Original { json: data, reading, around, written });
        referee.original = original.as_ref();
        decoder.text(&shape.words, reading.text, &mut referee)?;
        if original.is_some() && referee.original.is_none() {
            return match riders {
                Some(riders) if riders.is_news(shape.ridden) => {
                    shape.ridden = riders.take(data);
                    self.limit_riders(event)
                }
                _ => Ok(()),
            };
        }
        let told = Told { holds_back: turn.holds_back(), is_over: turn.outcome().is_some() };
        let blank = |source: Raw<'_>, out: &mut Vec<u8>| encoder.blank(source, out);
        let long_values = LongValues::default();
        let Some(source) = Raw::read_noting(data, &long_values) else { return Ok(()) };
        let around = cleaner.settle(source, written, told, out, blank);
        if let Some(around) = around.filter(|around| around.surrounds(reading.text, data)) {
            shape.around = Some(around);
        }
        self.keep_riders(data, written, event, out)
    }

    /// Keeps what the client's events, `out` from `written` on, say beside what the format knows.
    #[inline]
    fn keep_riders(
        &mut self,
        data: &[u8],
        written: usize,
        event: u64,
        out: &[u8],
    ) -> Result<(), Stop> {
        let Some(riders) = &mut self.riders else { return Ok(()) };
        if self.cleaner.is_some() {
            riders.take_events(&out[written..]);
        } else {
            riders.take(data);
        }
        self.limit_riders(event)
    }

    fn limit_riders(&self, event: u64) -> Result<(), Stop> {
        let bytes = self.riders.as_ref().map_or(0, |riders| riders.bytes());
        if self.turn.has_room_for_kept(bytes) {
            return Ok(());
        }
        let path = Place::event(Some(event)).to_string();
        Err(Stop::Wire { code: Code::AnswerTooLarge, at: 0, path })
    }

    /// An event that is like none of the latest.
    #[cold]
    fn unlike_event(
        &mut self,
        data: &[u8],
        name: &[u8],
        event: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let written = out.len();
        let (decoder, mut referee) = self.split(Some(event), out);
        let long_values = LongValues::default();
        let (source, may_repeat) = decoder.event(data, name, &long_values, &mut referee)?;
        let passes_unknown = referee.passes_unknown();
        let mut around = None;
        if let Some(cleaner) = &mut self.cleaner {
            let is_over = self.turn.outcome().is_some();
            let told = Told { holds_back: self.turn.holds_back(), is_over };
            let blank = |source: Raw<'_>, out: &mut Vec<u8>| self.encoder.blank(source, out);
            around = cleaner.settle(source, written, told, out, blank);
        }
        if may_repeat
            && self.shapes.is_due()
            && let Some((words, text)) = self.decoder.words(data, passes_unknown)
        {
            let around = around.filter(|around| around.surrounds(text, data));
            self.shapes.learn(data, text, D::NOISE, Shape { words, around, ridden: 0 });
        }
        self.keep_riders(data, written, event, out)
    }

    fn finish(&mut self, reader: &mut SseReader, out: &mut Vec<u8>) -> Result<(), Failure> {
        let result = self.settle(reader, out);
        if let Err(failure) = &result {
            self.write_failure(failure, out);
        }
        result
    }

    /// Takes the end of the source; fails if that is not the end of the answer.
    fn settle(&mut self, reader: &mut SseReader, out: &mut Vec<u8>) -> Result<(), Failure> {
        let total = reader.total_bytes();
        let ending = reader.finish();
        if let Some(frame) = &ending.frame {
            self.take(frame, out)?;
        }
        // A known reason is an end, even if counts or the done mark never came.
        let written = out.len();
        let (decoder, mut referee) = self.split(None, out);
        let ended = decoder.finish(&mut referee).and_then(|()| referee.end());
        self.settle_end(written, out);
        ended.map_err(Failure::from_ending)?;
        if self.turn.outcome().is_some() {
            return Ok(());
        }
        Err(Failure::Decode(Error {
            code: Code::StreamTruncated,
            offset: total,
            path: String::new(),
            detail: String::new(),
        }))
    }

    fn split<'p>(
        &'p mut self,
        event: Option<u64>,
        out: &'p mut Vec<u8>,
    ) -> (&'p mut D, Referee<'p, E>) {
        let Self { decoder, encoder, turn, losses, .. } = self;
        (decoder, Referee { turn, encoder, out, losses, event, original: None })
    }

    #[cold]
    fn tell_after_end(&mut self, event: u64) -> Result<(), Failure> {
        if core::mem::replace(&mut self.told_after_end, true) {
            return Ok(());
        }
        self.report(LossCode::EventAfterEnd, Some(event))
    }

    fn report(&mut self, code: LossCode, event: Option<u64>) -> Result<(), Failure> {
        match self.losses.report(code, &Place::event(event), "") {
            Err(Stop::Refused { code, path }) => Err(Failure::Refused { code, path }),
            _ => Ok(()),
        }
    }

    fn write_failure(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        let (message, kind, code) = match failure {
            Failure::Decode(Error { code: Code::StreamTruncated, .. }) => (
                "the upstream stream ended before the answer was complete".to_owned(),
                Some("upstream_error"),
                Code::StreamTruncated.as_str(),
            ),
            Failure::Decode(error) => (
                format!(
                    "invalid upstream stream: {} at byte {}",
                    error.code.as_str(),
                    error.offset
                ),
                Some("upstream_error"),
                error.code.as_str(),
            ),
            Failure::Refused { code, .. } => {
                (format!("refused: {}", code.as_str()), Some("translation_error"), code.as_str())
            }
        };
        let is_cut = code == Code::StreamTruncated.as_str();
        let outcome = if is_cut { Outcome::Truncated } else { Outcome::Failed };
        let fault = FaultInfo { message: &message, kind, code: Some(code), param: None };
        self.write_fault(&fault, outcome, out);
    }

    fn settle_end(&mut self, written: usize, out: &mut Vec<u8>) {
        if let Some(cleaner) = &mut self.cleaner {
            cleaner.end(written, out);
        }
        if let Some(riders) = &mut self.riders {
            riders.take_events(&out[written..]);
        }
    }

    fn write_fault(&mut self, fault: &FaultInfo<'_>, outcome: Outcome, out: &mut Vec<u8>) {
        if let Some(cleaner) = &mut self.cleaner {
            cleaner.flush(out);
        }
        self.split(None, out).1.fault(fault, outcome);
    }

    /// A bad event leaves nothing of what it would have said.
    #[cold]
    fn take_back(
        &mut self,
        stop: Stop,
        position: &Position<'_>,
        written: usize,
        told: LossMark,
        out: &mut Vec<u8>,
    ) -> Failure {
        // Into a target with a life cycle what was opened stays: its numbers are given away.
        if E::TRAITS.layout == Layout::Fields {
            out.truncate(written);
            for choice in self.turn.take_noted() {
                self.encoder.take_back_annotation(choice);
            }
        }
        match stop {
            Stop::Refused { code, path } => Failure::Refused { code, path },
            Stop::Wire { code, at, path } => {
                self.losses.rewind(told);
                let offset = position.absolute(at);
                Failure::Decode(Error { code, offset, path, detail: String::new() })
            }
        }
    }
}
