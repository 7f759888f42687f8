//! The push reader.

use core::mem;

use super::Frame;
use super::body::BodyReader;
use super::event_stream::EventStream;
use super::fault;
use super::opening::{Opening, Verdict};
use crate::error::{Code, Error};

/// Reads server-sent events, or one JSON body, from pieces that may be split anywhere.
///
/// ```
/// use transcodec_core::frame::{Frame, SseReader};
///
/// let mut reader = SseReader::new(1 << 20);
/// let mut payloads = Vec::new();
/// for mut piece in [&b"data: {\"a\""[..], b":1}\n", b"\n: ping\n\ndata: [DONE]\n\n"] {
///     while let Some(frame) = reader.next(&mut piece)? {
///         if let Frame::Event { data, .. } = frame {
///             payloads.push(data.to_vec());
///         }
///     }
/// }
/// assert!(!reader.finish().cut);
/// assert_eq!(payloads, [b"{\"a\":1}"]);
/// # Ok::<(), transcodec_core::error::Error>(())
/// ```
///
/// A payload that lies whole in one piece is borrowed from it; only what straddles is copied. Each
/// byte is searched once, so the time is linear also for a huge event in tiny pieces.
#[derive(Clone, Debug)]
pub struct SseReader {
    max_event_bytes: u64,
    /// Offset in the stream of the next byte to be read.
    offset: u64,
    phase: Phase,
    fault: Option<Error>,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The first line may have begun already in the event stream.
    Opening(Opening, EventStream),
    EventStream(EventStream),
    Body(BodyReader),
}

/// What the end of input leaves.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'f> {
    /// The last event or done mark, if only its blank line is missing.
    pub frame: Option<Frame<'f>>,
    /// The input ended inside an event, a body or a field name.
    pub cut: bool,
}

impl SseReader {
    /// A reader at the start of the input. `max_event_bytes` limits one event block with all its
    /// lines, and a JSON body; it counts at most 4 GiB − 1.
    #[must_use]
    pub fn new(max_event_bytes: u64) -> Self {
        let max_event_bytes = max_event_bytes.min(u64::from(u32::MAX));
        let stream = EventStream::new(max_event_bytes);
        Self {
            max_event_bytes,
            offset: 0,
            phase: Phase::Opening(Opening::default(), stream),
            fault: None,
        }
    }

    /// All bytes read so far, which are all bytes fed once [`SseReader::next`] has given `None`.
    #[must_use]
    pub const fn total_bytes(&self) -> u64 {
        self.offset
    }

    /// The next frame; `piece` is moved on behind what was read. `None` when the piece is used up.
    ///
    /// # Errors
    /// `NotAStream`, `EventTooLarge`, or `InvalidJson` for bytes after a JSON body; path empty. The
    /// reader is dead then: it gives the same error again.
    #[inline]
    pub fn next<'f, 'p: 'f>(
        &'f mut self,
        piece: &mut &'p [u8],
    ) -> Result<Option<Frame<'f>>, Error> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let Phase::Opening(..) = self.phase {
            self.open(piece).inspect_err(|fault| self.fault = Some(fault.clone()))?;
        }
        match &mut self.phase {
            Phase::EventStream(stream) => stream.next(piece, &mut self.offset),
            Phase::Body(body) => body.next(piece, &mut self.offset),
            Phase::Opening(..) => Ok(None),
        }
        .inspect_err(|fault| self.fault = Some(fault.clone()))
    }

    /// Tells the end of input, once. After a fault there is nothing left to say.
    pub fn finish(&mut self) -> Ending<'_> {
        let nothing = Ending { frame: None, cut: false };
        if self.fault.is_some() {
            return nothing;
        }
        match &mut self.phase {
            Phase::Opening(opening, _) if opening.is_inside_mark() => {
                Ending { cut: true, ..nothing }
            }
            Phase::Opening(_, stream) | Phase::EventStream(stream) => stream.finish(self.offset),
            Phase::Body(body) => Ending { cut: !body.is_closed(), ..nothing },
        }
    }

    /// Reads bytes until they say what the input is.
    fn open(&mut self, piece: &mut &[u8]) -> Result<(), Error> {
        while let Phase::Opening(opening, stream) = &mut self.phase
            && let Some((&byte, rest)) = piece.split_first()
        {
            match opening.judge(byte) {
                Verdict::Skip => {}
                Verdict::Keep => stream.begin_line(byte, self.offset)?,
                Verdict::EventStream => {
                    let stream = mem::take(stream);
                    self.phase = Phase::EventStream(stream);
                    return Ok(());
                }
                Verdict::Body => {
                    self.phase = Phase::Body(BodyReader::new(self.offset, self.max_event_bytes));
                    return Ok(());
                }
                Verdict::Neither => return Err(fault(Code::NotAStream, self.offset)),
            }
            *piece = rest;
            self.offset += 1;
        }
        Ok(())
    }
}
