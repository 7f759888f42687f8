//! The members that a format knows, level by level.

use crate::json::{Kind, Raw};
use crate::stream::decode::members;

/// The members of an object, or of the objects in a list, that a format knows.
#[derive(Debug)]
pub struct Known {
    /// Their names.
    pub names: &'static [&'static str],
    /// Those that hold objects, or lists of objects, with members of their own.
    pub below: &'static [(&'static str, &'static Known)],
    /// The member that names the kind of the object, if events have one.
    pub kind: Option<&'static str>,
}

impl Known {
    /// A level inside events.
    #[must_use]
    pub const fn of(
        names: &'static [&'static str],
        below: &'static [(&'static str, &'static Self)],
    ) -> Self {
        Self { names, below, kind: None }
    }

    /// Whether a member of that name is known.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The level of a member.
    #[must_use]
    pub fn below(&self, name: &str) -> Option<&'static Self> {
        self.below.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }

    /// What kind of event an object is.
    pub(super) fn kind_of(&self, event: Raw<'_>) -> Option<String> {
        let kind = self.kind?;
        let (_, value) = members(event).filter(|(key, _)| key.eq_str(kind)).last()?;
        if value.kind() != Kind::String {
            return None;
        }
        Some(value.cursor().string().ok()?.decode().into_owned())
    }
}
