//! Options of the native dialect.

/// The order of keys in an envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By code point, as stored data has it.
    #[default]
    Sorted,
    /// `content`, `tool_calls`, `reasoning_content`; `id`, `name`, `arguments`, `extra_content`;
    /// `tool_call_id`, `content`.
    Insertion,
}

impl Order {
    /// The order of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "sorted" => Some(Self::Sorted),
            "insertion" => Some(Self::Insertion),
            _ => None,
        }
    }
}

/// How much of what looks like an envelope is read as one; each level has the rules of those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accept {
    /// Whatever has the shape.
    Lenient,
    /// Only what can be read without loss.
    #[default]
    Lossless,
    /// Only what the encoder would write.
    Exact,
    /// As `Exact`, for stores that keep neither null text nor reasoning.
    Canonical,
}

impl Accept {
    /// The level of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "lenient" => Some(Self::Lenient),
            "lossless" => Some(Self::Lossless),
            "exact" => Some(Self::Exact),
            "canonical" => Some(Self::Canonical),
            _ => None,
        }
    }
}

/// The role of a row with an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A call turn.
    Assistant,
    /// A tool result.
    Tool,
}

impl Role {
    /// The role of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "assistant" => Some(Self::Assistant),
            "tool" => Some(Self::Tool),
            _ => None,
        }
    }
}
