//! Taking free-form input out of the arguments `{"input":"…"}` while they stream.

use crate::json::Tok;

/// How far the wrapper was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before a byte of `{"input":"`, white space around its tokens aside.
    Opening(usize),
    /// Inside the string.
    Inside,
    /// Behind a backslash inside the string; so many bytes of the escape are missing.
    Escape,
    /// Inside a `\u` escape with so many digits missing.
    Digits(u8),
    /// Behind the string.
    Closing,
    /// Behind the closing brace.
    Done,
    /// Behind the string, with more than the closing brace.
    Behind,
    /// The text has another shape; the string had not begun.
    Other,
}

const OPENING: &[u8] = b"{\"input\":\"";
/// Places in `OPENING` before which JSON allows white space.
const GAPS: [usize; 4] = [0, 1, 8, 9];

/// Unwraps one call's arguments.
#[derive(Debug)]
pub(super) struct Unwrapper {
    at: At,
    /// The arguments so far, until the wrapper is known to be there.
    seen: String,
    /// An escape that is not whole yet.
    partial: String,
    /// The high surrogate that ended the last piece, as its escape: the other half may follow.
    high: String,
    /// Something in the string was no JSON.
    is_odd: bool,
    has_lone_surrogate: bool,
}

/// What the end of the arguments brings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Last {
    /// Half of a surrogate pair whose other half did not come, as a JSON string body.
    pub(super) lone_high: String,
    /// The input has a half of a pair without the other half.
    pub(super) has_lone_surrogate: bool,
    /// `None` if the arguments had the wrapper's shape, or if there were none; else what was held back of them,
    /// which is nothing if the string had begun.
    pub(super) unwrapped: Option<String>,
    /// Something behind the string, or an escape, got lost.
    pub(super) is_cut: bool,
}

impl Unwrapper {
    pub(super) const fn new() -> Self {
        Self {
            at: At::Opening(0),
            seen: String::new(),
            partial: String::new(),
            high: String::new(),
            is_odd: false,
            has_lone_surrogate: false,
        }
    }

    /// Bytes of arguments that may still have another shape, or have.
    pub(super) fn held_bytes(&self) -> usize {
        self.seen.len()
    }

    /// Takes more of the arguments, as JSON text; returns more of the input, as a JSON string body.
    pub(super) fn take(&mut self, arguments: Tok<'_>) -> String {
        let text = arguments.decode();
        if matches!(self.at, At::Opening(_) | At::Other) {
            self.seen.push_str(&text);
        }
        let mut body = core::mem::take(&mut self.high);
        for decoded in text.chars() {
            self.step(decoded, &mut body);
        }
        if let Some(high) = ends_with_high_surrogate(&body).filter(|_| self.is_inside()) {
            self.high = body.split_off(high);
        }
        self.has_lone_surrogate |=
            Tok::from_raw(body.as_bytes()).is_some_and(Tok::has_lone_surrogate);
        body
    }

    const fn is_inside(&self) -> bool {
        matches!(self.at, At::Inside | At::Escape | At::Digits(_))
    }

    fn step(&mut self, decoded: char, body: &mut String) {
        let is_space = matches!(decoded, ' ' | '\t' | '\n' | '\r');
        self.at = match self.at {
            At::Opening(at) if is_space && GAPS.contains(&at) => At::Opening(at),
            At::Opening(at)
                if OPENING.get(at).is_some_and(|wanted| char::from(*wanted) == decoded) =>
            {
                if at + 1 == OPENING.len() {
                    self.seen.clear();
                    At::Inside
                } else {
                    At::Opening(at + 1)
                }
            }
            At::Inside | At::Escape | At::Digits(_) => self.step_inside(decoded, body),
            At::Closing if decoded == '}' => At::Done,
            At::Closing | At::Done if is_space => self.at,
            At::Closing | At::Done => At::Behind,
            At::Behind => At::Behind,
            At::Opening(_) | At::Other => At::Other,
        };
    }

    /// Control characters and escapes that JSON does not have stand for themselves: models write them.
    fn step_inside(&mut self, decoded: char, body: &mut String) -> At {
        match self.at {
            At::Escape if decoded == 'u' => {
                self.partial.push(decoded);
                At::Digits(4)
            }
            At::Escape => {
                let is_known = matches!(decoded, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't');
                self.partial.clear();
                if is_known {
                    body.push('\\');
                    body.push(decoded);
                    return At::Inside;
                }
                self.is_odd = true;
                body.push_str("\\\\");
                push_plain(decoded, body);
                At::Inside
            }
            At::Digits(missing) if decoded.is_ascii_hexdigit() => {
                self.partial.push(decoded);
                if missing > 1 {
                    return At::Digits(missing - 1);
                }
                body.push_str(&core::mem::take(&mut self.partial));
                At::Inside
            }
            At::Digits(_) => {
                // No escape after all: its backslash is a character, and what follows is read anew.
                self.is_odd = true;
                body.push('\\');
                body.push_str(&core::mem::take(&mut self.partial));
                self.at = At::Inside;
                self.step_inside(decoded, body)
            }
            _ if decoded == '"' => At::Closing,
            _ if decoded == '\\' => {
                self.partial.push(decoded);
                At::Escape
            }
            _ => {
                self.is_odd |= decoded < ' ';
                push_plain(decoded, body);
                At::Inside
            }
        }
    }

