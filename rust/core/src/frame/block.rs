//! What is kept of a block when a piece ends within it.

use super::position::{DataLine, Position};

/// Buffers above this size are given back after use: one huge event should not cost memory for the
/// rest of the stream.
const KEPT_CAPACITY_BYTES: usize = 64 * 1024;

/// The carried part of the block at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Offset in the stream of the block's first byte; `None` between blocks.
    pub(super) start: Option<u64>,
    /// The beginning of a line whose end has not come yet; it holds no line end.
    pub(super) line: Vec<u8>,
    /// The data lines so far, joined by line feeds.
    data: Vec<u8>,
    data_lines: Vec<DataLine>,
    name: Vec<u8>,
}

impl Block {
    /// Adds a data line whose value stands at `offset` in the stream.
    pub(super) fn push_data(&mut self, value: &[u8], offset: u64) {
        if self.has_data() {
            self.data.push(b'\n');
        }
        let from_block = offset - self.start.unwrap_or(offset);
        // Both fit: the size of a block is limited to 32 bits.
        self.data_lines
            .push(DataLine { index: self.data.len() as u32, from_block: from_block as u32 });
        self.data.extend_from_slice(value);
    }

    pub(super) fn set_name(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
    }

    pub(super) fn has_data(&self) -> bool {
        !self.data_lines.is_empty()
    }

    /// Whether a name or data came in earlier pieces.
    pub(super) fn is_carried(&self) -> bool {
        self.has_data() || !self.name.is_empty()
    }

    pub(super) fn data(&self) -> &[u8] {
        &self.data
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }

    pub(super) fn position(&self, payload: (usize, usize)) -> Position<'_> {
        Position::of_lines(&self.data, self.start.unwrap_or(0), &self.data_lines, payload)
    }

    pub(super) fn clear_line(&mut self) {
        clear(&mut self.line);
    }

    /// Forgets the block; the next one starts with the next line.
    pub(super) fn clear(&mut self) {
        self.start = None;
        self.clear_line();
        clear(&mut self.data);
        clear(&mut self.data_lines);
        clear(&mut self.name);
    }
}

fn clear<T>(buffer: &mut Vec<T>) {
    if buffer.capacity() * size_of::<T>() > KEPT_CAPACITY_BYTES {
        *buffer = Vec::new();
    } else {
        buffer.clear();
    }
}
