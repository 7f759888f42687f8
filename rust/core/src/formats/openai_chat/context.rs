//! What a stream must know of a Chat Completions request.

use crate::json::{Kind, Raw};
use crate::stream::context::{Context, DeclaredTool, member, text_member};
use crate::stream::decode::elements;

/// Reads `tools[]` (`function.name`, `custom.name`) and `stream_options.include_usage` (absent: false).
pub(crate) fn request_context(request: Raw<'_>) -> Context {
    let tools =
        member(request, "tools").into_iter().flat_map(elements).filter_map(declared).collect();
    let flag =
        member(request, "stream_options").and_then(|options| member(options, "include_usage"));
    Context { tools, include_usage: Some(flag.is_some_and(|flag| flag.kind() == Kind::True)) }
}

fn declared(tool: Raw<'_>) -> Option<DeclaredTool> {
    let kind = text_member(tool, "type")?;
    let is_custom = match &*kind {
        "function" => false,
        "custom" => true,
        _ => return None,
    };
    let name = text_member(member(tool, &kind)?, "name")?;
    Some(DeclaredTool { name, is_custom })
}
