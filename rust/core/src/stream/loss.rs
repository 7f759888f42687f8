//! What a translation could not say: the catalogue of loss codes and the capped log of a stream.

use super::place::Place;
use super::stop::Stop;

/// How much a loss matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The client sees another answer than the model gave.
    Content,
    /// Opaque state that the provider wants back on the next turn.
    State,
    /// Something about the answer.
    Metadata,
}

impl Severity {
    /// The public spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::State => "state",
            Self::Metadata => "metadata",
        }
    }
}

macro_rules! loss_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $severity:ident;)*) => {
        /// Stable codes of everything that can get lost. Renaming one is a breaking change.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum LossCode { $($(#[$doc])* $name,)* }

        impl LossCode {
            /// The public spelling.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How much it matters.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }
        }
    };
}

loss_codes! {
    /// An annotation that is no object.
    AnnotationUnknown = "annotation.unknown", Metadata;
    /// An annotation when no text is open.
    AnnotationUnplaced = "annotation.unplaced", Metadata;
    /// Arguments for a custom tool with more than `{"input": string}`, or with an escape that was cut.
    ArgumentsCut = "arguments.cut", Content;
    /// Arguments for a custom tool that are not `{"input": string}`.
    ArgumentsNotWrapped = "arguments.not_wrapped", Metadata;
    /// Text after a call, into a target that keeps them apart.
    BlockOrderLost = "block_order.lost", Metadata;
    /// A further choice, into a target without choices.
    ChoicesDropped = "choices.dropped", Content;
    /// A call the client should run that is neither function nor custom.
    ClientToolDropped = "client_tool.dropped", Content;
    /// Text for a closed call.
    DeltaAfterClose = "delta.after_close", Content;
    /// A member of a delta without a place in the target.
    DeltaMemberDropped = "delta.member_dropped", Metadata;
    /// An event after the end.
    EventAfterEnd = "event.after_end", Metadata;
    /// An event type the decoder does not know.
    EventUnknown = "event.unknown", Metadata;
    /// A finish reason that the format does not have.
    FinishReasonUnknown = "finish_reason.unknown", Metadata;
    /// A call id that was in use.
    IdRewritten = "id.rewritten", Metadata;
    /// An image item.
    ImageDropped = "image.dropped", Content;
    /// A member of an item without a place in the target.
    ItemMemberDropped = "item.member_dropped", Metadata;
    /// An item type the decoder does not know.
    ItemUnknown = "item.unknown", Content;
    /// A line that is no event-stream field.
    LineIgnored = "line.ignored", Metadata;
    /// Encrypted reasoning, compaction and the like.
    OpaqueStateDropped = "opaque_state.dropped", State;
    /// A part type the decoder does not know.
    PartUnknown = "part.unknown", Content;
    /// Reasoning text into a target that was told to leave it out.
    ReasoningDropped = "reasoning.dropped", Metadata;
    /// A call the provider ran itself.
    ServerToolDropped = "server_tool.dropped", Metadata;
    /// A snapshot contradicts what was sent.
    SnapshotMismatch = "snapshot.mismatch", Content;
    /// Text of an earlier part after a later one.
    TextInterleaved = "text.interleaved", Content;
    /// A call that never got a name.
    ToolCallNameless = "tool_call.nameless", Content;
    /// A lone surrogate became U+FFFD.
    UnicodeReplaced = "unicode.replaced", Content;
    /// A count that is no unsigned integer.
    UsageInvalid = "usage.invalid", Metadata;
    /// A count without a place in the target.
    UsageMemberDropped = "usage.member_dropped", Metadata;
}

/// Something that a translation could not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What kind of loss.
    pub code: LossCode,
    /// JSON Pointer to what got lost; its first token is the event's ordinal.
    pub path: String,
    /// A short word from the wire, at most 64 characters.
    pub detail: String,
}

/// A point in a loss log.
#[derive(Clone, Copy, Debug)]
pub struct LossMark {
    stored: usize,
    count: u64,
}

/// The losses of one stream: the first `max_losses` are kept, all are counted.
#[derive(Debug)]
pub struct LossLog {
    stored: Vec<Loss>,
    count: u64,
    max_losses: usize,
    refuses_content: bool,
}

/// Longest word from the wire in a detail or a path.
pub(super) const MAX_WORD_CHARS: usize = 64;

/// Longest name of what is told once that is remembered.
const MAX_REMEMBERED_BYTES: usize = 4_096;

impl LossLog {
    /// An empty log. With `refuses_content` a loss of severity content stops the stream instead.
    #[must_use]
    pub const fn new(max_losses: usize, refuses_content: bool) -> Self {
        Self { stored: Vec::new(), count: 0, max_losses, refuses_content }
    }

    /// The kept losses, in order.
    #[must_use]
    pub fn stored(&self) -> &[Loss] {
        &self.stored
    }

    /// How many there were.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Whether what was told of a name may be remembered. Once further losses are only counted it is not, nor for
    /// a name that is very long, so that a stream cannot make the memory of it grow for ever.
    #[must_use]
    pub fn remembers(&self, name: &str) -> bool {
        !self.is_full() && name.len() <= MAX_REMEMBERED_BYTES
    }

    const fn is_full(&self) -> bool {
        self.stored.len() >= self.max_losses
    }

    /// What was reported so far, to come back to.
    #[must_use]
    pub fn mark(&self) -> LossMark {
        LossMark { stored: self.stored.len(), count: self.count }
    }

    /// Forgets what was reported after the mark.
    pub fn rewind(&mut self, mark: LossMark) {
        self.stored.truncate(mark.stored);
        self.count = mark.count;
    }

    /// Reports a loss at a place of the current event.
    ///
    /// # Errors
    /// `Stop::Refused` for content, if the caller wants that.
    #[cold]
    pub fn report(&mut self, code: LossCode, place: &Place<'_>, detail: &str) -> Result<(), Stop> {
        self.report_at(code, place.to_string(), detail)
    }

    /// Reports a loss of a code that nobody refuses: not of content.
    #[cold]
    pub(super) fn report_metadata(&mut self, code: LossCode, place: &Place<'_>, detail: &str) {
        let reported = self.report(code, place, detail);
        debug_assert!(reported.is_ok(), "content is refused where it is lost");
    }

    /// Reports a loss at a path.
    ///
    /// # Errors
    /// As [`LossLog::report`].
    #[cold]
    pub fn report_at(&mut self, code: LossCode, path: String, detail: &str) -> Result<(), Stop> {
        self.count += 1;
        let refused = self.refuses_content && code.severity() == Severity::Content;
        if !self.is_full() {
            let detail = detail.chars().take(MAX_WORD_CHARS).collect();
            self.stored.push(Loss { code, path: path.clone(), detail });
        }
        if refused { Err(Stop::Refused { code, path }) } else { Ok(()) }
    }
}
