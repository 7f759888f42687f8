//! Learned shapes of texts: the next text of a known shape is read by comparing bytes.
//!
//! The events of one run of deltas differ in the piece of text they bring, and in counters and padding that
//! nobody reads. A [`Template`] keeps one such event as the bytes between those places. Another event that
//! equals these bytes and has a valid token of the same type in each place is a valid text with the same
//! members, by construction: the [`Cursor`] would walk it through the same states. Whatever differs in any
//! other way is no match, and says nothing: it goes to the cursor.

use core::str;

use super::number::scan_number;
use super::string::{Traits, scan_body};
use super::{Cursor, Kind, Tok};

/// Texts with more bytes than these around their holes are not learned.
const MAX_LITERAL_BYTES: usize = 2_048;

/// One text, with holes for what may differ.
#[derive(Clone, Debug)]
pub struct Template {
    /// What stands between the holes, in order.
    literals: Box<[u8]>,
    holes: Box<[Hole]>,
}

#[derive(Clone, Copy, Debug)]
struct Hole {
    /// Length in bytes of the literal before it.
    after: usize,
    holds: Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// The body of the string that is handed out.
    Text,
    /// The body of a string that nobody reads.
    String,
    /// A number that nobody reads.
    Number,
    /// A number that is handed out.
    Counter,
}

/// The members of an event that may differ from event to event, beside its text.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// Those that nobody reads.
    pub names: &'static [&'static str],
    /// One whose number is handed out.
    pub counter: Option<&'static str>,
}

/// What an event of a known shape has in its holes.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'j> {
    /// The text.
    pub text: Tok<'j>,
    /// The number of the counter; empty if the shape has none.
    pub counter: &'j [u8],
    /// Whether all strings in holes are ASCII.
    pub is_ascii: bool,
}

impl Template {
    /// Learns the shape of `json`, which the caller has read as an object. `text` is a string inside it, which
    /// may differ, and so may the strings and numbers that are top-level members named in `noise`. All else is
    /// part of the shape, so that what the caller has read of it holds for all texts of the shape.
    ///
    /// `None` if the text is too large, or `text` was not read from it.
    #[must_use]
    pub fn learn(json: &[u8], text: Tok<'_>, noise: Noise) -> Option<Self> {
        if json.len() - text.raw().len().min(json.len()) > MAX_LITERAL_BYTES {
            return None;
        }
        let text_at = (text.raw().as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
        let text_end = text_at + text.raw().len();
        if json.get(text_end) != Some(&b'"') {
            return None;
        }
        let mut cursor = Cursor::new(json).ok()?;
        let (mut literals, mut holes, mut literal_at) = (Vec::new(), Vec::new(), 0);
        let mut has_text = false;
        cursor.object().ok()?;
        while let Some(key) = cursor.next_key().ok()? {
            let value = cursor.skip_value().ok()?;
            let (start, end) = (value.at(), value.at() + value.bytes().len());
            let is_noise = noise.names.contains(&key.raw_str());
            let is_counter = noise.counter == Some(key.raw_str());
            let (content, start, end) = if (start..end).contains(&text_at) {
                has_text = true;
                (Holds::Text, text_at, text_end)
            } else if is_counter && value.kind() == Kind::Number {
                (Holds::Counter, start, end)
            } else if is_noise && value.kind() == Kind::String {
                (Holds::String, start + 1, end - 1)
            } else if is_noise && value.kind() == Kind::Number {
                (Holds::Number, start, end)
            } else {
                continue;
            };
            let literal = json.get(literal_at..start)?;
            literals.extend_from_slice(literal);
            holes.push(Hole { after: literal.len(), holds: content });
            literal_at = end;
        }
        literals.extend_from_slice(json.get(literal_at..)?);
        has_text.then(|| Self { literals: literals.into(), holes: holes.into() })
    }

    /// What an event of this shape has in its holes; `None` if it is of another shape, or wrong.
    #[inline]
    #[must_use]
    pub fn read<'j>(&self, json: &'j [u8]) -> Option<Reading<'j>> {
        let mut rest = json;
        let mut literals = &*self.literals;
        let mut text = None;
        let mut counter = &json[..0];
        let mut is_ascii = true;
        for hole in &*self.holes {
            let (literal, later) = literals.split_at_checked(hole.after)?;
            literals = later;
            rest = rest.strip_prefix(literal)?;
            let length = match hole.holds {
                Holds::Text => {
                    let (end, traits) = scan_body(rest, 0).ok()?;
                    is_ascii &= !traits.has(Traits::NON_ASCII);
                    text = Some(Tok::new(str::from_utf8(rest.get(..end)?).ok()?, traits));
                    end
                }
                Holds::String => {
                    let (end, traits) = scan_body(rest, 0).ok()?;
                    if traits.has(Traits::NON_ASCII) {
                        is_ascii = false;
                        str::from_utf8(rest.get(..end)?).ok()?;
                    }
                    end
                }
                Holds::Number => scan_number(rest, 0).ok()?,
                Holds::Counter => {
                    let end = scan_number(rest, 0).ok()?;
                    counter = rest.get(..end)?;
                    end
                }
            };
            rest = rest.get(length..)?;
        }
        if rest != literals {
            return None;
        }
        Some(Reading { text: text?, counter, is_ascii })
    }
}

