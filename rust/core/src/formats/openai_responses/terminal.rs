//! The response object: the head of an answer, and the terminal one (`docs/formats/openai_responses.md`).

use super::fault::{push_cancelled, push_failed};
use super::item::{Moment, push_item};
use super::usage::push_usage;
use crate::json::{Kind, Raw, Tok};
use crate::stream::decode::{Object, elements, seconds_of};
use crate::stream::delta::Reason;
use crate::stream::encode::Encode;
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{Referee, Settling};

const NAMES: [&str; 8] =
    ["id", "model", "created_at", "status", "output", "usage", "error", "incomplete_details"];
const ID: usize = 0;
const MODEL: usize = 1;
const CREATED_AT: usize = 2;
const STATUS: usize = 3;
const OUTPUT: usize = 4;
const USAGE: usize = 5;
const ERROR: usize = 6;
const INCOMPLETE_DETAILS: usize = 7;

type Response<'a, 'p> = Object<'a, 'p, { NAMES.len() }>;

/// How the event that carries the terminal object calls its end; the object's own status goes first.
#[derive(Clone, Copy)]
pub(super) enum Word {
    Done,
    Incomplete,
    Failed,
    Cancelled,
}

/// Takes the head of an answer from a response object.
pub(super) fn push_head<E: Encode>(
    value: Raw<'_>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let response = Object::read(value, &NAMES, *place, |_, _| {})?;
    referee.show_answer(value)?;
    start(&response, referee)
}

fn start<E: Encode>(response: &Response<'_, '_>, referee: &mut Referee<'_, E>) -> Result<(), Stop> {
    let (id, model) = (response.string(ID)?, response.string(MODEL)?);
    let created = response.raw(CREATED_AT)?.and_then(seconds_of);
    referee.start(id, model, created, &response.place)?;
    referee.hear_choice(0, &response.place).map(|_| ())
}

/// Takes the terminal object: it fills gaps and ends the answer.
pub(super) fn push_terminal<E: Encode>(
    response: Option<Raw<'_>>,
    word: Word,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let Some(value) = response else { return finish(word, None, None, *place, referee) };
    let response = Object::read(value, &NAMES, *place, |_, _| {})?;
    referee.show_answer(value)?;
    start(&response, referee)?;
    let word = match response.string(STATUS)?.map(Tok::decode).as_deref() {
        Some("completed") => Word::Done,
        Some("incomplete") => Word::Incomplete,
        Some("failed") => Word::Failed,
        Some("cancelled") => Word::Cancelled,
        _ => word,
    };
    if matches!(word, Word::Done | Word::Incomplete)
        && let Some(output) = response.of_kind(OUTPUT, Kind::Array)?
    {
        let mut settling = Settling::of(referee);
        for (at, item) in elements(output).enumerate() {
            let place = place.element("output", at as u32);
            push_item(item, Moment::Terminal(&mut settling), &place, referee)?;
        }
    }
    if let Some(usage) = response.raw(USAGE)? {
        push_usage(usage, &place.member("usage"), referee)?;
    }
    let (mut reason, mut error) = (None, None);
    match word {
        Word::Incomplete => {
            if let Some(details) = response.of_kind(INCOMPLETE_DETAILS, Kind::Object)? {
                reason = reason_of(details, &response)?;
            }
        }
        Word::Failed => {
            referee.show_failure();
            error = response.raw(ERROR)?.filter(|error| error.kind() == Kind::Object);
        }
        Word::Cancelled => referee.show_failure(),
        Word::Done => {}
    }
    finish(word, reason, error, place.member("error"), referee)
}

fn reason_of(details: Raw<'_>, response: &Response<'_, '_>) -> Result<Option<Reason>, Stop> {
    const DETAIL_NAMES: [&str; 1] = ["reason"];
    let place = response.place_of(INCOMPLETE_DETAILS);
    let details = Object::read(details, &DETAIL_NAMES, place, |_, _| {})?;
    let is_filter = details.string(0)?.is_some_and(|reason| reason.eq_str("content_filter"));
    Ok(is_filter.then_some(Reason::ContentFilter))
}

fn finish<E: Encode>(
    word: Word,
    reason: Option<Reason>,
    error: Option<Raw<'_>>,
    place: Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let reason = match word {
        Word::Done => Reason::Stop,
        Word::Incomplete => reason.unwrap_or(Reason::Length),
        Word::Failed => {
            return push_failed(error, &place, referee);
        }
        Word::Cancelled => {
            push_cancelled(referee);
            return Ok(());
        }
    };
    referee.finish(0, reason)?;
    referee.end()
}
