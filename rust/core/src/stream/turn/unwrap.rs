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
    /// The text has another shape.
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
    /// The end of an escape that is not whole yet, and of the surrogate pair it may be half of.
    partial: String,
}

/// What a piece of arguments brings.
pub(super) struct Unwrapped {
    /// A JSON string body: more of the input.
    pub(super) body: String,
}

impl Unwrapper {
    pub(super) const fn new() -> Self {
        Self { at: At::Opening(0), seen: String::new(), partial: String::new() }
    }

    /// Takes more of the arguments, as JSON text.
    pub(super) fn take(&mut self, arguments: Tok<'_>) -> Unwrapped {
        let text = arguments.decode();
        if !matches!(self.at, At::Inside | At::Escape | At::Digits(_) | At::Closing | At::Done) {
            self.seen.push_str(&text);
        }
        let mut body = core::mem::take(&mut self.partial);
        for decoded in text.chars() {
            self.step(decoded, &mut body);
        }
        if matches!(self.at, At::Escape | At::Digits(_)) {
            let whole = body.rfind('\\').unwrap_or(body.len());
            self.partial = body.split_off(whole);
        }
        Unwrapped { body }
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
            At::Inside if decoded == '"' => At::Closing,
            At::Inside if decoded < ' ' => At::Other,
            At::Inside => {
                body.push(decoded);
                if decoded == '\\' { At::Escape } else { At::Inside }
            }
            At::Escape => {
                body.push(decoded);
                if decoded == 'u' { At::Digits(4) } else { At::Inside }
            }
            At::Digits(missing) => {
                body.push(decoded);
                if missing == 1 { At::Inside } else { At::Digits(missing - 1) }
            }
            At::Closing if decoded == '}' => At::Done,
            At::Closing | At::Done if is_space => self.at,
            At::Opening(_) | At::Closing | At::Done | At::Other => At::Other,
        };
    }

    /// At the end of the arguments: `None` if they had the wrapper's shape; else what was held back of them,
    /// which is nothing if the string had begun.
    pub(super) fn rest(&mut self) -> Option<String> {
        match self.at {
            At::Done => None,
            _ => Some(core::mem::take(&mut self.seen)),
        }
    }
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
            body.push_str(&unwrapper.take(Tok::from_raw(&raw).unwrap()).body);
        }
        (body, unwrapper.rest())
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
