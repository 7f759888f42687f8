//! The wire formats, one folder each; this is the only list of them.

pub mod openai_chat;
pub mod openai_responses;

/// A wire format that streams come in or go out in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::OpenaiChat, Self::OpenaiResponses];

    /// The spelling used everywhere: in Rust paths, Python, files and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
        }
    }

    /// The format of that spelling.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}