    /// The end of the arguments.
    pub(super) fn finish(self) -> Last {
        let is_wrapper = match self.at {
            At::Done => !self.is_odd,
            At::Opening(_) => self.seen.is_empty(),
            _ => false,
        };
        Last {
            is_cut: self.at == At::Behind || !self.partial.is_empty(),
            has_lone_surrogate: self.has_lone_surrogate || !self.high.is_empty(),
            lone_high: self.high,
            unwrapped: (!is_wrapper).then_some(self.seen),
        }
    }
}

/// A character of a JSON string body.
fn push_plain(decoded: char, body: &mut String) {
    match decoded {
        '"' => body.push_str("\\\""),
        '\\' => body.push_str("\\\\"),
        '\0'..='\x1f' => body.extend(format!("\\u{:04x}", u32::from(decoded)).chars()),
        _ => body.push(decoded),
    }
}

/// Where the escape of a high surrogate begins that a JSON string body ends with.
fn ends_with_high_surrogate(body: &str) -> Option<usize> {
    let half = Tok::from_raw(body.as_bytes())?.split_trailing_high_surrogate().1?;
    Some(body.len() - half.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::push_escaped_once;

    /// The input that comes out of arguments cut at one place, and the rest.
    fn unwrap(arguments: &str, cut: usize) -> (String, Option<String>) {
        let mut unwrapper = Unwrapper::new();
        let mut body = String::new();
        for piece in [&arguments[..cut], &arguments[cut..]] {
            let mut raw = Vec::new();
            push_escaped_once(&mut raw, piece.as_bytes());
            body.push_str(&unwrapper.take(Tok::from_raw(&raw).unwrap()));
        }
        (body, unwrapper.finish().unwrapped)
    }

    #[test]
    fn the_input_comes_out_however_the_arguments_are_cut() {
        for arguments in [
            r#"{"input":"*** Begin\n\"x\" \u00e9"}"#,
            " {\n\"input\" : \"*** Begin\\n\\\"x\\\" \\u00e9\" } ",
        ] {
            for cut in 0..=arguments.len() {
                let (body, rest) = unwrap(arguments, cut);
                assert_eq!(body, r#"*** Begin\n\"x\" \u00e9"#, "cut at {cut}");
                assert_eq!(rest, None);
            }
        }
    }

    #[test]
    fn a_pair_of_surrogates_stays_whole_however_it_is_cut() {
        let arguments = r#"{"input":"a\ud83d\ude00 \\ud83d"}"#;
        for cut in 0..=arguments.len() {
            let mut unwrapper = Unwrapper::new();
            let mut bodies = Vec::new();
            for piece in [&arguments[..cut], &arguments[cut..]] {
                let mut raw = Vec::new();
                push_escaped_once(&mut raw, piece.as_bytes());
                bodies.push(unwrapper.take(Tok::from_raw(&raw).unwrap()));
            }
            assert!(bodies.iter().all(|body| ends_with_high_surrogate(body).is_none()), "{cut}");
            assert_eq!(bodies.concat(), r"a\ud83d\ude00 \\ud83d", "cut at {cut}");
            assert_eq!(
                unwrapper.finish(),
                Last {
                    lone_high: String::new(),
                    has_lone_surrogate: false,
                    unwrapped: None,
                    is_cut: false
                }
            );
        }
    }

    #[test]
    fn what_is_no_json_stands_for_itself() {
        for (arguments, input) in [
            ("{\"input\":\"a\nb\"}", r"a\u000ab"),
            (r#"{"input":"\d+ \uzz"}"#, r"\\d+ \\uzz"),
            (r#"{"input":"\u12\n"}"#, r"\\u12\n"),
        ] {
            for cut in 0..=arguments.len() {
                assert_eq!(
                    unwrap(arguments, cut),
                    (input.to_owned(), Some(String::new())),
                    "{cut}"
                );
            }
        }
        assert_eq!(unwrap("", 0), (String::new(), None));
    }

    #[test]
    fn other_shapes_are_given_back() {
        for arguments in ["{\"patch\":\"x\"}", "[]", "{\"input\":1}", "{\"input\""] {
            assert_eq!(
                unwrap(arguments, 1),
                (String::new(), Some(arguments.to_owned())),
                "{arguments}"
            );
        }
        assert_eq!(unwrap(r#"{"input":"x","more":1}"#, 3), ("x".into(), Some(String::new())));
    }
}
