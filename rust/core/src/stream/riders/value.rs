//! Values of unknown members, put together from pieces.

use std::collections::BTreeMap;

use super::Tally;
use crate::json::{Kind, Raw, Tok, decode_exactly, push_body_passed, push_raw_passed};
use crate::stream::commas::Commas;
use crate::stream::decode::{elements, members};

/// Unknown strings that are words, not pieces of a text.
const WORDS: [&str; 10] =
    ["id", "type", "format", "name", "role", "model", "provider", "channel", "status", "mime_type"];

/// A value that nobody knows.
#[derive(Debug, PartialEq, Eq)]
enum Value {
    /// A JSON string body.
    Text(Vec<u8>),
    Object(Object),
    List(List),
    /// Compact JSON.
    Other(Vec<u8>),
}

/// The members of an object that nobody knows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Object {
    /// Keys are JSON string bodies.
    members: Vec<(Box<[u8]>, Value)>,
    places: BTreeMap<Box<[u8]>, usize>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct List {
    elements: Vec<Value>,
    /// The last element of each index.
    last_of: BTreeMap<Box<[u8]>, usize>,
}

impl Object {
    fn place(&self, key: Tok<'_>) -> Option<usize> {
        self.places.get(&*decode_exactly(key)).copied()
    }

    fn insert(&mut self, key: Tok<'_>, value: Value, tally: &mut Tally) {
        tally.bytes += key.raw().len();
        tally.has_changed = true;
        self.places.insert(decode_exactly(key).into(), self.members.len());
        self.members.push((key.raw().into(), value));
    }

    /// The value shown last counts; a null only where nothing was shown.
    pub(super) fn replace(&mut self, key: Tok<'_>, value: Raw<'_>, tally: &mut Tally) {
        let Some(at) = self.place(key) else {
            return self.insert(key, Value::other(value, tally), tally);
        };
        if value.kind() == Kind::Null {
            return;
        }
        let kept = &mut self.members[at].1;
        let bytes = kept.bytes();
        let said = Value::other(value, tally);
        tally.bytes -= bytes;
        if *kept != said {
            tally.has_changed = true;
            *kept = said;
        }
    }

    /// The value is a piece of what is kept.
    pub(super) fn grow(&mut self, key: Tok<'_>, value: Raw<'_>, tally: &mut Tally) {
        match self.place(key) {
            Some(at) => {
                let is_word = WORDS.iter().any(|word| key.eq_str(word));
                self.members[at].1.grow(value, is_word, tally);
            }
            None => self.insert(key, Value::of(value, tally), tally),
        }
    }

    fn text(&self, name: &str) -> Option<Tok<'_>> {
        match &self.members[*self.places.get(name.as_bytes())?].1 {
            Value::Text(text) if !text.is_empty() => Tok::from_raw(text),
            _ => None,
        }
    }

    pub(super) fn push_members(&self, list: &mut Commas<'_>) {
        for (key, value) in &self.members {
            push_text(list.next(), key);
            list.out.push(b':');
            value.push(list.out);
        }
    }
}

impl Value {
    fn other(value: Raw<'_>, tally: &mut Tally) -> Self {
        let mut json = Vec::new();
        push_raw_passed(&mut json, value);
        tally.bytes += json.len();
        Self::Other(json)
    }

    fn of(value: Raw<'_>, tally: &mut Tally) -> Self {
        match value.kind() {
            Kind::String => {
                let bytes = value.bytes();
                tally.bytes += bytes.len() - 2;
                Self::Text(bytes[1..bytes.len() - 1].to_vec())
            }
            Kind::Object => {
                let mut object = Object::default();
                for (key, value) in members(value) {
                    object.grow(key, value, tally);
                }
                Self::Object(object)
            }
            Kind::Array => {
                let mut list = List::default();
                elements(value).for_each(|element| list.add(element, tally));
                Self::List(list)
            }
            _ => Self::other(value, tally),
        }
    }

    fn grow(&mut self, value: Raw<'_>, is_word: bool, tally: &mut Tally) {
        match (self, value.kind()) {
            (_, Kind::Null) => {}
            (Self::Text(text), Kind::String) if !is_word => {
                let piece = &value.bytes()[1..value.bytes().len() - 1];
                tally.bytes += piece.len();
                text.extend_from_slice(piece);
            }
            (Self::Object(object), Kind::Object) => {
                for (key, value) in members(value) {
                    object.grow(key, value, tally);
                }
            }
            (Self::List(list), Kind::Array) => {
                elements(value).for_each(|element| list.add(element, tally));
            }
            (kept, _) => {
                tally.bytes -= kept.bytes();
                *kept = Self::of(value, tally);
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Object(object) => {
                object.members.iter().map(|(key, value)| key.len() + value.bytes()).sum()
            }
            Self::List(list) => list.elements.iter().map(|element| element.bytes() + 1).sum(),
            Self::Other(json) => json.len(),
        }
    }

    fn push(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => push_text(out, text),
            Self::Object(object) => {
                let mut list = Commas::begin(out, b'{');
                object.push_members(&mut list);
                list.end(b'}');
            }
            Self::List(elements) => {
                let mut list = Commas::begin(out, b'[');
                for element in &elements.elements {
                    element.push(list.next());
                }
                list.end(b']');
            }
            Self::Other(json) => out.extend_from_slice(json),
        }
    }
}

impl List {
    /// An element with an index is a piece of the last one with that index, unless their types or ids differ.
    fn add(&mut self, element: Raw<'_>, tally: &mut Tally) {
        let index = (element.kind() == Kind::Object)
            .then(|| members(element).filter(|(key, _)| key.eq_str("index")).last())
            .flatten()
            .map(|(_, index)| index.bytes())
            .filter(|index| index[0].is_ascii_digit());
        let last = index.and_then(|index| self.last_of.get(index)).copied();
        if let Some(Value::Object(kept)) = last.and_then(|at| self.elements.get_mut(at))
            && is_same(kept, element)
        {
            for (key, value) in members(element) {
                kept.grow(key, value, tally);
            }
            return;
        }
        if let Some(index) = index {
            self.last_of.insert(index.into(), self.elements.len());
        }
        tally.bytes += 1;
        self.elements.push(Value::of(element, tally));
    }
}

fn is_same(kept: &Object, element: Raw<'_>) -> bool {
    let differs = |(key, value): (Tok<'_>, Raw<'_>)| {
        let name = ["type", "id"].into_iter().find(|name| key.eq_str(name))?;
        let theirs = value.cursor().string().ok().filter(|text| !text.is_empty())?;
        kept.text(name).filter(|ours| decode_exactly(*ours) != decode_exactly(theirs))
    };
    members(element).find_map(differs).is_none()
}

/// A string of which only the body is kept: pieces of it may have been joined.
fn push_text(out: &mut Vec<u8>, body: &[u8]) {
    out.push(b'"');
    push_body_passed(out, body);
    out.push(b'"');
}
