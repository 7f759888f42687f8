//! Judging the first bytes of the input: event stream, JSON body, or neither.

use super::line::field_name;

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What the next byte says about the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing yet; the byte is not part of a line.
    Skip,
    /// Nothing yet; the byte belongs to the first line.
    Keep,
    /// An event stream; the byte belongs to its first line.
    EventStream,
    /// A JSON object, whose opening brace the byte is.
    Body,
    /// Neither.
    Neither,
}

/// The state of that judgement, byte by byte, so that the split of the input does not matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opening {
    mark_bytes: usize,
    after_mark: bool,
    /// A space or tab came: only a brace may follow.
    indented: bool,
    /// The field name that the first line may start with.
    name: &'static [u8],
    name_bytes: usize,
}

impl Opening {
    pub(super) fn judge(&mut self, byte: u8) -> Verdict {
        if !self.after_mark {
            match BYTE_ORDER_MARK.get(self.mark_bytes) {
                Some(&expected) if expected == byte => {
                    self.mark_bytes += 1;
                    return Verdict::Skip;
                }
                Some(_) if self.mark_bytes > 0 => return Verdict::Neither,
                _ => self.after_mark = true,
            }
        }
        if self.name_bytes > 0 {
            return match self.name.get(self.name_bytes) {
                Some(&expected) if expected == byte => {
                    self.name_bytes += 1;
                    Verdict::Keep
                }
                None if matches!(byte, b':' | b'\r' | b'\n') => Verdict::EventStream,
                _ => Verdict::Neither,
            };
        }
        match (byte, field_name(byte)) {
            (b'\r' | b'\n', _) => Verdict::Skip,
            (b' ' | b'\t', _) => {
                self.indented = true;
                Verdict::Skip
            }
            (b'{', _) => Verdict::Body,
            _ if self.indented => Verdict::Neither,
            (b':', _) => Verdict::EventStream,
            (_, Some(name)) => {
                self.name = name;
                self.name_bytes = 1;
                Verdict::Keep
            }
            _ => Verdict::Neither,
        }
    }

    /// Whether the input ended inside a byte order mark.
    pub(super) const fn is_inside_mark(self) -> bool {
        self.mark_bytes > 0 && self.mark_bytes < BYTE_ORDER_MARK.len()
    }
}
