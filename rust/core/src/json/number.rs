//! Number grammar; numbers keep their spelling.

use super::JsonError;

/// A validated JSON number, as spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Num<'a>(pub(super) &'a str);

impl<'a> Num<'a> {
    /// The number's exact bytes.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// The number's exact spelling.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// The value if it is written as a plain non-negative integer that fits; `1.0`, `1e0` and `-0`
    /// do not count.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        // The grammar admits neither leading zeros nor a plus sign: digits alone decide.
        let mut value = 0_u64;
        for byte in self.0.bytes() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some(value)
    }
}

/// Returns the offset after the number that starts at `at`.
pub(super) fn scan_number(text: &[u8], mut at: usize) -> Result<usize, JsonError> {
    if text.get(at) == Some(&b'-') {
        at += 1;
    }
    at = match text.get(at) {
        Some(b'0') => at + 1,
        _ => scan_digits(text, at)?,
    };
    if text.get(at) == Some(&b'.') {
        at = scan_digits(text, at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(text.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = scan_digits(text, at)?;
    }
    Ok(at)
}

/// Skips one or more digits.
fn scan_digits(text: &[u8], start: usize) -> Result<usize, JsonError> {
    let mut at = start;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at == start { Err(JsonError::invalid(at)) } else { Ok(at) }
}
