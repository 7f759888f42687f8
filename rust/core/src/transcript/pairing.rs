//! Pairing call turns with their results: strict servers refuse one without the other.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// An id, decoded: UTF-8, and a lone surrogate half as three bytes (WTF-8).
pub(crate) type Id<'a> = Cow<'a, [u8]>;

/// What becomes of entries that do not pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnpairedPolicy {
    /// They are left out.
    #[default]
    Drop,
    /// They are left out, but a call turn with text leaves that text as a plain row.
    Text,
    /// They stay.
    Keep,
    /// The first is an error.
    Error,
}

impl UnpairedPolicy {
    /// The policy of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "drop" => Some(Self::Drop),
            "text" => Some(Self::Text),
            "keep" => Some(Self::Keep),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}

/// Whether the results of one call turn may stand in several records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitResults {
    /// They may.
    #[default]
    Merge,
    /// Only the first record counts.
    Drop,
}

impl SplitResults {
    /// The option of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "merge" => Some(Self::Merge),
            "drop" => Some(Self::Drop),
            _ => None,
        }
    }
}

/// Whether repeated ids are a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateIds {
    /// They are.
    #[default]
    Drop,
    /// Ids compare as sets.
    Keep,
}

impl DuplicateIds {
    /// The option of that public name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "drop" => Some(Self::Drop),
            "keep" => Some(Self::Keep),
            _ => None,
        }
    }
}

/// Options of pairing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairingOptions {
    /// What becomes of entries that do not pair.
    pub unpaired: UnpairedPolicy,
    /// Whether results may stand in several records.
    pub split_results: SplitResults,
    /// Whether repeated ids are a failure.
    pub duplicate_ids: DuplicateIds,
}

/// Why a call turn or a results record does not pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpairedCode {
    /// The call list is empty.
    NoCalls,
    /// No record follows the call turn.
    Unanswered,
    /// An id repeats among the calls or among the results.
    DuplicateIds,
    /// A result answers no call of the turn.
    ForeignResults,
    /// A call has no result.
    MissingResults,
    /// A record belongs to no cycle.
    OrphanResults,
}

impl UnpairedCode {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoCalls => "no_calls",
            Self::Unanswered => "unanswered",
            Self::DuplicateIds => "duplicate_ids",
            Self::ForeignResults => "foreign_results",
            Self::MissingResults => "missing_results",
            Self::OrphanResults => "orphan_results",
        }
    }
}

/// A cycle that a strict server would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpaired {
    /// What is wrong with it.
    pub code: UnpairedCode,
    /// Index of its first entry in the history.
    pub index: usize,
    /// How many entries it has: they stand one after another.
    pub entry_count: usize,
    /// The ids at fault, distinct, decoded: UTF-8, a lone surrogate half as three bytes (WTF-8).
    pub ids: Vec<Vec<u8>>,
}

/// What pairing found.
#[derive(Debug)]
pub(crate) struct Paired {
    /// For each entry, whether it is plain or part of a complete cycle.
    pub(crate) kept: Vec<bool>,
    /// By first entry.
    pub(crate) unpaired: Vec<Unpaired>,
}

/// Takes entries one after another and pairs them. It remembers the ids of one cycle at a time.
#[derive(Debug)]
pub(crate) struct Pairer<'a> {
    options: PairingOptions,
    kept: Vec<bool>,
    unpaired: Vec<Unpaired>,
    cycle: Option<Cycle<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Records are taken until all calls are answered.
    Taking,
    /// All calls are answered.
    Complete,
    /// The cycle has failed.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdState {
    Waiting,
    Answered,
    Foreign,
}

/// A call turn and the records directly after it.
#[derive(Debug)]
struct Cycle<'a> {
    index: usize,
    /// Records so far.
    run_length: usize,
    phase: Phase,
    calls: Vec<Id<'a>>,
    states: BTreeMap<Id<'a>, IdState>,
    /// Calls without a result.
    waiting: usize,
    /// Ids that repeat, at each repetition: those of calls first.
    repeated: Vec<Id<'a>>,
    foreign: Vec<Id<'a>>,
}

impl<'a> Pairer<'a> {
    pub(crate) const fn new(options: PairingOptions) -> Self {
        Self { options, kept: Vec::new(), unpaired: Vec::new(), cycle: None }
    }

    /// Takes a plain row.
    pub(crate) fn plain(&mut self) {
        self.close();
        self.kept.push(true);
    }

