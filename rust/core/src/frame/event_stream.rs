//! Lines and blocks of an event stream.

use core::mem;

use memchr::memchr2;

use super::block::Block;
use super::line::{Line, Payload, is_partial_field_name};
use super::{Ending, Frame, Position, fault};
use crate::error::{Code, Error};
use crate::json::Raw;

/// Reads blocks of lines and hands out what they say.
#[derive(Clone, Debug, Default)]
pub(super) struct EventStream {
    max_event_bytes: u64,
    /// The carried part of the block at hand.
    block: Block,
    /// What of the block was handed out by the last call and is of no further use.
    spent: Spent,
    /// A carriage return ended the last line: a line feed right after it belongs to that end.
    after_carriage_return: bool,
    /// The last `event` line of a usual block, with its end: the next one is mostly the same.
    name_line: Vec<u8>,
}

const NAME_PREFIX: &[u8] = b"event: ";

/// Longer lines are not remembered.
const MAX_NAME_LINE_BYTES: usize = 128;

#[derive(Clone, Copy, Debug, Default)]
enum Spent {
    #[default]
    Nothing,
    Line,
    Block,
}

/// What a block has said in the piece at hand. Once there is a second data line, or the piece ends,
/// it is carried in the block.
#[derive(Clone, Copy, Default)]
struct Pending<'p> {
    name: Option<&'p [u8]>,
    /// The only data line so far, with its offset in the stream.
    data: Option<(&'p [u8], u64)>,
}

