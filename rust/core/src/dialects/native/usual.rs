//! Envelopes as they usually are, read in one pass straight from the row that holds them.
//!
//! Reading any envelope takes four: over the row's string, to decode it, over the text, and over its
//! strings to write them anew. An envelope without white space, `extra_content` and rare escapes needs
//! only its outer level of escapes taken off while it is read. Whatever is not so, [`read`] leaves to
//! the general way; what it reads, the general way would read alike.

use core::ops::Range;

use crate::json::{find_stop_alone, push_stretch};

/// A string of the envelope: where its respelt body stands in the scratch.
type Body = Range<usize>;

/// A call; all three strings are there.
#[derive(Debug)]
pub(super) struct UsualCall {
    pub(super) id: Body,
    pub(super) name: Body,
    pub(super) arguments: Body,
}

/// What the last envelope held. Kept from row to row for its buffers.
#[derive(Debug, Default)]
pub(super) struct Usual {
    /// Bodies of strings, with the escapes that a fresh writer gives them.
    scratch: Vec<u8>,
    pub(super) content: Option<Body>,
    pub(super) reasoning_content: Option<Body>,
    pub(super) tool_call_id: Option<Body>,
    pub(super) calls: Vec<UsualCall>,
}

impl Usual {
    /// The body of one of the strings.
    pub(super) fn body(&self, body: &Body) -> &[u8] {
        self.scratch.get(body.clone()).unwrap_or_default()
    }

    /// Whether it is the envelope of a call turn.
    pub(super) fn is_call_turn(&self) -> bool {
        !self.calls.is_empty() && self.tool_call_id.is_none()
    }

    /// The id and the output, if it is the envelope of a result.
    pub(super) fn result(&self) -> Option<(&Body, &Body)> {
        let is_result = self.calls.is_empty() && self.reasoning_content.is_none();
        Some((self.tool_call_id.as_ref()?, self.content.as_ref()?)).filter(|_| is_result)
    }

    /// Reads the envelope in the JSON string whose body starts at `at`; the offset after the string.
    /// `None` if it is no envelope, or not a usual one.
    pub(super) fn read(&mut self, json: &[u8], at: usize) -> Option<usize> {
        // Nearly every other text shows at once that it is none.
        if !json.get(at..)?.starts_with(br#"{\""#) {
            return None;
        }
        self.scratch.clear();
        self.calls.clear();
        (self.content, self.reasoning_content, self.tool_call_id) = (None, None, None);
        let mut reader = Reader { json, at: at + 1, bodies: &mut self.scratch };
        let mut seen = 0_u8;
        loop {
            let member = reader.key(&ENVELOPE_KEYS, &mut seen)?;
            match member {
                0 if reader.eat(b"null") => {}
                0 => self.content = Some(reader.string()?),
                1 => self.reasoning_content = Some(reader.string()?),
                2 => self.tool_call_id = Some(reader.string()?),
                _ => reader.calls(&mut self.calls)?,
            }
            if !reader.eat(b",") {
                break;
            }
        }
        let whole = reader.eat(b"}\"").then_some(reader.at)?;
        (self.is_call_turn() || self.result().is_some()).then_some(whole)
    }
}

const ENVELOPE_KEYS: [&[u8]; 4] = [
    br#"\"content\":"#,
    br#"\"reasoning_content\":"#,
    br#"\"tool_call_id\":"#,
    br#"\"tool_calls\":"#,
];

const CALL_KEYS: [&[u8]; 3] = [br#"\"arguments\":"#, br#"\"id\":"#, br#"\"name\":"#];

/// Reads JSON text that is escaped once.
struct Reader<'t> {
    json: &'t [u8],
    at: usize,
    bodies: &'t mut Vec<u8>,
}

