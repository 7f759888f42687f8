//! Annotations as Chat Completions has them: nested.

use crate::json::{Raw, push_raw_compact, push_token};

/// The Responses API keeps a citation's members beside its type, Chat in an object named like it.
pub(super) fn push_annotation(out: &mut Vec<u8>, annotation: Raw<'_>) {
    const CITATION: &str = "url_citation";
    let mut members = Vec::new();
    let mut is_flat_citation = false;
    let mut cursor = annotation.cursor();
    // The annotation was checked when it was read: no step can fail.
    if cursor.object().is_ok() {
        while let Ok(Some(key)) = cursor.next_key() {
            let Ok(value) = cursor.skip_value() else { break };
            if key.eq_str("type") {
                is_flat_citation = value.cursor().string().is_ok_and(|kind| kind.eq_str(CITATION));
            } else {
                members.push((key, value));
            }
        }
    }
    if !is_flat_citation || members.iter().any(|(key, _)| key.eq_str(CITATION)) {
        return push_raw_compact(out, annotation);
    }
    out.extend_from_slice(b"{\"type\":\"url_citation\",\"url_citation\":{");
    for (at, (key, value)) in members.into_iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"\"" } else { b",\"" });
        push_token(out, key);
        out.extend_from_slice(b"\":");
        push_raw_compact(out, value);
    }
    out.extend_from_slice(b"}}");
}
