//! What is wrong with a history, and where.

use core::fmt;

use crate::error::Code;
use crate::json::{JsonError, Raw};

/// A fault of rows, entries or wire messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub code: Code,
    /// Offset in bytes of what is wrong; `None` where no byte is to blame (`unpaired`).
    pub offset: Option<usize>,
    /// JSON Pointer into the input; `None` if the input is no JSON text.
    pub path: Option<String>,
}

impl Error {
    #[cold]
    pub(crate) fn at(code: Code, offset: usize, path: impl Into<String>) -> Self {
        Self { code, offset: Some(offset), path: Some(path.into()) }
    }
}

impl From<JsonError> for Error {
    #[cold]
    fn from(error: JsonError) -> Self {
        Self { code: error.code, offset: Some(error.at), path: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        match &self.path {
            Some(path) => write!(f, " ({path})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// Runs `work` on a text. A fault of the text's syntax, wherever it stands, counts before what
/// `work` found: rows are judged while they are read, so that a good text is read only once.
pub(crate) fn syntax_first<T>(
    json: &[u8],
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    work().map_err(|found| match Raw::parse(json) {
        Err(syntax) => syntax.into(),
        Ok(_) => found,
    })
}

/// The place of a row or entry in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Index in the array; `None` if the input is a lone object.
    pub(crate) index: Option<usize>,
    /// Whether it is the row inside a chat entry.
    pub(crate) in_chat: bool,
}

impl Place {
    pub(crate) fn path(self) -> String {
        let mut path = self.index.map(|index| format!("/{index}")).unwrap_or_default();
        if self.in_chat {
            path.push_str("/message");
        }
        path
    }
}
