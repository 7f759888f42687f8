//! Stream events to deltas (`docs/formats/openai_responses.md`, "Decode: events").

use super::item::{Moment, ShownPart, push_item, push_part};
use super::terminal::{Word, push_head, push_terminal};
use crate::json::{Kind, LongValues, Members, Noise, Raw, Tok, TokBuf};
use crate::stream::decode::{Decode, Object, whole_object};
use crate::stream::delta::{Class, ItemHead, PartKey, PartKind, WireKey};
use crate::stream::encode::Encode;
use crate::stream::error_object::push_fault;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{Referee, Snapshot};

const NAMES: [&str; 18] = [
    "type",
    "output_index",
    "item_id",
    "content_index",
    "summary_index",
    "delta",
    "logprobs",
    "text",
    "refusal",
    "arguments",
    "input",
    "name",
    "item",
    "part",
    "annotation",
    "response",
    "error",
    "object",
];
const TYPE: usize = 0;
const OUTPUT_INDEX: usize = 1;
const ITEM_ID: usize = 2;
const CONTENT_INDEX: usize = 3;
const SUMMARY_INDEX: usize = 4;
const DELTA: usize = 5;
const LOGPROBS: usize = 6;
const TEXT: usize = 7;
const REFUSAL: usize = 8;
const ARGUMENTS: usize = 9;
const INPUT: usize = 10;
const NAME: usize = 11;
const ITEM: usize = 12;
const PART: usize = 13;
const ANNOTATION: usize = 14;
const RESPONSE: usize = 15;
const ERROR: usize = 16;
const OBJECT: usize = 17;

type Event<'a> = Object<'a, 'static, { NAMES.len() }>;

#[inline]
fn slot_of(name: &[u8]) -> Option<usize> {
    Some(match name {
        b"type" => TYPE,
        b"output_index" => OUTPUT_INDEX,
        b"item_id" => ITEM_ID,
        b"content_index" => CONTENT_INDEX,
        b"summary_index" => SUMMARY_INDEX,
        b"delta" => DELTA,
        b"logprobs" => LOGPROBS,
        b"text" => TEXT,
        b"refusal" => REFUSAL,
        b"arguments" => ARGUMENTS,
        b"input" => INPUT,
        b"name" => NAME,
        b"item" => ITEM,
        b"part" => PART,
        b"annotation" => ANNOTATION,
        b"response" => RESPONSE,
        b"error" => ERROR,
        b"object" => OBJECT,
        _ => return None,
    })
}

/// Event types of a hosted tool's progress have one of these stems: `response.<stem>.<step>`.
const HOSTED_STEMS: [&str; 15] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "code_interpreter_call_code",
    "image_generation_call",
    "mcp_call",
    "mcp_call_arguments",
    "mcp_list_tools",
    "shell_call_command",
    "shell_call_output_content",
    "apply_patch_call_operation_diff",
    "local_shell_call",
    "computer_call",
    "tool_search_call",
    "x_search_call",
];

/// Reads Responses events.
#[derive(Debug, Default)]
pub struct ResponsesDecoder {
    told_types: Vec<Box<str>>,
}

/// What all delta events of one shape say.
#[derive(Debug)]
pub struct DeltaWords {
    index: Option<u64>,
    id: Option<TokBuf>,
    part: PartKey,
}

impl DeltaWords {
    #[inline]
    fn key(&self) -> WireKey<'_> {
        WireKey { choice: 0, index: self.index, id: self.id.as_ref().map(TokBuf::token) }
    }
}

impl Decode for ResponsesDecoder {
    const DONE_ENDS: bool = false;
    const NOISE: Noise = Noise { names: &["obfuscation"], counter: Some("sequence_number") };
    type Words = DeltaWords;

