//! Why the work on an event ended early.

use super::loss::LossCode;
use crate::error::Code;

/// What stops a stream from inside an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The event is wrong.
    Wire {
        /// What is wrong.
        code: Code,
        /// Offset in the event's payload.
        at: usize,
        /// JSON Pointer, the event's ordinal included.
        path: String,
    },
    /// The caller wants no loss of content.
    Refused {
        /// What would get lost.
        code: LossCode,
        /// JSON Pointer, the event's ordinal included.
        path: String,
    },
}
