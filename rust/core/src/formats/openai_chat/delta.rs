//! The delta of a choice, or the message of a whole body (`docs/formats/openai_chat.md`, "Decode").

use std::collections::BTreeMap;

use super::call::{push_call, push_legacy_call};
use super::think::{ThinkTags, push_escaped_halves};
use super::told::Told;
use crate::json::{Kind, Raw, Tok, decode_exactly, push_escaped_once, push_raw_passed};
use crate::stream::decode::{Object, elements, members, says_nothing, wrong_type};
use crate::stream::delta::{PartKey, PartKind, WireKey};
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

const NAMES: [&str; 15] = [
    "role",
    "content",
    "refusal",
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "reasoning_details",
    "reasoning_opaque",
    "reasoning_signature",
    "tool_calls",
    "function_call",
    "annotations",
    "images",
    "extra_content",
];
const CONTENT: usize = 1;
const REFUSAL: usize = 2;
const REASONING: core::ops::RangeInclusive<usize> = 3..=6;
const REASONING_DETAILS: usize = 7;
const OPAQUE: [usize; 2] = [8, 9];
const TOOL_CALLS: usize = 10;
const FUNCTION_CALL: usize = 11;
const ANNOTATIONS: usize = 12;
const IMAGES: usize = 13;
const EXTRA_CONTENT: usize = 14;

/// Members of a content part.
const PART_NAMES: [&str; 3] = ["type", "text", "thinking"];

type Delta<'a, 'p> = Object<'a, 'p, { NAMES.len() }>;

const TEXT: PartKey = PartKey { kind: PartKind::Text, number: 0 };
const REFUSED: PartKey = PartKey { kind: PartKind::Refusal, number: 0 };
const SUMMARY: PartKey = PartKey { kind: PartKind::Summary, number: 0 };

/// Reads deltas.
#[derive(Debug)]
pub(super) struct DeltaReader {
    think_tags: bool,
    /// One a choice, if tags are to be found.
    thinking: BTreeMap<u32, ThinkTags>,
    pub(super) told: Told,
}

/// A choice's message: it has one item for text and one for reasoning.
pub(super) const fn key(choice: u32) -> WireKey<'static> {
    WireKey { choice, index: None, id: None }
}

impl DeltaReader {
    pub(super) fn new(think_tags: bool) -> Self {
        Self { think_tags, thinking: BTreeMap::new(), told: Told::default() }
    }

    /// Whether text may be sent as it comes.
    pub(super) const fn takes_plain_text(&self) -> bool {
        !self.think_tags
    }

    #[inline]
    pub(super) fn read<E: Encode>(
        &mut self,
        delta: Raw<'_>,
        is_message: bool,
        choice: u32,
        log_probs: Option<Raw<'_>>,
        choice_place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let place = choice_place.member(if is_message { "message" } else { "delta" });
        let whole = delta;
        let mut has_others = false;
        let delta = Delta::read(delta, &NAMES, place, |_, _| has_others = true)?;
        let (content_probs, refusal_probs) = match log_probs {
            Some(log_probs) => probabilities(log_probs, choice_place)?,
            None => (None, None),
        };
        self.reasoning(&delta, choice, referee)?;
        if let Some(content) = delta.raw(CONTENT)? {
            self.content(content, choice, content_probs, &place, referee)?;
        }
        // Before anything that closes the text they belong to.
        if let Some(notes) = delta.of_kind(ANNOTATIONS, Kind::Array)? {
            for (at, note) in elements(notes).enumerate() {
                let place = delta.place.element("annotations", at as u32);
                referee.annotation(key(choice), TEXT, note, &place)?;
            }
        }
        if let Some(refusal) = delta.string(REFUSAL)?.filter(|refusal| !refusal.is_empty()) {
            self.flush(choice, &place.member("content"), referee)?;
            referee.append(
                key(choice),
                REFUSED,
                refusal,
                refusal_probs,
                &delta.place_of(REFUSAL),
            )?;
        }
        let calls =
            delta.of_kind(TOOL_CALLS, Kind::Array)?.filter(|calls| !calls.is_empty_container());
        let legacy = delta.of_kind(FUNCTION_CALL, Kind::Object)?;
        if calls.is_some() || legacy.is_some() {
            self.flush(choice, &place.member("content"), referee)?;
        }
        for (at, call) in calls.into_iter().flat_map(elements).enumerate() {
            let place = place.element("tool_calls", at as u32);
            push_call(call, choice, is_message, place, &mut self.told, referee)?;
        }
        if let Some(call) = legacy {
            push_legacy_call(
                call,
                choice,
                calls.is_none(),
                &delta.place_of(FUNCTION_CALL),
                &mut self.told,
                referee,
            )?;
        }
        self.rest(&delta, choice, referee)?;
        let is_odd = |slot| {
            let is_read = if slot == EXTRA_CONTENT { holds_signature } else { is_string };
            delta.raw(slot).is_ok_and(|value| value.is_some_and(|value| !is_read(value)))
        };
        if has_others || REASONING.chain([EXTRA_CONTENT]).any(is_odd) {
            self.tell_others(whole, &place, referee)?;
        }
        Ok(())
    }