    #[inline]
    fn event<'j, E: Encode>(
        &mut self,
        json: &'j [u8],
        name: &[u8],
        long_values: &'j LongValues,
        referee: &mut Referee<'_, E>,
    ) -> Result<(Raw<'j>, bool), Stop> {
        let place = referee.place();
        let (whole, members): (_, Members<'_, { NAMES.len() }>) =
            whole_object(json, long_values, place.ordinal(), slot_of)?;
        let event = Event::over(members, &NAMES, place);
        Ok((whole, self.dispatch(&event, whole, name, referee)?))
    }

    #[cold]
    fn words<'j>(&self, json: &'j [u8], _: bool) -> Option<(DeltaWords, Tok<'j>)> {
        let event =
            Event::read(Raw::parse(json).ok()?, &NAMES, Place::event(None), |_, _| {}).ok()?;
        // The type must be part of the shape: a name on the `event:` line is not.
        let (kind, number_slot) = delta_of(event.string(TYPE).ok()??.raw())?;
        if kind == PartKind::Text && log_probs_of(&event).ok()?.is_some() {
            return None;
        }
        let key = key_of(&event).ok()?;
        let part = PartKey { kind, number: number_of(&event, number_slot).ok()? };
        let text = event.string(DELTA).ok()??;
        Some((DeltaWords { index: key.index, id: key.id.map(TokBuf::of), part }, text))
    }

    #[inline]
    fn text<E: Encode>(
        &mut self,
        words: &DeltaWords,
        text: Tok<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let place = referee.place().member(NAMES[DELTA]);
        referee.append(words.key(), words.part, text, None, &place)
    }

    fn body<E: Encode>(&mut self, json: &[u8], referee: &mut Referee<'_, E>) -> Result<(), Stop> {
        let place = referee.place();
        let long_values = LongValues::default();
        let (whole, members) = whole_object(json, &long_values, place.ordinal(), slot_of)?;
        let body = Event::over(members, &NAMES, place);
        let kind = body.raw(OBJECT)?.filter(|kind| kind.kind() == Kind::String);
        if kind
            .and_then(|kind| kind.cursor().string().ok())
            .is_some_and(|kind| kind.eq_str("response"))
        {
            return push_terminal(Some(whole), Word::Done, &place, referee);
        }
        if let Some(error) = object(body.raw(ERROR)?) {
            return push_fault(error, true, &place.member("error"), referee);
        }
        self.dispatch(&body, whole, b"", referee).map(|_| ())
    }
}

impl ResponsesDecoder {
    #[inline]
    fn dispatch<E: Encode>(
        &mut self,
        event: &Event<'_>,
        whole: Raw<'_>,
        name: &[u8],
        referee: &mut Referee<'_, E>,
    ) -> Result<bool, Stop> {
        let Some(kind) = event.string(TYPE)?.filter(|kind| !kind.is_empty()) else {
            return self.untyped(event, whole, name, referee);
        };
        if kind.has_escapes() {
            return self.typed(kind.decode().as_bytes(), event, whole, referee);
        }
        self.typed(kind.raw(), event, whole, referee)
    }

    fn untyped<E: Encode>(
        &mut self,
        event: &Event<'_>,
        whole: Raw<'_>,
        name: &[u8],
        referee: &mut Referee<'_, E>,
    ) -> Result<bool, Stop> {
        let has_error = name.is_empty() && object(event.raw(ERROR)?).is_some();
        let kind = if has_error { b"error" } else { name };
        self.typed(kind, event, whole, referee)
    }

