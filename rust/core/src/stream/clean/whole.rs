//! Whole bodies of one format: one that needs no change stays as it is (`DESIGN.md` 8).

use std::collections::BTreeSet;

use super::cover::covers;
use super::fold::member;
use super::merge::{push_merged, push_name};
use super::{BORDER, Known, written};
use crate::json::{Kind, Raw, push_raw_passed, push_string};
use crate::stream::decode::{elements, members};

/// The source's body if that says what `body` says; else `body` with what the format does not know of the source's.
pub(crate) fn put_in_place(json: &[u8], body: &[u8], known: &Known) -> Vec<u8> {
    let (Ok(source), Ok(written)) = (Raw::parse(json), Raw::parse(body)) else {
        return body.to_vec();
    };
    if covers(source, &[written], known, &mut None) {
        return json.to_vec();
    }
    merged(source, written, known)
}

/// A body with what the format does not know of `riders`.
pub(crate) fn with_riders(body: &[u8], riders: &[u8], known: &Known) -> Vec<u8> {
    match (Raw::parse(riders), Raw::parse(body)) {
        (Ok(riders), Ok(body)) => merged(riders, body, known),
        _ => body.to_vec(),
    }
}

fn merged(source: Raw<'_>, body: Raw<'_>, known: &Known) -> Vec<u8> {
    let mut out = Vec::new();
    push_merged(&mut out, &[source], &[body], known);
    out
}

/// Completes the events that were written for a whole body, `out` from `start` on, with what the format does not
/// know of the body: what stands beside its texts with the event that opens a choice, the rest where it belongs.
pub(crate) fn complete_events(
    source: &[u8],
    known: &'static Known,
    start: usize,
    out: &mut Vec<u8>,
) {
    let (Some(folds), Ok(source)) = (known.folds, Raw::parse(source)) else { return };
    let all = out.split_off(start);
    let (mut beside, mut inside) = (Vec::new(), Vec::new());
    push_as_event(&mut beside, source, known, Part::Beside);
    push_as_event(&mut inside, source, known, Part::Inside);
    let (Ok(beside), Ok(inside)) = (Raw::parse(&beside), Raw::parse(&inside)) else {
        return out.extend_from_slice(&all);
    };
    let mut opened = BTreeSet::new();
    for event in written(&all) {
        let Some(payload) = event.payload else {
            out.extend_from_slice(event.whole);
            continue;
        };
        let choices: Vec<_> = member(payload, folds).into_iter().flat_map(elements).collect();
        let index = choices.first().and_then(|choice| member(*choice, "index"));
        let opens = index.is_some_and(|index| opened.insert(index.bytes()));
        let source = if opens {
            beside
        } else if choices.iter().any(|choice| continues_a_call(*choice, known, folds)) {
            out.extend_from_slice(event.whole);
            continue;
        } else {
            inside
        };
        out.extend_from_slice(event.opening);
        push_merged(out, &[source], &[payload], known);
        out.extend_from_slice(BORDER);
    }
}

/// A body in the form of an event.
pub(crate) fn body_as_event(source: &[u8], known: &Known) -> Vec<u8> {
    let mut event = Vec::new();
    if let Ok(source) = Raw::parse(source) {
        push_as_event(&mut event, source, known, Part::All);
    }
    event
}

/// Whether a choice brings more text of a call that is open.
fn continues_a_call(choice: Raw<'_>, known: &Known, folds: &str) -> bool {
    let level = known.below(folds).and_then(|level| Some((level, level.name_in_bodies?.0)));
    let Some((level, name)) = level else { return false };
    let (Some(delta), Some(delta_level)) = (member(choice, name), level.below(name)) else {
        return false;
    };
    let calls = delta_level.held.iter().filter_map(|held| member(delta, held)).flat_map(elements);
    calls.into_iter().any(|call| member(call, "id").is_none())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// What stands beside the texts and calls.
    Beside,
    /// Texts, calls and what is told at the end.
    Inside,
}

/// Appends a part of a body in the form of an event.
fn push_as_event(out: &mut Vec<u8>, object: Raw<'_>, level: &Known, part: Part) {
    let mut separator = b'{';
    if object.kind() != Kind::Object || object.is_empty_container() {
        return out.extend_from_slice(b"{}");
    }
    for (key, value) in members(object) {
        let name = key.decode();
        let renamed = level.name_in_bodies.filter(|(_, there)| *there == name);
        let is_left_out = match part {
            Part::All => false,
            Part::Beside => {
                level.held.contains(&&*name)
                    || level.last.contains(&&*name)
                    || level.noise.contains(&&*name)
            }
            Part::Inside => !level.has(&name),
        };
        if is_left_out || level.name_in_bodies.is_some_and(|(here, _)| here == name) {
            continue;
        }
        out.push(separator);
        separator = b',';
        match renamed {
            Some((here, _)) => push_string(out, here),
            None => push_name(out, key),
        }
        out.push(b':');
        if let Some((here, _)) = renamed {
            match level.below(here) {
                Some(below) => push_as_event(out, value, below, part),
                None => push_raw_passed(out, value),
            }
        } else if let Some(below) = level.below(&name).filter(|_| level.folds == Some(&*name)) {
            out.push(b'[');
            for (at, element) in elements(value).enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_as_event(out, element, below, part);
            }
            out.push(b']');
        } else {
            push_raw_passed(out, value);
        }
    }
    out.extend_from_slice(if separator == b'{' { b"{}" } else { b"}" });
}
