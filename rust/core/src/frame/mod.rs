//! From network bytes to event payloads: server-sent events, or one whole JSON body.
//!
//! An [`SseReader`] is fed pieces that may be split anywhere and hands out [`Frame`]s; how the
//! input was split changes neither the frames nor the error. It knows lines, blocks and limits, but
//! no JSON beyond finding the end of a body: payloads are validated by whoever reads them, and
//! [`Position::absolute`] turns an offset in a payload into one in the stream.

mod block;
mod body;
mod event_stream;
mod line;
mod opening;
mod position;
mod sse;

pub use position::Position;
pub use sse::{Ending, SseReader};

use crate::error::{Code, Error};

/// One thing the input says.
#[derive(Clone, Copy, Debug)]
pub enum Frame<'f> {
    /// An event with a payload; neither empty nor a keep-alive nor the done mark.
    Event {
        /// The value of the block's last `event` line; empty if there is none.
        name: &'f [u8],
        /// The payload without white space around it; not yet checked to be UTF-8 or JSON.
        data: &'f [u8],
        /// Where the payload stood.
        position: Position<'f>,
    },
    /// The input is one JSON object instead of an event stream, and this is all of it.
    Body {
        /// The object from its opening to its closing brace; not yet checked to be UTF-8 or JSON.
        data: &'f [u8],
        /// Where it stood.
        position: Position<'f>,
    },
    /// A payload that starts with `[DONE]`.
    Done,
    /// A comment line, or a payload that starts with a colon.
    KeepAlive,
    /// A line that is no event-stream field.
    IgnoredLine {
        /// The line without its end.
        line: &'f [u8],
        /// Offset in the stream of the line's first byte.
        offset: u64,
    },
}

#[cold]
fn fault(code: Code, offset: u64) -> Error {
    Error { code, offset, path: String::new() }
}

#[cfg(test)]
thread_local! {
    /// Bytes looked at in search of line ends, quotes and brackets: what must not grow faster than
    /// the input.
    static SEARCHED_BYTES: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests;
