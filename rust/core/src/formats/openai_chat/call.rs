//! One element of `tool_calls` (`docs/formats/openai_chat.md`, "Decode").

use super::delta::{json_text, text_of, thought_signature};
use super::told::Told;
use crate::json::{Kind, Raw, Tok};
use crate::stream::context::member;
use crate::stream::decode::{Object, members, says_nothing, wrong_type};
use crate::stream::delta::{Class, ItemHead, PartKey, PartKind, WireKey};
use crate::stream::encode::Encode;
use crate::stream::loss::LossCode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::Referee;

const NAMES: [&str; 6] = ["index", "id", "type", "function", "custom", "extra_content"];
const INDEX: usize = 0;
const ID: usize = 1;
const TYPE: usize = 2;
const FUNCTION: usize = 3;
const CUSTOM: usize = 4;
const EXTRA_CONTENT: usize = 5;

const BODY_NAMES: [&str; 3] = ["name", "arguments", "input"];
const NAME: usize = 0;
const ARGUMENTS: usize = 1;
const INPUT: usize = 2;

type Body<'a, 'p> = Object<'a, 'p, { BODY_NAMES.len() }>;

/// What an element says.
struct Entry<'a> {
    index: Option<u64>,
    id: Option<Tok<'a>>,
    is_custom: bool,
    name: Option<Tok<'a>>,
    text: Option<Raw<'a>>,
    /// Where its opaque signature stands.
    signed_at: Option<Place<'a>>,
}

/// Takes an element of `tool_calls`. In a whole body each is a call of its own.
#[inline]
pub(super) fn push_call<E: Encode>(
    call: Raw<'_>,
    choice: u32,
    is_message: bool,
    place: Place<'_>,
    told: &mut Told,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let whole = call;
    let mut has_others = false;
    let call = Object::read(call, &NAMES, place, |_, _| has_others = true)?;
    let kind = call.raw(TYPE)?.and_then(text_of).filter(|kind| !kind.is_empty());
    let bodies = [call.of_kind(CUSTOM, Kind::Object)?, call.of_kind(FUNCTION, Kind::Object)?];
    let is_custom = bodies[0].is_some() || kind.is_some_and(|kind| kind.eq_str("custom"));
    if let ([None, None], Some(kind)) = (bodies, kind)
        && !is_custom
        && !kind.eq_str("function")
    {
        return told.kind(LossCode::ClientToolDropped, &kind.decode(), &place, referee);
    }
    let index = call.raw(INDEX)?.filter(|index| index.kind() == Kind::Number);
    let mut entry = Entry {
        index: index
            .and_then(|index| index.cursor().number().ok()?.as_u64())
            .filter(|_| !is_message),
        id: call.string(ID)?.filter(|id| !id.is_empty()),
        is_custom,
        name: None,
        text: None,
        signed_at: None,
    };
    let mut text_place = place;
    for (slot, body) in [CUSTOM, FUNCTION].into_iter().zip(bodies) {
        let Some(body) = body else { continue };
        let body = Body::read(body, &BODY_NAMES, call.place_of(slot), |_, _| has_others = true)?;
        entry.name = match entry.name {
            None => body.string(NAME)?.filter(|name| !name.is_empty()),
            known => known,
        };
        let slots = if is_custom { [INPUT, ARGUMENTS] } else { [ARGUMENTS, INPUT] };
        for slot in slots {
            let text = body.raw(slot)?.filter(|text| !is_empty_text(*text));
            has_others |= text.is_some() && entry.text.is_some();
            if let (Some(text), None) = (text, entry.text) {
                entry.text = Some(text);
                text_place = body.place_of(slot);
            }
        }
    }
    let extra_content = call.raw(EXTRA_CONTENT)?;
    if extra_content.and_then(thought_signature).is_some() {
        let place = call.place_of(EXTRA_CONTENT).member("google").member("thought_signature");
        entry.signed_at = Some(place);
    }
    has_others |= extra_content.is_some() && entry.signed_at.is_none();
    push_entry(&entry, is_message, choice, &place, &text_place, referee)?;
    if has_others && !referee.passes_unknown() {
        tell_others(whole, &entry, &place, told, referee)?;
    }
    Ok(())
}

fn is_empty_text(text: Raw<'_>) -> bool {
    text_of(text).is_some_and(Tok::is_empty)
}

