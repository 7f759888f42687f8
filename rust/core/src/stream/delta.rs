//! The neutral vocabulary between decoders, the referee and encoders.

use crate::json::Tok;

/// What kind of output item an event belongs to. Items of different classes are never the same item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// An assistant message of text and refusal parts.
    Message,
    /// Reasoning: summary parts and text parts.
    Reasoning,
    /// A function call with JSON arguments.
    Function,
    /// A custom tool's call with free-form input.
    Custom,
    /// An item of the source that has no neutral form; the number tells its types apart.
    Foreign(u64),
}

impl Class {
    /// The class under which items are looked up: both kinds of calls are one.
    #[must_use]
    pub const fn family(self) -> Self {
        match self {
            Self::Custom => Self::Function,
            other => other,
        }
    }

    /// Whether the client has to run something for it.
    #[must_use]
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Function | Self::Custom)
    }
}

/// What a part of an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// Visible text of a message.
    Text,
    /// A refusal in a message.
    Refusal,
    /// A part of a reasoning summary.
    Summary,
    /// A part of the reasoning itself.
    ReasoningText,
    /// The JSON text of a function call's arguments.
    Arguments,
    /// The free-form input of a custom tool's call.
    Input,
    /// A part of a message or of reasoning that has no neutral form.
    Foreign,
    /// Such a part of a reasoning summary.
    ForeignSummary,
}

impl PartKind {
    /// The class of the items that have such parts.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Text | Self::Refusal | Self::Foreign => Class::Message,
            Self::Summary | Self::ReasoningText | Self::ForeignSummary => Class::Reasoning,
            Self::Arguments => Class::Function,
            Self::Input => Class::Custom,
        }
    }

    /// The stream of text it belongs to in a target with one field a kind.
    #[must_use]
    pub const fn field(self) -> Field {
        match self {
            Self::Text | Self::Foreign => Field::Content,
            Self::Refusal => Field::Refusal,
            Self::Summary | Self::ReasoningText | Self::ForeignSummary => Field::Reasoning,
            Self::Arguments | Self::Input => Field::Call,
        }
    }

    /// Whether it has no neutral form.
    #[must_use]
    pub const fn is_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::ForeignSummary)
    }

    /// Whether it stands in a reasoning summary.
    #[must_use]
    pub const fn is_summary(self) -> bool {
        matches!(self, Self::Summary | Self::ForeignSummary)
    }
}

/// The streams of text that an answer consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Visible text.
    Content,
    /// Refusals.
    Refusal,
    /// Reasoning of either kind.
    Reasoning,
    /// What a call is given.
    Call,
}

/// Which item an event means, as the wire says it. Only the referee resolves it.
#[derive(Clone, Copy, Debug, Default)]
pub struct WireKey<'a> {
    /// Index of the choice.
    pub choice: u32,
    /// The item's index in the answer.
    pub index: Option<u64>,
    /// The item's own id.
    pub id: Option<Tok<'a>>,
}

/// Which part of an item an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartKey {
    /// What the part holds.
    pub kind: PartKind,
    /// Its place among the parts of its kind.
    pub number: u64,
}

impl ItemHead<'_> {
    /// A head that says no more than the class.
    #[must_use]
    pub const fn of(class: Class) -> Self {
        Self { class, call_id: None, name: None, name_grows: false }
    }
}

/// What an event says about an item as a whole.
#[derive(Clone, Copy, Debug)]
pub struct ItemHead<'a> {
    /// The item's class.
    pub class: Class,
    /// The id under which a call is answered.
    pub call_id: Option<Tok<'a>>,
    /// The called tool's name.
    pub name: Option<Tok<'a>>,
    /// The name may be one piece of several.
    pub name_grows: bool,
}

/// An item that the referee has found or made; valid for one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ItemRef(pub(crate) u32);

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The model was done.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// A token limit was reached.
    Length,
    /// A filter or a refusal stopped it.
    ContentFilter,
}

/// An error that ends the stream, in words every format has.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultInfo<'a> {
    /// For a person.
    pub message: &'a str,
    /// The vendor's kind of error.
    pub kind: Option<&'a str>,
    /// The vendor's code.
    pub code: Option<&'a str>,
    /// The request member at fault.
    pub param: Option<&'a str>,
}

/// A fault that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedFault {
    /// For a person.
    pub message: String,
    /// The vendor's kind of error.
    pub kind: Option<String>,
    /// The vendor's code.
    pub code: Option<String>,
    /// The request member at fault.
    pub param: Option<String>,
}

impl OwnedFault {
    /// The fault as it is passed along.
    #[must_use]
    pub fn info(&self) -> FaultInfo<'_> {
        FaultInfo {
            message: &self.message,
            kind: self.kind.as_deref(),
            code: self.code.as_deref(),
            param: self.param.as_deref(),
        }
    }
}

impl From<&FaultInfo<'_>> for OwnedFault {
    fn from(fault: &FaultInfo<'_>) -> Self {
        Self {
            message: fault.message.to_owned(),
            kind: fault.kind.map(str::to_owned),
            code: fault.code.map(str::to_owned),
            param: fault.param.map(str::to_owned),
        }
    }
}

/// Token counts. `input` includes cached and cache-written tokens, `output` includes reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All tokens of the request.
    pub input: Option<u64>,
    /// All tokens of the answer.
    pub output: Option<u64>,
    /// The vendor's own sum.
    pub total: Option<u64>,
    /// Input tokens read from a cache.
    pub cached: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Output tokens spent on reasoning.
    pub reasoning: Option<u64>,
}

impl Counts {
    /// Takes over every count that `later` has.
    pub fn fold(&mut self, later: &Self) {
        let pairs = [
            (&mut self.input, later.input),
            (&mut self.output, later.output),
            (&mut self.total, later.total),
            (&mut self.cached, later.cached),
            (&mut self.cache_write, later.cache_write),
            (&mut self.reasoning, later.reasoning),
        ];
        for (mine, given) in pairs {
            *mine = given.or(*mine);
        }
    }

    /// Whether any count is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }
}
