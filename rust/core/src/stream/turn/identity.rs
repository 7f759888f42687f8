//! Which item and which part an event means (`DESIGN.md` 4.1).

use std::collections::BTreeMap;

use super::mirror::Side;
use super::{CallPhase, Hot, Item, Part, Referee};
use crate::error::Code;
use crate::json::Tok;
use crate::stream::delta::{Class, Field, ItemHead, ItemRef, PartKey, PartKind, WireKey};
use crate::stream::digest::SentText;
use crate::stream::encode::{CallShape, Encode};
use crate::stream::stop::Stop;

/// An absent and an empty string are the same.
fn text_of(token: Option<Tok<'_>>) -> Option<Box<str>> {
    token.filter(|token| !token.is_empty()).map(|token| token.decode().into())
}

/// Bytes of an id or a name, decoded. They are repeated in what is written, and looked up.
const MAX_NAME_BYTES: usize = 4_096;

impl<E: Encode> Referee<'_, E> {
    /// The part that text goes to; both levels are made if they are missing.
    #[inline]
    pub(super) fn find_part(&mut self, key: WireKey<'_>, part: PartKey) -> Result<u32, Stop> {
        if let Some(hot) = self.turn.hot
            && hot.key == part
            && hot.choice == key.choice
            && hot.index == key.index
            && self.is_meant(hot.item, key)
        {
            return Ok(hot.part);
        }
        self.look_up_part(key, part)
    }

    /// Whether a key with the index of the last one means the same item, and says no more of it.
    #[inline]
    fn is_meant(&self, item: u32, key: WireKey<'_>) -> bool {
        match (&self.turn.items[item as usize].id, key.id) {
            (Some(known), Some(id)) => key.index.is_some() || id.eq_str(known),
            (None, Some(_)) => false,
            (_, None) => key.index.is_some(),
        }
    }

    #[cold]
    fn look_up_part(&mut self, key: WireKey<'_>, part: PartKey) -> Result<u32, Stop> {
        let item = self.find_item(key, part.kind.class())?;
        let found = self.part_of(item, part);
        self.turn.hot = Some(Hot {
            choice: key.choice,
            index: key.index,
            key: part,
            item: item.0,
            part: found,
        });
        Ok(found)
    }

    /// The part of an item; it is made if it is missing. A call has one.
    pub(super) fn part_of(&mut self, item: ItemRef, key: PartKey) -> u32 {
        let kind = if key.kind.field() == Field::Call { PartKind::Arguments } else { key.kind };
        if let Some(found) = self.turn.items[item.0 as usize].parts.get(&(kind, key.number)) {
            return *found;
        }
        let fresh = self.turn.parts.len() as u32;
        self.turn.parts.push(Part {
            item: item.0,
            key: PartKey { kind, ..key },
            sent: SentText::default(),
            held: Vec::new(),
            lone_high: None,
            annotations_sent: 0,
            place: 0,
            told_mismatch: false,
            told_interleaved: false,
            told_replaced: false,
            told_dropped: false,
            told_unknown: false,
            is_counted: false,
            side: Side::default(),
        });
        self.turn.items[item.0 as usize].parts.insert((kind, key.number), fresh);
        fresh
    }

    /// Counts a part of a message or of reasoning once it matters.
    pub(super) fn count_part(&mut self, part: u32) -> Result<(), Stop> {
        let entry = &mut self.turn.parts[part as usize];
        if entry.key.kind.field() == Field::Call || core::mem::replace(&mut entry.is_counted, true)
        {
            return Ok(());
        }
        self.count_block()
    }

    /// Finds or makes the item that an event inside it means.
    ///
    /// # Errors
    /// A limit.
    pub fn find_item(&mut self, key: WireKey<'_>, class: Class) -> Result<ItemRef, Stop> {
        let id = text_of(key.id);
        let found = match self.known_item(key, class, id.as_deref()) {
            Some(found) => found,
            None => self.new_item(key.choice, class, id)?,
        };
        self.bind(key, found);
        if self.turn.items[found as usize].id.is_none() && key.id.is_some() {
            self.learn(ItemRef(found), key.id, &ItemHead::of(class))?;
        }
        Ok(ItemRef(found))
    }

    /// Finds or makes the item that an announcement means: a used place may be given to a new item.
    ///
    /// # Errors
    /// A limit.
    pub fn announce_item(
        &mut self,
        key: WireKey<'_>,
        head: &ItemHead<'_>,
    ) -> Result<ItemRef, Stop> {
        let id = text_of(key.id);
        let call_id = text_of(head.call_id);
        let name = text_of(head.name);
        let is_keyless = key.index.is_none() && id.is_none();
        let known = self.known_item(key, head.class, id.as_deref()).filter(|found| {
            let item = &self.turn.items[*found as usize];
            let is_other_call = name.is_some()
                && item.name.is_some()
                && is_other(item.call_id.as_deref(), call_id.as_deref());
            let is_elsewhere = key.index.is_some_and(|index| {
                item.index.is_some_and(|bound| bound != index)
                    && self.turn.by_index.get(&(key.choice, index)) != Some(found)
            });
            !(item.closed || is_other_call || (name.is_some() && (is_keyless || is_elsewhere)))
        });
        let found = match known {
            Some(found) => found,
            None => self.new_item(key.choice, head.class, id)?,
        };
        let item = &mut self.turn.items[found as usize];
        if !core::mem::replace(&mut item.is_announced, true) && item.call == CallPhase::Waiting {
            item.class = head.class;
        }
        self.bind(key, found);
        Ok(ItemRef(found))
    }

    /// Whether several calls share an index, so that only the call id tells which is meant.
    #[must_use]
    pub fn shares_index(&self, choice: u32, index: u64, call_id: Tok<'_>) -> bool {
        let Some(at_index) = self.turn.by_index.get(&(choice, index)) else { return false };
        let current = self.turn.items[*at_index as usize].call_id.as_deref();
        current.is_some_and(|current| !call_id.eq_str(current)) && {
            let meant = self.turn.by_call_id.get(&(choice, call_id.decode().into()));
            meant.is_some_and(|item| self.turn.items[*item as usize].name.is_some())
        }
    }

    /// Finds or makes the item that an event shows whole, at its end.
    ///
    /// # Errors
    /// A limit.
    pub fn done_item(&mut self, key: WireKey<'_>, head: &ItemHead<'_>) -> Result<ItemRef, Stop> {
        let id = text_of(key.id);
        let call_id = text_of(head.call_id);
        let class = head.class;
        let known = self.known_item(key, class, id.as_deref());
        let is_other_call = known.is_some_and(|found| {
            let item = &self.turn.items[found as usize];
            item.name.is_some() && is_other(item.call_id.as_deref(), call_id.as_deref())
        });
        let is_lost = key.index.is_none() && id.is_some() && known.is_none();
        let found = if is_other_call || is_lost {
            self.by_name(key.choice, class, id.as_deref(), call_id.as_deref())
        } else {
            known
        };
        let found = match found {
            Some(found) => found,
            None => self.new_item(key.choice, class, id)?,
        };
        self.bind(key, found);
        Ok(ItemRef(found))
    }

    /// The item of that id, else the last call of that call id.
    fn by_name(
        &self,
        choice: u32,
        class: Class,
        id: Option<&str>,
        call_id: Option<&str>,
    ) -> Option<u32> {
        let by_id = id.and_then(|id| self.turn.by_id.get(&(choice, class.family(), Box::from(id))));
        let of_this_call = |found: &u32| {
            let known = self.turn.items[*found as usize].call_id.as_deref();
            known.is_none() || call_id.is_none() || known == call_id
        };
        let by_call_id =
            || call_id.and_then(|id| self.turn.by_call_id.get(&(choice, Box::from(id))));
        by_id.copied().filter(of_this_call).or_else(|| by_call_id().copied())
    }

    fn known_item(&self, key: WireKey<'_>, class: Class, id: Option<&str>) -> Option<u32> {
        let family = class.family();
        let of_class = |item: &u32| self.turn.items[*item as usize].class.family() == family;
        let indexed =
            key.index.and_then(|index| self.turn.by_index.get(&(key.choice, index)).copied());
        if let Some(found) = indexed.filter(of_class) {
            return Some(found);
        }
        if let Some(id) = id {
            return self.turn.by_id.get(&(key.choice, family, Box::from(id))).copied();
        }
        if key.index.is_none() {
            self.turn.last_of_class.get(&(key.choice, family)).copied()
        } else {
            None
        }
    }

    pub(super) fn new_item(
        &mut self,
        choice: u32,
        class: Class,
        id: Option<Box<str>>,
    ) -> Result<u32, Stop> {
        self.count_block()?;
        let slot = self.slot_of(choice)?;
        let fresh = self.turn.items.len() as u32;
        if class.is_call() {
            if self.turn.open_calls >= self.turn.limits.max_open_calls {
                return Err(self.limit(Code::TooManyOpenCalls));
            }
            self.turn.open_calls += 1;
            self.turn.choices[slot as usize].calls.push(fresh);
        }
        if let Some(id) = &id {
            self.limit_name(id)?;
            self.count_kept(id.len())?;
            self.turn.by_id.insert((choice, class.family(), id.clone()), fresh);
            if let Class::Foreign(_) = class {
                self.turn.foreign_by_id.insert(id.clone(), fresh);
            }
        }
        self.turn.last_of_class.insert((choice, class.family()), fresh);
        self.turn.items.push(Item {
            class,
            slot,
            index: None,
            id,
            call_id: None,
            name: None,
            name_grows: false,
            is_announced: false,
            closed: false,
            is_whole: true,
            side: Side::default(),
            call: CallPhase::Waiting,
            ordinal: 0,
            shape: CallShape::Arguments,
            unwrapper: None,
            has_replaced: false,
            seen_at: Box::default(),
            parts: BTreeMap::new(),
            told_members: Vec::new(),
            told: false,
        });
        Ok(fresh)
    }

    fn bind(&mut self, key: WireKey<'_>, item: u32) {
        if let Some(id) = key.id.filter(|id| id.has_lone_surrogate()) {
            let entry = &mut self.turn.items[item as usize];
            // Ids of calls are told of where calls open.
            entry.has_replaced |=
                !entry.class.is_call() && entry.id.as_deref().is_some_and(|known| id.eq_str(known));
        }
        if let Some(index) = key.index {
            self.turn.by_index.insert((key.choice, index), item);
            let before = self.turn.items[item as usize].index.replace(index);
            let left = before.filter(|before| *before != index).map(|before| (key.choice, before));
            // An item has one index, the last: the map does not outgrow the items.
            if let Some(left) = left
                && self.turn.by_index.get(&left) == Some(&item)
            {
                self.turn.by_index.remove(&left);
            }
        }
        self.turn.hot = None;
    }

    /// Learns an item's own words where nothing was known.
    pub(super) fn learn(
        &mut self,
        item: ItemRef,
        id: Option<Tok<'_>>,
        head: &ItemHead<'_>,
    ) -> Result<(), Stop> {
        let entry = &mut self.turn.items[item.0 as usize];
        let mut kept_bytes = 0;
        for (known, given) in [
            (&mut entry.id, id),
            (&mut entry.call_id, head.call_id),
            (&mut entry.name, head.name.filter(|_| !head.name_grows)),
        ] {
            if known.is_none() {
                *known = text_of(given);
                entry.has_replaced |= given.is_some_and(Tok::has_lone_surrogate);
                kept_bytes += known.as_ref().map_or(0, |text| text.len());
            }
        }
        if head.name_grows {
            kept_bytes += self.grow_name(item, head.name);
        }
        let entry = &self.turn.items[item.0 as usize];
        for text in [&entry.id, &entry.call_id, &entry.name].into_iter().flatten() {
            self.limit_name(text)?;
        }
        let choice = self.turn.choices[entry.slot as usize].index;
        let family = entry.class.family();
        if let Some(id) = entry.id.clone().filter(|_| id.is_some()) {
            self.turn.by_id.entry((choice, family, id)).or_insert(item.0);
        }
        if let Some(call_id) = entry.call_id.clone().filter(|_| head.call_id.is_some()) {
            self.turn.by_call_id.insert((choice, call_id), item.0);
        }
        self.count_kept(kept_bytes)
    }

    /// Appends a piece of a name, unless it repeats the name so far or text has come; returns its length.
    fn grow_name(&mut self, item: ItemRef, piece: Option<Tok<'_>>) -> usize {
        let Some(piece) = text_of(piece) else { return 0 };
        let has_text = self.call_has_text(item.0);
        let entry = &mut self.turn.items[item.0 as usize];
        entry.name_grows = true;
        let may_grow = entry.call == CallPhase::Waiting && !has_text;
        match &entry.name {
            None => entry.name = Some(piece.clone()),
            Some(name) if may_grow && *name != piece => {
                entry.name = Some(format!("{name}{piece}").into());
            }
            Some(_) => return 0,
        }
        piece.len()
    }

    /// Whether an id or a name may be kept.
    pub(super) fn limit_name(&self, text: &str) -> Result<(), Stop> {
        if text.len() > MAX_NAME_BYTES { Err(self.limit(Code::HeldTooLarge)) } else { Ok(()) }
    }

    /// Counts bytes that are kept for the rest of the stream.
    pub(super) fn count_kept(&mut self, kept_bytes: usize) -> Result<(), Stop> {
        self.turn.held_bytes += kept_bytes;
        if self.turn.held_bytes > self.turn.limits.max_held_bytes {
            return Err(self.limit(Code::HeldTooLarge));
        }
        Ok(())
    }

    pub(super) fn count_block(&mut self) -> Result<(), Stop> {
        if self.turn.blocks >= self.turn.limits.max_blocks {
            return Err(self.limit(Code::TooManyBlocks));
        }
        self.turn.blocks += 1;
        Ok(())
    }
}

/// Whether both call ids are known and differ.
fn is_other(known: Option<&str>, given: Option<&str>) -> bool {
    matches!((known, given), (Some(known), Some(given)) if known != given)
}