/// Tells of the members of an element that are not read, in their order; then of those of its bodies.
#[cold]
fn tell_others<E: Encode>(
    call: Raw<'_>,
    entry: &Entry<'_>,
    place: &Place<'_>,
    told: &mut Told,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    for (key, value) in members(call) {
        let name = &*key.decode();
        let is_read = match name {
            "extra_content" => entry.signed_at.is_some(),
            _ => NAMES.contains(&name),
        };
        if !is_read && !says_nothing(value) {
            told.unknown(name, &place.member(name), referee)?;
        }
    }
    for slot in [CUSTOM, FUNCTION] {
        let body = member(call, NAMES[slot]).filter(|body| body.kind() == Kind::Object);
        if let Some(body) = body {
            tell_others_of_body(body, entry.text, &place.member(NAMES[slot]), told, referee)?;
        }
    }
    Ok(())
}

/// The same of what a call is called and given; `text` is what was read of it.
#[cold]
fn tell_others_of_body<E: Encode>(
    body: Raw<'_>,
    text: Option<Raw<'_>>,
    place: &Place<'_>,
    told: &mut Told,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    for (key, value) in members(body) {
        let name = &*key.decode();
        let is_read = name == BODY_NAMES[NAME] || text.is_some_and(|text| text.at() == value.at());
        if !is_read && !says_nothing(value) {
            told.unknown(name, &place.member(name), referee)?;
        }
    }
    Ok(())
}

/// Takes the older `function_call`: a call with index 0. Without a name it counts only if no `tool_calls`
/// stand beside it.
pub(super) fn push_legacy_call<E: Encode>(
    call: Raw<'_>,
    choice: u32,
    stands_alone: bool,
    place: &Place<'_>,
    told: &mut Told,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let whole = call;
    let mut has_others = false;
    let body = Body::read(call, &BODY_NAMES, *place, |_, _| has_others = true)?;
    let name = body.string(NAME)?.filter(|name| !name.is_empty());
    let arguments = body.raw(ARGUMENTS)?;
    let text = arguments.filter(|_| stands_alone || name.is_some());
    has_others |= body.raw(INPUT)?.is_some();
    let entry = Entry { index: Some(0), id: None, is_custom: false, name, text, signed_at: None };
    push_entry(&entry, false, choice, place, &body.place_of(ARGUMENTS), referee)?;
    if has_others && !referee.passes_unknown() {
        tell_others_of_body(whole, arguments, place, told, referee)?;
    }
    Ok(())
}

fn push_entry<E: Encode>(
    entry: &Entry<'_>,
    is_message: bool,
    choice: u32,
    place: &Place<'_>,
    text_place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let mut written = Vec::new();
    let text = match entry.text {
        Some(text) => text_token(text, text_place, &mut written)?,
        None => Tok::EMPTY,
    };
    let class = if entry.is_custom { Class::Custom } else { Class::Function };
    let is_named = entry.name.is_some() || entry.id.is_some();
    if !is_named && text.is_empty() && entry.signed_at.is_none() {
        return Ok(());
    }
    // An index decides alone, unless calls share it; the id is learned all the same. In a whole body each
    // element is a call.
    let index = entry
        .index
        .filter(|index| !entry.id.is_some_and(|id| referee.shares_index(choice, *index, id)));
    let id = entry.id.filter(|_| index.is_none() && !is_message);
    let key = WireKey { choice, index, id };
    if is_named {
        let head = ItemHead { class, call_id: entry.id, name: entry.name, name_grows: !is_message };
        let item = referee.announce_item(key, &head)?;
        referee.describe(item, entry.id, &head, place)?;
    }
    if let Some(signed_at) = &entry.signed_at {
        let item = referee.find_item(key, class)?;
        let code = LossCode::OpaqueStateDropped;
        referee.member_lost(item, code, "thought_signature", signed_at)?;
    }
    if !text.is_empty() {
        let kind = if entry.is_custom { PartKind::Input } else { PartKind::Arguments };
        referee.append_arguments(key, PartKey { kind, number: 0 }, text, text_place, place)?;
    }
    Ok(())
}

/// Text of a call; an object given in its place becomes its JSON text, in `written`.
fn text_token<'t>(
    text: Raw<'t>,
    place: &Place<'_>,
    written: &'t mut Vec<u8>,
) -> Result<Tok<'t>, Stop> {
    match text.kind() {
        Kind::String => Ok(text_of(text).unwrap_or(Tok::EMPTY)),
        Kind::Object => {
            *written = json_text(text);
            Ok(Tok::from_raw(written).unwrap_or(Tok::EMPTY))
        }
        _ => Err(wrong_type(text.at(), place)),
    }
}
