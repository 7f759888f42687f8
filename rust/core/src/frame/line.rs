//! What one line of an event stream says, and what a payload says.

/// The fields an event stream may have.
const FIELD_NAMES: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// One line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Data(&'a [u8]),
    EventName(&'a [u8]),
    /// `id` or `retry`: of use to a client that reconnects, and not to a translator.
    Reconnection,
    Comment,
    Unknown,
}

impl<'a> Line<'a> {
    pub(super) fn of(line: &'a [u8]) -> Self {
        match line {
            [b':', ..] => Self::Comment,
            [b'd', b'a', b't', b'a', rest @ ..] => value(rest).map_or(Self::Unknown, Self::Data),
            [b'e', b'v', b'e', b'n', b't', rest @ ..] => {
                value(rest).map_or(Self::Unknown, Self::EventName)
            }
            [b'i', b'd', rest @ ..] | [b'r', b'e', b't', b'r', b'y', rest @ ..] => {
                value(rest).map_or(Self::Unknown, |_| Self::Reconnection)
            }
            _ => Self::Unknown,
        }
    }
}

/// The value after a field's name: without a colon the empty one; `None` if the name goes on.
const fn value(after_name: &[u8]) -> Option<&[u8]> {
    match after_name {
        [] => Some(after_name),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

/// The field name that starts with this byte.
pub(super) fn field_name(first: u8) -> Option<&'static [u8]> {
    FIELD_NAMES.into_iter().find(|name| name.first() == Some(&first))
}

/// Whether a line that the end of input cut off may have been going to become a field.
pub(super) fn is_partial_field_name(line: &[u8]) -> bool {
    line.first().and_then(|&first| field_name(first)).is_some_and(|name| name.starts_with(line))
}

/// What the joined data of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    Empty,
    KeepAlive,
    Done,
    /// Start and end in the data.
    Event(usize, usize),
}

impl Payload {
    #[inline]
    pub(super) fn of(data: &[u8]) -> Self {
        // Nearly all payloads are objects with nothing around them.
        if let [b'{', .., b'}'] = data {
            return Self::Event(0, data.len());
        }
        let payload = data.trim_ascii();
        match payload {
            [] => Self::Empty,
            [b':', ..] => Self::KeepAlive,
            [b'[', b'D', b'O', b'N', b'E', b']', ..] => Self::Done,
            _ => {
                let start = data.len() - data.trim_ascii_start().len();
                Self::Event(start, start + payload.len())
            }
        }
    }
}
