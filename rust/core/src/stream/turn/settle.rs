//! Matching the items of a terminal object with those that were streamed (`DESIGN.md` 4.1).

use std::collections::{BTreeMap, BTreeSet};

use super::Referee;
use crate::stream::delta::{Class, ItemRef};
use crate::stream::encode::Encode;
use crate::stream::stop::Stop;

/// The items that no item of the terminal object has taken yet.
#[derive(Debug, Default)]
pub struct Settling {
    taken: BTreeSet<u32>,
    by_call_id: BTreeMap<(Class, Box<str>), Line>,
    by_id: BTreeMap<(Class, Box<str>), Line>,
    of_class: BTreeMap<Class, Line>,
    without_call_id: BTreeMap<Class, Line>,
}

/// Items in order of first sight; those in front of `next` are taken.
#[derive(Debug, Default)]
struct Line {
    items: Vec<u32>,
    next: usize,
}

impl Line {
    fn first_free(&mut self, taken: &BTreeSet<u32>) -> Option<u32> {
        while let Some(item) = self.items.get(self.next) {
            if !taken.contains(item) {
                return Some(*item);
            }
            self.next += 1;
        }
        None
    }
}

impl Settling {
    /// All items of the answer, none taken.
    #[must_use]
    pub fn of<E: Encode>(referee: &Referee<'_, E>) -> Self {
        let mut settling = Self::default();
        for (at, item) in referee.turn.items.iter().enumerate() {
            let at = at as u32;
            settling.of_class.entry(item.class.family()).or_default().items.push(at);
            match &item.call_id {
                Some(call_id) => {
                    settling
                        .by_call_id
                        .entry((item.class.family(), call_id.clone()))
                        .or_default()
                        .items
                        .push(at);
                }
                None => {
                    settling.without_call_id.entry(item.class.family()).or_default().items.push(at);
                }
            }
            if let Some(id) = &item.id {
                settling.by_id.entry((item.class.family(), id.clone())).or_default().items.push(at);
            }
        }
        settling
    }

    /// Takes the item that an item of the terminal object means; it is made if there is none.
    ///
    /// # Errors
    /// A limit.
    pub fn take<E: Encode>(
        &mut self,
        referee: &mut Referee<'_, E>,
        class: Class,
        id: Option<&str>,
        call_id: Option<&str>,
    ) -> Result<ItemRef, Stop> {
        let Self { taken, by_call_id, by_id, of_class, without_call_id } = self;
        let named = |map: &mut BTreeMap<(Class, Box<str>), Line>, name: Option<&str>| {
            name.and_then(|name| map.get_mut(&(class.family(), Box::from(name)))?.first_free(taken))
        };
        let rest = if call_id.is_some() { without_call_id } else { of_class };
        let found = named(by_call_id, call_id)
            .or_else(|| named(by_id, id))
            .or_else(|| rest.get_mut(&class.family())?.first_free(taken));
        let item = match found {
            Some(item) => item,
            None => referee.new_item(0, class, id.map(Box::from))?,
        };
        taken.insert(item);
        Ok(ItemRef(item))
    }
}
