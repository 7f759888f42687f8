//! Joining parts of reasoning, which share one field in Chat.

use crate::json::Tok;
use crate::stream::encode::TextBlock;

/// How the reasoning so far ends.
#[derive(Debug, Default)]
pub(super) struct ReasoningJoint {
    part: Option<u32>,
    /// How many line feeds it ends with, counted up to two.
    final_line_feeds: usize,
}

impl ReasoningJoint {
    /// Whether text of a block goes on with the part that came last: then nothing goes before it.
    pub(super) fn is_within(&self, block: TextBlock) -> bool {
        self.part == Some(block.part)
    }

    /// What goes before more reasoning: line feeds, so that two stand between two parts.
    pub(super) fn before(&mut self, block: TextBlock, text: Tok<'_>) -> &'static [u8] {
        let (first, last, only) = outer_line_feeds(text);
        let changes = self.part.is_some_and(|part| part != block.part);
        let present = self.final_line_feeds + first;
        self.part = Some(block.part);
        self.final_line_feeds = match (only, changes) {
            (false, _) => last,
            (true, false) => present.min(2),
            // The break makes up for what is missing.
            (true, true) => 2,
        };
        match (changes, present) {
            (true, 0) => b"\\n\\n",
            (true, 1) => b"\\n",
            _ => b"",
        }
    }
}

/// Line feeds at the start and at the end of a text, each counted up to two, and whether it has nothing else.
fn outer_line_feeds(text: Tok<'_>) -> (usize, usize, bool) {
    if !text.has_escapes() {
        return (0, 0, false);
    }
    let decoded = text.decode();
    let first = decoded.bytes().take_while(|byte| *byte == b'\n').count();
    let last = decoded.bytes().rev().take_while(|byte| *byte == b'\n').count();
    (first.min(2), last.min(2), first == decoded.len())
}
