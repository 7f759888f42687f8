//! Reasoning between `<think>` and `</think>` at the start of a text.

use crate::json::push_escaped_once;

/// Where the text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// Nothing but white space, or a part of the opening tag, has come.
    #[default]
    Start,
    Inside,
    /// White space behind the closing tag.
    Behind,
    Text,
}

/// Splits one choice's text. Texts are bytes in which also half a surrogate pair has its place (WTF-8).
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    at: At,
    /// What could still be, or become, a tag.
    held: Vec<u8>,
}

/// What a piece of text brings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) reasoning: Vec<u8>,
    pub(super) text: Vec<u8>,
}

const OPENING: &[u8] = b"<think>";
const CLOSING: &[u8] = b"</think>";
/// Behind more white space than this no opening tag is looked for.
const MAX_WHITE_SPACE_BYTES: usize = 1_024;

impl ThinkTags {
    /// Whether all that follows is text, as it comes.
    pub(super) fn is_text(&self) -> bool {
        self.at == At::Text
    }

    pub(super) fn take(&mut self, piece: &[u8]) -> Split {
        let mut split = Split::default();
        let mut joined = core::mem::take(&mut self.held);
        joined.extend_from_slice(piece);
        let mut rest: &[u8] = &joined;
        if self.at == At::Start {
            let tag = without_white_space(rest);
            let is_bounded = rest.len() - tag.len() <= MAX_WHITE_SPACE_BYTES;
            if tag.len() < OPENING.len() && OPENING.starts_with(tag) && is_bounded {
                self.held = joined;
                return split;
            }
            self.at = if tag.starts_with(OPENING) { At::Inside } else { At::Text };
            rest = tag.strip_prefix(OPENING).unwrap_or(rest);
        }
        if self.at == At::Inside {
            let Some(end) = rest.windows(CLOSING.len()).position(|tag| tag == CLOSING) else {
                let begun =
                    (1..CLOSING.len()).rev().find(|length| rest.ends_with(&CLOSING[..*length]));
                let (sure, held) = rest.split_at(rest.len() - begun.unwrap_or(0));
                split.reasoning.extend_from_slice(sure);
                self.held = held.to_owned();
                return split;
            };
            split.reasoning.extend_from_slice(&rest[..end]);
            self.at = At::Behind;
            rest = &rest[end + CLOSING.len()..];
        }
        if self.at == At::Behind {
            rest = without_white_space(rest);
            if !rest.is_empty() {
                self.at = At::Text;
            }
        }
        split.text.extend_from_slice(rest);
        split
    }

    /// At the end, or before something else, nothing can become a tag any more.
    pub(super) fn finish(&mut self) -> Split {
        let held = core::mem::take(&mut self.held);
        if self.at == At::Start && !held.is_empty() {
            self.at = At::Text;
        }
        match self.at {
            At::Inside => Split { reasoning: held, text: Vec::new() },
            _ => Split { reasoning: Vec::new(), text: held },
        }
    }
}

fn without_white_space(text: &[u8]) -> &[u8] {
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    &text[text.iter().take_while(is_space).count()..]
}

/// Appends such bytes as the body of a JSON string.
pub(super) fn push_escaped_halves(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = rest.windows(3).position(is_half) {
        push_escaped_once(out, &rest[..at]);
        let unit = 0xd000 | (u16::from(rest[at + 1] & 0x3f) << 6) | u16::from(rest[at + 2] & 0x3f);
        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        rest = &rest[at + 3..];
    }
    push_escaped_once(out, rest);
}

/// Whether three bytes are half a surrogate pair.
const fn is_half(bytes: &[u8]) -> bool {
    matches!(bytes, [0xed, 0xa0..=0xbf, _])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, cut: usize) -> Split {
        let mut tags = ThinkTags::default();
        let mut whole = Split::default();
        let (first, second) = text.as_bytes().split_at(cut);
        for piece in [tags.take(first), tags.take(second), tags.finish()] {
            whole.reasoning.extend_from_slice(&piece.reasoning);
            whole.text.extend_from_slice(&piece.text);
        }
        whole
    }

    #[test]
    fn halves_of_pairs_keep_their_place() {
        let mut body = Vec::new();
        push_escaped_halves(&mut body, b"a\xed\xa0\xbd\"\xed\xb8\x80\xed\x9f\xbf");
        assert_eq!(body, b"a\\ud83d\\\"\\ude00\xed\x9f\xbf");
    }

    #[test]
    fn tags_are_found_however_the_text_is_cut() {
        for (text, reasoning, rest) in [
            (
                " <think>why </not> so</think>\n\nBecause <think>.",
                "why </not> so",
                "Because <think>.",
            ),
            ("no <think>tag</think>", "", "no <think>tag</think>"),
            ("<think>never ends </thin", "never ends </thin", ""),
            ("<thi", "", "<thi"),
            (" \n", "", " \n"),
        ] {
            for cut in 0..=text.len() {
                let expected = Split { reasoning: reasoning.into(), text: rest.into() };
                assert_eq!(split(text, cut), expected, "{text:?} cut at {cut}");
            }
        }
    }
}
