//! What a decoder must do: translate one provider event into calls of the referee.

use core::fmt;

use super::encode::Encode;
use super::place::Place;
use super::stop::Stop;
use super::turn::Referee;
use crate::error::Code;
use crate::json::{Cursor, JsonError, Kind, LongValues, MemberFault, Members, Noise, Raw, Tok};

/// Reads one format's events. It translates words and repairs nothing; only the referee knows about order.
pub trait Decode {
    /// Whether the done mark (`[DONE]`) ends an answer of this format.
    const DONE_ENDS: bool;

    /// What differs from event to event and is not read.
    const NOISE: Noise;

    /// What all events of one shape say beside their text.
    type Words: fmt::Debug;

    /// Reads one event; `name` is what the `event:` line says, empty if there is none; `long_values` is new, and
    /// serves the values inside. Returns the event, and whether it is of the kind that [`Decode::words`] may know.
    ///
    /// # Errors
    /// The event is wrong, a limit is reached, or a loss is refused.
    fn event<'j, E: Encode>(
        &mut self,
        json: &'j [u8],
        name: &[u8],
        long_values: &'j LongValues,
        referee: &mut Referee<'_, E>,
    ) -> Result<(Raw<'j>, bool), Stop>;

    /// Of an event that was read without a fault: its text, and what is to be known to read it from events that
    /// differ in nothing but text and noise. `None` if such an event says more than one text, or if it depends
    /// on what came before how it is read.
    fn words<'j>(&self, json: &'j [u8], passes_unknown: bool) -> Option<(Self::Words, Tok<'j>)>;

    /// Reads an event whose words are known.
    ///
    /// # Errors
    /// As [`Decode::event`].
    fn text<E: Encode>(
        &mut self,
        words: &Self::Words,
        text: Tok<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop>;

    /// Reads an input that is one JSON body instead of a stream.
    ///
    /// # Errors
    /// As [`Decode::event`].
    fn body<E: Encode>(&mut self, json: &[u8], referee: &mut Referee<'_, E>) -> Result<(), Stop>;

    /// Hears that no more events come.
    ///
    /// # Errors
    /// As [`Decode::event`].
    fn finish<E: Encode>(&mut self, _: &mut Referee<'_, E>) -> Result<(), Stop> {
        Ok(())
    }
}

/// A syntax error of the event.
#[must_use]
pub fn syntax(error: JsonError, event: Option<u64>) -> Stop {
    Stop::Wire { code: error.code, at: error.at, path: Place::event(event).to_string() }
}

/// A value of the wrong type at a place.
#[must_use]
pub fn wrong_type(at: usize, place: &Place<'_>) -> Stop {
    Stop::Wire { code: Code::InvalidType, at, path: place.to_string() }
}

/// Reads a whole JSON text that must be one object. `long_values` must be new; it serves the values inside.
///
/// # Errors
/// What is wrong with it.
#[inline]
pub fn whole_object<'a, const N: usize>(
    json: &'a [u8],
    long_values: &'a LongValues,
    event: Option<u64>,
    slot_of: impl Fn(&[u8]) -> Option<usize>,
) -> Result<(Raw<'a>, Members<'a, N>), Stop> {
    let mut cursor = Cursor::noting(json, long_values).map_err(|error| syntax(error, event))?;
    let fail = |error| syntax(error, event);
    if cursor.peek_kind().map_err(fail)? != Kind::Object {
        let value = cursor.skip_value().map_err(fail)?;
        cursor.end().map_err(fail)?;
        return Err(wrong_type(value.at(), &Place::event(event)));
    }
    let start = cursor.clone();
    let members = Members::read(&mut cursor, slot_of, |_, _| {}).map_err(fail)?;
    let end = cursor.at();
    cursor.end().map_err(fail)?;
    Ok((start.value_until(end), members))
}

/// The members of an object inside an event, with places for what is wrong about them.
#[derive(Debug)]
pub struct Object<'a, 'p, const N: usize> {
    members: Members<'a, N>,
    names: &'static [&'static str; N],
    /// Where the object stands.
    pub place: Place<'p>,
}

