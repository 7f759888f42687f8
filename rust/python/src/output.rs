//! Large outputs, written where Python will read them.
//!
//! `bytes` cannot grow, and an output that is first collected in Rust exists twice. So a large one is made
//! twice instead: once to learn its length, once into the `bytes`. Memory is what a gateway runs out of.

use transcodec_core::transcript::Output;

/// The buffer is emptied when it holds so much.
const FULL_BYTES: usize = 64 << 10;

/// Takes an output's bytes as they come.
pub(crate) trait Sink {
    fn take(&mut self, bytes: &[u8]);
}

/// Counts.
impl Sink for usize {
    fn take(&mut self, bytes: &[u8]) {
        *self += bytes.len();
    }
}

/// Fills a slice that is as long as the output.
impl Sink for &mut [u8] {
    fn take(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() <= self.len(), "both times the output is the same");
        let length = bytes.len().min(self.len());
        let (room, rest) = core::mem::take(self).split_at_mut(length);
        room.copy_from_slice(&bytes[..length]);
        *self = rest;
    }
}

/// Passes rows on to a sink, a buffer at a time.
pub(crate) struct Passing<S> {
    buffer: Vec<u8>,
    sink: S,
}

impl<S: Sink> Passing<S> {
    pub(crate) fn to(sink: S) -> Self {
        Self { buffer: Vec::with_capacity(2 * FULL_BYTES), sink }
    }

    /// Passes on what is left.
    pub(crate) fn finish(mut self) -> S {
        self.sink.take(&self.buffer);
        self.sink
    }
}

impl<S: Sink> Output for Passing<S> {
    #[inline]
    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    #[inline]
    fn row_written(&mut self) {
        if self.buffer.len() >= FULL_BYTES {
            self.sink.take(&self.buffer);
            self.buffer.clear();
        }
    }
}
