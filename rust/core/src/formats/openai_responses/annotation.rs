//! Annotations as the Responses API has them: flat.

use crate::json::{Kind, Raw, push_raw_compact, push_token};
use crate::stream::decode::members;

/// Kinds of annotations that the API knows.
const KINDS: [&str; 4] = ["url_citation", "file_citation", "container_file_citation", "file_path"];

/// Members that a url citation must have, with what stands for an unknown value.
const CITATION_MEMBERS: [(&str, &str); 4] =
    [("start_index", "0"), ("end_index", "0"), ("title", "\"\""), ("url", "\"\"")];

/// Appends an annotation; false, with nothing appended, if the API has no such kind.
pub(super) fn push_annotation(out: &mut Vec<u8>, annotation: Raw<'_>) -> bool {
    let own: Vec<_> = members(annotation).collect();
    let kind = own
        .iter()
        .find(|(key, _)| key.eq_str("type"))
        .and_then(|(_, kind)| kind.cursor().string().ok());
    let Some(kind) = kind.filter(|kind| KINDS.iter().any(|known| kind.eq_str(known))) else {
        return false;
    };
    if !kind.eq_str("url_citation") {
        push_raw_compact(out, annotation);
        return true;
    }
    let nested =
        own.iter().find(|(key, value)| key.eq_str("url_citation") && value.kind() == Kind::Object);
    let citation: Vec<_> = match nested {
        Some((_, inner)) => members(*inner).collect(),
        None => own.into_iter().filter(|(key, _)| !key.eq_str("type")).collect(),
    };
    out.extend_from_slice(b"{\"type\":\"url_citation\"");
    for (key, value) in citation.iter().filter(|(_, value)| value.kind() != Kind::Null) {
        out.extend_from_slice(b",\"");
        push_token(out, *key);
        out.extend_from_slice(b"\":");
        push_raw_compact(out, *value);
    }
    for (name, unknown) in CITATION_MEMBERS {
        if !citation.iter().any(|(key, value)| key.eq_str(name) && value.kind() != Kind::Null) {
            out.extend_from_slice(format!(",\"{name}\":{unknown}").as_bytes());
        }
    }
    out.push(b'}');
    true
}
