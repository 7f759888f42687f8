//! What a caller can set for one stream.

/// Which member of a Chat delta carries reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReasoningField {
    /// `reasoning_content`
    #[default]
    ReasoningContent,
    /// `reasoning`
    Reasoning,
    /// Reasoning is left out and reported as lost.
    Omit,
}

impl ReasoningField {
    /// The member's name.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::ReasoningContent => Some("reasoning_content"),
            Self::Reasoning => Some("reasoning"),
            Self::Omit => None,
        }
    }
}

/// What is done with a stream whose source and target are of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SameFormat {
    /// It comes out by the format's own rules.
    #[default]
    Clean,
    /// Every byte is passed on as it is, and only observed.
    Verbatim,
}

/// Bounds on what one stream may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one event, all its lines included.
    pub max_event_bytes: usize,
    /// Bytes of text that wait for their turn, over the whole stream.
    pub max_held_bytes: usize,
    /// Calls that are not closed.
    pub max_open_calls: usize,
    /// Items and parts of the stream.
    pub max_blocks: usize,
    /// Bytes of text of the whole answer, where it must be kept.
    pub max_answer_bytes: usize,
    /// Losses that are kept; further ones are counted.
    pub max_losses: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_event_bytes: 32 << 20,
            max_held_bytes: 8 << 20,
            max_open_calls: 1_024,
            max_blocks: 65_536,
            max_answer_bytes: 64 << 20,
            max_losses: 256,
        }
    }
}

/// Everything a caller can set for one stream.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The model's name on the target's side instead of the source's.
    pub model: Option<String>,
    /// The response id on the target's side instead of the source's.
    pub response_id: Option<String>,
    /// Seconds since 1970 on the target's side instead of the source's.
    pub created: Option<u64>,
    /// What ids are derived from if the source has no response id.
    pub id_seed: Option<String>,
    /// Leave the token counts out of a stream; a body has them whenever they are known.
    pub omit_usage: bool,
    /// Where reasoning goes.
    pub reasoning_field: ReasoningField,
    /// What is done where source and target are of one format.
    pub same_format: SameFormat,
    /// Stop at the first loss of content.
    pub refuse_losses: bool,
    /// Keep the answer, so that it can be had as a body.
    pub collect: bool,
    /// Treat `<think>…</think>` at the start of a Chat text as reasoning.
    pub think_tags: bool,
    /// Names of the tools that the client's request declares as custom.
    pub custom_tools: Vec<String>,
    /// Bounds.
    pub limits: Limits,
}