impl<'a, 'p, const N: usize> Object<'a, 'p, N> {
    /// Reads an object's members of these names; others are passed to `other`.
    ///
    /// # Errors
    /// The value is no object.
    pub fn read(
        value: Raw<'a>,
        names: &'static [&'static str; N],
        place: Place<'p>,
        mut other: impl FnMut(&str, Raw<'a>),
    ) -> Result<Self, Stop> {
        if value.kind() != Kind::Object {
            return Err(wrong_type(value.at(), &place));
        }
        let slot_of = |name: &[u8]| names.iter().position(|known| known.as_bytes() == name);
        let members =
            Members::read(&mut value.cursor(), slot_of, |key, value| other(&key.decode(), value))
                .map_err(|error| syntax(error, place.ordinal()))?;
        Ok(Self { members, names, place })
    }

    /// The same over members that were read already.
    #[must_use]
    pub const fn over(
        members: Members<'a, N>,
        names: &'static [&'static str; N],
        place: Place<'p>,
    ) -> Self {
        Self { members, names, place }
    }

    /// Where a member stands.
    #[must_use]
    pub fn place_of(&self, slot: usize) -> Place<'p> {
        self.place.member(self.names[slot])
    }

    /// A member's value of any type; `null` is absent.
    ///
    /// # Errors
    /// `DuplicateKey`.
    pub fn raw(&self, slot: usize) -> Result<Option<Raw<'a>>, Stop> {
        self.members.raw(slot).map_err(|fault| self.fault(fault))
    }

    /// A member that must be a string.
    ///
    /// # Errors
    /// `DuplicateKey`, `InvalidType`.
    #[inline]
    pub fn string(&self, slot: usize) -> Result<Option<Tok<'a>>, Stop> {
        self.members.string(slot).map_err(|fault| self.fault(fault))
    }

    /// A member that must be an unsigned integer.
    ///
    /// # Errors
    /// `DuplicateKey`, `InvalidType`.
    #[inline]
    pub fn unsigned(&self, slot: usize) -> Result<Option<u64>, Stop> {
        self.members.unsigned(slot).map_err(|fault| self.fault(fault))
    }

    /// A member that must be an object or an array.
    ///
    /// # Errors
    /// `DuplicateKey`, `InvalidType`.
    pub fn of_kind(&self, slot: usize, kind: Kind) -> Result<Option<Raw<'a>>, Stop> {
        self.members.of_kind(slot, kind).map_err(|fault| self.fault(fault))
    }

    #[cold]
    fn fault(&self, fault: MemberFault) -> Stop {
        let path = self.place_of(fault.slot).to_string();
        Stop::Wire { code: fault.code, at: fault.at, path }
    }
}

/// The elements of an array that was checked when it was read.
pub fn elements(array: Raw<'_>) -> impl Iterator<Item = Raw<'_>> {
    let mut cursor = array.cursor();
    let mut open = cursor.array().is_ok();
    core::iter::from_fn(move || {
        open = open && cursor.next_element().unwrap_or(false);
        if open { cursor.skip_value().ok() } else { None }
    })
}

/// The members of an object that was checked when it was read.
pub fn members(object: Raw<'_>) -> impl Iterator<Item = (Tok<'_>, Raw<'_>)> {
    let mut cursor = object.cursor();
    let open = cursor.object().is_ok();
    core::iter::from_fn(move || {
        let key = if open { cursor.next_key().ok()?? } else { return None };
        Some((key, cursor.skip_value().ok()?))
    })
}

/// The integer part of a number that has neither sign nor exponent.
#[must_use]
pub fn seconds_of(value: Raw<'_>) -> Option<u64> {
    let (whole, fraction) = value.as_str().split_once('.').unwrap_or((value.as_str(), ""));
    let is_plain =
        value.kind() == Kind::Number && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { whole.parse().ok() } else { None }
}
