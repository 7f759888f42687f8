//! What a stream must know of a Responses request.

use crate::json::Raw;
use crate::stream::context::{Context, DeclaredTool, member, text_member};
use crate::stream::decode::elements;

/// Reads `tools[]`: those of type `function` and `custom`, by their `name`.
pub(crate) fn request_context(request: Raw<'_>) -> Context {
    let tools =
        member(request, "tools").into_iter().flat_map(elements).filter_map(declared).collect();
    Context { tools, include_usage: None }
}

fn declared(tool: Raw<'_>) -> Option<DeclaredTool> {
    let is_custom = match &*text_member(tool, "type")? {
        "function" => false,
        "custom" => true,
        _ => return None,
    };
    Some(DeclaredTool { name: text_member(tool, "name")?, is_custom })
}
