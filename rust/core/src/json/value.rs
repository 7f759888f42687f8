//! Checking a whole value without recursion.

use super::number::scan_number;
use super::string::scan_body_once;
use super::{JsonError, LongValues, MAX_DEPTH};

/// Offset of the first byte from `at` on that is no JSON white space, or the text's length.
#[inline]
pub(super) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
    }
    at
}

/// Checks the value that starts at `at` (no white space before it), `outer_depth` brackets being
/// open around it; returns the offset after it. Does not look at UTF-8.
pub(super) fn scan_value(
    text: &[u8],
    mut at: usize,
    outer_depth: usize,
    long_values: Option<&LongValues>,
) -> Result<usize, JsonError> {
    if matches!(text.get(at), Some(b'{' | b'['))
        && let Some(end) = long_values.and_then(|known| known.find_container(at))
    {
        return Ok(end);
    }
    let mut open = Open::below(outer_depth);
    // Where the container began that stands right in the one that is scanned: whoever walks that one next asks
    // for its members.
    let mut member_at = at;
    loop {
        at = match text.get(at) {
            Some(b'"') => scan_body_once(text, at + 1, long_values)?.0 + 1,
            Some(b'-' | b'0'..=b'9') => scan_number(text, at)?,
            Some(b'{') => {
                open.push(at, true)?;
                member_at = if open.depth == 2 { at } else { member_at };
                let next = skip_space(text, at + 1);
                if text.get(next) == Some(&b'}') {
                    open.pop();
                    next + 1
                } else {
                    at = scan_key(text, next, long_values)?;
                    continue;
                }
            }
            Some(b'[') => {
                open.push(at, false)?;
                member_at = if open.depth == 2 { at } else { member_at };
                let next = skip_space(text, at + 1);
                if text.get(next) == Some(&b']') {
                    open.pop();
                    next + 1
                } else {
                    at = next;
                    continue;
                }
            }
            Some(b't') => scan_word(text, at, b"true")?,
            Some(b'f') => scan_word(text, at, b"false")?,
            Some(b'n') => scan_word(text, at, b"null")?,
            _ => return Err(JsonError::invalid(at)),
        };
        // A value is complete: close what ends here, until another value must follow.
        loop {
            let Some(in_object) = open.innermost() else {
                return Ok(at);
            };
            at = skip_space(text, at);
            match (text.get(at), in_object) {
                (Some(b','), true) => at = scan_key(text, skip_space(text, at + 1), long_values)?,
                (Some(b','), false) => at = skip_space(text, at + 1),
                (Some(b'}'), true) | (Some(b']'), false) => {
                    open.pop();
                    at += 1;
                    if open.depth == 1
                        && let Some(known) = long_values
                    {
                        known.note_container(member_at, at);
                    }
                    continue;
                }
                _ => return Err(JsonError::invalid(at)),
            }
            break;
        }
    }
}

/// Checks that the text is one value and nothing else; does not look at UTF-8.
pub(super) fn scan_document(text: &[u8]) -> Result<(), JsonError> {
    let end = skip_space(text, scan_value(text, skip_space(text, 0), 0, None)?);
    if end == text.len() { Ok(()) } else { Err(JsonError::invalid(end)) }
}

/// Checks a key and its colon; returns the offset of the member's value.
fn scan_key(text: &[u8], at: usize, long_values: Option<&LongValues>) -> Result<usize, JsonError> {
    if text.get(at) != Some(&b'"') {
        return Err(JsonError::invalid(at));
    }
    let colon = skip_space(text, scan_body_once(text, at + 1, long_values)?.0 + 1);
    if text.get(colon) != Some(&b':') {
        return Err(JsonError::invalid(colon));
    }
    Ok(skip_space(text, colon + 1))
}

/// Returns the offset after `word`, which must stand at `at`.
pub(super) fn scan_word(text: &[u8], at: usize, word: &[u8]) -> Result<usize, JsonError> {
    let found = text.get(at..).unwrap_or_default();
    let same = word.iter().zip(found).take_while(|(want, have)| want == have).count();
    if same == word.len() { Ok(at + same) } else { Err(JsonError::invalid(at + same)) }
}

/// The brackets that a scan has opened: one bit each, set for an object.
struct Open {
    objects: u128,
    depth: usize,
    outer_depth: usize,
}

impl Open {
    const fn below(outer_depth: usize) -> Self {
        Self { objects: 0, depth: 0, outer_depth }
    }

    fn push(&mut self, at: usize, is_object: bool) -> Result<(), JsonError> {
        if self.outer_depth + self.depth >= MAX_DEPTH {
            return Err(JsonError::too_deep(at));
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(is_object);
        Ok(())
    }

    const fn pop(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
    }

    /// Whether the innermost open bracket is an object's.
    const fn innermost(&self) -> Option<bool> {
        if self.depth == 0 { None } else { Some(self.objects & 1 == 1) }
    }
}
