//! Small hashes: FNV-1a for ids that must be the same everywhere, and a digest of sent text.

use crate::json::{Piece, Tok};

/// FNV-1a, 64 bits, over the concatenation of `pieces`.
#[must_use]
pub fn fnv1a_64(pieces: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in pieces.iter().flat_map(|piece| piece.iter()) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// Length and hash of a text that arrives in pieces. How it is cut makes no difference.
///
/// The hash is a polynomial in the bytes, so eight of them are added with independent multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    length: u64,
    hash: u64,
}

const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
const POWERS: [u64; 9] = {
    let mut powers = [1_u64; 9];
    let mut at = 1;
    while at < 9 {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
};

impl Digest {
    /// Length of the text in bytes.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Appends bytes.
    #[inline]
    pub fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut hash = self.hash;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let mut sum = 0_u64;
            for (at, byte) in eight.iter().enumerate() {
                sum = sum.wrapping_add((u64::from(*byte) + 1).wrapping_mul(POWERS[7 - at]));
            }
            hash = hash.wrapping_mul(POWERS[8]).wrapping_add(sum);
        }
        for byte in rest {
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1);
        }
        self.hash = hash;
    }

    /// Appends a token's decoded text.
    #[inline]
    pub fn add_token(&mut self, token: Tok<'_>) {
        if token.has_escapes() {
            self.add_decoded(token);
        } else {
            self.add(token.raw());
        }
    }

    fn add_decoded(&mut self, token: Tok<'_>) {
        for piece in token.pieces() {
            match piece {
                Piece::Text(plain) => self.add(plain.as_bytes()),
                Piece::Char(decoded) => self.add(decoded.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    /// The rest of `snapshot` after the text this is the digest of; `None` if the snapshot does not begin
    /// with it.
    #[must_use]
    pub fn rest_of<'a>(&self, snapshot: Tok<'a>) -> Option<Tok<'a>> {
        let raw = snapshot.raw();
        let mut begun = Self::default();
        let mut raw_at = 0;
        for piece in snapshot.pieces() {
            let missing = self.length - begun.length;
            if missing == 0 {
                break;
            }
            match piece {
                Piece::Text(plain) => {
                    let taken = plain.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
                    begun.add(&plain.as_bytes()[..taken]);
                    raw_at += taken;
                }
                Piece::Char(decoded) => {
                    begun.add(decoded.encode_utf8(&mut [0; 4]).as_bytes());
                    raw_at += escape_length(&raw[raw_at..]);
                    if begun.length > self.length {
                        return None;
                    }
                }
            }
        }
        // A cut inside a character is no beginning.
        if begun == *self { Tok::from_raw(&raw[raw_at..]) } else { None }
    }
}

/// Length in bytes of the escape at the start of a valid string body.
fn escape_length(raw: &[u8]) -> usize {
    let single = if raw.get(1) == Some(&b'u') { 6 } else { 2 };
    let pair = single == 6 && raw.len() >= 12 && {
        let high = matches!(raw[2], b'd' | b'D')
            && matches!(raw[3], b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B');
        let low = &raw[6..8] == b"\\u"
            && matches!(raw[8], b'd' | b'D')
            && matches!(raw[9], b'c'..=b'f' | b'C'..=b'F');
        high && low
    };
    if pair { 12 } else { single }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(pieces: &[&str]) -> Digest {
        let mut digest = Digest::default();
        for piece in pieces {
            digest.add(piece.as_bytes());
        }
        digest
    }

    #[test]
    fn how_a_text_is_cut_makes_no_difference() {
        let text = "The quick brown fox jumps over the lazy dog, twice.";
        for at in 0..=text.len() {
            assert_eq!(digest_of(&[&text[..at], &text[at..]]), digest_of(&[text]), "cut at {at}");
        }
        assert_ne!(digest_of(&["ab"]), digest_of(&["ba"]));
        assert_ne!(digest_of(&["\0"]), digest_of(&["\0\0"]));
    }

    #[test]
    fn the_rest_starts_after_what_was_sent_however_it_is_spelt() {
        let body = br#"a\u00e9\ud83d\ude00 \"b\" end"#;
        let snapshot = Tok::from_raw(body).unwrap();
        for (sent, rest) in [
            ("", Some(&body[..])),
            ("aé", Some(&body[7..])),
            ("aé😀", Some(&body[19..])),
            ("aé😀 \"b\" end", Some(&b""[..])),
            ("aé😀 \"b\" end.", None),
            ("ab", None),
        ] {
            assert_eq!(digest_of(&[sent]).rest_of(snapshot).map(Tok::raw), rest, "{sent}");
        }
        let mut half = Digest::default();
        half.add(&"aé".as_bytes()[..2]);
        assert!(half.rest_of(snapshot).is_none());
    }

    #[test]
    fn fnv_is_the_published_function() {
        assert_eq!(fnv1a_64(&[b""]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(&[b"foo", b"bar"]), 0x8594_4171_f739_67e8);
    }
}
