//! An answer as a whole: what an encoder was told, kept, and told again to another one (`DESIGN.md` 7).

use std::collections::BTreeMap;

use super::delta::{Class, Counts, FaultInfo, Field, PartKind, Reason};
use super::encode::{
    CallKey, CallOpening, CallShape, Encode, Ending, Head, Layout, Original, TextBlock, Traits,
};
use super::mirror::{ItemOpening, Mirror};
use crate::json::{Raw, Tok};

/// What an encoder was told, block by block in its order.
#[derive(Debug, Default)]
pub struct Snapshot {
    head: Head,
    /// Choices in order of first sight.
    choices: Vec<u32>,
    blocks: Vec<Block>,
    /// Where the last block of each choice stands.
    last_blocks: BTreeMap<u32, usize>,
    /// Where the last text of each part stands among the blocks.
    last_texts: BTreeMap<u32, usize>,
    /// Where each call stands among the blocks.
    calls: BTreeMap<CallKey, usize>,
    reasons: Vec<(u32, Reason)>,
    counts: Counts,
}

#[derive(Debug)]
enum Block {
    Part(PartBlock),
    Call(CallBlock),
}

#[derive(Debug)]
struct PartBlock {
    block: TextBlock,
    /// A JSON string body.
    text: Vec<u8>,
    /// A JSON list, or nothing.
    log_probs: Vec<u8>,
    /// JSON objects.
    annotations: Vec<Vec<u8>>,
    item_is_whole: bool,
}

#[derive(Debug)]
struct CallBlock {
    key: CallKey,
    id: String,
    name: String,
    is_free_form: bool,
    /// A JSON string body.
    text: Vec<u8>,
    is_whole: bool,
}

