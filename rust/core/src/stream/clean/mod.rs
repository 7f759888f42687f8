//! Streams of one format: an event that needs no change is copied, another one is written anew with what the
//! format does not know of it (`DESIGN.md` 8).

mod copy;
mod cover;
mod fold;
mod known;
mod merge;
mod missing;
mod numbering;
mod waiting;
mod walk;
mod whole;

use self::copy::push_copied;
use self::cover::{Shared, covers};
use self::known::Says;
use self::merge::{are_related, push_merged, share_last};
use self::missing::{Origin, Part, Teller};
use self::numbering::Numbering;
use self::waiting::{Displaced, Waited, Waiting, is_counts};
use self::walk::covers_bytes;
use self::whole::complete_events;
use crate::json::{Kind, Raw};
use crate::stream::loss::LossLog;

pub use copy::Around;
pub(crate) use copy::is_one_line;
pub use known::Known;
pub(crate) use whole::{body_as_event, put_in_place, with_riders};

/// What is written for one event of the source.
#[derive(Clone, Copy, Debug)]
struct Written<'a> {
    /// The `event:` line, if there is one, and the field name of the payload.
    opening: &'a [u8],
    /// Nothing for a comment and for a payload that is no object.
    payload: Option<Raw<'a>>,
    /// All of it, with the blank line.
    whole: &'a [u8],
}

const BORDER: &[u8] = b"\n\n";
const DATA: &[u8] = b"data: ";

/// Splits what an encoder wrote: events of one line of data each, and comments.
fn written(mut bytes: &[u8]) -> Vec<Written<'_>> {
    let mut found = Vec::new();
    while let Some(end) = memchr::memmem::find(bytes, BORDER) {
        let (whole, rest) = bytes.split_at(end + BORDER.len());
        let (opening, payload) = parts(&whole[..end]);
        let payload = payload.and_then(|payload| Raw::parse(payload).ok());
        found.push(Written { opening, payload, whole });
        bytes = rest;
    }
    found
}

/// What stands before the payload of an event, and the payload, if that is an object.
fn parts(event: &[u8]) -> (&[u8], Option<&[u8]>) {
    let from = memchr::memchr(b'\n', event).map_or(0, |at| at + 1);
    let from = if event.starts_with(b"event: ") { from } else { 0 };
    let payload = event[from..].strip_prefix(DATA).filter(|data| data.starts_with(b"{"));
    (&event[..(from + DATA.len()).min(event.len())], payload)
}

/// The only event that was written: what stands before its payload, and the payload.
fn only(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let event = bytes.strip_suffix(BORDER)?;
    if memchr::memmem::find(event, BORDER).is_some() {
        return None;
    }
    let (opening, payload) = parts(event);
    Some((opening, payload?))
}

/// What the pipe tells about an event of the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The event's ordinal.
    pub(crate) event: u64,
    /// Something of the answer waits for more, so that it was not written.
    pub(crate) holds_back: bool,
    /// The answer has ended.
    pub(crate) is_over: bool,
}

/// Decides for each event of the source whether it is copied or written anew.
#[derive(Debug)]
pub(crate) struct Cleaner {
    known: &'static Known,
    /// Told by events: it must be the same in source and written event.
    counter: Option<&'static str>,
    /// What is known since an event was copied.
    learned: Option<Around>,
    numbering: Numbering,
    waiting: Waiting,
    /// What was told of what got lost.
    told: missing::Told,
    /// What was written for the event, and before it for the events that wait.
    scratch: Vec<u8>,
}

impl Cleaner {
    pub(crate) fn new(known: &'static Known, counter: Option<&'static str>) -> Self {
        Self {
            known,
            counter,
            learned: None,
            numbering: Numbering::default(),
            waiting: Waiting::default(),
            told: missing::Told::default(),
            scratch: Vec::new(),
        }
    }

    /// Whether nothing that was written waits for more: then an event may be copied.
    #[inline]
    pub(crate) const fn is_idle(&self) -> bool {
        self.scratch.is_empty()
    }

