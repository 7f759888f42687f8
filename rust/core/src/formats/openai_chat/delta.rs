//! The delta of a choice, or the message of a whole body (`docs/formats/openai_chat.md`, "Decode").

use super::call::{push_call, push_legacy_call};
use super::think::ThinkTags;
use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{Object, elements, wrong_type};
use crate::stream::delta::{PartKey, PartKind, WireKey};
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

const NAMES: [&str; 16] = [
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
    "audio",
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
const AUDIO: usize = 14;
const EXTRA_CONTENT: usize = 15;

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
    thinking: Vec<(u32, ThinkTags)>,
    /// Members whose loss was told, with the choice where it is told once a choice.
    told: Vec<(Option<u32>, Box<str>)>,
}

/// A choice's message: it has one item for text and one for reasoning.
pub(super) const fn key(choice: u32) -> WireKey<'static> {
    WireKey { choice, index: None, id: None }
}

impl DeltaReader {
    pub(super) const fn new(think_tags: bool) -> Self {
        Self { think_tags, thinking: Vec::new(), told: Vec::new() }
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
        let passes_unknown = referee.passes_unknown();
        let mut others: Vec<String> = Vec::new();
        let delta = Delta::read(delta, &NAMES, place, |name, value| {
            if !passes_unknown && name != "obfuscation" && !says_nothing(value) {
                others.push(name.to_owned());
            }
        })?;
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
            push_call(call, choice, is_message, place, referee)?;
        }
        if let Some(call) = legacy {
            push_legacy_call(
                call,
                choice,
                calls.is_none(),
                &delta.place_of(FUNCTION_CALL),
                referee,
            )?;
        }
        self.rest(&delta, choice, referee)?;
        for name in others {
            self.tell_unknown(&name, &place.member(&name), referee)?;
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
        let Some(details) = delta.of_kind(REASONING_DETAILS, Kind::Array)? else {
            return match first {
                Some((slot, text)) => {
                    referee.append(key(choice), SUMMARY, text, None, &delta.place_of(slot))
                }
                None => Ok(()),
            };
        };
        if let Some((slot, text)) = first {
            referee.append(key(choice), SUMMARY, text, None, &delta.place_of(slot))?;
        }
        for (at, detail) in elements(details).enumerate() {
            let place = delta.place.element("reasoning_details", at as u32);
            self.reasoning_detail(detail, first.is_none(), choice, &place, referee)?;
        }
        Ok(())
    }