    /// Takes a call turn with the ids of its calls.
    pub(crate) fn calls(&mut self, ids: impl Iterator<Item = Id<'a>>) {
        self.close();
        let calls: Vec<Id<'a>> = ids.collect();
        let mut states = BTreeMap::new();
        let mut repeated = Vec::new();
        for id in &calls {
            if states.insert(id.clone(), IdState::Waiting).is_some() {
                repeated.push(id.clone());
            }
        }
        let repeats = !repeated.is_empty() && self.options.duplicate_ids == DuplicateIds::Drop;
        self.cycle = Some(Cycle {
            index: self.kept.len(),
            run_length: 0,
            phase: if calls.is_empty() || repeats { Phase::Stopped } else { Phase::Taking },
            waiting: states.len(),
            calls,
            states,
            repeated: if repeats { repeated } else { Vec::new() },
            foreign: Vec::new(),
        });
        self.kept.push(true);
    }

    /// Takes a results record with the ids of its results.
    pub(crate) fn results(&mut self, ids: impl Iterator<Item = Id<'a>>) {
        match &mut self.cycle {
            Some(cycle) if cycle.phase != Phase::Complete => {
                cycle.run_length += 1;
                if cycle.phase == Phase::Taking {
                    cycle.take(ids, self.options);
                }
                self.kept.push(true);
            }
            _ => {
                self.unpaired.push(Unpaired {
                    code: UnpairedCode::OrphanResults,
                    index: self.kept.len(),
                    entry_count: 1,
                    ids: distinct(ids),
                });
                self.kept.push(false);
            }
        }
    }

    pub(crate) fn finish(mut self) -> Paired {
        self.close();
        Paired { kept: self.kept, unpaired: self.unpaired }
    }

    fn close(&mut self) {
        let Some(cycle) = self.cycle.take() else {
            return;
        };
        if cycle.phase == Phase::Complete {
            return;
        }
        let (index, entry_count) = (cycle.index, 1 + cycle.run_length);
        for kept in &mut self.kept[index..] {
            *kept = false;
        }
        let (code, ids) = cycle.failure();
        self.unpaired.push(Unpaired { code, index, entry_count, ids });
    }
}

impl<'a> Cycle<'a> {
    fn take(&mut self, ids: impl Iterator<Item = Id<'a>>, options: PairingOptions) {
        for id in ids {
            match self.states.get_mut(&id) {
                None => {
                    self.states.insert(id.clone(), IdState::Foreign);
                    self.foreign.push(id);
                }
                Some(state) if *state == IdState::Waiting => {
                    *state = IdState::Answered;
                    self.waiting -= 1;
                }
                Some(_) if options.duplicate_ids == DuplicateIds::Drop => self.repeated.push(id),
                Some(_) => {}
            }
        }
        let is_wrong = !self.repeated.is_empty() || !self.foreign.is_empty();
        if !is_wrong && self.waiting == 0 {
            self.phase = Phase::Complete;
        } else if is_wrong || options.split_results == SplitResults::Drop {
            self.phase = Phase::Stopped;
        }
    }

    /// Why the cycle is not complete, and the ids at fault.
    fn failure(self) -> (UnpairedCode, Vec<Vec<u8>>) {
        if self.calls.is_empty() {
            (UnpairedCode::NoCalls, Vec::new())
        } else if self.run_length == 0 {
            (UnpairedCode::Unanswered, distinct(self.calls))
        } else if !self.repeated.is_empty() {
            (UnpairedCode::DuplicateIds, distinct(self.repeated))
        } else if !self.foreign.is_empty() {
            (UnpairedCode::ForeignResults, distinct(self.foreign))
        } else {
            let states = self.states;
            let is_waiting = |id: &Id<'_>| states.get(id) == Some(&IdState::Waiting);
            (UnpairedCode::MissingResults, distinct(self.calls.into_iter().filter(is_waiting)))
        }
    }
}

/// The ids, each once, in order of first appearance.
fn distinct<'a>(ids: impl IntoIterator<Item = Id<'a>>) -> Vec<Vec<u8>> {
    let mut seen = BTreeMap::new();
    for (nth, id) in ids.into_iter().enumerate() {
        seen.entry(id).or_insert(nth);
    }
    let mut by_place: Vec<(usize, Id<'_>)> = seen.into_iter().map(|(id, nth)| (nth, id)).collect();
    by_place.sort_unstable();
    by_place.into_iter().map(|(_, id)| id.into_owned()).collect()
}