    #[inline]
    fn typed<E: Encode>(
        &mut self,
        kind: &[u8],
        event: &Event<'_>,
        whole: Raw<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<bool, Stop> {
        match delta_of(kind) {
            Some((kind, number_slot)) => push_delta(event, kind, number_slot, referee),
            None => self.rare(kind, event, whole, referee).map(|()| false),
        }
    }

    #[cold]
    fn rare<E: Encode>(
        &mut self,
        kind: &[u8],
        event: &Event<'_>,
        whole: Raw<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        match kind {
            b"response.created" | b"response.in_progress" | b"response.queued" => {
                let Some(response) = event.raw(RESPONSE)? else { return Ok(()) };
                push_head(response, &event.place.member("response"), referee)?;
                if kind != b"response.created" {
                    referee.repeat_head(&String::from_utf8_lossy(kind));
                }
                Ok(())
            }
            b"response.output_text.done" => {
                push_done(event, PartKind::Text, Some(CONTENT_INDEX), TEXT, referee)
            }
            b"response.refusal.done" => {
                push_done(event, PartKind::Refusal, Some(CONTENT_INDEX), REFUSAL, referee)
            }
            b"response.reasoning_summary_text.done" => {
                push_done(event, PartKind::Summary, Some(SUMMARY_INDEX), TEXT, referee)
            }
            b"response.reasoning_text.done" => {
                push_done(event, PartKind::ReasoningText, Some(CONTENT_INDEX), TEXT, referee)
            }
            b"response.function_call_arguments.done" => {
                push_done(event, PartKind::Arguments, None, ARGUMENTS, referee)
            }
            b"response.custom_tool_call_input.done" => {
                push_done(event, PartKind::Input, None, INPUT, referee)
            }
            b"response.output_item.added" => push_item_event(event, false, referee),
            b"response.output_item.done" => push_item_event(event, true, referee),
            b"response.content_part.added" | b"response.content_part.done" => {
                push_part_event(event, kind, Class::Message, CONTENT_INDEX, referee)
            }
            b"response.reasoning_part.added" | b"response.reasoning_part.done" => {
                push_part_event(event, kind, Class::Reasoning, CONTENT_INDEX, referee)
            }
            b"response.reasoning_summary_part.added" | b"response.reasoning_summary_part.done" => {
                push_part_event(event, kind, Class::Reasoning, SUMMARY_INDEX, referee)
            }
            b"response.output_text.annotation.added" => push_annotation(event, referee),
            b"response.completed" | b"response.done" => {
                push_terminal_event(event, Word::Done, referee)
            }
            b"response.incomplete" => push_terminal_event(event, Word::Incomplete, referee),
            b"response.failed" => push_terminal_event(event, Word::Failed, referee),
            b"response.cancelled" => push_terminal_event(event, Word::Cancelled, referee),
            b"error" => match object(event.raw(ERROR)?) {
                Some(error) => push_fault(error, true, &event.place_of(ERROR), referee),
                None => push_fault(whole, false, &event.place, referee),
            },
            b"keepalive" | b"ping" => {
                referee.alive();
                Ok(())
            }
            _ => {
                let key = lenient_key_of(event);
                if referee.pass_event(key, &String::from_utf8_lossy(kind), whole)?
                    || is_hosted_progress(kind)
                {
                    return Ok(());
                }
                self.tell_unknown(&String::from_utf8_lossy(kind), referee)
            }
        }
    }

    fn tell_unknown<E: Encode>(
        &mut self,
        kind: &str,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if self.told_types.iter().any(|told| **told == *kind) {
            return Ok(());
        }
        if !referee.losses.is_full() {
            self.told_types.push(kind.into());
        }
        let place = referee.place();
        referee.losses.report(LossCode::EventUnknown, &place, kind)
    }
}

/// The part that a delta event of a type brings text of, and the slot of the part's number.
#[inline]
fn delta_of(kind: &[u8]) -> Option<(PartKind, Option<usize>)> {
    Some(match kind {
        b"response.output_text.delta" => (PartKind::Text, Some(CONTENT_INDEX)),
        b"response.function_call_arguments.delta" => (PartKind::Arguments, None),
        b"response.reasoning_summary_text.delta" => (PartKind::Summary, Some(SUMMARY_INDEX)),
        b"response.reasoning_text.delta" => (PartKind::ReasoningText, Some(CONTENT_INDEX)),
        b"response.refusal.delta" => (PartKind::Refusal, Some(CONTENT_INDEX)),
        b"response.custom_tool_call_input.delta" => (PartKind::Input, None),
        _ => return None,
    })
}

#[inline]
fn push_delta<E: Encode>(
    event: &Event<'_>,
    kind: PartKind,
    number_slot: Option<usize>,
    referee: &mut Referee<'_, E>,
) -> Result<bool, Stop> {
    let key = key_of(event)?;
    let part = PartKey { kind, number: number_of(event, number_slot)? };
    let log_probs = if kind == PartKind::Text { log_probs_of(event)? } else { None };
    let text = event.string(DELTA)?.unwrap_or(Tok::EMPTY);
    referee.append(key, part, text, log_probs, &event.place_of(DELTA))?;
    Ok(log_probs.is_none())
}

fn is_hosted_progress(kind: &[u8]) -> bool {
    let stem = kind.strip_prefix(b"response.").and_then(|rest| {
        let end = rest.iter().position(|byte| *byte == b'.')?;
        Some(&rest[..end])
    });
    stem.is_some_and(|stem| HOSTED_STEMS.iter().any(|hosted| hosted.as_bytes() == stem))
}

#[inline]
fn key_of<'a>(event: &Event<'a>) -> Result<WireKey<'a>, Stop> {
    Ok(WireKey { choice: 0, index: event.unsigned(OUTPUT_INDEX)?, id: event.string(ITEM_ID)? })
}