/// A frame, by where it is kept: in the piece, or else in the block.
#[derive(Clone, Copy)]
enum Found<'p> {
    KeepAlive,
    Done,
    /// The line, if it is in the piece, and its offset.
    IgnoredLine(Option<&'p [u8]>, u64),
    /// The block, and where in its data the payload stands.
    Event(Pending<'p>, (usize, usize)),
}

impl EventStream {
    pub(super) fn new(max_event_bytes: u64) -> Self {
        Self { max_event_bytes, ..Self::default() }
    }

    /// Takes one byte of the first line, which is not yet known to be a field.
    pub(super) fn begin_line(&mut self, byte: u8, offset: u64) -> Result<(), Error> {
        let start = *self.block.start.get_or_insert(offset);
        self.check_size(start, offset)?;
        self.block.line.push(byte);
        Ok(())
    }

    /// The next frame in `piece`, which is moved on, as is `offset`.
    #[inline]
    pub(super) fn next<'f, 'p: 'f>(
        &'f mut self,
        piece: &mut &'p [u8],
        offset: &mut u64,
    ) -> Result<Option<Frame<'f>>, Error> {
        self.drop_spent();
        if self.block.start.is_none()
            && !self.after_carriage_return
            && let Some((frame, length)) = self.usual_block(piece, *offset)
        {
            *piece = &piece[length..];
            *offset += length as u64;
            return Ok(Some(frame));
        }
        let mut at = 0;
        let found = self.find(piece, *offset, &mut at)?;
        *piece = &piece[at..];
        *offset += at as u64;
        Ok(found.map(|found| self.frame(found)))
    }

    /// The event whose block stands whole at the start of `piece`, and the block's length, if it has the form
    /// that nearly all servers write: at most an `event` line, then one `data` line with an object, all ended by
    /// line feeds. [`EventStream::find`] reads it in the same way, but slowly.
    #[inline]
    fn usual_block<'p>(&mut self, piece: &'p [u8], offset: u64) -> Option<(Frame<'p>, usize)> {
        let (name, after_name) = self.usual_name(piece)?;
        let line = after_name.strip_prefix(b"data: ")?;
        let end = find_line_end(line)?;
        let (data, after_data) = (&line[..end], line[end..].strip_prefix(b"\n\n")?);
        let (data_at, length) = (piece.len() - line.len(), piece.len() - after_data.len());
        let fits = ((data_at + end) as u64) < self.max_event_bytes;
        if !fits || !matches!(data, [b'{', .., b'}']) {
            return None;
        }
        let position = Position::of_line(data, offset + data_at as u64, (0, end));
        Some((Frame::Event { name, data, position }, length))
    }

    /// The name of a block that starts with an `event` line, and what follows that line; the empty name of one
    /// that does not.
    #[inline]
    fn usual_name<'p>(&mut self, piece: &'p [u8]) -> Option<(&'p [u8], &'p [u8])> {
        let length = if !self.name_line.is_empty() && piece.starts_with(&self.name_line) {
            self.name_line.len()
        } else if let Some(name) = piece.strip_prefix(NAME_PREFIX) {
            let length = NAME_PREFIX.len() + find_line_end(name)? + 1;
            if piece[length - 1] != b'\n' {
                return None;
            }
            self.name_line.clear();
            if length <= MAX_NAME_LINE_BYTES {
                self.name_line.extend_from_slice(&piece[..length]);
            }
            length
        } else {
            return Some((&[], piece));
        };
        Some((&piece[NAME_PREFIX.len()..length - 1], &piece[length..]))
    }

    /// Reads lines from `piece[*at..]` until one of them completes a frame. `offset` is the
    /// piece's.
    #[inline]
    fn find<'p>(
        &mut self,
        piece: &'p [u8],
        offset: u64,
        at: &mut usize,
    ) -> Result<Option<Found<'p>>, Error> {
        let mut pending = Pending::default();
        loop {
            let line_at = offset + *at as u64;
            match (piece.get(*at), self.after_carriage_return) {
                (Some(b'\n'), true) => {
                    self.after_carriage_return = false;
                    if let Some(start) = self.block.start {
                        self.check_size(start, line_at)?;
                    }
                    *at += 1;
                    continue;
                }
                (None, _) => {
                    self.carry(pending);
                    return Ok(None);
                }
                (Some(_), _) => self.after_carriage_return = false,
            }
            let Some(length) = find_line_end(&piece[*at..]) else {
                let start = *self.block.start.get_or_insert(line_at);
                self.check_size(start, offset + piece.len() as u64 - 1)?;
                self.block.line.extend_from_slice(&piece[*at..]);
                *at = piece.len();
                self.carry(pending);
                return Ok(None);
            };
            let line = &piece[*at..*at + length];
            let after_line = *at + length + 1;
            if line.is_empty() && self.block.line.is_empty() {
                self.after_carriage_return = piece[*at] == b'\r';
                *at = after_line;
                if let Some(found) = self.dispatch(pending) {
                    return Ok(Some(found));
                }
                pending = Pending::default();
                continue;
            }
            let start = *self.block.start.get_or_insert(line_at);
            self.check_size(start, line_at + length as u64)?;
            self.after_carriage_return = piece[after_line - 1] == b'\r';
            *at = after_line;
            let found = if self.block.line.is_empty() {
                self.read_line(line, line_at, &mut pending)
            } else {
                self.block.line.extend_from_slice(line);
                self.read_carried_line(line_at + length as u64)
            };
            if found.is_some() {
                self.carry(pending);
                return Ok(found);
            }
        }
    }

    /// Reads a line that stands whole in the piece.
    #[inline]
    fn read_line<'p>(
        &mut self,
        line: &'p [u8],
        offset: u64,
        pending: &mut Pending<'p>,
    ) -> Option<Found<'p>> {
        match Line::of(line) {
            Line::Data(value) => {
                let value_at = offset + (line.len() - value.len()) as u64;
                if pending.data.is_none() && !self.block.has_data() {
                    pending.data = Some((value, value_at));
                } else {
                    self.carry(mem::take(pending));
                    self.block.push_data(value, value_at);
                }
                None
            }
            Line::EventName(name) => {
                pending.name = Some(name);
                None
            }
            Line::Reconnection => None,
            Line::Comment => Some(Found::KeepAlive),
            Line::Unknown => Some(Found::IgnoredLine(Some(line), offset)),
        }
    }

    /// Reads the line that straddles pieces, now that its end, at `end`, is there.
    fn read_carried_line<'p>(&mut self, end: u64) -> Option<Found<'p>> {
        let line = mem::take(&mut self.block.line);
        let mut found = None;
        match Line::of(&line) {
            Line::Data(value) => self.block.push_data(value, end - value.len() as u64),
            Line::EventName(name) => self.block.set_name(name),
            Line::Reconnection => {}
            Line::Comment => found = Some(Found::KeepAlive),
            Line::Unknown => {
                self.spent = Spent::Line;
                found = Some(Found::IgnoredLine(None, end - line.len() as u64));
            }
        }
        self.block.line = line;
        if !matches!(self.spent, Spent::Line) {
            self.block.clear_line();
        }
        found
    }

    /// Moves what the block said in the piece into the carried part.
    fn carry(&mut self, pending: Pending<'_>) {
        if let Some(name) = pending.name {
            self.block.set_name(name);
        }
        if let Some((value, offset)) = pending.data {
            self.block.push_data(value, offset);
        }
    }

    /// Ends the block; the frame it is, if it is one.
    #[inline]
    fn dispatch<'p>(&mut self, pending: Pending<'p>) -> Option<Found<'p>> {
        let found = match Payload::of(pending.data.map_or(self.block.data(), |(value, _)| value)) {
            Payload::Event(start, end) => {
                if self.block.is_carried() {
                    self.spent = Spent::Block;
                } else {
                    self.block.start = None;
                }
                return Some(Found::Event(pending, (start, end)));
            }
            Payload::Empty => None,
            Payload::KeepAlive => Some(Found::KeepAlive),
            Payload::Done => Some(Found::Done),
        };
        self.block.clear();
        found
    }

    fn frame<'f, 'p: 'f>(&'f self, found: Found<'p>) -> Frame<'f> {
        match found {
            Found::KeepAlive => Frame::KeepAlive,
            Found::Done => Frame::Done,
            Found::IgnoredLine(line, offset) => {
                Frame::IgnoredLine { line: line.unwrap_or(&self.block.line), offset }
            }
            Found::Event(pending, payload) => {
                let position = match pending.data {
                    Some((value, offset)) => Position::of_line(value, offset, payload),
                    None => self.block.position(payload),
                };
                let name = pending.name.unwrap_or(self.block.name());
                Frame::Event { name, data: position.payload(), position }
            }
        }
    }

    /// Judges what the end of input, at `end`, leaves.
    pub(super) fn finish(&mut self, end: u64) -> Ending<'_> {
        self.drop_spent();
        let partial_name = is_partial_field_name(&self.block.line);
        if !partial_name && !self.block.line.is_empty() {
            self.read_carried_line(end);
        }
        if !self.block.has_data() {
            self.block.clear();
            return Ending { frame: None, cut: partial_name };
        }
        let found = match Payload::of(self.block.data()) {
            Payload::Done => Some(Found::Done),
            Payload::Event(start, end) if Raw::parse(&self.block.data()[start..end]).is_ok() => {
                Some(Found::Event(Pending::default(), (start, end)))
            }
            _ => None,
        };
        self.spent = Spent::Block;
        let frame = found.map(|found| self.frame(found));
        Ending { frame, cut: frame.is_none() }
    }

    #[inline]
    fn drop_spent(&mut self) {
        match mem::take(&mut self.spent) {
            Spent::Nothing => {}
            Spent::Line => self.block.clear_line(),
            Spent::Block => self.block.clear(),
        }
    }

    /// Fails if the byte at `at` is beyond what a block that starts at `start` may have.
    #[inline]
    fn check_size(&self, start: u64, at: u64) -> Result<(), Error> {
        if at - start < self.max_event_bytes {
            Ok(())
        } else {
            Err(fault(Code::EventTooLarge, start + self.max_event_bytes))
        }
    }
}

#[inline]
fn find_line_end(bytes: &[u8]) -> Option<usize> {
    let found = memchr2(b'\n', b'\r', bytes);
    #[cfg(test)]
    super::SEARCHED_BYTES.set(super::SEARCHED_BYTES.get() + found.unwrap_or(bytes.len()) as u64);
    found
}
