//! Output items and their parts (`docs/formats/openai_responses.md`, "Decode: items").

use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{Object, elements, wrong_type};
use crate::stream::delta::{Class, ItemHead, ItemRef, PartKey, PartKind, WireKey};
use crate::stream::digest::fnv1a_64;
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{PassedPart, Referee, Settling, Snapshot};

const NAMES: [&str; 9] = [
    "type",
    "id",
    "call_id",
    "name",
    "arguments",
    "input",
    "content",
    "summary",
    "encrypted_content",
];
const TYPE: usize = 0;
const ID: usize = 1;
const CALL_ID: usize = 2;
const NAME: usize = 3;
const ARGUMENTS: usize = 4;
const INPUT: usize = 5;
const CONTENT: usize = 6;
const SUMMARY: usize = 7;

/// When an item is seen.
pub(super) enum Moment<'a, 's> {
    /// It is announced.
    Added(WireKey<'a>),
    /// It is over.
    Done(WireKey<'a>),
    /// It is in the terminal object.
    Terminal(&'s mut Settling),
}

/// What becomes of an item that is neither message, reasoning nor call.
fn fate(kind: &str) -> LossCode {
    match kind {
        "computer_call"
        | "local_shell_call"
        | "shell_call"
        | "apply_patch_call"
        | "mcp_approval_request" => LossCode::ClientToolDropped,
        "image_generation_call" => LossCode::ImageDropped,
        "compaction" => LossCode::OpaqueStateDropped,
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "mcp_call"
        | "mcp_list_tools"
        | "tool_search_call"
        | "tool_search_output"
        | "x_search_call"
        | "program"
        | "program_output"
        | "shell_call_output"
        | "local_shell_call_output"
        | "apply_patch_call_output"
        | "computer_call_output" => LossCode::ServerToolDropped,
        _ => LossCode::ItemUnknown,
    }
}

fn class_of(kind: &str) -> Class {
    match kind {
        "message" => Class::Message,
        "reasoning" => Class::Reasoning,
        "function_call" => Class::Function,
        "custom_tool_call" => Class::Custom,
        other => Class::Foreign(fnv1a_64(&[other.as_bytes()])),
    }
}

/// Members that every item has and no target needs.
fn is_noise(name: &str) -> bool {
    matches!(name, "id" | "type" | "status" | "role" | "format")
}

/// Members that are read for an item of this class.
fn is_read(name: &str, class: Class) -> bool {
    match class {
        Class::Message => name == "content",
        Class::Reasoning => matches!(name, "content" | "summary"),
        Class::Function => matches!(name, "call_id" | "name" | "arguments"),
        Class::Custom => matches!(name, "call_id" | "name" | "input"),
        Class::Foreign(_) => true,
    }
}

/// Takes what an item object says.
pub(super) fn push_item<E: Encode>(
    item: Raw<'_>,
    moment: Moment<'_, '_>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let object = Object::read(item, &NAMES, *place, |_, _| {})?;
    let Some(kind) = object.string(TYPE)?.map(Tok::decode) else {
        return Err(wrong_type(item.at(), &object.place_of(TYPE)));
    };
    let class = class_of(&kind);
    let id = object.string(ID)?.filter(|id| !id.is_empty());
    let mut head = ItemHead::of(class);
    if class.is_call() {
        head.call_id = object.string(CALL_ID)?;
        head.name = object.string(NAME)?;
    }
    let is_over = !matches!(moment, Moment::Added(_));
    let found = match moment {
        Moment::Added(key) => referee.announce_item(WireKey { id: id.or(key.id), ..key }, &head)?,
        Moment::Done(key) => referee.done_item(WireKey { id: id.or(key.id), ..key }, &head)?,
        Moment::Terminal(settling) => {
            let id = id.map(Tok::decode);
            let call_id = head.call_id.filter(|id| !id.is_empty()).map(Tok::decode);
            settling.take(referee, class, id.as_deref(), call_id.as_deref())?
        }
    };
    referee.describe(found, id, &head, place)?;
    referee.show_item(found, item)?;
    if let Class::Foreign(_) = class {
        referee.item_lost(found, fate(&kind), &kind, place)?;
    } else {
        tell_lost_members(item, found, class, place, referee)?;
    }
    match class {
        Class::Message => push_parts(&object, CONTENT, found, class, referee)?,
        Class::Reasoning => {
            push_parts(&object, SUMMARY, found, class, referee)?;
            push_parts(&object, CONTENT, found, class, referee)?;
        }
        Class::Function => push_call_text(&object, ARGUMENTS, PartKind::Arguments, found, referee)?,
        Class::Custom => push_call_text(&object, INPUT, PartKind::Input, found, referee)?,
        Class::Foreign(_) => {}
    }
    if is_over { referee.close(found, place) } else { Ok(()) }
}

fn tell_lost_members<E: Encode>(
    item: Raw<'_>,
    found: ItemRef,
    class: Class,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let mut cursor = item.cursor();
    // The item was checked when it was read: no step can fail.
    if cursor.object().is_err() {
        return Ok(());
    }
    while let Ok(Some(key)) = cursor.next_key() {
        let Ok(value) = cursor.skip_value() else { break };
        let name = key.decode();
        if value.kind() == Kind::Null || is_noise(&name) || is_read(&name, class) {
            continue;
        }
        let code = if class == Class::Reasoning && name == "encrypted_content" {
            if value.bytes() == b"\"\"" {
                continue;
            }
            if value.kind() != Kind::String {
                return Err(wrong_type(value.at(), &place.member(&name)));
            }
            LossCode::OpaqueStateDropped
        } else {
            LossCode::ItemMemberDropped
        };
        referee.member_lost(found, code, &name, &place.member(&name))?;
    }
    Ok(())
}

fn push_call_text<E: Encode>(
    item: &Object<'_, '_, { NAMES.len() }>,
    slot: usize,
    kind: PartKind,
    found: ItemRef,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let text = item.string(slot)?;
    let place = item.place_of(slot);
    referee.snapshot_of(
        found,
        PartKey { kind, number: 0 },
        &Snapshot { text, log_probs: None, place },
    )
}

fn push_parts<E: Encode>(
    item: &Object<'_, '_, { NAMES.len() }>,
    slot: usize,
    found: ItemRef,
    class: Class,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let Some(parts) = item.of_kind(slot, Kind::Array)? else { return Ok(()) };
    for (at, part) in elements(parts).enumerate() {
        let place = item.place.element(NAMES[slot], at as u32);
        push_part_of(part, found, class, slot == SUMMARY, at as u64, &place, referee)?;
    }
    Ok(())
}

const PART_NAMES: [&str; 5] = ["type", "text", "refusal", "annotations", "logprobs"];
const PART_TYPE: usize = 0;
const PART_TEXT: usize = 1;
const PART_REFUSAL: usize = 2;
const PART_ANNOTATIONS: usize = 3;
const PART_LOGPROBS: usize = 4;

/// What a part is, told by its type; `None` for types without a neutral form.
fn part_kind(kind: &str, class: Class, is_summary: bool) -> Option<PartKind> {
    match (class, kind) {
        (Class::Message, "output_text") => Some(PartKind::Text),
        (Class::Message, "refusal") => Some(PartKind::Refusal),
        (Class::Reasoning, "summary_text") if is_summary => Some(PartKind::Summary),
        (Class::Reasoning, "reasoning_text" | "text") if !is_summary => {
            Some(PartKind::ReasoningText)
        }
        _ => None,
    }
}

/// A part as an event about it shows it.
pub(super) struct ShownPart<'a> {
    pub(super) part: Raw<'a>,
    pub(super) is_summary: bool,
    pub(super) number: u64,
    /// The event closes it.
    pub(super) is_done: bool,
}

/// Takes what an event says about one part of an item. A `reasoning_text` part is one of a reasoning item,
/// whatever the event is called.
pub(super) fn push_part<E: Encode>(
    shown: &ShownPart<'_>,
    key: WireKey<'_>,
    class: Class,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let ShownPart { part, is_summary, number, is_done } = *shown;
    let object = Object::read(part, &PART_NAMES, *place, |_, _| {})?;
    let is_reasoning = object.string(PART_TYPE)?.is_some_and(|kind| kind.eq_str("reasoning_text"));
    let class = if is_reasoning { Class::Reasoning } else { class };
    let found = referee.find_item(key, class)?;
    let may_close = push_part_of(part, found, class, is_summary, number, place, referee)?;
    if is_done && may_close { referee.close_part(found, number, is_summary) } else { Ok(()) }
}

/// Takes a part; false if it is one that may not be closed.
fn push_part_of<E: Encode>(
    part: Raw<'_>,
    found: ItemRef,
    class: Class,
    is_summary: bool,
    number: u64,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<bool, Stop> {
    if part.kind() != Kind::Object {
        return Err(wrong_type(part.at(), place));
    }
    let object = Object::read(part, &PART_NAMES, *place, |_, _| {})?;
    let type_name = object.string(PART_TYPE)?.map(Tok::decode).unwrap_or_default();
    let Some(kind) = part_kind(&type_name, class, is_summary) else {
        let kind = if is_summary { PartKind::ForeignSummary } else { PartKind::Foreign };
        let key = PartKey { kind, number };
        return match referee.pass_part(found, key, part)? {
            PassedPart::Nowhere => {
                referee.part_lost(found, key, &type_name, place)?;
                Ok(true)
            }
            PassedPart::Apart => Ok(true),
            PassedPart::AlongWithText => Ok(false),
        };
    };
    let key = PartKey { kind, number };
    referee.show_part(found, key, part)?;
    let slot = if kind == PartKind::Refusal { PART_REFUSAL } else { PART_TEXT };
    let text = object.string(slot)?;
    let is_text = kind == PartKind::Text;
    let log_probs = if is_text { object.of_kind(PART_LOGPROBS, Kind::Array)? } else { None };
    let log_probs = log_probs.filter(|list| !list.is_empty_container());
    referee.snapshot_of(found, key, &Snapshot { text, log_probs, place: object.place_of(slot) })?;
    if is_text && let Some(notes) = object.of_kind(PART_ANNOTATIONS, Kind::Array)? {
        let notes: Vec<Raw<'_>> = elements(notes).collect();
        referee.annotations_of(found, key, &notes, place)?;
    }
    Ok(true)
}
