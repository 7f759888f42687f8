//! The members of one object that a decoder knows, read in one pass.

use super::string::Traits;
use super::{Cursor, JsonError, Kind, LongValues, Num, Raw, Tok};
use crate::error::Code;

/// The values of an object's known members, by slot; the last of equal names counts.
///
/// Kept small: decoders read one for every event of a stream.
#[derive(Debug)]
pub struct Members<'a, const N: usize> {
    text: &'a str,
    long_values: Option<&'a LongValues>,
    slots: [Slot; N],
    /// Slot and offset of each second and further key of a known name.
    repeated: Vec<(usize, usize)>,
}

/// Where a value stands; `start` is 0 for an absent one, where no member's value can stand.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    start: u32,
    end: u32,
    traits: Traits,
}

/// What is wrong with a known member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberFault {
    /// `DuplicateKey` or `InvalidType`.
    pub code: Code,
    /// The member's slot.
    pub slot: usize,
    /// Offset in the text: of the second key, or of the value.
    pub at: usize,
}

impl MemberFault {
    const fn wrong_type(slot: usize, at: usize) -> Self {
        Self { code: Code::InvalidType, slot, at }
    }
}

impl<'a, const N: usize> Members<'a, N> {
    /// Reads the object that stands next, up to its closing brace. `slot_of` gives a name's slot (below
    /// `N`); members without a slot are passed to `other`.
    ///
    /// The text must be shorter than 4 GiB; members beyond that are not seen.
    ///
    /// # Errors
    /// `InvalidType` if another value stands there, and what reading it finds.
    #[inline]
    pub fn read(
        cursor: &mut Cursor<'a>,
        slot_of: impl Fn(&[u8]) -> Option<usize>,
        mut other: impl FnMut(Tok<'a>, Raw<'a>),
    ) -> Result<Self, JsonError> {
        let text = cursor.text();
        let mut members = Self {
            text,
            long_values: cursor.long_values(),
            slots: [Slot::default(); N],
            repeated: Vec::new(),
        };
        cursor.object()?;
        while let Some(key) = cursor.next_key()? {
            let slot = if key.has_escapes() {
                slot_of(key.decode().as_bytes())
            } else {
                slot_of(key.raw())
            };
            let Some(slot) = slot else {
                let value = cursor.skip_value()?;
                other(key, value);
                continue;
            };
            let value = if cursor.peek_kind()? == Kind::String {
                let token = cursor.string()?;
                let end = cursor.at();
                let start = end - token.raw().len() - 2;
                Slot { start: start as u32, end: end as u32, traits: token.traits() }
            } else {
                let raw = cursor.skip_value()?;
                let end = raw.at() + raw.bytes().len();
                Slot { start: raw.at() as u32, end: end as u32, traits: Traits::default() }
            };
            if members.slots[slot].start != 0 {
                members.repeated.push((slot, offset_in(text, key) - 1));
            }
            members.slots[slot] = value;
        }
        Ok(members)
    }

    /// Fails if the member stands twice; only members that are read need to stand once.
    #[inline]
    fn check_single(&self, slot: usize) -> Result<(), MemberFault> {
        if self.repeated.is_empty() { Ok(()) } else { self.find_repeated(slot) }
    }

    #[cold]
    fn find_repeated(&self, slot: usize) -> Result<(), MemberFault> {
        match self.repeated.iter().find(|(repeated, _)| *repeated == slot) {
            Some((_, at)) => Err(MemberFault { code: Code::DuplicateKey, slot, at: *at }),
            None => Ok(()),
        }
    }

