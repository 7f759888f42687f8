//! The results of a `results` entry.

use crate::json::{Cursor, JsonError, Kind, Raw, Tok};

/// A result; its strings are still escaped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultItem<'a> {
    pub(crate) tool_call_id: Tok<'a>,
    pub(crate) content: Tok<'a>,
    pub(crate) name: Option<Tok<'a>>,
    pub(crate) trusted_verbatim: bool,
}

/// Reads a validated array of results; `false` if one of them is not what the tables say.
pub(crate) fn read_results<'a>(
    array: Raw<'a>,
    results: &mut Vec<ResultItem<'a>>,
) -> Result<bool, JsonError> {
    results.clear();
    let mut cursor = array.cursor();
    let mut sound = true;
    cursor.array()?;
    while cursor.next_element()? {
        if cursor.peek_kind()? != Kind::Object {
            return Ok(false);
        }
        match read_result(&mut cursor, &mut sound)? {
            Some(result) => results.push(result),
            None => return Ok(false),
        }
    }
    Ok(sound)
}

fn read_result<'a>(
    cursor: &mut Cursor<'a>,
    sound: &mut bool,
) -> Result<Option<ResultItem<'a>>, JsonError> {
    const VERBATIM: usize = 3;
    let mut texts: [Option<Tok<'a>>; 3] = [None; 3];
    let mut trusted_verbatim = false;
    let mut seen = 0_u8;
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        let slot = match &*key.plain_bytes() {
            b"tool_call_id" => 0,
            b"content" => 1,
            b"name" => 2,
            b"trusted_verbatim" => VERBATIM,
            _ => {
                cursor.skip_value()?;
                continue;
            }
        };
        *sound &= seen & 1 << slot == 0;
        seen |= 1 << slot;
        match cursor.peek_kind()? {
            Kind::Null => {
                cursor.skip_value()?;
            }
            Kind::String if slot != VERBATIM => texts[slot] = Some(cursor.string()?),
            Kind::True | Kind::False if slot == VERBATIM => trusted_verbatim = cursor.boolean()?,
            _ => {
                *sound = false;
                cursor.skip_value()?;
            }
        }
    }
    let [Some(tool_call_id), Some(content), name] = texts else {
        return Ok(None);
    };
    Ok(Some(ResultItem { tool_call_id, content, name, trusted_verbatim }))
}
