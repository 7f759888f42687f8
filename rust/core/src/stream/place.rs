//! Where in the source something stands; rendered as a JSON Pointer only when someone asks.

use core::fmt;

use super::loss::MAX_WORD_CHARS;

/// A place in the source, cheap to pass along.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The event's ordinal; none for a body that is one JSON text, or for the stream as a whole.
    event: Option<u64>,
    steps: [Step<'a>; MAX_STEPS],
}

/// The deepest place that any format reports.
const MAX_STEPS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    None,
    Member(&'a str),
    Element(&'static str, u32),
}

impl<'a> Place<'a> {
    /// The event itself.
    #[inline]
    #[must_use]
    pub const fn event(event: Option<u64>) -> Self {
        Self { event, steps: [Step::None; MAX_STEPS] }
    }

    /// The event's ordinal.
    #[must_use]
    pub const fn ordinal(&self) -> Option<u64> {
        self.event
    }

    /// An element of a list below.
    #[inline]
    #[must_use]
    pub const fn element(self, list: &'static str, at: u32) -> Self {
        self.step(Step::Element(list, at))
    }

    /// A member below.
    #[inline]
    #[must_use]
    pub const fn member(self, name: &'a str) -> Self {
        self.step(Step::Member(name))
    }

    #[inline]
    const fn step(mut self, step: Step<'a>) -> Self {
        let mut at = 0;
        while at + 1 < MAX_STEPS && !matches!(self.steps[at], Step::None) {
            at += 1;
        }
        self.steps[at] = step;
        self
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ordinal) = self.event {
            write!(f, "/{ordinal}")?;
        }
        for step in self.steps {
            match step {
                Step::None => break,
                Step::Member(name) => {
                    let word: String = name.chars().take(MAX_WORD_CHARS).collect();
                    write!(f, "/{}", word.replace('~', "~0").replace('/', "~1"))?;
                }
                Step::Element(list, at) => write!(f, "/{list}/{at}")?,
            }
        }
        Ok(())
    }
}
