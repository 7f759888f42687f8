//! Where the long strings of one text end.

use core::cell::Cell;

use super::string::Traits;

/// Shorter strings are scanned again rather than looked for.
const MIN_LENGTH: usize = 256;

/// The ends of the first long strings that were read in one text, so that later walks over parts of it need
/// not scan them again: the object that ends an answer holds long texts at the bottom of several levels,
/// each of which is walked in turn.
#[derive(Debug, Default)]
pub struct LongStrings {
    found: [Cell<Found>; 8],
    count: Cell<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    start: usize,
    end: usize,
    traits: Traits,
}

impl LongStrings {
    /// End and traits of the body that starts at `start`, if it is one that was read and is long.
    #[inline]
    pub(super) fn find(&self, start: usize) -> Option<(usize, Traits)> {
        // In the order of the text: they were all met by the first walk.
        let found = self.found.iter().take(self.count.get()).map(Cell::get);
        found.take_while(|one| one.start <= start).find(|one| one.start == start).map(Found::answer)
    }

    /// Remembers a body that was scanned, if it is long and there is room.
    #[inline]
    pub(super) fn note(&self, start: usize, end: usize, traits: Traits) {
        if end - start >= MIN_LENGTH
            && let Some(free) = self.found.get(self.count.get())
        {
            free.set(Found { start, end, traits });
            self.count.set(self.count.get() + 1);
        }
    }
}

impl Found {
    const fn answer(self) -> (usize, Traits) {
        (self.end, self.traits)
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
    fn walks_over_known_strings_find_the_same() {
        let long = |filler: &str| filler.repeat(MIN_LENGTH);
        let mut texts =
            vec![long("a"), "short".to_owned(), long("é"), long("\\\\n"), long("]\\\"")];
        for at in 0..10 {
            texts.push(format!("{at}{}", long("x")));
        }
        let list = texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",");
        let json = format!("{{\"{}\":[[{list}],{{\"k\":[{list}]}}]}}", long("key"));

        let long_strings = LongStrings::default();
        let whole = Cursor::noting(json.as_bytes(), &long_strings).unwrap().skip_value().unwrap();
        assert_eq!(long_strings.count.get(), long_strings.found.len());
        let (mut with, mut without) = (Vec::new(), Vec::new());
        strings_below(whole, &mut with);
        strings_below(Raw::parse(json.as_bytes()).unwrap(), &mut without);
        assert_eq!(with, without);
        assert_eq!(with.len(), 2 * texts.len() + 2);
    }
}
