//! Where in the source something stands; rendered as a JSON Pointer only when someone asks.

use core::fmt;

use super::loss::MAX_WORD_CHARS;

/// A place in the source, cheap to pass along.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    /// The event's ordinal; none for a body that is one JSON text, or for the stream as a whole.
    pub event: Option<u64>,
    /// A fixed pointer inside the event, such as `/item`.
    pub base: &'static str,
    /// Lists below it, one in the other, and the place in each.
    pub lists: [Option<(&'static str, u32)>; 3],
    /// A member below that.
    pub member: Option<&'a str>,
    /// A member below that member.
    pub submember: Option<&'a str>,
}

impl<'a> Place<'a> {
    /// The event itself.
    #[must_use]
    pub fn event(event: Option<u64>) -> Self {
        Self { event, ..Self::default() }
    }

    /// The same with a fixed pointer.
    #[must_use]
    pub const fn base(self, base: &'static str) -> Self {
        Self { base, ..self }
    }

    /// An element of a list below.
    #[must_use]
    pub const fn element(mut self, list: &'static str, at: u32) -> Self {
        let free = match self.lists {
            [None, ..] => 0,
            [_, None, _] => 1,
            _ => 2,
        };
        self.lists[free] = Some((list, at));
        self
    }

    /// A member below.
    #[must_use]
    pub const fn member(self, name: &'a str) -> Self {
        match self.member {
            None => Self { member: Some(name), ..self },
            Some(_) => Self { submember: Some(name), ..self },
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ordinal) = self.event {
            write!(f, "/{ordinal}")?;
        }
        f.write_str(self.base)?;
        for (list, at) in self.lists.into_iter().flatten() {
            write!(f, "/{list}/{at}")?;
        }
        for name in [self.member, self.submember].into_iter().flatten() {
            let word: String = name.chars().take(MAX_WORD_CHARS).collect();
            write!(f, "/{}", word.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}
