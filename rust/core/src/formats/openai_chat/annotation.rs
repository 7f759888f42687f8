//! Annotations as Chat Completions has them: url citations, nested.

use crate::json::{Kind, Raw, push_raw_compact, push_token};
use crate::stream::decode::members;

const CITATION: &str = "url_citation";

/// Members that a citation must have, with what stands for an unknown value.
const CITATION_MEMBERS: [(&str, &str); 4] =
    [("end_index", "0"), ("start_index", "0"), ("title", "\"\""), ("url", "\"\"")];

/// Appends an annotation; false, with nothing appended, if it is no url citation: the format has no other.
///
/// The Responses API keeps a citation's members beside its type, Chat in an object named like it.
pub(super) fn push_annotation(out: &mut Vec<u8>, annotation: Raw<'_>) -> bool {
    let own: Vec<_> = members(annotation).collect();
    let is_citation = own.iter().any(|(key, value)| {
        key.eq_str("type") && value.cursor().string().is_ok_and(|kind| kind.eq_str(CITATION))
    });
    if !is_citation {
        return false;
    }
    let nested =
        own.iter().find(|(key, value)| key.eq_str(CITATION) && value.kind() == Kind::Object);
    let citation: Vec<_> = match nested {
        Some((_, inner)) => members(*inner).collect(),
        None => own.into_iter().filter(|(key, _)| !key.eq_str("type")).collect(),
    };
    out.extend_from_slice(b"{\"type\":\"url_citation\",\"url_citation\":{");
    let mut comma: &[u8] = b"";
    for (key, value) in citation.iter().filter(|(_, value)| value.kind() != Kind::Null) {
        out.extend_from_slice(comma);
        out.push(b'"');
        push_token(out, *key);
        out.extend_from_slice(b"\":");
        push_raw_compact(out, *value);
        comma = b",";
    }
    for (name, unknown) in CITATION_MEMBERS {
        if !citation.iter().any(|(key, value)| key.eq_str(name) && value.kind() != Kind::Null) {
            out.extend_from_slice(comma);
            out.extend_from_slice(format!("\"{name}\":{unknown}").as_bytes());
            comma = b",";
        }
    }
    out.extend_from_slice(b"}}");
    true
}