    fn reasoning_detail<E: Encode>(
        &mut self,
        detail: Raw<'_>,
        with_text: bool,
        choice: u32,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        const NAMES: [&str; 4] = ["text", "summary", "data", "signature"];
        let detail = Object::read(detail, &NAMES, *place, |_, _| {})?;
        let member = |slot| {
            let text = detail.raw(slot)?.and_then(text_of);
            Ok::<_, Stop>(text.filter(|text| !text.is_empty()))
        };
        let mut text = None;
        if with_text {
            let (own, summary) = (member(0)?, member(1)?);
            text = own.map(|text| (0, text)).or_else(|| summary.map(|text| (1, text)));
        }
        if let Some((slot, text)) = text {
            referee.append(key(choice), SUMMARY, text, None, &detail.place_of(slot))?;
        }
        for slot in [2, 3] {
            if member(slot)?.is_some() {
                let place = detail.place_of(slot);
                let code = LossCode::OpaqueStateDropped;
                self.tell(Some(choice), NAMES[slot], code, NAMES[slot], &place, referee)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn content<E: Encode>(
        &mut self,
        content: Raw<'_>,
        choice: u32,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        match content.kind() {
            Kind::String => {
                let text = text_of(content).unwrap_or(Tok::EMPTY);
                self.text(text, choice, log_probs, &place.member("content"), referee)
            }
            Kind::Array => {
                for (at, part) in elements(content).enumerate() {
                    self.part(part, choice, &place.element("content", at as u32), referee)?;
                }
                Ok(())
            }
            _ => referee.losses.report(LossCode::PartUnknown, &place.member("content"), ""),
        }
    }

    fn part<E: Encode>(
        &mut self,
        part: Raw<'_>,
        choice: u32,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if let Some(text) = text_of(part) {
            return self.text(text, choice, None, place, referee);
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
            Some(text) => self.text(text, choice, None, &part.place_of(1), referee),
            None => referee.losses.report(LossCode::PartUnknown, place, &kind.decode()),
        }
    }

    #[inline]
    fn text<E: Encode>(
        &mut self,
        text: Tok<'_>,
        choice: u32,
        log_probs: Option<Raw<'_>>,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if text.is_empty() && log_probs.is_none() {
            return Ok(());
        }
        if !self.think_tags {
            return referee.append(key(choice), TEXT, text, log_probs, place);
        }
        let known = self.thinking.iter().position(|(index, _)| *index == choice);
        let at = known.unwrap_or_else(|| {
            self.thinking.push((choice, ThinkTags::default()));
            self.thinking.len() - 1
        });
        let split = self.thinking[at].1.take(&text.decode());
        push_plain(&split.reasoning, choice, SUMMARY, place, referee)?;
        push_plain(&split.text, choice, TEXT, place, referee)
    }

    /// What could still have become a tag is text after all.
    pub(super) fn flush<E: Encode>(
        &mut self,
        choice: u32,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let Some((_, tags)) = self.thinking.iter_mut().find(|(index, _)| *index == choice) else {
            return Ok(());
        };
        let rest = tags.finish();
        push_plain(&rest.reasoning, choice, SUMMARY, place, referee)?;
        push_plain(&rest.text, choice, TEXT, place, referee)
    }

    pub(super) fn flush_all<E: Encode>(
        &mut self,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let place = referee.place();
        let choices: Vec<u32> = self.thinking.iter().map(|(index, _)| *index).collect();
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
        if delta.raw(AUDIO)?.is_some() {
            let place = delta.place_of(AUDIO);
            self.tell(None, "audio", LossCode::DeltaMemberDropped, "audio", &place, referee)?;
        }
        for slot in OPAQUE {
            if delta.raw(slot)?.and_then(text_of).is_some_and(|text| !text.is_empty()) {
                let code = LossCode::OpaqueStateDropped;
                self.tell(
                    Some(choice),
                    NAMES[slot],
                    code,
                    NAMES[slot],
                    &delta.place_of(slot),
                    referee,
                )?;
            }
        }
        if delta.raw(EXTRA_CONTENT)?.and_then(thought_signature).is_some() {
            let place = delta.place_of(EXTRA_CONTENT);
            let (code, name) = (LossCode::OpaqueStateDropped, "thought_signature");
            self.tell(Some(choice), name, code, name, &place, referee)?;
        }
        Ok(())
    }

    /// A member of a delta or of a choice that the format does not know; told once a name.
    pub(super) fn tell_unknown<E: Encode>(
        &mut self,
        name: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        self.tell(None, name, LossCode::DeltaMemberDropped, name, place, referee)
    }

    /// A member of a chunk that is dropped; told once a name.
    pub(super) fn tell_dropped<E: Encode>(
        &mut self,
        name: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        self.tell_once(None, name, LossCode::DeltaMemberDropped, name, place, referee)
    }

    fn tell<E: Encode>(
        &mut self,
        choice: Option<u32>,
        name: &str,
        code: LossCode,
        detail: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if referee.passes_unknown() {
            return Ok(());
        }
        self.tell_once(choice, name, code, detail, place, referee)
    }

    fn tell_once<E: Encode>(
        &mut self,
        choice: Option<u32>,
        name: &str,
        code: LossCode,
        detail: &str,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if self.told.iter().any(|(of, told)| *of == choice && **told == *name) {
            return Ok(());
        }
        if !referee.losses.is_full() {
            self.told.push((choice, name.into()));
        }
        referee.losses.report(code, place, detail)
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

/// Whether an unknown member's value is nothing to miss.
pub(super) fn says_nothing(value: Raw<'_>) -> bool {
    matches!(value.kind(), Kind::Null) || matches!(value.bytes(), b"\"\"") || {
        value.is_empty_container()
    }
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
    text: &str,
    choice: u32,
    part: PartKey,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    if text.is_empty() {
        return Ok(());
    }
    let mut body = Vec::new();
    crate::json::push_escaped_once(&mut body, text.as_bytes());
    match Tok::from_raw(&body) {
        Some(text) => referee.append(key(choice), part, text, None, place),
        None => Ok(()),
    }
}