/// The key of an event that is not read.
fn lenient_key_of<'a>(event: &Event<'a>) -> WireKey<'a> {
    let index = event.unsigned(OUTPUT_INDEX).unwrap_or_default();
    WireKey { choice: 0, index, id: event.string(ITEM_ID).unwrap_or_default() }
}

#[inline]
fn number_of(event: &Event<'_>, slot: Option<usize>) -> Result<u64, Stop> {
    match slot {
        Some(slot) => Ok(event.unsigned(slot)?.unwrap_or(0)),
        None => Ok(0),
    }
}

/// A list that is absent if it is empty.
#[inline]
fn log_probs_of<'a>(event: &Event<'a>) -> Result<Option<Raw<'a>>, Stop> {
    let list = event.of_kind(LOGPROBS, Kind::Array)?;
    Ok(list.filter(|list| !list.is_empty_container()))
}

fn push_done<E: Encode>(
    event: &Event<'_>,
    kind: PartKind,
    number_slot: Option<usize>,
    text_slot: usize,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let is_text = kind == PartKind::Text;
    let is_call = kind.class().is_call();
    let key = key_of(event)?;
    let part = PartKey { kind, number: number_of(event, number_slot)? };
    let text = event.string(text_slot)?;
    let log_probs = if is_text { log_probs_of(event)? } else { None };
    if is_call {
        let name = if kind == PartKind::Arguments { event.string(NAME)? } else { None };
        let head = ItemHead { name, ..ItemHead::of(kind.class()) };
        referee.name_call(key, &head, &event.place)?;
    }
    let shown = Snapshot { text, log_probs, place: event.place_of(text_slot) };
    referee.snapshot(key, part, &shown)?;
    referee.close_text(key, part, log_probs)
}

fn push_item_event<E: Encode>(
    event: &Event<'_>,
    is_done: bool,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let key = key_of(event)?;
    let Some(item) = event.of_kind(ITEM, Kind::Object)? else { return Ok(()) };
    let moment = if is_done { Moment::Done(key) } else { Moment::Added(key) };
    push_item(item, moment, &event.place.member("item"), referee)
}

fn push_part_event<E: Encode>(
    event: &Event<'_>,
    event_type: &[u8],
    class: Class,
    number_slot: usize,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let key = key_of(event)?;
    let number = number_of(event, Some(number_slot))?;
    let Some(part) = event.of_kind(PART, Kind::Object)? else { return Ok(()) };
    let is_summary = number_slot == SUMMARY_INDEX;
    let shown = ShownPart { part, is_summary, number, is_done: event_type.ends_with(b".done") };
    push_part(&shown, key, class, &event.place.member("part"), referee)
}

fn push_annotation<E: Encode>(event: &Event<'_>, referee: &mut Referee<'_, E>) -> Result<(), Stop> {
    let key = key_of(event)?;
    let part = PartKey { kind: PartKind::Text, number: number_of(event, Some(CONTENT_INDEX))? };
    match event.raw(ANNOTATION)? {
        Some(annotation) => referee.annotation(key, part, annotation, &event.place_of(ANNOTATION)),
        None => Ok(()),
    }
}

fn push_terminal_event<E: Encode>(
    event: &Event<'_>,
    word: Word,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let response = event.of_kind(RESPONSE, Kind::Object)?;
    push_terminal(response, word, &event.place.member("response"), referee)
}

fn object(value: Option<Raw<'_>>) -> Option<Raw<'_>> {
    value.filter(|value| value.kind() == Kind::Object)
}
