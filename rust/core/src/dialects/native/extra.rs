//! `extra_content` inside an envelope: compact, its keys once and in the order asked for, its numbers
//! as they are spelt.

use core::ops::Range;
use std::borrow::Cow;

use super::Order;
use super::encode::{Member, Misfit, push_quoted};
use crate::error::Code;
use crate::json::{Cursor, JsonError, Kind, Raw, Scalar, Scalars};

/// Brackets of an envelope that are open around a call's member, and the one by which an envelope
/// must stay below the deepest text, since it stands in a row.
const OUTER_DEPTH: usize = 3 + 1;

/// Appends the value.
pub(super) fn push_extra<'a, const NESTED: bool>(
    out: &mut Vec<u8>,
    value: Raw<'a>,
    member: Member,
    order: Order,
) -> Result<(), Misfit<'a>> {
    let misfit = |code| Misfit { code, member, value: value.as_str() };
    if Cursor::nested(value.as_str(), OUTER_DEPTH).skip_value().is_err() {
        return Err(misfit(Code::NestingTooDeep));
    }
    let is_lone = |scalar| matches!(scalar, Scalar::Text(token) if token.has_lone_surrogate());
    if Scalars::of(value).any(is_lone) {
        return Err(misfit(Code::LoneSurrogate));
    }
    // The value was checked when it was read: there is nothing left that could be wrong.
    push_value::<NESTED>(out, &mut Cursor::of_str(value.as_str()), order)
        .map_err(|error| misfit(error.code))
}

/// As deep as the value is, which is bounded.
fn push_value<const NESTED: bool>(
    out: &mut Vec<u8>,
    cursor: &mut Cursor<'_>,
    order: Order,
) -> Result<(), JsonError> {
    match cursor.peek_kind()? {
        Kind::Object => push_object::<NESTED>(out, cursor, order),
        Kind::Array => {
            cursor.array()?;
            out.push(b'[');
            let first = out.len();
            while cursor.next_element()? {
                if out.len() > first {
                    out.push(b',');
                }
                push_value::<NESTED>(out, cursor, order)?;
            }
            out.push(b']');
            Ok(())
        }
        Kind::String => {
            push_quoted::<NESTED>(out, cursor.string()?);
            Ok(())
        }
        _ => {
            out.extend_from_slice(cursor.skip_value()?.bytes());
            Ok(())
        }
    }
}

/// A member that was written: its key's text and where it stands in the output.
struct Written<'a> {
    key: Cow<'a, str>,
    range: Range<usize>,
}

fn push_object<const NESTED: bool>(
    out: &mut Vec<u8>,
    cursor: &mut Cursor<'_>,
    order: Order,
) -> Result<(), JsonError> {
    cursor.object()?;
    out.push(b'{');
    let first = out.len();
    let mut members: Vec<Written<'_>> = Vec::new();
    while let Some(key) = cursor.next_key()? {
        if out.len() > first {
            out.push(b',');
        }
        let start = out.len();
        push_quoted::<NESTED>(out, key);
        out.push(b':');
        push_value::<NESTED>(out, cursor, order)?;
        members.push(Written { key: key.decode(), range: start..out.len() });
    }
    if !members.is_sorted_by(|one, next| one.key < next.key) {
        arrange(out, first, &members, order);
    }
    out.push(b'}');
    Ok(())
}

/// Puts the members written from `first` on in order, of repeated keys the last one; `insertion`
/// keeps the place of the first.
fn arrange(out: &mut Vec<u8>, first: usize, members: &[Written<'_>], order: Order) {
    let mut by_key: Vec<usize> = (0..members.len()).collect();
    by_key.sort_by(|&one, &other| members[one].key.cmp(&members[other].key));
    // Sorting is stable: in a run of one key the first and the last stand at the ends.
    let mut kept: Vec<(usize, usize)> = by_key
        .chunk_by(|&one, &other| members[one].key == members[other].key)
        .filter_map(|run| Some((*run.first()?, *run.last()?)))
        .collect();
    if order == Order::Insertion {
        kept.sort_unstable();
    }
    let unordered = out.split_off(first);
    for (nth, &(_, last)) in kept.iter().enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        let Range { start, end } = members[last].range;
        out.extend_from_slice(&unordered[start - first..end - first]);
    }
}

/// Whether a key stands twice in an object of the value, at any depth.
pub(super) fn has_repeated_key(value: Raw<'_>) -> bool {
    repeats(&mut Cursor::of_str(value.as_str())).unwrap_or(false)
}

fn repeats(cursor: &mut Cursor<'_>) -> Result<bool, JsonError> {
    let mut found = false;
    match cursor.peek_kind()? {
        Kind::Object => {
            let mut keys = Vec::new();
            cursor.object()?;
            while let Some(key) = cursor.next_key()? {
                keys.push(key.decode());
                found |= repeats(cursor)?;
            }
            keys.sort_unstable();
            found |= keys.windows(2).any(|pair| pair[0] == pair[1]);
        }
        Kind::Array => {
            cursor.array()?;
            while cursor.next_element()? {
                found |= repeats(cursor)?;
            }
        }
        _ => {
            cursor.skip_value()?;
        }
    }
    Ok(found)
}
