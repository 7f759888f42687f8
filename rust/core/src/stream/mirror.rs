//! What a writer hears beyond [`Encode`](super::encode::Encode) when source and target are one format and have a
//! life cycle (`DESIGN.md` 8): what the source opened, closed and showed, in its own words.

use super::delta::Class;
use super::encode::{CallKey, TextBlock};
use crate::json::{Raw, Tok};

/// An item about to be opened on the target's side.
#[derive(Clone, Copy, Debug)]
pub struct ItemOpening<'a> {
    /// The source's item.
    pub item: u32,
    /// What kind of item it is; never a call, which [`Encode::open_call`](super::encode::Encode::open_call) opens.
    pub class: Class,
    /// The first id the source gave it.
    pub id: Option<&'a str>,
}

/// The further words of `Layout::Mirrored`. Items and parts open and close as in the source and may overlap;
/// what is shown has its members with unknown names carried along. Other writers hear none of it, but for the
/// first two, which are for all targets of the source's format.
pub trait Mirror {
    /// Whether members that the format does not know are passed on with their events, so that they are no loss.
    fn passes_unknown(&self) -> bool {
        false
    }
    /// Writes an event that says nothing, for such members of an event of which nothing came.
    fn blank(&mut self, _source: Raw<'_>, _out: &mut Vec<u8>) {}
    /// The source showed the response object.
    fn show_answer(&mut self, _response: Raw<'_>) {}
    /// The response object shown last tells that the answer failed; the fault follows.
    fn show_failure(&mut self) {}
    /// The source repeated the head of its answer in an event of this type.
    fn repeat_head(&mut self, _kind: &str, _out: &mut Vec<u8>) {}
    /// The source showed an item; it may not be open yet.
    fn show_item(&mut self, _item: u32, _class: Class, _shown: Raw<'_>) {}
    /// Opens a message, a reasoning or a foreign item.
    fn open_item(&mut self, _opening: ItemOpening<'_>, _out: &mut Vec<u8>) {}
    /// The source showed a part that is or was open.
    fn show_part(&mut self, _block: TextBlock, _shown: Raw<'_>) {}
    /// Opens a part that the source shows; it may have no neutral form.
    fn open_shown_part(&mut self, _block: TextBlock, _shown: Raw<'_>, _out: &mut Vec<u8>) {}
    /// The text of an open part is complete; `log_probs` is what the source says of all of it.
    fn close_text(&mut self, _: TextBlock, _log_probs: Option<Raw<'_>>, _out: &mut Vec<u8>) {}
    /// The text of an open call is complete.
    fn close_call_text(&mut self, _key: CallKey, _out: &mut Vec<u8>) {}
    /// Passes an event on that has no neutral form; `item` is the one it belongs to.
    fn pass_event(&mut self, _item: Option<u32>, _kind: &str, _event: Raw<'_>, _out: &mut Vec<u8>) {
    }
    /// How many bytes are kept of what was shown.
    fn shown_bytes(&self) -> usize {
        0
    }
    /// The text written last, as a whole: the source probably repeats it.
    fn kept_text(&self) -> Option<Tok<'_>> {
        None
    }
    /// The answer as a body of the target's format, once it has ended.
    fn answer(&self) -> Option<&[u8]> {
        None
    }
}
