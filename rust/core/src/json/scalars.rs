//! The strings and numbers of a value, in one scan.

use super::number::scan_number;
use super::string::scan_body;
use super::{Num, Raw, Tok};

/// A string (also a key) or a number inside a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'a> {
    Text(Tok<'a>),
    Number(Num<'a>),
}

/// Every key, string and number of a validated value, in order of appearance.
pub(crate) struct Scalars<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scalars<'a> {
    pub(crate) fn of(value: Raw<'a>) -> Self {
        Self { text: value.as_str(), at: 0 }
    }
}

impl<'a> Iterator for Scalars<'a> {
    type Item = Scalar<'a>;

    fn next(&mut self) -> Option<Scalar<'a>> {
        let bytes = self.text.as_bytes();
        let from_here = bytes.get(self.at..)?;
        let start = self.at
            + from_here.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
        if bytes[start] == b'"' {
            // The value was checked when it was read: its strings end.
            let (end, traits) = scan_body(bytes, start + 1).ok()?;
            self.at = end + 1;
            return Some(Scalar::Text(Tok::new(&self.text[start + 1..end], traits)));
        }
        self.at = scan_number(bytes, start).ok()?;
        Some(Scalar::Number(Num(&self.text[start..self.at])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_strings_and_numbers_come_in_order() {
        let value = Raw::parse(br#" {"a-1":[-0.5,true,"x\"7"],"":{"b":1e2},"c":null} "#).unwrap();
        let found: Vec<_> = Scalars::of(value)
            .map(|scalar| match scalar {
                Scalar::Text(token) => token.raw_str(),
                Scalar::Number(number) => number.as_str(),
            })
            .collect();
        assert_eq!(found, ["a-1", "-0.5", "x\\\"7", "", "b", "1e2", "c"]);
        assert_eq!(Scalars::of(Raw::parse(b"null").unwrap()).count(), 0);
    }
}