    /// Replaces what was written for the source's event, `out` from `start` on, by the event itself if that says
    /// the same; else completes it with the event's members that the format does not know. `blank` writes an
    /// event that says nothing, for such members of an event of which nothing came. Returns what is known now of
    /// events like this one.
    #[cold]
    pub(crate) fn settle(
        &mut self,
        source: Raw<'_>,
        start: usize,
        told: Told,
        losses: &mut LossLog,
        out: &mut Vec<u8>,
        blank: impl FnOnce(Raw<'_>, &mut Vec<u8>),
    ) -> Option<Around> {
        self.settle_read(source, start, told, losses, out, blank);
        self.learned.take().filter(|_| !self.numbering.is_unlike)
    }

    fn settle_read(
        &mut self,
        source: Raw<'_>,
        start: usize,
        told: Told,
        losses: &mut LossLog,
        out: &mut Vec<u8>,
        blank: impl FnOnce(Raw<'_>, &mut Vec<u8>),
    ) {
        let stands_alone = self.known.folds.is_none();
        if stands_alone && (out.len() == start || self.copy_only(source, start, out)) {
            return;
        }
        let mut origin = Origin { event: told.event, envelope: None };
        let inner = self.known.envelope.and_then(|(name, others)| inside(source, name, others));
        if let Some((name, _)) = self.known.envelope.filter(|_| inner.is_some()) {
            // Of the envelope itself nothing is written.
            self.teller(losses).tell(source, origin, &[], Part::Beside);
            origin.envelope = Some(name);
        }
        let source = inner.unwrap_or(source);
        let numbered = self.numbering.complete(source, self.known);
        let source = numbered.as_deref().and_then(|event| Raw::parse(event).ok()).unwrap_or(source);
        self.scratch.extend_from_slice(&out[start..]);
        out.truncate(start);
        if stands_alone {
            self.settle_apart(source, out);
        } else {
            self.settle_folded(source, origin, told, losses, out, blank);
        }
    }

    /// Each event is one of its own.
    fn settle_apart(&mut self, source: Raw<'_>, out: &mut Vec<u8>) {
        let scratch = core::mem::take(&mut self.scratch);
        let events = written(&scratch);
        if !self.copy(source, &events, out) {
            let kind = self.known.kind_of(source);
            let of_kind = |event: &Written<'_>| {
                kind.is_some()
                    && event.payload.and_then(|payload| self.known.kind_of(payload)) == kind
            };
            let heir = events
                .iter()
                .position(of_kind)
                .or_else(|| events.iter().position(|event| event.payload.is_some()));
            for (at, event) in events.iter().enumerate() {
                let heirs: &[Raw<'_>] = if heir == Some(at) { &[source] } else { &[] };
                self.write(heirs, core::slice::from_ref(event), out);
            }
        }
        self.give_back(scratch);
    }

    /// What came of one event of the source is written as one event; an event may wait for what it says.
    fn settle_folded(
        &mut self,
        source: Raw<'_>,
        origin: Origin,
        told: Told,
        losses: &mut LossLog,
        out: &mut Vec<u8>,
        blank: impl FnOnce(Raw<'_>, &mut Vec<u8>),
    ) {
        let mut scratch = core::mem::take(&mut self.scratch);
        let carried_bytes = self.waiting.carried_bytes;
        if told.is_over {
            self.fail(source, origin, &scratch, losses, out);
            return self.give_back(scratch);
        }
        let mut came = scratch.len() > carried_bytes;
        // It says so itself, whatever waits beside it.
        if carried_bytes == 0 && came && self.copy(source, &written(&scratch), out) {
            return self.give_back(scratch);
        }
        let says = Says::of(source, self.known);
        let waits = says.held && told.holds_back && Waiting::is_short(source);
        if !came && !waits {
            if says.last && !says.apart {
                self.keep(source, origin, losses);
                self.scratch = scratch;
                return;
            }
            if !says.passes() {
                self.teller(losses).tell(source, origin, &[], Part::Whole);
                self.scratch = scratch;
                return;
            }
            blank(source, &mut scratch);
            came = scratch.len() > carried_bytes;
            if carried_bytes == 0 && self.copy(source, &written(&scratch), out) {
                return self.give_back(scratch);
            }
        }
        if let Some(counts) = waiting::counts_of(source, self.known)
            && let Ok(counts) = Raw::parse(counts.as_bytes())
        {
            self.keep(counts, origin, losses);
        }
        let waited = Waited::of(source, origin);
        if !self.waiting.is_full() && (!came || (waits && self.waiting.is_empty())) {
            self.waiting.hold(waited, scratch.len());
            self.scratch = scratch;
            return;
        }
        let left = self.settle_held(&written(&scratch), Some(waited), losses, waits, out);
        self.give_back(scratch);
        if let Some(left) = left {
            self.waiting.hold(left, 0);
        }
    }

    /// Keeps an event for the end; tells of those that give way to it.
    fn keep(&mut self, source: Raw<'_>, origin: Origin, losses: &mut LossLog) {
        let Displaced { superseded, no_room } = self.waiting.keep(source, origin, self.known);
        let mut tell = |lost: Option<Waited>, written: &[Raw<'_>]| {
            if let Some(lost) = lost
                && let Some(event) = lost.read()
            {
                self.teller(losses).tell(event, lost.origin, written, Part::Whole);
            }
        };
        // Counts that are told again are not lost.
        tell(superseded, &[source]);
        tell(no_room, &[]);
    }

    const fn teller<'t>(&'t mut self, losses: &'t mut LossLog) -> Teller<'t> {
        Teller { told: &mut self.told, losses, known: self.known }
    }

    /// Copies the events that waited, the `last` one behind them, as far as they say what was written now, and
    /// writes the rest anew. The last is given back if nothing is left for it, and it may wait.
    fn settle_held(
        &mut self,
        events: &[Written<'_>],
        last: Option<Waited>,
        losses: &mut LossLog,
        last_may_wait: bool,
        out: &mut Vec<u8>,
    ) -> Option<Waited> {
        let has_last = last.is_some();
        let mut held = self.waiting.take_held();
        held.extend(last);
        let start = out.len();
        let mut rest = events;
        let mut left: Vec<usize> = Vec::new();
        for (at, waited) in held.iter().enumerate() {
            let Some(event) = waited.read() else { continue };
            match (1..=rest.len().min(MAX_PIECES))
                .find(|length| self.copy(event, &rest[..*length], out))
            {
                Some(length) => rest = &rest[length..],
                None => left.push(at),
            }
        }
        let mut may_wait = None;
        let last_at = held.len().checked_sub(1).filter(|_| has_last);
        if !rest.is_empty() {
            let is_copied = |at: &usize| left.last() != Some(at);
            let heirs = left.iter().copied().chain(last_at.filter(is_copied));
            let heirs: Vec<_> = heirs.filter_map(|at| held[at].read()).collect();
            self.write(&heirs, rest, out);
        } else if last_may_wait && left.last().copied() == last_at {
            left.pop();
            may_wait = held.pop();
        }
        let left = left.iter().map(|at| &held[*at]);
        self.tell_missing(left, &out[start..], Part::Folded, losses);
        may_wait
    }

    /// Takes the end of an answer that the source's event is the error of.
    fn fail(
        &mut self,
        source: Raw<'_>,
        origin: Origin,
        scratch: &[u8],
        losses: &mut LossLog,
        out: &mut Vec<u8>,
    ) {
        let events = written(scratch);
        let Some((error, before)) = events.split_last() else { return };
        let (said, closing) = before.split_at(self.closing_at(before));
        let said_bytes: usize = said.iter().map(|event| event.whole.len()).sum();
        let has_said = said_bytes > self.waiting.carried_bytes;
        let last = has_said.then(|| Waited::of(source, origin));
        self.settle_held(said, last, losses, false, out);
        let ended = self.close(closing, out);
        let only = core::slice::from_ref(error);
        let start = out.len();
        // What was said before the error has the rest of its event.
        let own = if has_said { waiting::only(source, self.known.apart) } else { Vec::new() };
        let own = if has_said { Raw::parse(&own).ok() } else { Some(source) };
        if has_said || !self.copy(source, only, out) {
            let heirs: Vec<_> = own.into_iter().collect();
            self.write(&heirs, only, out);
        }
        let payload = written(&out[start..]);
        let payload: Vec<_> = payload.iter().filter_map(|event| event.payload).collect();
        if let Some(own) = own {
            self.teller(losses).tell(own, origin, &payload, Part::Whole);
        }
        self.tell_lost(&ended, losses);
    }

    /// Where the events begin that are held against those that waited for the end.
    fn closing_at(&self, events: &[Written<'_>]) -> usize {
        let is_closing = |event: &Written<'_>| match event.payload {
            Some(payload) => Says::of(payload, self.known).last || !self.folds(event),
            None => true,
        };
        events.iter().position(is_closing).unwrap_or(events.len())
    }

    fn folds(&self, event: &Written<'_>) -> bool {
        let has = |name| event.payload.is_some_and(|payload| fold::member(payload, name).is_some());
        self.known.folds.is_some_and(has)
    }

    /// Takes what was written for a whole body, `out` from `start` on.
    pub(crate) fn settle_body(&self, source: &[u8], start: usize, out: &mut Vec<u8>) {
        complete_events(source, self.known, start, out);
    }

    /// Takes what was written at the end, `out` from `start` on: events that waited for it are copied.
    pub(crate) fn end(
        &mut self,
        start: usize,
        is_over: bool,
        losses: &mut LossLog,
        out: &mut Vec<u8>,
    ) {
        if self.known.folds.is_none() {
            return;
        }
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.extend_from_slice(&out[start..]);
        out.truncate(start);
        let events = written(&scratch);
        let (said, closing) = events.split_at(self.closing_at(&events));
        self.settle_held(said, None, losses, false, out);
        if is_over {
            let ended = self.close(closing, out);
            self.tell_lost(&ended, losses);
        } else {
            for event in closing {
                out.extend_from_slice(event.whole);
            }
        }
        self.give_back(scratch);
    }

    /// Writes what is written at the end. Returns the events that waited for it and were not copied, each with
    /// what was written now.
    fn close(&mut self, closing: &[Written<'_>], out: &mut Vec<u8>) -> (Vec<Waited>, Vec<u8>) {
        let start = out.len();
        let kept = self.waiting.take_last();
        let mut events: Vec<_> = kept.iter().map(Waited::read).collect();
        for (at, event) in closing.iter().enumerate() {
            let Some(payload) = event.payload.filter(|_| at < MAX_CLOSING) else {
                out.extend_from_slice(event.whole);
                continue;
            };
            let covers = |kept: &Raw<'_>| covers(*kept, &[payload], self.known, &mut None);
            let same = events.iter().position(|kept| kept.as_ref().is_some_and(covers));
            if let Some(same) = same.and_then(|at| events[at].take()) {
                push_event(event.opening, same, out);
                continue;
            }
            let others = events.iter().flatten();
            let mut related = others.filter(|kept| share_last(**kept, payload, self.known));
            // Of counts the last ones tell.
            let heir =
                if is_counts(payload, self.known) { related.next_back() } else { related.next() };
            let heirs: Vec<_> = heir.into_iter().copied().collect();
            self.write(&heirs, core::slice::from_ref(event), out);
        }
        let left: Vec<_> = events.iter().map(Option::is_some).collect();
        let left = kept.into_iter().zip(left).filter(|(_, is_left)| *is_left);
        (left.map(|(waited, _)| waited).collect(), out[start..].to_vec())
    }

    /// The answer is over: what is missing of the events that were kept is lost.
    fn tell_lost(&mut self, (kept, said): &(Vec<Waited>, Vec<u8>), losses: &mut LossLog) {
        self.tell_missing(kept, said, Part::Whole, losses);
    }

    /// Tells what the events `said` do not have of those of the source.
    fn tell_missing<'w>(
        &mut self,
        sources: impl IntoIterator<Item = &'w Waited>,
        said: &[u8],
        part: Part,
        losses: &mut LossLog,
    ) {
        let mut sources = sources.into_iter().peekable();
        if sources.peek().is_none() {
            return;
        }
        let said = written(said);
        let said: Vec<_> = said.iter().filter_map(|event| event.payload).collect();
        for waited in sources {
            if let Some(event) = waited.read() {
                self.teller(losses).tell(event, waited.origin, &said, part);
            }
        }
    }

    /// Copies the source's event if it can be told from the bytes that it says what the only event that was
    /// written for it says, `out` from `start` on.
    fn copy_only(&mut self, source: Raw<'_>, start: usize, out: &mut Vec<u8>) -> bool {
        let whole = &out[start..];
        let Some((opening, payload)) = only(whole) else { return false };
        let mut shared = None;
        if !covers_bytes(source, payload, self.known, &mut shared) {
            return false;
        }
        let around = shared.and_then(|shared| {
            let payload = Raw::parse(payload).ok()?;
            self.around(&Written { opening, payload: Some(payload), whole }, payload, shared)
        });
        let opening_bytes = opening.len();
        out.truncate(start + opening_bytes);
        if push_copied(out, source) {
            self.learned = around;
        }
        out.extend_from_slice(BORDER);
        true
    }

    /// Copies the source's event if that says what these events say together.
    fn copy(&mut self, source: Raw<'_>, events: &[Written<'_>], out: &mut Vec<u8>) -> bool {
        let payloads: Vec<_> = events.iter().filter_map(|event| event.payload).collect();
        let Some(first) = events.first() else { return false };
        if payloads.len() < events.len() || (payloads.len() > 1 && self.known.folds.is_none()) {
            return false;
        }
        let mut shared = None;
        if !covers(source, &payloads, self.known, &mut shared) {
            return false;
        }
        let verbatim = push_event(first.opening, source, out);
        if let (true, [event], [payload], Some(shared)) = (verbatim, events, &*payloads, shared) {
            self.learned = self.around(event, *payload, shared);
        }
        true
    }

    /// What surrounds a text that source and written event share.
    fn around(
        &self,
        event: &Written<'_>,
        payload: Raw<'_>,
        shared: Shared<'_, '_>,
    ) -> Option<Around> {
        let counter = self.counter.and_then(|name| fold::member(payload, name));
        let is_counted = counter.is_none_or(|counter| counter.at() < shared.written.at());
        is_counted.then(|| Around::of(event, shared, counter))
    }

    /// Writes events anew. Neighbours that fold are written as one; the first that has something in common with
    /// the sources takes over what the format does not know.
    fn write(&self, sources: &[Raw<'_>], events: &[Written<'_>], out: &mut Vec<u8>) {
        let mut sources = sources;
        let mut rest = events;
        while let Some(event) = rest.first() {
            let length = rest.iter().take_while(|event| self.folds(event)).count().max(1);
            let (these, others) = rest.split_at(length);
            rest = others;
            let payloads: Vec<_> = these.iter().filter_map(|event| event.payload).collect();
            let Some(payload) = payloads.first() else {
                out.extend_from_slice(event.whole);
                continue;
            };
            let related: Vec<_> = sources
                .iter()
                .filter(|source| are_related(**source, *payload, self.known))
                .copied()
                .collect();
            if related.is_empty() && length == 1 {
                out.extend_from_slice(event.whole);
                continue;
            }
            if !related.is_empty() {
                sources = &[];
            }
            out.extend_from_slice(event.opening);
            push_merged(out, &related, &payloads, self.known);
            out.extend_from_slice(BORDER);
        }
    }

    /// Keeps a buffer for the next event.
    fn give_back(&mut self, mut scratch: Vec<u8>) {
        scratch.clear();
        if scratch.capacity() <= KEPT_SCRATCH_BYTES {
            self.scratch = scratch;
        }
    }
}

/// The event in an envelope, if it is in one: none of the members `others` has a value beside it.
fn inside<'a>(event: Raw<'a>, name: &str, others: &[&str]) -> Option<Raw<'a>> {
    let inner = fold::member(event, name).filter(|inner| inner.kind() == Kind::Object)?;
    let has = |other: &&str| fold::member(event, other).is_some_and(|it| it.kind() != Kind::Null);
    (!others.iter().any(has)).then_some(inner)
}

/// At most so many events are tried as what one event of the source says.
const MAX_PIECES: usize = 8;

/// At most so many events of an end are held against those that waited for it.
const MAX_CLOSING: usize = 64;

/// A larger buffer is not kept.
const KEPT_SCRATCH_BYTES: usize = 64 << 10;

/// Appends the source's event; whether its bytes are all as they were.
fn push_event(opening: &[u8], source: Raw<'_>, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(opening);
    let verbatim = push_copied(out, source);
    out.extend_from_slice(BORDER);
    verbatim
}

#[cfg(test)]
mod tests;
