//! Chunks to deltas (`docs/formats/openai_chat.md`, "Decode").

use super::delta::DeltaReader;
use super::finish::{Meaning, meaning_of};
use super::plain::{PlainWords, plain_text};
use super::usage::push_usage;
use crate::json::{Kind, LongValues, Noise, Raw, Tok};
use crate::stream::decode::{
    Decode, Object, elements, members, object, says_nothing, seconds_of, whole_object, wrong_type,
};
use crate::stream::delta::FaultInfo;
use crate::stream::encode::Encode;
use crate::stream::error_object::push_fault;
use crate::stream::loss::LossCode;
use crate::stream::options::Options;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{Outcome, Referee};

const NAMES: [&str; 7] = ["id", "model", "created", "choices", "usage", "error", "data"];
const ID: usize = 0;
const MODEL: usize = 1;
const CREATED: usize = 2;
const CHOICES: usize = 3;
const USAGE: usize = 4;
const ERROR: usize = 5;
const DATA: usize = 6;

/// Members that say nothing of the answer.
const IGNORED: [&str; 5] =
    ["object", "system_fingerprint", "service_tier", "provider", "obfuscation"];

/// Whether nothing is to be told of a member of a chunk.
pub(super) fn is_read_or_ignored(name: &str) -> bool {
    NAMES.contains(&name) || IGNORED.contains(&name)
}

type Chunk<'a> = Object<'a, 'static, { NAMES.len() }>;

#[inline]
fn slot_of(name: &[u8]) -> Option<usize> {
    Some(match name {
        b"id" => ID,
        b"model" => MODEL,
        b"created" => CREATED,
        b"choices" => CHOICES,
        b"usage" => USAGE,
        b"error" => ERROR,
        b"data" => DATA,
        _ => return None,
    })
}

const CHOICE_NAMES: [&str; 6] = ["index", "delta", "message", "finish_reason", "logprobs", "error"];
const INDEX: usize = 0;
const DELTA: usize = 1;
const MESSAGE: usize = 2;
const FINISH_REASON: usize = 3;
const LOGPROBS: usize = 4;
const CHOICE_ERROR: usize = 5;

/// Reads Chat Completions chunks, also of the many servers that bend the format.
#[derive(Debug)]
pub struct ChatDecoder {
    deltas: DeltaReader,
    /// Counts whose loss was told.
    told_counts: Vec<Box<str>>,
}