impl Snapshot {
    fn text(&mut self, block: TextBlock, text: Tok<'_>, log_probs: Option<Raw<'_>>) {
        let latest = self.last_blocks.get(&block.choice).copied();
        let continued = latest.filter(|at| match &self.blocks[*at] {
            Block::Part(last) => last.block == block,
            Block::Call(_) => false,
        });
        let at = continued.unwrap_or(self.blocks.len());
        if continued.is_none() {
            self.last_blocks.insert(block.choice, at);
            if block.kind == PartKind::Text {
                self.last_texts.insert(block.part, self.blocks.len());
            }
            self.blocks.push(Block::Part(PartBlock {
                block,
                text: Vec::new(),
                log_probs: Vec::new(),
                annotations: Vec::new(),
                item_is_whole: true,
            }));
        }
        let Some(Block::Part(part)) = self.blocks.get_mut(at) else { return };
        part.text.extend_from_slice(text.raw());
        if let Some(list) = log_probs {
            let list = list.bytes();
            let elements = &list[1..list.len() - 1];
            if part.log_probs.is_empty() {
                part.log_probs.push(b'[');
            } else {
                part.log_probs.pop();
                part.log_probs.push(b',');
            }
            part.log_probs.extend_from_slice(elements);
            part.log_probs.push(b']');
        }
    }

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, is_placed: bool) {
        if self.last_text_of(block.part).is_none() && is_placed {
            // It came before any text that it could stand beside.
            self.text(block, Tok::EMPTY, None);
        }
        if let Some(part) = self.last_text_of(block.part) {
            part.annotations.push(annotation.bytes().to_vec());
        }
    }

    fn last_text_of(&mut self, part: u32) -> Option<&mut PartBlock> {
        match self.blocks.get_mut(*self.last_texts.get(&part)?) {
            Some(Block::Part(part)) => Some(part),
            _ => None,
        }
    }

    fn open_call(&mut self, call: CallOpening<'_>) {
        self.calls.insert(call.key, self.blocks.len());
        self.last_blocks.insert(call.key.choice, self.blocks.len());
        self.blocks.push(Block::Call(CallBlock {
            key: call.key,
            id: call.id.to_owned(),
            name: call.name.to_owned(),
            is_free_form: call.shape != CallShape::Arguments,
            text: Vec::new(),
            is_whole: true,
        }));
    }

    fn call(&mut self, key: CallKey) -> Option<&mut CallBlock> {
        match self.blocks.get_mut(*self.calls.get(&key)?) {
            Some(Block::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// Tells all of it to a new encoder. `custom_tools` are the names that the client declared as custom.
    pub fn tell<E: Encode>(&self, encoder: &mut E, custom_tools: &[String], out: &mut Vec<u8>) {
        encoder.start(&self.head, out);
        let is_told = |choice: u32| choice == 0 || E::TRAITS.has_choices;
        let mut choices: Vec<u32> =
            self.choices.iter().copied().filter(|choice| is_told(*choice)).collect();
        choices.sort_unstable();
        for choice in choices {
            encoder.start_choice(choice, out);
        }
        let told: Vec<_> = self.blocks.iter().filter(|block| is_told(block.choice())).collect();
        for (at, block) in told.iter().enumerate() {
            match block {
                Block::Part(part) => {
                    let next = told.get(at + 1);
                    let item_goes_on = matches!(next, Some(Block::Part(next)) if next.block.item == part.block.item);
                    part.tell(item_goes_on, encoder, out);
                }
                Block::Call(call) => call.tell(custom_tools, encoder, out),
            }
        }
        let mut reasons: Vec<_> =
            self.reasons.iter().copied().filter(|(choice, _)| is_told(*choice)).collect();
        reasons.sort_unstable_by_key(|(choice, _)| *choice);
        encoder.end(Ending { reasons: &reasons, counts: &self.counts }, out);
    }

    /// Keeps how the answer ended: an item that nothing closed is closed by that.
    fn end<E: Encode>(&mut self, ending: &Ending<'_>) {
        self.reasons = ending.reasons.to_vec();
        self.counts = *ending.counts;
        if E::TRAITS.layout != Layout::Fields {
            return;
        }
        for (choice, reason) in ending.reasons {
            let is_whole = !matches!(reason, Reason::Length | Reason::ContentFilter);
            let last = self.last_blocks.get(choice).and_then(|at| self.blocks.get_mut(*at));
            if let Some(Block::Part(part)) = last {
                part.item_is_whole = is_whole;
            }
        }
    }
}

impl Block {
    const fn choice(&self) -> u32 {
        match self {
            Self::Part(part) => part.block.choice,
            Self::Call(call) => call.key.choice,
        }
    }
}

impl PartBlock {
    fn tell<E: Encode>(&self, item_goes_on: bool, encoder: &mut E, out: &mut Vec<u8>) {
        if !encoder.carries(self.block.kind.field()) {
            return;
        }
        let is_item = E::TRAITS.layout == Layout::Items;
        if is_item {
            encoder.open_part(self.block, out);
        }
        // Both were valid JSON when they were kept.
        let text = Tok::from_raw(&self.text).unwrap_or(Tok::EMPTY);
        let log_probs = Raw::parse(&self.log_probs).ok();
        encoder.text(self.block, text, log_probs, out);
        for annotation in &self.annotations {
            if let Ok(annotation) = Raw::parse(annotation) {
                encoder.annotation(self.block, annotation, out);
            }
        }
        if is_item {
            encoder.close_part(self.block, out);
            if !item_goes_on {
                encoder.close_item(self.block.item, self.item_is_whole, out);
            }
        }
    }
}

impl CallBlock {
    fn tell<E: Encode>(&self, custom_tools: &[String], encoder: &mut E, out: &mut Vec<u8>) {
        let is_native = E::TRAITS.custom_calls_native || custom_tools.contains(&self.name);
        let shape = match (self.is_free_form, is_native) {
            (false, _) => CallShape::Arguments,
            (true, true) => CallShape::FreeForm,
            (true, false) => CallShape::Wrapped,
        };
        let (id, name) = (&self.id, &self.name);
        encoder.open_call(CallOpening { key: self.key, id, name, shape, item: None }, out);
        if let Some(text) = Tok::from_raw(&self.text).filter(|text| !text.is_empty()) {
            encoder.call_text(self.key, text, out);
        }
        encoder.close_call(self.key, self.is_whole, out);
    }
}

/// An encoder whose work is also kept as a snapshot, if asked for.
#[derive(Debug)]
pub struct Collecting<E> {
    /// The encoder.
    pub encoder: E,
    /// What it was told.
    pub snapshot: Option<Box<Snapshot>>,
}

impl<E> Collecting<E> {
    /// Wraps an encoder before its first event.
    pub fn new(encoder: E, collect: bool) -> Self {
        Self { encoder, snapshot: collect.then(Box::default) }
    }
}

impl<E: Encode> Encode for Collecting<E> {
    const TRAITS: Traits = E::TRAITS;

    fn start(&mut self, head: &Head, out: &mut Vec<u8>) {
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.head = head.clone();
        }
        self.encoder.start(head, out);
    }

    fn start_choice(&mut self, choice: u32, out: &mut Vec<u8>) {
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.choices.push(choice);
        }
        self.encoder.start_choice(choice, out);
    }

    fn carries(&self, field: Field) -> bool {
        self.encoder.carries(field)
    }

    fn open_part(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        self.encoder.open_part(block, out);
    }

    #[inline]
    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        out: &mut Vec<u8>,
    ) {
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.text(block, text, log_probs);
        }
        self.encoder.text(block, text, log_probs, out);
    }

    #[inline]
    fn copy_text(&mut self, block: TextBlock, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        let is_copied = self.encoder.copy_text(block, original, out);
        if let Some(snapshot) = self.snapshot.as_mut().filter(|_| is_copied) {
            snapshot.text(block, original.reading.text, None);
        }
        is_copied
    }

    fn close_part(&mut self, block: TextBlock, out: &mut Vec<u8>) {
        self.encoder.close_part(block, out);
    }

    fn close_item(&mut self, item: u32, is_whole: bool, out: &mut Vec<u8>) {
        if let Some(snapshot) = &mut self.snapshot {
            // An item is closed before anything else is opened: its parts are the last ones.
            for block in snapshot.blocks.iter_mut().rev() {
                match block {
                    Block::Part(part) if part.block.item == item => part.item_is_whole = is_whole,
                    _ => break,
                }
            }
        }
        self.encoder.close_item(item, is_whole, out);
    }

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, out: &mut Vec<u8>) -> bool {
        let is_placed = self.encoder.annotation(block, annotation, out);
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.annotation(block, annotation, is_placed);
        }
        is_placed
    }

    /// Only an error can follow, and of an answer that failed the snapshot is not read.
    fn take_back_annotation(&mut self, choice: u32) {
        self.encoder.take_back_annotation(choice);
    }

    fn forget_annotations(&mut self) {
        self.encoder.forget_annotations();
    }

    fn open_call(&mut self, call: CallOpening<'_>, out: &mut Vec<u8>) {
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.open_call(call);
        }
        self.encoder.open_call(call, out);
    }

    #[inline]
    fn call_text(&mut self, key: CallKey, text: Tok<'_>, out: &mut Vec<u8>) {
        if let Some(call) = self.snapshot.as_mut().and_then(|snapshot| snapshot.call(key)) {
            call.text.extend_from_slice(text.raw());
        }
        self.encoder.call_text(key, text, out);
    }

    #[inline]
    fn copy_call_text(&mut self, key: CallKey, original: &Original<'_>, out: &mut Vec<u8>) -> bool {
        let is_copied = self.encoder.copy_call_text(key, original, out);
        let snapshot = self.snapshot.as_mut().filter(|_| is_copied);
        if let Some(call) = snapshot.and_then(|snapshot| snapshot.call(key)) {
            call.text.extend_from_slice(original.reading.text.raw());
        }
        is_copied
    }

    fn close_call(&mut self, key: CallKey, is_whole: bool, out: &mut Vec<u8>) {
        if let Some(call) = self.snapshot.as_mut().and_then(|snapshot| snapshot.call(key)) {
            call.is_whole = is_whole;
        }
        self.encoder.close_call(key, is_whole, out);
    }

    fn end(&mut self, ending: Ending<'_>, out: &mut Vec<u8>) {
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.end::<E>(&ending);
        }
        self.encoder.end(ending, out);
    }

    fn fault(&mut self, fault: &FaultInfo<'_>, counts: &Counts, out: &mut Vec<u8>) {
        self.encoder.fault(fault, counts, out);
    }

    fn alive(&mut self, out: &mut Vec<u8>) {
        self.encoder.alive(out);
    }
}

