//! What a stream must know of the request it answers.

use crate::error::Error;
use crate::formats::{self, Format};
use crate::json::{Kind, Raw};

/// What a stream must know of the request it answers: the client's own, in the stream's target format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Declared tools, in order.
    pub tools: Vec<DeclaredTool>,
    /// Whether the client asked for token counts; `None` if the format has no such flag.
    pub include_usage: Option<bool>,
}

/// A tool that the request declares and the client runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTool {
    /// Its name.
    pub name: String,
    /// Whether it takes free-form input instead of JSON arguments.
    pub is_custom: bool,
}

impl Context {
    /// Reads a request body; members that are not understood are passed over.
    ///
    /// # Errors
    /// `InvalidJson`, `InvalidUtf8`, `NestingTooDeep`; `InvalidType` if the body is no object.
    pub fn from_request(body: &[u8], format: Format) -> Result<Self, Error> {
        let fail = |code, at: usize| Error { code, offset: at as u64, path: String::new() };
        let body = Raw::parse(body).map_err(|error| fail(error.code, error.at))?;
        if body.kind() != Kind::Object {
            return Err(fail(crate::error::Code::InvalidType, body.at()));
        }
        Ok(formats::request_context(body, format))
    }

    /// Names of the custom tools.
    #[must_use]
    pub fn custom_tools(&self) -> Vec<String> {
        self.tools.iter().filter(|tool| tool.is_custom).map(|tool| tool.name.clone()).collect()
    }
}

/// A member of an object that was checked when it was read; `null` is absent, the last of equal names counts.
#[must_use]
pub(crate) fn member<'a>(object: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let mut cursor = object.cursor();
    cursor.object().ok()?;
    let mut found = None;
    while let Ok(Some(key)) = cursor.next_key() {
        let value = cursor.skip_value().ok()?;
        if key.eq_str(name) {
            found = Some(value);
        }
    }
    found.filter(|value| value.kind() != Kind::Null)
}

/// A member that is a string.
#[must_use]
pub(crate) fn text_member(object: Raw<'_>, name: &str) -> Option<String> {
    Some(member(object, name)?.cursor().string().ok()?.decode().into_owned())
}