impl ChatDecoder {
    /// A decoder before the first chunk.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self { deltas: DeltaReader::new(options.think_tags), told_counts: Vec::new() }
    }

    fn chunk<E: Encode>(
        &mut self,
        whole: Raw<'_>,
        chunk: &Chunk<'_>,
        is_body: bool,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        if let (None, Some(inner)) = (chunk.raw(CHOICES)?, object(chunk.raw(DATA)?)) {
            let place = chunk.place.member("data");
            let chunk = Chunk::read(inner, &NAMES, place, |_, _| {})?;
            return self.members(inner, &chunk, is_body, referee);
        }
        self.members(whole, chunk, is_body, referee)
    }

    #[inline]
    fn members<E: Encode>(
        &mut self,
        whole: Raw<'_>,
        chunk: &Chunk<'_>,
        is_body: bool,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        self.head(chunk, referee)?;
        // What a chunk with an error says besides still counts, but not how its choices end.
        let error = chunk.raw(ERROR)?.filter(|error| says_error(*error));
        if let Some(choices) = chunk.of_kind(CHOICES, Kind::Array)? {
            for (at, choice) in elements(choices).enumerate() {
                let place = chunk.place.element("choices", at as u32);
                self.choice(choice, is_body, error.is_none(), &place, referee)?;
                if referee.turn.outcome().is_some() {
                    return Ok(());
                }
            }
        }
        if !referee.passes_unknown() {
            self.tell_others(whole, chunk, referee)?;
        }
        match error {
            Some(error) => push_error(error, &chunk.place_of(ERROR), referee),
            None => Ok(()),
        }
    }

    /// What a chunk says of the whole answer.
    #[inline]
    fn head<E: Encode>(
        &mut self,
        chunk: &Chunk<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let (id, model) = (chunk.string(ID)?, chunk.string(MODEL)?);
        let created = chunk.raw(CREATED)?.and_then(seconds_of).filter(|seconds| *seconds > 0);
        referee.start(id, model, created, &chunk.place)?;
        match chunk.raw(USAGE)? {
            Some(usage) => {
                push_usage(usage, &chunk.place_of(USAGE), &mut self.told_counts, referee)
            }
            None => Ok(()),
        }
    }

    /// Tells of members that are not read, but for those that describe the server or the chunk itself.
    fn tell_others<E: Encode>(
        &mut self,
        whole: Raw<'_>,
        chunk: &Chunk<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        for (key, value) in members(whole) {
            let name = &*key.decode();
            if !is_read_or_ignored(name) && !says_nothing(value) {
                self.deltas.told.unknown(name, &chunk.place.member(name), referee)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn choice<E: Encode>(
        &mut self,
        choice: Raw<'_>,
        is_body: bool,
        may_end: bool,
        place: &Place<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let passes_unknown = referee.passes_unknown();
        let mut others: Vec<String> = Vec::new();
        let choice = Object::read(choice, &CHOICE_NAMES, *place, |name, value| {
            if !passes_unknown && name != "obfuscation" && !says_nothing(value) {
                others.push(name.to_owned());
            }
        })?;
        let index = choice.unsigned(INDEX)?.unwrap_or(0);
        let Ok(index) = u32::try_from(index) else {
            let at = choice.raw(INDEX)?.map_or(0, Raw::at);
            return Err(wrong_type(at, &choice.place_of(INDEX)));
        };
        if !referee.hear_choice(index, place)? {
            return Ok(());
        }
        let slot = if is_body { MESSAGE } else { DELTA };
        let log_probs = object(choice.raw(LOGPROBS)?);
        if let Some(delta) = choice.of_kind(slot, Kind::Object)? {
            self.deltas.read(delta, slot == MESSAGE, index, log_probs, place, referee)?;
        }
        for name in others {
            self.deltas.told.unknown(&name, &place.member(&name), referee)?;
        }
        if !may_end {
            return Ok(());
        }
        if let Some(error) = choice.raw(CHOICE_ERROR)?.filter(|error| says_error(*error)) {
            return push_error(error, &choice.place_of(CHOICE_ERROR), referee);
        }
        let word = choice.string(FINISH_REASON)?.filter(|word| !word.is_empty());
        let Some(word) = word.map(Tok::decode) else { return Ok(()) };
        let reason = match meaning_of(&word) {
            Meaning::Known(reason) => reason,
            Meaning::Foreign(reason) => {
                let place = choice.place_of(FINISH_REASON);
                self.deltas.told.kind(LossCode::FinishReasonUnknown, &word, &place, referee)?;
                reason
            }
            Meaning::Failed => {
                self.deltas.flush(index, place, referee)?;
                let fault = FaultInfo { message: &word, code: Some(&word), ..FaultInfo::default() };
                referee.fault(&fault, Outcome::Failed);
                return Ok(());
            }
        };
        self.deltas.flush(index, place, referee)?;
        referee.finish(index, reason)
    }
}

impl Decode for ChatDecoder {
    const DONE_ENDS: bool = true;
    const NOISE: Noise = Noise { names: &["obfuscation"], counter: None };
    type Words = PlainWords;

    #[inline]
    fn event<'j, E: Encode>(
        &mut self,
        json: &'j [u8],
        name: &[u8],
        long_values: &'j LongValues,
        referee: &mut Referee<'_, E>,
    ) -> Result<(Raw<'j>, bool), Stop> {
        let place = referee.place();
        let (whole, members) = whole_object(json, long_values, place.ordinal(), slot_of)?;
        let chunk = Chunk::over(members, &NAMES, place);
        if name == b"error" && chunk.raw(CHOICES)?.is_none() {
            self.head(&chunk, referee)?;
            match chunk.raw(ERROR)?.filter(|error| says_error(*error)) {
                Some(error) => push_error(error, &chunk.place_of(ERROR), referee)?,
                None => push_fault(whole, true, &place, referee)?,
            }
            return Ok((whole, false));
        }
        self.chunk(whole, &chunk, false, referee)?;
        Ok((whole, self.deltas.takes_plain_text()))
    }

    #[cold]
    fn words<'j>(&self, json: &'j [u8], passes_unknown: bool) -> Option<(PlainWords, Tok<'j>)> {
        plain_text(Raw::parse(json).ok()?, passes_unknown)
    }

    #[inline]
    fn text<E: Encode>(
        &mut self,
        words: &PlainWords,
        text: Tok<'_>,
        referee: &mut Referee<'_, E>,
    ) -> Result<(), Stop> {
        let place = referee.place().element("choices", 0);
        if !referee.hear_choice(words.choice, &place)? || text.is_empty() {
            return Ok(());
        }
        words.push(text, &place.member("delta"), referee)
    }

    fn body<E: Encode>(&mut self, json: &[u8], referee: &mut Referee<'_, E>) -> Result<(), Stop> {
        let place = referee.place();
        let long_values = LongValues::default();
        let (whole, members) = whole_object(json, &long_values, place.ordinal(), slot_of)?;
        let chunk = Chunk::over(members, &NAMES, place);
        self.chunk(whole, &chunk, true, referee)?;
        referee.end()
    }

    fn finish<E: Encode>(&mut self, referee: &mut Referee<'_, E>) -> Result<(), Stop> {
        self.deltas.flush_all(referee)
    }
}

/// Whether it is an error object with members, or a message; anything else says nothing.
fn says_error(error: Raw<'_>) -> bool {
    matches!(error.kind(), Kind::Object | Kind::String) && !says_nothing(error)
}

fn push_error<E: Encode>(
    error: Raw<'_>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let Ok(text) = error.cursor().string() else {
        return push_fault(error, true, place, referee);
    };
    if text.has_lone_surrogate() {
        referee.losses.report(LossCode::UnicodeReplaced, place, "")?;
    }
    referee.fault(&FaultInfo { message: &text.decode(), ..FaultInfo::default() }, Outcome::Failed);
    Ok(())
}