impl Reader<'_> {
    #[inline]
    fn eat(&mut self, literal: &[u8]) -> bool {
        let stands_here = self.json.get(self.at..).is_some_and(|rest| rest.starts_with(literal));
        if stands_here {
            self.at += literal.len();
        }
        stands_here
    }

    /// Reads one of the keys, which must not have been `seen`; its index.
    #[inline]
    fn key(&mut self, keys: &[&[u8]], seen: &mut u8) -> Option<usize> {
        let found = keys.iter().position(|key| self.eat(key))?;
        let is_new = *seen & 1 << found == 0;
        *seen |= 1 << found;
        is_new.then_some(found)
    }

    fn calls(&mut self, calls: &mut Vec<UsualCall>) -> Option<()> {
        if !self.eat(b"[") {
            return None;
        }
        loop {
            calls.push(self.call()?);
            if !self.eat(b",") {
                return self.eat(b"]").then_some(());
            }
        }
    }

    fn call(&mut self) -> Option<UsualCall> {
        if !self.eat(b"{") {
            return None;
        }
        let mut found = [None, None, None];
        let mut seen = 0;
        loop {
            let member = self.key(&CALL_KEYS, &mut seen)?;
            found[member] = Some(self.string()?);
            if !self.eat(b",") {
                break;
            }
        }
        let [Some(arguments), Some(id), Some(name)] = found else {
            return None;
        };
        self.eat(b"}").then_some(UsualCall { id, name, arguments })
    }

    /// Reads a string and appends its body with one level of escapes less.
    #[inline]
    fn string(&mut self) -> Option<Body> {
        if !self.eat(br#"\""#) {
            return None;
        }
        let start = self.bodies.len();
        let json = self.json;
        let (mut copied, mut at) = (self.at, self.at);
        loop {
            at = find_stop_alone(json, at);
            // A quote ends the row's string too early, a control character stands nowhere.
            let &[b'\\', escaped, second, third] = json.get(at..)?.first_chunk()? else {
                return None;
            };
            let (kept_from, next) = match (escaped, second, third) {
                (b'"', ..) => break,
                (b'\\', b'\\', b'"' | b'\\') => (at + 2, at + 4),
                (b'\\', b'b' | b'f' | b'n' | b'r' | b't', _) => (at + 1, at + 3),
                (b'\\', b'u', _) if is_control_escape(json.get(at + 3..)?) => (at + 1, at + 7),
                _ => return None,
            };
            push_stretch(self.bodies, json, copied, at);
            (copied, at) = (kept_from, next);
        }
        push_stretch(self.bodies, json, copied, at);
        self.at = at + 2;
        Some(start..self.bodies.len())
    }
}

