//! Scanning a string's body eight bytes at a time.

use super::{JsonError, LongValues};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// What the scan of a string's body learned about it: one bit each, so that it is passed along as one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u8);

impl Traits {
    pub(super) const NONE: Self = Self(0);
    /// Holds at least one escape.
    pub(super) const ESCAPED: Self = Self(1);
    /// Holds an escape that may not be the shortest spelling of its character: `\u` or `\/`.
    pub(super) const RESPELT: Self = Self(2);
    /// Holds at least one byte from 0x80 up.
    pub(super) const NON_ASCII: Self = Self(4);
    /// Holds a `\u` escape of half a surrogate pair without the other half beside it.
    pub(super) const LONE_SURROGATE: Self = Self(8);

    #[inline]
    pub(super) const fn has(self, one: Self) -> bool {
        self.0 & one.0 != 0
    }

    #[inline]
    pub(super) const fn add(&mut self, one: Self) {
        self.0 |= one.0;
    }
}

/// Scans the body that starts at `at`, just after the opening quote; returns the offset of the
/// closing quote. Does not look at UTF-8.
#[inline]
pub(super) fn scan_body(text: &[u8], at: usize) -> Result<(usize, Traits), JsonError> {
    let (end, traits) = scan_unquoted(text, at)?;
    if text.get(end) == Some(&b'"') { Ok((end, traits)) } else { Err(JsonError::invalid(end)) }
}

/// As [`scan_body`], for a text that may be walked more than once: long strings are scanned only the first
/// time.
#[inline]
pub(super) fn scan_body_once(
    text: &[u8],
    at: usize,
    long_values: Option<&LongValues>,
) -> Result<(usize, Traits), JsonError> {
    let Some(long_values) = long_values else { return scan_body(text, at) };
    if let Some(known) = long_values.find_string(at) {
        return Ok(known);
    }
    let (end, traits) = scan_body(text, at)?;
    long_values.note_string(at, end, traits);
    Ok((end, traits))
}

/// Scans from `at` over plain characters and escapes to the first byte that is neither: a quote, a
/// control character or the text's end.
#[inline]
pub(super) fn scan_unquoted(text: &[u8], mut at: usize) -> Result<(usize, Traits), JsonError> {
    let mut traits = Traits::default();
    let mut seen_bits = 0;
    loop {
        at = find_stop(text, at, &mut seen_bits);
        if text.get(at) != Some(&b'\\') {
            if seen_bits & HIGH_BITS != 0 {
                traits.add(Traits::NON_ASCII);
            }
            return Ok((at, traits));
        }
        traits.add(Traits::ESCAPED);
        at = match text.get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => at + 2,
            Some(b'/') => {
                traits.add(Traits::RESPELT);
                at + 2
            }
            Some(b'u') => scan_unicode_escape(text, at, &mut traits)?,
            _ => return Err(JsonError::invalid(at + 1)),
        };
    }
}

/// Offset of the first quote, backslash or control character from `at` on, or the text's length.
/// All bytes before it are or-ed into `seen_bits`.
#[inline]
pub(super) fn find_stop(text: &[u8], at: usize, seen_bits: &mut u64) -> usize {
    let (words, rest) = text.get(at..).unwrap_or_default().as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let stops = stops(word);
        if stops != 0 {
            let below_first = (stops & stops.wrapping_neg()) - 1;
            *seen_bits |= word & below_first;
            return at + number * 8 + (stops.trailing_zeros() / 8) as usize;
        }
        *seen_bits |= word;
    }
    let rest_at = at + words.len() * 8;
    for (number, byte) in rest.iter().enumerate() {
        if matches!(byte, 0..0x20 | b'"' | b'\\') {
            return rest_at + number;
        }
        *seen_bits |= u64::from(*byte);
    }
    rest_at + rest.len()
}

/// As [`find_stop`], for a caller that does not ask what the bytes before are.
#[inline]
pub(crate) fn find_stop_alone(text: &[u8], at: usize) -> usize {
    find_stop(text, at, &mut 0)
}

/// Marks quotes, backslashes and control characters in the high bit of their byte. Borrows can set
/// false marks above a true one, never below: the lowest mark is exact.
#[inline]
const fn stops(word: u64) -> u64 {
    // Flipping bit 1 turns `"` (0x22) into 0x20 and maps the controls onto themselves, so that one
    // comparison with 0x21 finds both.
    let quote_or_control = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !word & HIGH_BITS
}

/// Checks the `\u` escape whose backslash is at `at`; returns the offset after it, and after both halves
/// of a surrogate pair.
#[inline(never)]
fn scan_unicode_escape(text: &[u8], at: usize, traits: &mut Traits) -> Result<usize, JsonError> {
    traits.add(Traits::RESPELT);
    let unit = scan_hex4(text, at + 2)?;
    if !is_surrogate(unit) {
        return Ok(at + 6);
    }
    if is_high_surrogate(unit) && low_surrogate_escape(text, at + 6).is_some() {
        return Ok(at + 12);
    }
    traits.add(Traits::LONE_SURROGATE);
    Ok(at + 6)
}

fn scan_hex4(text: &[u8], at: usize) -> Result<u16, JsonError> {
    let mut unit = 0;
    for digit_at in at..at + 4 {
        match text.get(digit_at).and_then(|&digit| hex_digit(digit)) {
            Some(digit) => unit = unit << 4 | digit,
            None => return Err(JsonError::invalid(digit_at.min(text.len()))),
        }
    }
    Ok(unit)
}

const fn hex_digit(digit: u8) -> Option<u16> {
    match digit {
        b'0'..=b'9' => Some((digit - b'0') as u16),
        b'a'..=b'f' => Some((digit - b'a') as u16 + 10),
        b'A'..=b'F' => Some((digit - b'A') as u16 + 10),
        _ => None,
    }
}

/// The UTF-16 code unit of a `\uXXXX` escape at `at`, if there is one.
pub(super) fn unicode_escape(text: &[u8], at: usize) -> Option<u16> {
    if text.get(at) != Some(&b'\\') || text.get(at + 1) != Some(&b'u') {
        return None;
    }
    scan_hex4(text, at + 2).ok()
}

/// The code unit of an escaped low half at `at`, if there is one.
pub(super) fn low_surrogate_escape(text: &[u8], at: usize) -> Option<u16> {
    unicode_escape(text, at).filter(|unit| is_low_surrogate(*unit))
}

pub(super) const fn is_surrogate(unit: u16) -> bool {
    unit & 0xF800 == 0xD800
}

pub(super) const fn is_high_surrogate(unit: u16) -> bool {
    unit & 0xFC00 == 0xD800
}

pub(super) const fn is_low_surrogate(unit: u16) -> bool {
    unit & 0xFC00 == 0xDC00
}
