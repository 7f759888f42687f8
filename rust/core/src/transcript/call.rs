//! Calls as rows, entries and envelopes spell them: `id`, `name`, `arguments`, `extra_content`.

use crate::json::{Cursor, JsonError, Kind, Raw, Tok};

/// A call; its strings are still escaped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) id: Tok<'a>,
    pub(crate) name: Tok<'a>,
    pub(crate) arguments: Tok<'a>,
    /// Any value but null.
    pub(crate) extra: Option<Raw<'a>>,
}

/// What a list of calls is like, beside the calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallsTraits {
    /// An element is no object, or a needed member is not a string.
    pub(crate) misshapen: bool,
    /// A known member stands twice in a call.
    pub(crate) repeated: bool,
    /// A call has a member that is not known.
    pub(crate) unknown: bool,
    /// A known string or a key has a lone surrogate.
    pub(crate) lone_surrogate: bool,
}

/// Reads the array of calls that stands next into `calls`, in one pass. Of repeated members the last
/// counts; a call that is misshapen has empty strings. Values that are not looked at go to `passed`.
pub(crate) fn read_calls<'a>(
    cursor: &mut Cursor<'a>,
    calls: &mut Vec<Call<'a>>,
    mut passed: impl FnMut(Raw<'a>),
) -> Result<CallsTraits, JsonError> {
    let mut traits = CallsTraits::default();
    cursor.array()?;
    while cursor.next_element()? {
        if cursor.peek_kind()? == Kind::Object {
            calls.push(read_call(cursor, &mut traits, &mut passed)?);
        } else {
            traits.misshapen = true;
            passed(cursor.skip_value()?);
        }
    }
    Ok(traits)
}

fn read_call<'a>(
    cursor: &mut Cursor<'a>,
    traits: &mut CallsTraits,
    passed: &mut impl FnMut(Raw<'a>),
) -> Result<Call<'a>, JsonError> {
    const EXTRA: usize = 3;
    let mut texts: [Option<Tok<'a>>; 3] = [None; 3];
    let mut extra = None;
    let mut seen = 0_u8;
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        let slot = match &*key.plain_bytes() {
            b"id" => 0,
            b"name" => 1,
            b"arguments" => 2,
            b"extra_content" => EXTRA,
            _ => {
                traits.unknown = true;
                traits.lone_surrogate |= key.has_lone_surrogate();
                passed(cursor.skip_value()?);
                continue;
            }
        };
        traits.repeated |= seen & 1 << slot != 0;
        seen |= 1 << slot;
        if slot == EXTRA {
            let value = cursor.skip_value()?;
            passed(value);
            extra = (value.kind() != Kind::Null).then_some(value);
        } else if cursor.peek_kind()? == Kind::String {
            let token = cursor.string()?;
            traits.lone_surrogate |= token.has_lone_surrogate();
            texts[slot] = Some(token);
        } else {
            passed(cursor.skip_value()?);
            texts[slot] = None;
        }
    }
    let [id, name, arguments] = texts;
    traits.misshapen |= id.is_none() || name.is_none() || arguments.is_none();
    Ok(Call {
        id: id.unwrap_or(Tok::EMPTY),
        name: name.unwrap_or(Tok::EMPTY),
        arguments: arguments.unwrap_or(Tok::EMPTY),
        extra,
    })
}
