//! What one answer passes through: frames, a decoder, the referee, an encoder.

use super::clean::{Around, Cleaner, Known, Told, body_as_event, is_one_line};
use super::decode::Decode;
use super::delta::FaultInfo;
use super::encode::{Encode, Layout, Original};
use super::loss::{LossCode, LossLog, LossMark};
use super::options::{Options, SameFormat};
use super::place::Place;
use super::riders::Riders;
use super::stop::Stop;
use super::translate::Failure;
use super::turn::{Outcome, Referee, Turn};
use crate::error::{Code, Error};
use crate::frame::{Frame, Position, SseReader};
use crate::json::{LongValues, Raw, Templates};

/// A decoder, an encoder, and the turn between them.
#[derive(Debug)]
pub(crate) struct Pipe<D: Decode, E> {
    decoder: D,
    /// The latest shapes of events that bring one text.
    shapes: Templates<Shape<D::Words>>,
    pub(crate) encoder: E,
    pub(crate) turn: Turn,
    pub(crate) losses: LossLog,
    /// Ordinal of the next event.
    next_event: u64,
    told_ignored_line: bool,
    told_after_end: bool,
    /// Decides what of the source is copied, if source and target are of one format.
    cleaner: Option<Cleaner>,
    /// What the client's events say beside what the format knows, if the answer is kept.
    pub(super) riders: Option<Box<Riders>>,
}

/// Events from this size on are likely to repeat a text as a whole.
const MIN_REPEATING_BYTES: usize = 1 << 10;

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
    pub(crate) fn new(decoder: D, encoder: E, options: &Options) -> Box<Self> {
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
    pub(crate) fn cleaning(
        decoder: D,
        encoder: E,
        known: &'static Known,
        options: &Options,
    ) -> Box<Self> {
        let mut pipe = Self::new(decoder, encoder, options);
        if options.same_format == SameFormat::Clean {
            pipe.cleaner = Some(Cleaner::new(known, D::NOISE.counter));
        }
        if options.collect && known.folds.is_some() {
            pipe.riders = Some(Box::new(Riders::new(known)));
        }
        pipe
    }

    pub(super) fn feed(
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
                    if self.decoder.completes_end(data, name) {
                        return Ok(());
                    }
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
                if D::DONE_ENDS && self.turn.outcome().is_none() {
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
        let told = Told { event, holds_back: turn.holds_back(), is_over: turn.outcome().is_some() };
        let blank = |source: Raw<'_>, out: &mut Vec<u8>| encoder.blank(source, out);
        let long_values = LongValues::default();
        let Some(source) = Raw::read_noting(data, &long_values) else { return Ok(()) };
        let around = cleaner.settle(source, written, told, losses, out, blank);
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
        let long_values = LongValues::default();
        if data.len() >= MIN_REPEATING_BYTES
            && let Some(text) = self.encoder.kept_text()
        {
            long_values.expect(data, text);
        }
        let (decoder, mut referee) = self.split(Some(event), out);
        let (source, may_repeat) = decoder.event(data, name, &long_values, &mut referee)?;
        let passes_unknown = referee.passes_unknown();
        let mut around = None;
        if let Some(cleaner) = &mut self.cleaner {
            let is_over = self.turn.outcome().is_some();
            let told = Told { event, holds_back: self.turn.holds_back(), is_over };
            let blank = |source: Raw<'_>, out: &mut Vec<u8>| self.encoder.blank(source, out);
            around = cleaner.settle(source, written, told, &mut self.losses, out, blank);
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

    pub(super) fn finish(
        &mut self,
        reader: &mut SseReader,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let result = self.settle(reader, out);
        if let Err(failure) = &result {
            self.write_failure(failure, out);
        }
        result
    }

    /// Takes the end of the source; fails if that is not the end of the answer.
    pub(super) fn settle(
        &mut self,
        reader: &mut SseReader,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let total = reader.total_bytes();
        let ending = reader.finish();
        if let Some(frame) = &ending.frame {
            self.take(frame, out)?;
        }
        if self.turn.outcome().is_some() {
            return Ok(());
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

    pub(super) fn write_failure(&mut self, failure: &Failure, out: &mut Vec<u8>) {
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
            cleaner.end(written, self.turn.outcome().is_some(), &mut self.losses, out);
        }
        if let Some(riders) = &mut self.riders {
            riders.take_events(&out[written..]);
        }
    }

    pub(super) fn write_fault(
        &mut self,
        fault: &FaultInfo<'_>,
        outcome: Outcome,
        out: &mut Vec<u8>,
    ) {
        let written = out.len();
        self.split(None, out).1.fault(fault, outcome);
        if let Some(cleaner) = &mut self.cleaner {
            cleaner.end(written, true, &mut self.losses, out);
        }
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
                Failure::Decode(Error { code, offset, path })
            }
        }
    }
}
