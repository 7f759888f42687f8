//! From an offset in a payload to one in the stream.

/// Where a line of a block's joined data came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataLine {
    /// Index of the line's first byte in the joined data.
    pub(super) index: u32,
    /// Its distance in the stream from the first byte of the block.
    pub(super) from_block: u32,
}

/// Where the bytes of a payload stood in the stream.
#[derive(Clone, Copy, Debug)]
pub struct Position<'f> {
    /// The data before trimming.
    data: &'f [u8],
    /// Offset in the stream of the first byte of `data`.
    data_offset: u64,
    payload_start: usize,
    payload_end: usize,
    block_offset: u64,
    /// The second and further lines of `data`.
    further_lines: &'f [DataLine],
}

impl<'f> Position<'f> {
    pub(super) const fn of_line(data: &'f [u8], offset: u64, payload: (usize, usize)) -> Self {
        let (payload_start, payload_end) = payload;
        Self {
            data,
            data_offset: offset,
            payload_start,
            payload_end,
            block_offset: offset,
            further_lines: &[],
        }
    }

    pub(super) fn of_lines(
        data: &'f [u8],
        block_offset: u64,
        lines: &'f [DataLine],
        payload: (usize, usize),
    ) -> Self {
        let from_block = lines.first().map_or(0, |line| u64::from(line.from_block));
        Self {
            block_offset,
            further_lines: lines.get(1..).unwrap_or_default(),
            ..Self::of_line(data, block_offset + from_block, payload)
        }
    }

    /// Offset in the stream of the payload's byte `at`. A line feed that joins two data lines
    /// stands at the end of the first of them. The payload's length gives the place where its data
    /// ended, after white space that was trimmed.
    #[must_use]
    pub fn absolute(&self, at: usize) -> u64 {
        let mut index = (self.payload_start + at).min(self.payload_end);
        if index == self.payload_end {
            let trimmed = self.data.get(index..).unwrap_or_default();
            index += trimmed.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        }
        let later = self.further_lines.partition_point(|line| line.index as usize <= index);
        match later.checked_sub(1).and_then(|last| self.further_lines.get(last)) {
            None => self.data_offset + index as u64,
            Some(line) => {
                self.block_offset
                    + u64::from(line.from_block)
                    + (index - line.index as usize) as u64
            }
        }
    }

    pub(super) fn payload(&self) -> &'f [u8] {
        &self.data[self.payload_start..self.payload_end]
    }
}
