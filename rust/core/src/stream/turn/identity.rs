//! Which item and which part an event means (`DESIGN.md` 4.1).

use std::collections::BTreeMap;

use super::{CallPhase, Hot, Item, Part, Referee};
use crate::error::Code;
use crate::json::Tok;
use crate::stream::delta::{Class, ItemHead, ItemRef, PartKey, WireKey};
use crate::stream::digest::SentText;
use crate::stream::encode::Encode;
use crate::stream::stop::Stop;

/// An absent and an empty string are the same.
fn text_of(token: Option<Tok<'_>>) -> Option<Box<str>> {
    token.filter(|token| !token.is_empty()).map(|token| token.decode().into())
}

impl<E: Encode> Referee<'_, E> {
    /// The part that text goes to; both levels are made if they are missing.
    #[inline]
    pub(super) fn find_part(&mut self, key: WireKey<'_>, part: PartKey) -> Result<u32, Stop> {
        if let Some(hot) = self.turn.hot
            && hot.key == part
            && hot.choice == key.choice
            && hot.index == key.index
        {
            let same = hot.index.is_some() || self.is_id_of(hot.item, key.id);
            if same {
                return Ok(hot.part);
            }
        }
        self.look_up_part(key, part)
    }

    fn is_id_of(&self, item: u32, id: Option<Tok<'_>>) -> bool {
        match (&self.turn.items[item as usize].id, id) {
            (Some(known), Some(id)) => id.eq_str(known),
            _ => false,
        }
    }

    #[cold]
    fn look_up_part(&mut self, key: WireKey<'_>, part: PartKey) -> Result<u32, Stop> {
        let item = self.find_item(key, part.kind.class())?;
        let found = self.part_of(item, part)?;
        self.turn.hot = Some(Hot {
            choice: key.choice,
            index: key.index,
            key: part,
            item: item.0,
            part: found,
        });
        Ok(found)
    }

    /// The part of an item; it is made if it is missing.
    pub(super) fn part_of(&mut self, item: ItemRef, key: PartKey) -> Result<u32, Stop> {
        if let Some(found) = self.turn.items[item.0 as usize].parts.get(&(key.kind, key.number)) {
            return Ok(*found);
        }
        self.count_block()?;
        let fresh = self.turn.parts.len() as u32;
        self.turn.parts.push(Part {
            item: item.0,
            key,
            sent: SentText::default(),
            held: Vec::new(),
            lone_high: None,
            annotations_sent: 0,
            told_mismatch: false,
            told_interleaved: false,
            told_dropped: false,
            told_unknown: false,
        });
        self.turn.items[item.0 as usize].parts.insert((key.kind, key.number), fresh);
        Ok(fresh)
    }

    /// Finds or makes the item that an event inside it, or its end, means.
    ///
    /// # Errors
    /// A limit.
    pub fn find_item(&mut self, key: WireKey<'_>, class: Class) -> Result<ItemRef, Stop> {
        let id = text_of(key.id);
        let found = match self.known_item(key, class, id.as_deref()) {
            Some(found) => found,
            None => self.new_item(class, id)?,
        };
        self.bind(key, found);
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
        let known = self.known_item(key, head.class, id.as_deref()).filter(|found| {
            let item = &self.turn.items[*found as usize];
            let other_call = item.name.is_some()
                && matches!((&item.call_id, &call_id), (Some(known), Some(given)) if known != given);
            !item.closed && !other_call
        });
        let found = match known {
            Some(found) => found,
            None => self.new_item(head.class, id)?,
        };
        self.bind(key, found);
        Ok(ItemRef(found))
    }

    fn known_item(&self, key: WireKey<'_>, class: Class, id: Option<&str>) -> Option<u32> {
        let of_class = |item: &u32| self.turn.items[*item as usize].class == class;
        let indexed =
            key.index.and_then(|index| self.turn.by_index.get(&(key.choice, index)).copied());
        if let Some(found) = indexed.filter(of_class) {
            return Some(found);
        }
        if let Some(id) = id {
            return self.turn.by_id.get(&(class, Box::from(id))).copied();
        }
        if key.index.is_none() { self.turn.last_of_class.get(&class).copied() } else { None }
    }

    pub(super) fn new_item(&mut self, class: Class, id: Option<Box<str>>) -> Result<u32, Stop> {
        self.count_block()?;
        if class.is_call() {
            if self.turn.open_calls >= self.turn.limits.max_open_calls {
                return Err(self.limit(Code::TooManyOpenCalls));
            }
            self.turn.open_calls += 1;
        }
        let fresh = self.turn.items.len() as u32;
        if let Some(id) = &id {
            self.count_kept(id.len())?;
            self.turn.by_id.insert((class, id.clone()), fresh);
        }
        self.turn.last_of_class.insert(class, fresh);
        self.turn.items.push(Item {
            class,
            id,
            call_id: None,
            name: None,
            closed: false,
            call: CallPhase::Waiting,
            ordinal: 0,
            parts: BTreeMap::new(),
            told_members: Vec::new(),
            told: false,
        });
        Ok(fresh)
    }

    fn bind(&mut self, key: WireKey<'_>, item: u32) {
        if let Some(index) = key.index {
            self.turn.by_index.insert((key.choice, index), item);
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
        for (known, given) in
            [(&mut entry.id, id), (&mut entry.call_id, head.call_id), (&mut entry.name, head.name)]
        {
            if known.is_none() {
                *known = text_of(given);
                kept_bytes += known.as_ref().map_or(0, |text| text.len());
            }
        }
        if let Some(id) = entry.id.clone().filter(|_| id.is_some()) {
            self.turn.by_id.entry((entry.class, id)).or_insert(item.0);
        }
        self.count_kept(kept_bytes)
    }

    /// Counts bytes that are kept for the rest of the stream.
    pub(super) fn count_kept(&mut self, kept_bytes: usize) -> Result<(), Stop> {
        self.turn.held_bytes += kept_bytes;
        if self.turn.held_bytes > self.turn.limits.max_held_bytes {
            return Err(self.limit(Code::HeldTooLarge));
        }
        Ok(())
    }

    fn count_block(&self) -> Result<(), Stop> {
        if self.turn.items.len() + self.turn.parts.len() >= self.turn.limits.max_blocks {
            return Err(self.limit(Code::TooManyBlocks));
        }
        Ok(())
    }
}