/// How many shapes are kept: items whose deltas alternate have one each.
const KEPT: usize = 8;

/// Misses in a row after which only now and then a shape is learned.
const MISSES_OF_A_CHANGE: u32 = 8;

/// The shapes of the latest events, each with what its learner has read of it.
#[derive(Clone, Debug)]
pub struct Templates<W> {
    known: Vec<(Template, W)>,
    /// The one that matched last.
    last: usize,
    /// The one to be given up next.
    oldest: usize,
    /// Learnable events since the last match.
    misses: u32,
}

impl<W> Default for Templates<W> {
    fn default() -> Self {
        Self { known: Vec::new(), last: 0, oldest: 0, misses: 0 }
    }
}

impl<W> Templates<W> {
    /// What is known of an event of a known shape, and what it has in its holes.
    #[inline]
    pub fn read<'j>(&mut self, json: &'j [u8]) -> Option<(&mut W, Reading<'j>)> {
        let reading = match self.known.get(self.last).and_then(|(last, _)| last.read(json)) {
            Some(reading) => reading,
            None => self.read_other(json)?,
        };
        self.misses = 0;
        self.known.get_mut(self.last).map(|(_, words)| (words, reading))
    }

    #[inline(never)]
    fn read_other<'j>(&mut self, json: &'j [u8]) -> Option<Reading<'j>> {
        let last = self.last;
        let others = self.known.iter().enumerate().filter(|(at, _)| *at != last);
        let (found, reading) = others
            .map(|(at, (template, _))| (at, template.read(json)))
            .find_map(|(at, reading)| Some((at, reading?)))?;
        self.last = found;
        Some(reading)
    }

    /// Counts an event whose shape is not known; whether that is to be learned. Where no two events are alike,
    /// learning pauses for longer and longer.
    pub fn is_due(&mut self) -> bool {
        self.misses = self.misses.saturating_add(1);
        self.misses <= MISSES_OF_A_CHANGE || self.misses.is_power_of_two()
    }

    /// Learns the shape of an event that is due; see [`Template::learn`].
    #[cold]
    pub fn learn(&mut self, json: &[u8], text: Tok<'_>, noise: Noise, words: W) {
        let Some(template) = Template::learn(json, text, noise) else { return };
        match self.known.get_mut(self.oldest) {
            Some(known) => *known = (template, words),
            None => self.known.push((template, words)),
        }
        self.last = self.oldest;
        self.oldest = (self.oldest + 1) % KEPT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: Noise = Noise { names: &["pad"], counter: Some("n") };

    fn delta_of(json: &str) -> Tok<'_> {
        let mut cursor = Cursor::of_str(json);
        cursor.object().unwrap();
        while let Some(key) = cursor.next_key().unwrap() {
            if key.eq_str("delta") {
                return cursor.string().unwrap();
            }
            cursor.skip_value().unwrap();
        }
        Tok::EMPTY
    }

    fn learned(json: &str) -> Template {
        Template::learn(json.as_bytes(), delta_of(json), NOISE).unwrap()
    }

    const EVENT: &str = r#"{"n":7, "delta":"a\n","id":"x","list":[],"pad":"zz"}"#;

    #[test]
    fn holes_take_any_valid_token_of_their_type() {
        let template = learned(EVENT);
        for (other, text, counter) in [
            (EVENT, r"a\n", "7"),
            (r#"{"n":0, "delta":"","id":"x","list":[],"pad":""}"#, "", "0"),
            (r#"{"n":0, "delta":"","id":"x","list":[],"pad":"é"}"#, "", "0"),
            (
                r#"{"n":-1.5e3, "delta":"é\ud83d\"","id":"x","list":[],"pad":"\u0000"}"#,
                r#"é\ud83d\""#,
                "-1.5e3",
            ),
        ] {
            let reading = template.read(other.as_bytes()).unwrap();
            let found = reading.text;
            let expected = delta_of(other);
            assert_eq!(found.raw_str(), text);
            assert_eq!(reading.counter, counter.as_bytes());
            assert_eq!(reading.is_ascii, other.is_ascii());
            assert_eq!(
                (found.has_escapes(), found.is_ascii(), found.has_lone_surrogate()),
                (expected.has_escapes(), expected.is_ascii(), expected.has_lone_surrogate())
            );
        }
    }

    #[test]
    fn everything_else_is_no_match() {
        let template = learned(EVENT);
        for other in [
            &br#"{"n":07, "delta":"a","id":"x","list":[],"pad":"zz"}"#[..],
            br#"{"n":, "delta":"a","id":"x","list":[],"pad":"zz"}"#,
            br#"{"n":"7", "delta":"a","id":"x","list":[],"pad":"zz"}"#,
            br#"{"n":7, "delta":"a,"id":"x","list":[],"pad":"zz"}"#,
            br#"{"n":7, "delta":"a\q","id":"x","list":[],"pad":"zz"}"#,
            b"{\"n\":7, \"delta\":\"a\n\",\"id\":\"x\",\"list\":[],\"pad\":\"zz\"}",
            b"{\"n\":7, \"delta\":\"\xff\",\"id\":\"x\",\"list\":[],\"pad\":\"zz\"}",
            b"{\"n\":7, \"delta\":\"a\",\"id\":\"x\",\"list\":[],\"pad\":\"\xff\"}",
            br#"{"n":7, "delta":"a","id":"y","list":[],"pad":"zz"}"#,
            br#"{"n":7, "delta":"a","id":"x","list":[1],"pad":"zz"}"#,
            br#"{"n":7, "delta":"a","id":"x","list":[],"pad":"zz"} "#,
            br#"{"n":7, "delta":"a","id":"x","list":[],"pad":"zz"}}"#,
            br#"{"n":7, "delta":"a","id":"x","list":[],"pad":"zz""#,
            br#"{"n":7, "delta":"a"#,
            b"",
        ] {
            assert!(template.read(other).is_none(), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn only_members_at_the_top_are_noise() {
        let json = r#"{"in":{"n":1},"delta":"a","n":[2],"pad":true}"#;
        let template = learned(json);
        assert!(template.read(json.replace("\"a\"", "\"b\"").as_bytes()).is_some());
        for (from, to) in [("1", "3"), ("2", "3"), ("true", "false")] {
            assert!(template.read(json.replace(from, to).as_bytes()).is_none());
        }
    }

    #[test]
    fn a_text_may_be_nested() {
        let json = r#"{"choices":[{"delta":{"content":"hi"}}],"pad":"x"}"#;
        let at = json.find("hi").unwrap();
        let mut cursor = Cursor::of_str(json);
        cursor.object().unwrap();
        cursor.next_key().unwrap();
        let choices = cursor.skip_value().unwrap().as_str();
        let token = Tok::from_raw(&choices.as_bytes()[at - 11..at - 9]).unwrap();
        let template = Template::learn(json.as_bytes(), token, NOISE).unwrap();
        let other = json.replace("hi", "there").replace('x', "");
        assert_eq!(
            template.read(other.as_bytes()).map(|found| found.text.raw()),
            Some(&b"there"[..])
        );
    }

    #[test]
    fn foreign_tokens_and_large_texts_are_not_learned() {
        assert!(Template::learn(EVENT.as_bytes(), Tok::from_raw(b"a").unwrap(), NOISE).is_none());
        let large = EVENT.replace("[]", &format!("[{}0]", "0,".repeat(MAX_LITERAL_BYTES)));
        assert!(Template::learn(large.as_bytes(), delta_of(&large), NOISE).is_none());
        let long_text = EVENT.replace("a\\n", &"a".repeat(MAX_LITERAL_BYTES));
        assert!(learned(&long_text).read(EVENT.as_bytes()).is_some());
    }

    #[test]
    fn alternating_shapes_are_kept_and_found() {
        let event = |id: usize, text: &str| format!(r#"{{"id":{id},"delta":"{text}"}}"#);
        let mut templates = Templates::default();
        for id in 0..KEPT {
            let json = event(id, "a");
            assert!(templates.read(json.as_bytes()).is_none());
            templates.learn(json.as_bytes(), delta_of(&json), NOISE, id);
        }
        for id in (0..KEPT).cycle().take(3 * KEPT) {
            let json = event(id, "b");
            let (words, found) = templates.read(json.as_bytes()).unwrap();
            assert_eq!((*words, found.text.raw()), (id, &b"b"[..]));
        }
        let json = event(KEPT, "c");
        templates.learn(json.as_bytes(), delta_of(&json), NOISE, KEPT);
        assert!(templates.read(event(0, "b").as_bytes()).is_none(), "the oldest made room");
        assert!(templates.read(event(KEPT, "b").as_bytes()).is_some());
    }

    #[test]
    fn learning_pauses_where_no_two_events_are_alike() {
        let mut templates = Templates::default();
        let mut learned = 0;
        for id in 0..1_000 {
            let json = format!(r#"{{"id":{id},"delta":"a"}}"#);
            if templates.is_due() {
                templates.learn(json.as_bytes(), delta_of(&json), NOISE, ());
                learned += 1;
            }
        }
        assert!((8..16).contains(&learned), "{learned}");
    }
}
