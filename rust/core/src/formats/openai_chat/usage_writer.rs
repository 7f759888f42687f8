//! Token counts as Chat Completions has them.

use crate::json::push_u64;
use crate::stream::delta::Counts;

/// Appends the usage object; counts that are unknown but must be there are 0.
pub(super) fn push_usage(out: &mut Vec<u8>, counts: &Counts) {
    let input = counts.input.unwrap_or(0);
    let output = counts.output.unwrap_or(0);
    let total = counts.total.unwrap_or(0).max(input.saturating_add(output));
    for (name, count) in [("{\"prompt", input), (",\"completion", output), (",\"total", total)] {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"_tokens\":");
        push_u64(out, count);
    }
    let of_prompt = [("cached_tokens", counts.cached), ("cache_write_tokens", counts.cache_write)];
    let of_completion = [("reasoning_tokens", counts.reasoning)];
    push_details(out, ",\"prompt_tokens_details\":{", &of_prompt);
    push_details(out, ",\"completion_tokens_details\":{", &of_completion);
    out.push(b'}');
}

fn push_details(out: &mut Vec<u8>, start: &str, counts: &[(&str, Option<u64>)]) {
    let mut before = start;
    for (name, count) in counts {
        let Some(count) = count else { continue };
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(format!("\"{name}\":").as_bytes());
        push_u64(out, *count);
        before = ",";
    }
    if before == "," {
        out.push(b'}');
    }
}
