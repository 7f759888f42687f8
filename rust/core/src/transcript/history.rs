//! Walking a history: its elements one after another, entries and rows alike.

use super::error::{Error, Place};
use super::object::{Object, Shape, slot};
use super::results::{ResultItem, read_results};
use crate::error::Code;
use crate::json::{Cursor, Kind, Raw};

/// What the top value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Top {
    /// An array of elements.
    Array,
    /// One element alone.
    Lone,
}

/// The top value's type, told by its first byte.
pub(crate) fn peek_top(cursor: &mut Cursor<'_>) -> Result<Top, Error> {
    match cursor.peek_kind()? {
        Kind::Array => Ok(Top::Array),
        Kind::Object => Ok(Top::Lone),
        _ => Err(Error::at(Code::InvalidType, cursor.at(), "")),
    }
}

/// Calls `each` with the cursor before each element and the element's index (`None` for a lone one);
/// it must read the element. Then checks that the text ends.
pub(crate) fn for_each_element<'a>(
    cursor: &mut Cursor<'a>,
    mut each: impl FnMut(&mut Cursor<'a>, Option<usize>) -> Result<(), Error>,
) -> Result<(), Error> {
    match peek_top(cursor)? {
        Top::Lone => each(cursor, None)?,
        Top::Array => {
            cursor.array()?;
            let mut index = 0;
            while cursor.next_element()? {
                each(cursor, Some(index))?;
                index += 1;
            }
        }
    }
    Ok(cursor.end()?)
}

/// A row or entry that was read and is sound. A chat entry is its row.
#[derive(Debug)]
pub(crate) struct Element<'r, 'a> {
    /// The row, or the entry.
    pub(crate) object: &'r Object<'a>,
    /// `PlainRow`, `CallRow`, `ResultRow`, `CallsEntry` or `ResultsEntry`.
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    /// Of a `ResultsEntry`.
    pub(crate) results: &'r [ResultItem<'a>],
}

/// Where an element stands and what it is: enough to come back to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) shape: Shape,
    pub(crate) in_chat: bool,
}

impl Element<'_, '_> {
    pub(crate) fn note(&self) -> Noted {
        let (start, end) = self.object.span();
        Noted { start, end, shape: self.shape, in_chat: self.place.in_chat }
    }
}

/// Reads elements into buffers of its own.
#[derive(Debug)]
pub(crate) struct ElementReader<'a> {
    object: Object<'a>,
    row_in_chat: Object<'a>,
    results: Vec<ResultItem<'a>>,
}

impl<'a> ElementReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { object: Object::new(text), row_in_chat: Object::new(text), results: Vec::new() }
    }

    /// Reads the element that stands next, and judges it.
    #[inline]
    pub(crate) fn read(
        &mut self,
        cursor: &mut Cursor<'a>,
        index: Option<usize>,
    ) -> Result<Element<'_, 'a>, Error> {
        let place = Place { index, in_chat: false };
        if cursor.peek_kind()? != Kind::Object {
            return Err(Error::at(Code::InvalidType, cursor.at(), place.path()));
        }
        self.object.read::<true>(cursor)?;
        let shape = self.object.shape();
        self.object.check(shape, place)?;
        match shape {
            Shape::ChatEntry => self.read_chat(place),
            Shape::ResultsEntry => {
                if let Some(results) = self.object.raw(slot::RESULTS)
                    && !read_results(results, &mut self.results)?
                {
                    self.object.judge(shape, place)?;
                }
                Ok(Element { object: &self.object, shape, place, results: &self.results })
            }
            _ => Ok(Element { object: &self.object, shape, place, results: &[] }),
        }
    }

    /// Reads a sound element again, by what was noted of it.
    pub(crate) fn read_again(
        &mut self,
        noted: Noted,
        place: Place,
    ) -> Result<Element<'_, 'a>, Error> {
        let Noted { start, end, shape, in_chat } = noted;
        let object = &mut self.object;
        object.read::<true>(&mut Raw::read_before(&object.text()[..end], start).cursor())?;
        let place = Place { in_chat, ..place };
        if let Some(results) = object.raw(slot::RESULTS)
            && shape == Shape::ResultsEntry
        {
            read_results(results, &mut self.results)?;
            return Ok(Element { object, shape, place, results: &self.results });
        }
        Ok(Element { object, shape, place, results: &[] })
    }

    fn read_chat(&mut self, place: Place) -> Result<Element<'_, 'a>, Error> {
        let object = &mut self.row_in_chat;
        let place = Place { in_chat: true, ..place };
        if let Some(row) = self.object.raw(slot::MESSAGE) {
            object.read::<true>(&mut row.cursor())?;
        }
        if !object.has(slot::ROLE) {
            let (start, _) = object.span();
            return Err(Error::at(Code::MissingMember, start, place.path() + "/role"));
        }
        let shape = object.row_shape();
        object.check(shape, place)?;
        Ok(Element { object, shape, place, results: &[] })
    }
}
