//! The error type and the catalogue of error codes.

use core::fmt;

/// Stable codes of everything that can go wrong; `as_str` gives the public spelling.
///
/// Renaming one is a breaking change. `docs/errors.md` lists them.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A byte that no JSON text could have there (also a second value after the first).
    InvalidJson,
    /// A byte sequence that is no UTF-8.
    InvalidUtf8,
    /// Brackets nested deeper than 128.
    NestingTooDeep,
    /// A member that the decoder needs stands twice in one object.
    DuplicateKey,
    /// A member the decoder needs has another JSON type than the format gives it.
    InvalidType,
    /// The first bytes are neither an event stream nor a JSON answer.
    NotAStream,
    /// One event is larger than `max_event_bytes`.
    EventTooLarge,
    /// More calls are open at once than `max_open_calls`.
    TooManyOpenCalls,
    /// More blocks (items and their parts) than `max_blocks`.
    TooManyBlocks,
    /// More bytes wait for their turn than `max_held_bytes`.
    HeldTooLarge,
    /// The answer must be kept and is longer than `max_answer_bytes`.
    AnswerTooLarge,
    /// The source ended before its own end event.
    StreamTruncated,
    /// A member that is needed is absent or null.
    MissingMember,
    /// A role other than `system`, `user`, `assistant`, `tool` where it matters.
    UnknownRole,
    /// An object in a history that is neither a row nor an entry.
    UnknownEntry,
    /// Text with a lone surrogate has to go into an envelope or a text frame.
    LoneSurrogate,
    /// A tool cycle does not pair, and that was asked to be an error.
    Unpaired,
    /// A wire call that is no function call has no row.
    CallType,
}

impl Code {
    /// The stable spelling, for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::NestingTooDeep => "nesting_too_deep",
            Self::DuplicateKey => "duplicate_key",
            Self::InvalidType => "invalid_type",
            Self::NotAStream => "not_a_stream",
            Self::EventTooLarge => "event_too_large",
            Self::TooManyOpenCalls => "too_many_open_calls",
            Self::TooManyBlocks => "too_many_blocks",
            Self::HeldTooLarge => "held_too_large",
            Self::AnswerTooLarge => "answer_too_large",
            Self::StreamTruncated => "stream_truncated",
            Self::MissingMember => "missing_member",
            Self::UnknownRole => "unknown_role",
            Self::UnknownEntry => "unknown_entry",
            Self::LoneSurrogate => "lone_surrogate",
            Self::Unpaired => "unpaired",
            Self::CallType => "call_type",
        }
    }
}

impl Code {
    /// What is wrong, in a sentence for a person.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::InvalidJson => "no JSON text can have this byte here",
            Self::InvalidUtf8 => "this byte makes the text invalid UTF-8",
            Self::NestingTooDeep => "brackets are nested deeper than 128",
            Self::DuplicateKey => "a member that is needed stands twice in one object",
            Self::InvalidType => "a member has another JSON type than the format gives it",
            Self::NotAStream => "the input is neither an event stream nor a JSON answer",
            Self::EventTooLarge => "one event is larger than max_event_bytes",
            Self::TooManyOpenCalls => "more calls are open than max_open_calls",
            Self::TooManyBlocks => "there are more items and parts than max_blocks",
            Self::HeldTooLarge => {
                "more bytes wait for their turn than max_held_bytes, or a name is longer than 4 KiB"
            }
            Self::AnswerTooLarge => "the answer must be kept and is longer than max_answer_bytes",
            Self::StreamTruncated => "the input ended before its own end",
            Self::MissingMember => "a member that is needed is absent or null",
            Self::UnknownRole => "the role is none of system, user, assistant, tool",
            Self::UnknownEntry => "the object is neither a row nor an entry",
            Self::LoneSurrogate => {
                "text with a lone surrogate cannot go into an envelope or a frame"
            }
            Self::Unpaired => "a tool cycle does not pair",
            Self::CallType => "a call that is no function call has no row",
        }
    }
}

/// A fault of the input, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub code: Code,
    /// Byte offset of the first byte that no valid input could have, counted over all input.
    pub offset: u64,
    /// JSON Pointer; on streams its first token is the event's ordinal.
    pub path: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.code.as_str(), self.offset)?;
        if !self.path.is_empty() {
            write!(f, " ({})", self.path)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
