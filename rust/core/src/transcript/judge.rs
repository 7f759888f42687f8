//! The tables of rows, entries and wire messages, and the search for the first fault against them.
//!
//! This is the slow, exact half: it runs only on an object that the quick checks found odd.

use super::error::Error;
use crate::error::Code;
use crate::json::{Kind, Raw};

/// What a member must be; null is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// Anything; it must only not stand twice.
    Anything,
    /// A string.
    Text,
    /// A string or an array.
    TextOrParts,
    /// A string or an object.
    TextOrObject,
    /// A boolean.
    Flag,
    /// One of the roles.
    Role(&'static [&'static str]),
    /// An object that is judged by itself later.
    Row,
    /// `function`
    CallType,
    /// An object by rules of its own.
    Object(&'static [Rule]),
    /// An array of objects by rules of their own.
    List(&'static [Rule]),
}

/// A member that is known in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) expect: Expect,
    pub(crate) needed: bool,
}

pub(crate) const fn needed(name: &'static str, expect: Expect) -> Rule {
    Rule { name, expect, needed: true }
}

pub(crate) const fn optional(name: &'static str, expect: Expect) -> Rule {
    Rule { name, expect, needed: false }
}

pub(crate) const fn any(name: &'static str) -> Rule {
    optional(name, Expect::Anything)
}

pub(crate) const ROLES: &[&str] = &["system", "user", "assistant", "tool"];

pub(crate) const CALL: &[Rule] = &[
    needed("id", Expect::Text),
    needed("name", Expect::Text),
    needed("arguments", Expect::Text),
    any("extra_content"),
];

pub(crate) const CALL_ROW: &[Rule] = &[
    any("role"),
    optional("content", Expect::Text),
    any("extra_metadata"),
    needed("tool_calls", Expect::List(CALL)),
    any("tool_call_id"),
    optional("reasoning_content", Expect::Text),
    any("name"),
];

pub(crate) const RESULT_ROW: &[Rule] = &[
    any("role"),
    needed("content", Expect::Text),
    any("extra_metadata"),
    any("tool_calls"),
    needed("tool_call_id", Expect::Text),
    any("reasoning_content"),
    any("name"),
];

pub(crate) const CALLS_ENTRY: &[Rule] = &[
    any("kind"),
    optional("text", Expect::Text),
    needed("tool_calls", Expect::List(CALL)),
    optional("reasoning_content", Expect::Text),
    any("extra_metadata"),
];

const RESULT: &[Rule] = &[
    needed("tool_call_id", Expect::Text),
    needed("content", Expect::Text),
    optional("trusted_verbatim", Expect::Flag),
    optional("name", Expect::Text),
];

pub(crate) const RESULTS_ENTRY: &[Rule] = &[any("kind"), needed("results", Expect::List(RESULT))];

pub(crate) const CHAT_ENTRY: &[Rule] = &[any("kind"), needed("message", Expect::Row)];

/// The first fault of `object`, a validated object, against `rules`: its members in the order in which
/// they stand, then what is missing, in the order of the rules. `path` is the object's own.
pub(crate) fn judge(object: Raw<'_>, rules: &[Rule], path: &mut String) -> Result<(), Error> {
    let mut cursor = object.cursor();
    let (mut seen, mut filled) = (0_u32, 0_u32);
    cursor.object()?;
    while let Some(key) = cursor.next_key()? {
        let key_at = key.quote_at(cursor.text());
        let value = cursor.skip_value()?;
        let Some(known) = rules.iter().position(|rule| key.eq_str(rule.name)) else {
            continue;
        };
        let rule = &rules[known];
        if seen & 1 << known != 0 {
            return Err(Error::at(Code::DuplicateKey, key_at, format!("{path}/{}", rule.name)));
        }
        seen |= 1 << known;
        if value.kind() == Kind::Null {
            continue;
        }
        filled |= 1 << known;
        let length = path.len();
        path.push('/');
        path.push_str(rule.name);
        judge_value(value, rule.expect, path)?;
        path.truncate(length);
    }
    for (known, rule) in rules.iter().enumerate() {
        if rule.needed && filled & 1 << known == 0 {
            let path = format!("{path}/{}", rule.name);
            return Err(Error::at(Code::MissingMember, object.at(), path));
        }
    }
    Ok(())
}

fn judge_value(value: Raw<'_>, expect: Expect, path: &mut String) -> Result<(), Error> {
    let kind = value.kind();
    let fault = |code, path: &str| Err(Error::at(code, value.at(), path));
    let fits = match expect {
        Expect::Anything => true,
        Expect::Text | Expect::Role(_) | Expect::CallType => kind == Kind::String,
        Expect::TextOrParts => matches!(kind, Kind::String | Kind::Array),
        Expect::TextOrObject => matches!(kind, Kind::String | Kind::Object),
        Expect::Flag => matches!(kind, Kind::True | Kind::False),
        Expect::Row | Expect::Object(_) => kind == Kind::Object,
        Expect::List(_) => kind == Kind::Array,
    };
    if !fits {
        return fault(Code::InvalidType, path);
    }
    match expect {
        Expect::Role(roles) => {
            let role = value.cursor().string()?;
            if !roles.iter().any(|known| role.eq_str(known)) {
                return fault(Code::UnknownRole, path);
            }
        }
        Expect::CallType => {
            let is_function = value.cursor().string()?.eq_str("function");
            return if is_function { Ok(()) } else { fault(Code::CallType, path) };
        }
        Expect::Object(rules) => judge(value, rules, path)?,
        Expect::List(rules) => {
            let mut cursor = value.cursor();
            let (length, mut index) = (path.len(), 0_usize);
            cursor.array()?;
            while cursor.next_element()? {
                let element = cursor.skip_value()?;
                path.push('/');
                path.push_str(&index.to_string());
                if element.kind() != Kind::Object {
                    return Err(Error::at(Code::InvalidType, element.at(), path.as_str()));
                }
                judge(element, rules, path)?;
                path.truncate(length);
                index += 1;
            }
        }
        _ => {}
    }
    Ok(())
}
