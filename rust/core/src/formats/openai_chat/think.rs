//! Reasoning between `<think>` and `</think>` at the start of a text.

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

/// Splits one choice's text.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    at: At,
    /// What could still be, or become, a tag.
    held: String,
}

/// What a piece of text brings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) reasoning: String,
    pub(super) text: String,
}

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
/// Behind more white space than this no opening tag is looked for.
const MAX_WHITE_SPACE_BYTES: usize = 1_024;

impl ThinkTags {
    pub(super) fn take(&mut self, piece: &str) -> Split {
        let mut split = Split::default();
        let mut joined = core::mem::take(&mut self.held);
        joined.push_str(piece);
        let mut rest: &str = &joined;
        if self.at == At::Start {
            let tag = rest.trim_start_matches(WHITE_SPACE);
            let is_bounded = rest.len() - tag.len() <= MAX_WHITE_SPACE_BYTES;
            if tag.len() < OPENING.len() && OPENING.starts_with(tag) && is_bounded {
                self.held = joined;
                return split;
            }
            self.at = if tag.starts_with(OPENING) { At::Inside } else { At::Text };
            rest = tag.strip_prefix(OPENING).unwrap_or(rest);
        }
        if self.at == At::Inside {
            let Some((inside, behind)) = rest.split_once(CLOSING) else {
                let begun =
                    (1..CLOSING.len()).rev().find(|length| rest.ends_with(&CLOSING[..*length]));
                let (sure, held) = rest.split_at(rest.len() - begun.unwrap_or(0));
                split.reasoning.push_str(sure);
                self.held = held.to_owned();
                return split;
            };
            split.reasoning.push_str(inside);
            self.at = At::Behind;
            rest = behind;
        }
        if self.at == At::Behind {
            rest = rest.trim_start_matches(WHITE_SPACE);
            if !rest.is_empty() {
                self.at = At::Text;
            }
        }
        split.text.push_str(rest);
        split
    }

    /// At the end, or before something else, nothing can become a tag any more.
    pub(super) fn finish(&mut self) -> Split {
        let held = core::mem::take(&mut self.held);
        if self.at == At::Start && !held.is_empty() {
            self.at = At::Text;
        }
        match self.at {
            At::Inside => Split { reasoning: held, text: String::new() },
            _ => Split { reasoning: String::new(), text: held },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, cut: usize) -> Split {
        let mut tags = ThinkTags::default();
        let mut whole = Split::default();
        for piece in [tags.take(&text[..cut]), tags.take(&text[cut..]), tags.finish()] {
            whole.reasoning.push_str(&piece.reasoning);
            whole.text.push_str(&piece.text);
        }
        whole
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