/// Whether four digits are those of a control character that has no shorter escape, as a fresh
/// writer spells them.
fn is_control_escape(digits: &[u8]) -> bool {
    match digits {
        [b'0', b'0', b'0', low, ..] => matches!(low, b'0'..=b'7' | b'b' | b'e' | b'f'),
        [b'0', b'0', b'1', low, ..] => matches!(low, b'0'..=b'9' | b'a'..=b'f'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::native::decode::{lift_calls, lift_result};
    use crate::dialects::native::{Accept, Order};
    use crate::json::{Tok, push_respelt, push_string_raw_separators};

    const ENVELOPES: [&str; 6] = [
        r#"{"content":"look\n\"here\" \\ é","tool_calls":[{"arguments":"{\"q\": \"a\\nb\"}","id":"k1","name":"find"}]}"#,
        r#"{"content":null,"reasoning_content":"\u001b[1m\t","tool_calls":[{"arguments":"","id":"a","name":"f"},{"arguments":"{}","id":"b","name":"g"}]}"#,
        r#"{"content":"","tool_calls":[{"id":"a","name":"f","arguments":"{}"}],"reasoning_content":"r"}"#,
        r#"{"content":"[1]","tool_call_id":"k1"}"#,
        r#"{"tool_call_id":"k\\1","content":"\u0000\b\f\r"}"#,
        r#"{"tool_calls":[{"arguments":"x","id":"a","name":"f"}]}"#,
    ];

    /// Reads an envelope's text as it stands in a row.
    fn read(usual: &mut Usual, text: &str) -> bool {
        let mut row = Vec::new();
        push_string_raw_separators(&mut row, text);
        let end = usual.read(&row, 1);
        assert!(end.is_none_or(|end| end == row.len()), "{text}");
        end.is_some()
    }

    /// Holds what was read against the general way.
    fn assert_alike(usual: &Usual, text: &str) {
        let same = |body: &Body, token: Tok<'_>| {
            let mut respelt = Vec::new();
            push_respelt(&mut respelt, token);
            assert_eq!(usual.body(body), respelt, "{text}");
        };
        let same_if_any = |body: Option<&Body>, token: Option<Tok<'_>>| match (body, token) {
            (Some(body), Some(token)) => same(body, token),
            (body, token) => assert_eq!(body.is_some(), token.is_some(), "{text}"),
        };
        if let Some((id, content)) = usual.result() {
            let lifted = lift_result(text, Accept::Lossless, Order::Sorted).unwrap();
            same(id, lifted.tool_call_id);
            same(content, lifted.content);
            return;
        }
        assert!(usual.is_call_turn());
        let lifted = lift_calls(text, Accept::Lossless, Order::Sorted).unwrap();
        same_if_any(usual.content.as_ref(), lifted.content);
        same_if_any(usual.reasoning_content.as_ref(), lifted.reasoning_content);
        assert_eq!(usual.calls.len(), lifted.calls.len());
        for (usual, lifted) in usual.calls.iter().zip(lifted.calls) {
            same(&usual.id, lifted.id);
            same(&usual.name, lifted.name);
            same(&usual.arguments, lifted.arguments);
            assert!(lifted.extra.is_none());
        }
    }

    #[test]
    fn usual_envelopes_are_read_as_the_general_way_does() {
        let mut usual = Usual::default();
        for text in ENVELOPES {
            assert!(read(&mut usual, text), "{text}");
            assert_alike(&usual, text);
        }
    }

    #[test]
    fn mutants_are_left_alone_or_read_as_the_general_way_does() {
        let mut usual = Usual::default();
        let mut state = 0x5EED_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let mut read_count = 0;
        for _ in 0..40_000 {
            let mut text: Vec<char> = ENVELOPES[below(ENVELOPES.len())].chars().collect();
            let at = below(text.len());
            match below(3) {
                0 => text[at] = ['"', '\\', 'n', 'u', '0', '/', '\n', ' ', '{', 'é'][below(10)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, text[at]),
            }
            let text: String = text.into_iter().collect();
            if read(&mut usual, &text) {
                read_count += 1;
                assert_alike(&usual, &text);
            }
        }
        assert!(read_count > 5_000, "{read_count}");
    }

    #[test]
    fn what_is_not_usual_is_left_alone() {
        let mut usual = Usual::default();
        for text in [
            "",
            "prose",
            r#"{ "content":"x","tool_call_id":"a"}"#,
            r#"{"content":"x","tool_call_id":"a"} "#,
            r#"{"content":"x","content":"y","tool_call_id":"a"}"#,
            r#"{"content":"x","tool_call_id":"a","v":"1"}"#,
            r#"{"content":null,"tool_call_id":"a"}"#,
            r#"{"content":"caf\u00e9","tool_call_id":"a"}"#,
            r#"{"content":"\/","tool_call_id":"a"}"#,
            r#"{"content":"\u001F","tool_call_id":"a"}"#,
            r#"{"content":"\u000a","tool_call_id":"a"}"#,
            r#"{"content":"\ud800","tool_call_id":"a"}"#,
            r#"{"content":"x","tool_calls":[]}"#,
            r#"{"content":"x","tool_calls":[{"arguments":"","id":"a"}]}"#,
            r#"{"content":"x","tool_calls":[{"arguments":"","extra_content":1,"id":"a","name":"f"}]}"#,
        ] {
            assert!(!read(&mut usual, text), "{text}");
        }
    }
}
