//! Small hashes: FNV-1a for ids that must be the same everywhere, and a digest of sent text.

use crate::json::{Piece, Tok, shortest_spelling};

/// FNV-1a, 64 bits, over the concatenation of `pieces`.
#[must_use]
pub fn fnv1a_64(pieces: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in pieces.iter().flat_map(|piece| piece.iter()) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// Length and hash of bytes that arrive in pieces. How they are cut makes no difference.
///
/// Words of eight bytes are mixed one by one; what is short of a word waits in `tail`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    length: u64,
    hash: u64,
    /// The last `length % 8` bytes, the first of them lowest.
    tail: u64,
}

/// Odd numbers without pattern.
const WORD_FACTOR: u64 = 0xA076_1D64_78BD_642F;
const PLACE_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads each bit of a word over all of it.
#[inline]
fn mixed(word: u64) -> u64 {
    let product = u128::from(word ^ PLACE_FACTOR) * u128::from(WORD_FACTOR);
    (product >> 64) as u64 ^ product as u64
}

impl Digest {
    /// Length in bytes.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Appends bytes.
    #[inline]
    pub fn add(&mut self, bytes: &[u8]) {
        let tail_bits = (self.length % 8) as u32 * 8;
        self.length += bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word), tail_bits);
        }
        let word = partial_word(rest);
        if tail_bits as usize + rest.len() * 8 >= 64 {
            self.add_word(word, tail_bits);
        } else {
            self.tail |= word << tail_bits;
        }
    }

    /// Mixes the waiting bytes and as much of `word` as makes a whole word with them; the rest waits.
    #[inline]
    fn add_word(&mut self, word: u64, tail_bits: u32) {
        let whole = self.tail | word << tail_bits;
        self.hash = self.hash.wrapping_mul(PLACE_FACTOR).wrapping_add(mixed(whole));
        // In two steps, since a shift by all 64 bits is none.
        self.tail = word >> 1 >> (63 - tail_bits);
    }
}

/// Up to seven bytes as a number, the first of them lowest.
#[inline]
fn partial_word(bytes: &[u8]) -> u64 {
    let last = bytes.len().wrapping_sub(1);
    if let (Some(first), Some(end)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two may overlap: then they agree.
        let end = u64::from(u32::from_le_bytes(*end));
        return u64::from(u32::from_le_bytes(*first)) | end << ((last - 3) * 8);
    }
    let middle = bytes.len() / 2;
    match (bytes.first(), bytes.get(middle), bytes.get(last)) {
        (Some(first), Some(between), Some(end)) => {
            u64::from(*first) | u64::from(*between) << (middle * 8) | u64::from(*end) << (last * 8)
        }
        _ => 0,
    }
}

/// What was sent of a text, kept as a digest: enough to tell whether a later snapshot begins with it.
///
/// The digest is that of the text in its shortest spelling, so that it does not depend on how the pieces are
/// spelt. Nearly all are spelt so already, and need not be decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentText {
    shortest: Digest,
}

impl SentText {
    /// Whether nothing was sent.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.shortest.length == 0
    }

    /// Appends a token's text.
    #[inline]
    pub fn add(&mut self, token: Tok<'_>) {
        if token.is_shortest() {
            self.shortest.add(token.raw());
        } else {
            self.add_respelt(token);
        }
    }

    #[cold]
    fn add_respelt(&mut self, token: Tok<'_>) {
        for piece in token.pieces() {
            add_piece(&mut self.shortest, piece);
        }
    }

    /// The rest of `snapshot` after the text that was sent; `None` if the snapshot does not begin with it.
    #[must_use]
    pub fn rest_of<'a>(&self, snapshot: Tok<'a>) -> Option<Tok<'a>> {
        if self.is_empty() {
            return Some(snapshot);
        }
        let rest = if snapshot.is_shortest() {
            self.rest_of_shortest(snapshot.raw())?
        } else {
            self.rest_of_respelt(snapshot)?
        };
        if rest.is_empty() { Some(Tok::EMPTY) } else { Tok::from_raw(rest) }
    }

    fn rest_of_shortest<'a>(&self, raw: &'a [u8]) -> Option<&'a [u8]> {
        let (beginning, rest) =
            raw.split_at_checked(usize::try_from(self.shortest.length).unwrap_or(usize::MAX))?;
        let mut begun = Digest::default();
        begun.add(beginning);
        (begun == self.shortest).then_some(rest)
    }

    fn rest_of_respelt<'a>(&self, snapshot: Tok<'a>) -> Option<&'a [u8]> {
        let raw = snapshot.raw();
        let mut begun = Digest::default();
        let mut raw_at = 0;
        for piece in snapshot.pieces() {
            let missing = self.shortest.length.saturating_sub(begun.length);
            if missing == 0 {
                break;
            }
            if let Piece::Text(plain) = piece {
                let taken = plain.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
                begun.add(&plain.as_bytes()[..taken]);
                raw_at += taken;
            } else {
                add_piece(&mut begun, piece);
                raw_at += escape_length(&raw[raw_at..]);
            }
        }
        // A cut inside a character is no beginning.
        if begun == self.shortest { raw.get(raw_at..) } else { None }
    }
}