    /// A member's value of any type; `null` is absent.
    ///
    /// # Errors
    /// It stands twice.
    #[inline]
    pub fn raw(&self, slot: usize) -> Result<Option<Raw<'a>>, MemberFault> {
        self.check_single(slot)?;
        Ok(self.last(slot))
    }

    /// The last value of a member; `null` is absent.
    fn last(&self, slot: usize) -> Option<Raw<'a>> {
        let found = self.slots[slot];
        if found.start == 0 {
            return None;
        }
        let value =
            Raw::new(&self.text[..found.end as usize], found.start as usize, self.long_values);
        (value.kind() != Kind::Null).then_some(value)
    }

    /// A member that must be a string; `null` is absent.
    ///
    /// # Errors
    /// It stands twice, or is of another type.
    #[inline]
    pub fn string(&self, slot: usize) -> Result<Option<Tok<'a>>, MemberFault> {
        self.check_single(slot)?;
        let found = self.slots[slot];
        let (start, end) = (found.start as usize, found.end as usize);
        match self.text.as_bytes().get(start) {
            _ if start == 0 => Ok(None),
            Some(b'"') => Ok(Some(Tok::new(&self.text[start + 1..end - 1], found.traits))),
            Some(b'n') => Ok(None),
            _ => Err(MemberFault::wrong_type(slot, start)),
        }
    }

    /// A member that must be an unsigned integer; `null` is absent.
    ///
    /// # Errors
    /// It stands twice, or is anything else.
    #[inline]
    pub fn unsigned(&self, slot: usize) -> Result<Option<u64>, MemberFault> {
        self.check_single(slot)?;
        let found = self.slots[slot];
        let (start, end) = (found.start as usize, found.end as usize);
        match self.text.as_bytes().get(start) {
            _ if start == 0 => Ok(None),
            Some(b'n') => Ok(None),
            Some(b'0'..=b'9') => match Num(&self.text[start..end]).as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(MemberFault::wrong_type(slot, start)),
            },
            _ => Err(MemberFault::wrong_type(slot, start)),
        }
    }

    /// A member that must be of one kind, object or array; `null` is absent.
    ///
    /// # Errors
    /// It stands twice, or is of another type.
    pub fn of_kind(&self, slot: usize, kind: Kind) -> Result<Option<Raw<'a>>, MemberFault> {
        match self.raw(slot)? {
            Some(value) if value.kind() != kind => Err(MemberFault::wrong_type(slot, value.at())),
            found => Ok(found),
        }
    }
}

/// Offset of a token's body in the text it was read from.
fn offset_in(text: &str, token: Tok<'_>) -> usize {
    token.raw().as_ptr() as usize - text.as_ptr() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Members<'_, 2> {
        let slot_of = |name: &[u8]| match name {
            b"a" => Some(0),
            b"b" => Some(1),
            _ => None,
        };
        Members::read(&mut Cursor::of_str(json), slot_of, |_, _| {}).unwrap()
    }

    #[test]
    fn values_come_by_type_and_null_is_absent() {
        let members = read(r#"{"a":"x\n","other":[1],"b":7}"#);
        assert_eq!(members.string(0).unwrap().unwrap().raw(), b"x\\n");
        assert!(members.string(0).unwrap().unwrap().has_escapes());
        assert_eq!(members.unsigned(1), Ok(Some(7)));
        assert_eq!(members.string(1).unwrap_err(), MemberFault::wrong_type(1, 27));
        let members = read(r#"{"a":null}"#);
        assert!(members.string(0).unwrap().is_none());
        assert_eq!(members.unsigned(0), Ok(None));
        assert_eq!(members.unsigned(1), Ok(None));
        assert!(members.raw(0).unwrap().is_none());
    }

    #[test]
    fn only_plain_unsigned_integers_count() {
        for number in ["1.0", "-0", "1e2", "18446744073709551616", "\"1\"", "true", "[1]"] {
            let json = format!("{{\"a\":{number}}}");
            assert_eq!(read(&json).unsigned(0), Err(MemberFault::wrong_type(0, 5)), "{number}");
        }
    }

    #[test]
    fn repeated_and_escaped_keys_are_seen() {
        let members = read(r#"{"a":1,"\u0061":2,"b":3}"#);
        let repeated = MemberFault { code: Code::DuplicateKey, slot: 0, at: 7 };
        assert_eq!(members.unsigned(0), Err(repeated));
        assert_eq!(members.raw(0).unwrap_err(), repeated);
        assert_eq!(members.unsigned(1), Ok(Some(3)));
        assert_eq!(read(r#"{"c":1,"c":2,"a":3}"#).unsigned(0), Ok(Some(3)));
    }
}
