//! A JSON body that comes in pieces.

use memchr::memchr2;

use super::{Frame, Position, fault};
use crate::error::{Code, Error};

/// Collects the one JSON object that the input is.
#[derive(Clone, Debug)]
pub(super) struct BodyReader {
    /// Offset in the stream of the opening brace.
    start: u64,
    max_bytes: u64,
    scan: BodyScan,
    /// What came in earlier pieces.
    carried: Vec<u8>,
}

impl BodyReader {
    pub(super) const fn new(start: u64, max_bytes: u64) -> Self {
        Self { start, max_bytes, scan: BodyScan::new(), carried: Vec::new() }
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.scan.closed
    }

    /// Hands out the body once its closing brace is there; afterwards only white space may follow.
    pub(super) fn next<'f, 'p: 'f>(
        &'f mut self,
        piece: &mut &'p [u8],
        offset: &mut u64,
    ) -> Result<Option<Frame<'f>>, Error> {
        let bytes = *piece;
        if self.scan.closed {
            self.carried = Vec::new();
            let space = bytes.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
            *offset += space as u64;
            *piece = &bytes[space..];
            return if piece.is_empty() {
                Ok(None)
            } else {
                Err(fault(Code::InvalidJson, *offset))
            };
        }
        let end = self.scan.advance(bytes).unwrap_or(bytes.len());
        #[cfg(test)]
        super::SEARCHED_BYTES.set(super::SEARCHED_BYTES.get() + end as u64);
        *offset += end as u64;
        *piece = &bytes[end..];
        if *offset - self.start > self.max_bytes {
            return Err(fault(Code::EventTooLarge, self.start + self.max_bytes));
        }
        if self.scan.closed && self.carried.is_empty() {
            return Ok(Some(self.frame(&bytes[..end])));
        }
        self.carried.extend_from_slice(&bytes[..end]);
        Ok(self.scan.closed.then(|| self.frame(&self.carried)))
    }

    const fn frame<'f>(&self, data: &'f [u8]) -> Frame<'f> {
        Frame::Body { data, position: Position::of_line(data, self.start, (0, data.len())) }
    }
}

/// Follows strings and brackets from a body's opening brace to the closing one. It checks nothing
/// else.
#[derive(Clone, Copy, Debug)]
struct BodyScan {
    open_brackets: usize,
    in_string: bool,
    after_backslash: bool,
    closed: bool,
}

impl BodyScan {
    const fn new() -> Self {
        Self { open_brackets: 0, in_string: false, after_backslash: false, closed: false }
    }

    /// Reads on through the next piece; the index after the closing brace if that is in it.
    fn advance(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            if self.in_string {
                if self.after_backslash {
                    self.after_backslash = false;
                    at += 1;
                    continue;
                }
                let stop = memchr2(b'"', b'\\', &piece[at..])?;
                at += stop + 1;
                if piece[at - 1] == b'"' {
                    self.in_string = false;
                } else {
                    self.after_backslash = true;
                }
                continue;
            }
            at += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.open_brackets += 1,
                b'}' | b']' => {
                    self.open_brackets = self.open_brackets.saturating_sub(1);
                    if self.open_brackets == 0 {
                        self.closed = true;
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