fn add_piece(digest: &mut Digest, piece: Piece<'_>) {
    match piece {
        Piece::Text(plain) => digest.add(plain.as_bytes()),
        Piece::Char(decoded) => digest.add(shortest_spelling(decoded, &mut [0; 6])),
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
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(digest_of(&pieces), digest_of(&[text]), "cut at {first} and {second}");
            }
        }
        assert_ne!(digest_of(&["ab"]), digest_of(&["ba"]));
        assert_ne!(digest_of(&["\0"]), digest_of(&["\0\0"]));
        assert_ne!(digest_of(&["eight by", "EIGHT BY"]), digest_of(&["EIGHT BY", "eight by"]));
    }

    #[test]
    fn every_byte_counts() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        for at in 0..text.len() {
            let mut other = text.to_owned();
            other.replace_range(at..=at, "?");
            assert_ne!(digest_of(&[&other]), digest_of(&[text]), "at {at}");
        }
    }

    fn sent(pieces: &[&str]) -> SentText {
        let mut sent = SentText::default();
        for piece in pieces {
            sent.add(Tok::from_raw(piece.as_bytes()).unwrap());
        }
        sent
    }

    #[test]
    fn the_rest_starts_after_what_was_sent_however_it_is_spelt() {
        let body = br#"a\u00e9\ud83d\ude00 \"b\" end"#;
        let snapshot = Tok::from_raw(body).unwrap();
        for (spelt_as, rest) in [
            (&[""][..], Some(&body[..])),
            (&["aé"], Some(&body[7..])),
            (&["a", "\\u00e9"], Some(&body[7..])),
            (&["aé😀"], Some(&body[19..])),
            (&["a\\u00e9\\ud83d\\ude00"], Some(&body[19..])),
            (&["a\\u00E9", "😀 \\u0022b\\\" end"], Some(&b""[..])),
            (&[r#"a\u00e9\ud83d\ude00 \"b\" end"#], Some(&b""[..])),
            (&["aé😀 \\\"b\\\" end."], None),
            (&["ab"], None),
            (&["a\\u00e9\\ud83d"], None),
        ] {
            assert_eq!(sent(spelt_as).rest_of(snapshot).map(Tok::raw), rest, "{spelt_as:?}");
        }
        let mut half = SentText::default();
        half.shortest.add(&"aé".as_bytes()[..2]);
        assert!(half.rest_of(snapshot).is_none());
    }

    #[test]
    fn every_escape_is_its_character() {
        let spelt = r"\u0022\u005C\u002f\/\u0008\u000C\u000A\u000D\u0009\u001F\u007f\u2028";
        let short = "\\\"\\\\//\\b\\f\\n\\r\\t\\u001f\u{7f}\u{2028}";
        for (first, second) in [(spelt, short), (short, spelt)] {
            let snapshot = Tok::from_raw(second.as_bytes()).unwrap();
            let rest = sent(&[first]).rest_of(snapshot);
            assert_eq!(rest.map(Tok::raw), Some(&b""[..]));
        }
        assert!(Tok::from_raw(&short.as_bytes()[..14]).unwrap().is_shortest());
        assert!(!Tok::from_raw(spelt.as_bytes()).unwrap().is_shortest());
    }

    #[test]
    fn halves_sent_alone_are_not_the_pair_of_a_snapshot() {
        let pair = Tok::from_raw(br"\ud83d\ude00").unwrap();
        assert!(sent(&["\\ud83d", "\\ude00"]).rest_of(pair).is_none());
        let halves = Tok::from_raw(br"\ud83dx\ude00").unwrap();
        let rest = sent(&["\\ud83dx"]).rest_of(halves);
        assert_eq!(rest.map(Tok::raw), Some(&br"\ude00"[..]));
    }

    #[test]
    fn fnv_is_the_published_function() {
        assert_eq!(fnv1a_64(&[b""]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(&[b"foo", b"bar"]), 0x8594_4171_f739_67e8);
    }
}
