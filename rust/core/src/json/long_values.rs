//! Where the long values of one text end.

use core::cell::Cell;

use memchr::memmem;

use super::Tok;
use super::string::Traits;

/// Shorter values are scanned again rather than looked for.
const MIN_LENGTH: usize = 256;

/// The ends of the first long strings and containers that were read in one text, so that later walks over parts
/// of it need not scan them again: the object that ends an answer holds long texts at the bottom of several
/// levels, each of which is walked in turn, and beside them the tools and instructions of the request.
#[derive(Debug, Default)]
pub struct LongValues {
    strings: [Cell<Found>; 8],
    string_count: Cell<usize>,
    /// Objects and arrays; no traits.
    containers: [Cell<Found>; 4],
    container_count: Cell<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    start: usize,
    end: usize,
    traits: Traits,
}

impl LongValues {
    /// Notes a string body that probably stands in `json`, before that is read.
    pub(crate) fn expect(&self, json: &[u8], body: Tok<'_>) {
        let raw = body.raw();
        let Some(start) = raw.get(..MIN_LENGTH).and_then(|start| memmem::find(json, start)) else {
            return;
        };
        let end = start + raw.len();
        if json.get(start..end) == Some(raw) && json.get(end) == Some(&b'"') {
            self.note_string(start, end, body.traits());
        }
    }

    /// End and traits of the body that starts at `start`, if it is one that was read and is long.
    #[inline]
    pub(super) fn find_string(&self, start: usize) -> Option<(usize, Traits)> {
        let found = find(&self.strings, &self.string_count, start)?;
        Some((found.end, found.traits))
    }

    /// Remembers a body that was scanned, if it is long and there is room.
    #[inline]
    pub(super) fn note_string(&self, start: usize, end: usize, traits: Traits) {
        note(&self.strings, &self.string_count, Found { start, end, traits });
    }

    /// The offset after the container that starts at `start`, if it is one that was read and is long.
    #[inline]
    pub(super) fn find_container(&self, start: usize) -> Option<usize> {
        find(&self.containers, &self.container_count, start).map(|found| found.end)
    }

    /// Remembers a container that was scanned, if it is long and there is room.
    #[inline]
    pub(super) fn note_container(&self, start: usize, end: usize) {
        note(
            &self.containers,
            &self.container_count,
            Found { start, end, traits: Traits::default() },
        );
    }
}

#[inline]
fn find(known: &[Cell<Found>], count: &Cell<usize>, start: usize) -> Option<Found> {
    // They stand in the order of the text.
    let known = known.iter().take(count.get()).map(Cell::get);
    known.take_while(|one| one.start <= start).find(|one| one.start == start)
}

#[inline]
fn note(known: &[Cell<Found>], count: &Cell<usize>, found: Found) {
    let is_behind =
        |last: usize| known.get(last).is_some_and(|last| last.get().start < found.start);
    if found.end - found.start >= MIN_LENGTH
        && let Some(free) = known.get(count.get())
        && count.get().checked_sub(1).is_none_or(is_behind)
    {
        free.set(found);
        count.set(count.get() + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Cursor, Kind, Raw};

    /// All string bodies below a value, with their traits, by one cursor a level.
    fn strings_below(value: Raw<'_>, found: &mut Vec<(String, bool, bool)>) {
        let mut cursor = value.cursor();
        match value.kind() {
            Kind::Object => {
                cursor.object().unwrap();
                while let Some(key) = cursor.next_key().unwrap() {
                    found.push((key.raw_str().into(), key.has_escapes(), key.is_ascii()));
                    strings_below(cursor.skip_value().unwrap(), found);
                }
            }
            Kind::Array => {
                cursor.array().unwrap();
                while cursor.next_element().unwrap() {
                    strings_below(cursor.skip_value().unwrap(), found);
                }
            }
            Kind::String => {
                let token = cursor.string().unwrap();
                found.push((token.raw_str().into(), token.has_escapes(), token.is_ascii()));
            }
            _ => {}
        }
    }

    #[test]
    fn members_of_a_scanned_container_are_passed_over() {
        let filler = "1,".repeat(MIN_LENGTH);
        let json = format!(
            r#"{{"r":{{"a":[{filler}{{}}],"b":{{"c":[{filler}0]}},"d":[0,[]],"e":"{filler}","f":[[{filler}1]]}}}}"#
        );
        let long_values = LongValues::default();
        let whole = Cursor::noting(json.as_bytes(), &long_values).unwrap();
        let mut cursor = whole.clone();
        cursor.object().unwrap();
        cursor.next_key().unwrap();
        let inner = cursor.skip_value().unwrap();
        assert_eq!(long_values.container_count.get(), 3, "a, b and f");
        let members = |value: Raw<'_>| {
            let mut cursor = value.cursor();
            cursor.object().unwrap();
            let mut values = Vec::new();
            while cursor.next_key().unwrap().is_some() {
                values.push(cursor.skip_value().unwrap().as_str().to_owned());
            }
            values
        };
        let again = Raw::parse(inner.bytes()).unwrap();
        assert_eq!(members(inner), members(again));
        let (mut with, mut without) = (Vec::new(), Vec::new());
        strings_below(inner, &mut with);
        strings_below(again, &mut without);
        assert_eq!(with, without);
    }

    #[test]
    fn an_expected_body_is_read_as_any_other() {
        let body = format!("{}\\n\\u00e9é", "abc ".repeat(MIN_LENGTH));
        for json in [
            format!(r#"{{"a":"{body}","b":["{body}"]}}"#),
            format!(r#"{{"a":"{body}x","b":"{body}"}}"#),
            format!(r#"{{"a":"x{body}","{body}":1}}"#),
            format!(r#"{{"a":"{}"}}"#, &body[..MIN_LENGTH]),
            format!(r#"{{"a":"{body}"#),
        ] {
            let long_values = LongValues::default();
            long_values.expect(json.as_bytes(), Tok::from_raw(body.as_bytes()).unwrap());
            let expecting = Cursor::noting(json.as_bytes(), &long_values).unwrap().skip_value();
            let (mut with, mut without) = (Vec::new(), Vec::new());
            match (expecting, Raw::parse(json.as_bytes())) {
                (Ok(expecting), Ok(plain)) => {
                    strings_below(expecting, &mut with);
                    strings_below(plain, &mut without);
                }
                (expecting, plain) => assert_eq!(expecting.unwrap_err(), plain.unwrap_err()),
            }
            assert_eq!(with, without);
        }
    }

    #[test]
    fn walks_over_known_strings_find_the_same() {
        let long = |filler: &str| filler.repeat(MIN_LENGTH);
        let mut texts =
            vec![long("a"), "short".to_owned(), long("é"), long("\\\\n"), long("]\\\"")];
        for at in 0..10 {
            texts.push(format!("{at}{}", long("x")));
        }
        let list = texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",");
        let json = format!("{{\"{}\":[[{list}],{{\"k\":[{list}]}}]}}", long("key"));

        let long_values = LongValues::default();
        let whole = Cursor::noting(json.as_bytes(), &long_values).unwrap().skip_value().unwrap();
        assert_eq!(long_values.string_count.get(), long_values.strings.len());
        let (mut with, mut without) = (Vec::new(), Vec::new());
        strings_below(whole, &mut with);
        strings_below(Raw::parse(json.as_bytes()).unwrap(), &mut without);
        assert_eq!(with, without);
        assert_eq!(with.len(), 2 * texts.len() + 2);
    }
}