    /// Tells of the members that are not read, in their order.
    #[cold]
    fn tell_others<E: Encode>(
        &mut self,
        delta: Raw<'_>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        for (key, value) in members(delta) {
            let name = &*key.decode();
            let is_read = match NAMES.iter().position(|known| *known == name) {
                Some(slot) if REASONING.contains(&slot) => is_string(value),
                Some(EXTRA_CONTENT) => holds_signature(value),
                Some(_) => true,
                None => name == "obfuscation",
            };
            if !is_read && !says_nothing(value) {
                self.told.unknown(name, &place.member(name), referee)?;
            }
        }
        Ok(())
    }

    fn reasoning<E: Encode>(
        &mut self,
        delta: &Delta<'_, '_>,
        choice: u32,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let mut first = None;
        for slot in REASONING {
            let text = delta.raw(slot)?.and_then(text_of).filter(|text| !text.is_empty());
            first = first.or(text.map(|text| (slot, text)));
        }
        if let Some((slot, text)) = first {
            referee.append(key(choice), SUMMARY, text, None, &delta.place_of(slot))?;
        }
        match delta.of_kind(REASONING_DETAILS, Kind::Array)? {
            Some(details) => self.details(details, first.is_none(), choice, delta, referee),
            None => Ok(()),
        }
    }

    /// Text of `reasoning_details`, as one, then what is opaque in them.
    #[cold]
    fn details<E: Encode>(
        &mut self,
        details: Raw<'_>,
        with_text: bool,
        choice: u32,
        delta: &Delta<'_, '_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        const NAMES: [&str; 4] = ["text", "summary", "data", "signature"];
        let mut joined = Vec::new();
        let mut sealed = None;
        for (at, detail) in elements(details).enumerate() {
            let place = delta.place.element("reasoning_details", at as u32);
            let detail = Object::read(detail, &NAMES, place, |_, _| {})?;
            let member = |slot| {
                let text = detail.raw(slot)?.and_then(text_of);
                Ok::<_, Stop>(text.filter(|text| !text.is_empty()))
            };
            let (text, summary) = (member(0)?, member(1)?);
            joined.extend_from_slice(text.or(summary).unwrap_or(Tok::EMPTY).raw());
            for slot in [2, 3] {
                if sealed.is_none() && member(slot)?.is_some() {
                    sealed = Some((at as u32, NAMES[slot]));
                }
            }
        }
        if let Some(text) = Tok::from_raw(&joined).filter(|text| with_text && !text.is_empty()) {
            let place = delta.place_of(REASONING_DETAILS);
            referee.append(key(choice), SUMMARY, text, None, &place)?;
        }
        match sealed {
            Some((at, name)) => {
                let place = delta.place.element("reasoning_details", at).member(name);
                self.told.sealed(choice, "reasoning_details", name, &place, referee)
            }
            None => Ok(()),
        }
    }

    #[inline]
    fn content<E: Encode>(
        &mut self,
        content: Raw<'_>,
        choice: u32,
        mut log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        match content.kind() {
            Kind::String => {
                let text = text_of(content).unwrap_or(Tok::EMPTY);
                self.text(text, choice, &mut log_probs, &place.member("content"), referee)
            }
            Kind::Array => {
                for (at, part) in elements(content).enumerate() {
                    let place = place.element("content", at as u32);
                    self.part(part, choice, &mut log_probs, &place, referee)?;
                }
                Ok(())
            }
            Kind::Object => {
                let text = json_text(content);
                let text = Tok::from_raw(&text).unwrap_or(Tok::EMPTY);
                self.text(text, choice, &mut log_probs, &place.member("content"), referee)
            }
            _ => self.told.kind(LossCode::PartUnknown, "", &place.member("content"), referee),
        }
    }

    fn part<E: Encode>(
        &mut self,
        part: Raw<'_>,
        choice: u32,
        log_probs: &mut Option<Raw<'_>>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if let Some(text) = text_of(part) {
            return self.text(text, choice, log_probs, place, referee);
        }
        let part = Object::read(part, &PART_NAMES, *place, |_, _| {})?;
        let kind = part.raw(0)?.and_then(text_of).unwrap_or(Tok::EMPTY);
        if kind.eq_str("thinking") {
            return push_thinking(part.raw(2)?, choice, &part.place_of(2), referee);
        }
        if kind.eq_str("image_url") {
            return referee.losses.report(LossCode::ImageDropped, place, "image_url");
        }
        match part.raw(1)?.and_then(text_of) {
            Some(text) => self.text(text, choice, log_probs, &part.place_of(1), referee),
            None => self.told.kind(LossCode::PartUnknown, &kind.decode(), place, referee),
        }
    }

    /// Text, with the log probabilities unless a text before it took them.
    #[inline]
    fn text<E: Encode>(
        &mut self,
        text: Tok<'_>,
        choice: u32,
        log_probs: &mut Option<Raw<'_>>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if text.is_empty() && log_probs.is_none() {
            return Ok(());
        }
        if !self.think_tags {
            return referee.append(key(choice), TEXT, text, log_probs.take(), place);
        }
        let tags = self.thinking.entry(choice).or_default();
        if tags.is_text() {
            return referee.append(key(choice), TEXT, text, log_probs.take(), place);
        }
        let split = tags.take(&decode_exactly(text));
        push_plain(&split.reasoning, choice, SUMMARY, &mut None, place, referee)?;
        push_plain(&split.text, choice, TEXT, log_probs, place, referee)
    }

    /// What could still have become a tag is text after all.
    pub(super) fn flush<E: Encode>(
        &mut self,
        choice: u32,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let Some(tags) = self.thinking.get_mut(&choice) else { return Ok(()) };
        let rest = tags.finish();
        push_plain(&rest.reasoning, choice, SUMMARY, &mut None, place, referee)?;
        push_plain(&rest.text, choice, TEXT, &mut None, place, referee)
    }

    pub(super) fn flush_all<E: Encode>(
        &mut self,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let place = referee.place();
        let choices: Vec<u32> = self.thinking.keys().copied().collect();
        choices.into_iter().try_for_each(|choice| self.flush(choice, &place, referee))
    }

    fn rest<E: Encode>(
        &mut self,
        delta: &Delta<'_, '_>,
        choice: u32,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let images = delta.of_kind(IMAGES, Kind::Array)?;
        if let Some(images) = images.filter(|_| !referee.passes_unknown()) {
            for at in 0..elements(images).count() {
                let place = delta.place.element("images", at as u32);
                referee.losses.report(LossCode::ImageDropped, &place, "images")?;
            }
        }
        if delta.raw(EXTRA_CONTENT)?.is_some_and(holds_signature) {
            let place = delta.place_of(EXTRA_CONTENT).member("google").member("thought_signature");
            self.told.sealed(choice, "extra_content", "thought_signature", &place, referee)?;
        }
        for slot in OPAQUE {
            if delta.raw(slot)?.and_then(text_of).is_some_and(|text| !text.is_empty()) {
                let place = delta.place_of(slot);
                self.told.sealed(choice, NAMES[slot], NAMES[slot], &place, referee)?;
            }
        }
        Ok(())
    }
}