impl<E: Mirror> Mirror for Collecting<E> {
    fn passes_unknown(&self) -> bool {
        self.encoder.passes_unknown()
    }

    fn blank(&mut self, source: Raw<'_>, out: &mut Vec<u8>) {
        self.encoder.blank(source, out);
    }

    fn show_answer(&mut self, response: Raw<'_>) {
        self.encoder.show_answer(response);
    }

    fn show_failure(&mut self) {
        self.encoder.show_failure();
    }

    fn repeat_head(&mut self, kind: &str, out: &mut Vec<u8>) {
        self.encoder.repeat_head(kind, out);
    }

    fn show_item(&mut self, item: u32, class: Class, shown: Raw<'_>) {
        self.encoder.show_item(item, class, shown);
    }

    fn open_item(&mut self, opening: ItemOpening<'_>, out: &mut Vec<u8>) {
        self.encoder.open_item(opening, out);
    }

    fn show_part(&mut self, block: TextBlock, shown: Raw<'_>) {
        self.encoder.show_part(block, shown);
    }

    fn open_shown_part(&mut self, block: TextBlock, shown: Raw<'_>, out: &mut Vec<u8>) {
        self.encoder.open_shown_part(block, shown, out);
    }

    fn close_text(&mut self, block: TextBlock, log_probs: Option<Raw<'_>>, out: &mut Vec<u8>) {
        self.encoder.close_text(block, log_probs, out);
    }

    fn close_call_text(&mut self, key: CallKey, out: &mut Vec<u8>) {
        self.encoder.close_call_text(key, out);
    }

    fn pass_event(&mut self, item: Option<u32>, kind: &str, event: Raw<'_>, out: &mut Vec<u8>) {
        self.encoder.pass_event(item, kind, event, out);
    }

    fn shown_bytes(&self) -> usize {
        self.encoder.shown_bytes()
    }

    fn kept_text(&self) -> Option<Tok<'_>> {
        self.encoder.kept_text()
    }

    fn answer(&self) -> Option<&[u8]> {
        self.encoder.answer()
    }
}
