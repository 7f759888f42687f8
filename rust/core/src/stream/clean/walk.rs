//! The same question as [`covers`](super::cover::covers), answered by comparing bytes: for large events.
//!
//! The ends of what was written are not known, those of the source's values are: where something begins with the
//! bytes of such a value, it is that value, and ends where it does.

use core::str;

use super::Known;
use super::cover::Shared;
use super::known::is_hollow;
use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{elements, members};

/// Whether an object that was written is covered by `source`, whose keys are not repeated. False says nothing.
/// `shared` learns of a text that both have.
pub(super) fn covers_bytes<'s, 'w>(
    source: Raw<'s>,
    written: &'w [u8],
    known: &Known,
    shared: &mut Option<Shared<'s, 'w>>,
) -> bool {
    let mut walk = Walk { written, shared };
    walk.object(source, 0, known) == Some(written.len())
}

struct Walk<'s, 'w, 'o> {
    written: &'w [u8],
    shared: &'o mut Option<Shared<'s, 'w>>,
}

impl<'s, 'w> Walk<'s, 'w, '_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.written.get(at).copied()
    }

    /// Each of these returns where what was written ends, if the source's value covers it.
    fn object(&mut self, source: Raw<'s>, at: usize, known: &Known) -> Option<usize> {
        if source.kind() != Kind::Object || self.byte(at) != Some(b'{') || !known.aliases.is_empty()
        {
            return None;
        }
        let mut theirs: Vec<_> = members(source).map(|(key, value)| (key, value, false)).collect();
        let mut next = at + 1;
        if self.byte(next) == Some(b'}') {
            next += 1;
        } else {
            loop {
                let key = self.key(next)?;
                let is_key = |(theirs, _, _): &(Tok<'_>, Raw<'_>, bool)| theirs.raw_str() == key;
                let value_at = next + key.len() + "\"\":".len();
                let end = match theirs.iter_mut().find(|one| is_key(one)) {
                    Some((_, _, true)) => return None,
                    Some((_, value, found)) => {
                        *found = true;
                        self.value(*value, value_at, known, key)?
                    }
                    None if known.optional.contains(&key) => self.string(value_at)?,
                    None => return None,
                };
                next = end + 1;
                match self.byte(end)? {
                    b',' => {}
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        let is_new = |key: Tok<'_>, value| {
            let name = &*key.decode();
            let is_repeated =
                || theirs.iter().any(|(other, _, found)| *found && other.eq_str(name));
            let must_be_written = known.has(name)
                && (known.strict.contains(&name) || !is_hollow(value, known.below(name)));
            !must_be_written && !is_repeated()
        };
        let mut others = theirs.iter().filter(|(_, _, found)| !found);
        others.all(|(key, value, _)| is_new(*key, *value)).then_some(next)
    }

    /// The key of a member, which has no escapes.
    fn key(&self, at: usize) -> Option<&'w str> {
        let key_end = self.string(at)? - 1;
        let key = &self.written[at + 1..key_end];
        if self.written[key_end..].starts_with(b"\":") { str::from_utf8(key).ok() } else { None }
    }

    /// The end of a string without escapes.
    fn string(&self, at: usize) -> Option<usize> {
        let body = self.written.get(at..)?.strip_prefix(b"\"")?;
        let length = memchr::memchr2(b'"', b'\\', body)?;
        body[length..].starts_with(b"\"").then_some(at + 1 + length + 1)
    }

    fn value(&mut self, source: Raw<'s>, at: usize, known: &Known, name: &str) -> Option<usize> {
        match (source.kind(), known.below(name)) {
            (Kind::Object, Some(level)) => self.object(source, at, level),
            (Kind::Array, Some(level)) => self.list(source, at, level),
            (kind, _) => {
                let end = self.same(source, at)?;
                if kind == Kind::String && known.texts.contains(&name) {
                    let text = str::from_utf8(&self.written[..end]).ok()?;
                    *self.shared = Some(Shared { source, written: Raw::read_before(text, at) });
                }
                Some(end)
            }
        }
    }

    fn list(&mut self, source: Raw<'s>, at: usize, level: &Known) -> Option<usize> {
        if self.byte(at) != Some(b'[') {
            return None;
        }
        let mut next = at + 1;
        for (count, element) in elements(source).enumerate() {
            if count > 0 {
                if self.byte(next) != Some(b',') {
                    return None;
                }
                next += 1;
            }
            next = self.object(element, next, level)?;
        }
        (self.byte(next) == Some(b']')).then_some(next + 1)
    }

    /// A value of the very same bytes.
    fn same(&self, source: Raw<'_>, at: usize) -> Option<usize> {
        let bytes = source.bytes();
        let rest = self.written.get(at..)?.strip_prefix(bytes)?;
        // Only of the bytes of a number another one may begin.
        let is_over = matches!(rest.first(), Some(b',' | b'}' | b']'));
        (is_over || source.kind() != Kind::Number).then_some(at + bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::cover::covers;
    use super::*;

    const INNER: Known = Known::of(&["id", "text"], &[]);
    const KNOWN: Known = Known {
        names: &["type", "n", "item", "list", "free"],
        below: &[("item", &INNER), ("list", &INNER)],
        texts: &["free"],
        optional: &["type"],
        ..Known::of(&[], &[])
    };

    fn both(source: &str, written: &str) -> [bool; 2] {
        let source = Raw::parse(source.as_bytes()).unwrap();
        let parsed = Raw::parse(written.as_bytes()).unwrap();
        [
            covers_bytes(source, written.as_bytes(), &KNOWN, &mut None),
            covers(source, &[parsed], &KNOWN, &mut None),
        ]
    }

    #[test]
    fn what_is_spelt_alike_is_found() {
        for (source, written) in [
            ("{}", "{}"),
            (r#"{ "n" : 1.0, "type":"a" }"#, r#"{"type":"a","n":1.0}"#),
            (
                r#"{"z":1,"type":"a","item":{"more":{},"id":"x"}}"#,
                r#"{"type":"a","item":{"id":"x"}}"#,
            ),
            (r#"{"type":"a","n":null,"list":[],"free":""}"#, r#"{"type":"a"}"#),
            (r#"{"list":[{"id":"x","z":1},{"id":"y"}]}"#, r#"{"list":[{"id":"x"},{"id":"y"}]}"#),
            (r#"{"n":1}"#, r#"{"type":"a","n":1}"#),
            (r#"{"list":[],"free":{"a":[1,2]}}"#, r#"{"free":{"a":[1,2]},"list":[]}"#),
        ] {
            assert_eq!(both(source, written), [true, true], "{source}");
        }
    }

    #[test]
    fn what_is_not_covered_is_not_found() {
        for (source, written) in [
            (r#"{"n":1}"#, r#"{"n":12}"#),
            (r#"{"n":12}"#, r#"{"n":1}"#),
            (r#"{"type":"a"}"#, r#"{"type":"ab"}"#),
            (r#"{"type":"a"}"#, r#"{"type":"a","n":1}"#),
            (r#"{"type":"a","n":1}"#, r#"{"type":"a"}"#),
            (r#"{"list":[{"id":"x"}]}"#, r#"{"list":[]}"#),
            (r#"{"list":[]}"#, r#"{"list":[{"id":"x"}]}"#),
            (r#"{"list":[{"id":"x"},{"id":"y"}]}"#, r#"{"list":[{"id":"x"}]}"#),
            (r#"{"list":[{"id":"x","text":"t"}]}"#, r#"{"list":[{"id":"x"}]}"#),
            (r#"{"type":null}"#, r#"{"type":"a"}"#),
            (r#"{"n":1,"n":1}"#, r#"{"n":1}"#),
            (r#"{"n":1,"n":null}"#, r#"{"n":1}"#),
            (r#"{"z":1,"z":null}"#, r#"{"z":1}"#),
            (r#"{"item":[]}"#, r#"{"item":{}}"#),
            (r#"{"item":{}}"#, r#"{"item":1}"#),
        ] {
            assert_eq!(both(source, written), [false, false], "{source}");
        }
    }

    #[test]
    fn a_shared_text_is_shown_in_both() {
        let (source, written) = (r#"{"z":0,"free":"a\n"}"#, r#"{"free":"a\n"}"#);
        let mut shared = None;
        let parsed = Raw::parse(source.as_bytes()).unwrap();
        assert!(covers_bytes(parsed, written.as_bytes(), &KNOWN, &mut shared));
        let shared = shared.unwrap();
        assert_eq!(shared.source.at(), source.find("\"a").unwrap());
        assert_eq!(shared.written.at(), written.find("\"a").unwrap());
        assert_eq!(shared.written.bytes(), br#""a\n""#);
    }
}