/// The part that a text member of a delta belongs to, and the member's name.
pub(super) fn part_of(name: &str) -> Option<(PartKey, &'static str)> {
    let slot = NAMES.iter().position(|known| *known == name)?;
    let part = match slot {
        CONTENT => TEXT,
        REFUSAL => REFUSED,
        _ if REASONING.contains(&slot) => SUMMARY,
        _ => return None,
    };
    Some((part, NAMES[slot]))
}

/// Whether a member of a delta is read.
pub(super) fn is_read(name: &str) -> bool {
    NAMES.contains(&name)
}

/// A string value.
pub(super) fn text_of(value: Raw<'_>) -> Option<Tok<'_>> {
    if value.kind() == Kind::String { value.cursor().string().ok() } else { None }
}

/// The signature in `extra_content.google.thought_signature`.
pub(super) fn thought_signature(extra_content: Raw<'_>) -> Option<Tok<'_>> {
    use crate::stream::context::member;
    let google = member(extra_content, "google")?;
    text_of(member(google, "thought_signature")?).filter(|text| !text.is_empty())
}

fn holds_signature(extra_content: Raw<'_>) -> bool {
    thought_signature(extra_content).is_some()
}

fn is_string(value: Raw<'_>) -> bool {
    value.kind() == Kind::String
}

/// The JSON text of an object that stands where text is expected, as the body of a JSON string.
pub(super) fn json_text(object: Raw<'_>) -> Vec<u8> {
    let (mut json, mut text) = (Vec::new(), Vec::new());
    push_raw_passed(&mut json, object);
    push_escaped_once(&mut text, &json);
    text
}

/// The lists of log probabilities beside a delta, of content and of a refusal.
fn probabilities<'a>(
    log_probs: Raw<'a>,
    place: &Place<'_>,
) -> Result<(Option<Raw<'a>>, Option<Raw<'a>>), Stop> {
    const NAMES: [&str; 2] = ["content", "refusal"];
    let object = Object::read(log_probs, &NAMES, place.member("logprobs"), |_, _| {})?;
    let list = |slot| {
        let list = object.of_kind(slot, Kind::Array)?;
        Ok::<_, Stop>(list.filter(|list| !list.is_empty_container()))
    };
    Ok((list(0)?, list(1)?))
}

/// Thinking of a content part: a string, or a list of strings or objects with a text.
fn push_thinking<E: Encode>(
    thinking: Option<Raw<'_>>,
    choice: u32,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let Some(thinking) = thinking else { return Ok(()) };
    if thinking.kind() != Kind::Array {
        return match text_of(thinking) {
            Some(text) => referee.append(key(choice), SUMMARY, text, None, place),
            None => Err(wrong_type(thinking.at(), place)),
        };
    }
    for piece in elements(thinking) {
        let text = text_of(piece).or_else(|| {
            let inner = if piece.kind() == Kind::Object { piece } else { return None };
            text_of(crate::stream::context::member(inner, "text")?)
        });
        if let Some(text) = text {
            referee.append(key(choice), SUMMARY, text, None, place)?;
        }
    }
    Ok(())
}

/// Sends decoded text.
fn push_plain<E: Encode>(
    text: &[u8],
    choice: u32,
    part: PartKey,
    log_probs: &mut Option<Raw<'_>>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    if text.is_empty() {
        return Ok(());
    }
    let mut body = Vec::new();
    push_escaped_halves(&mut body, text);
    match Tok::from_raw(&body) {
        Some(text) => referee.append(key(choice), part, text, log_probs.take(), place),
        None => Ok(()),
    }
}
