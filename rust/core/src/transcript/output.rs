//! Where rows are written.

use super::error::Error;

/// Takes rows as they are written. `Vec<u8>` keeps them all; others may pass full buffers on, so
/// that no second copy of a large output is ever held.
pub trait Output {
    /// The buffer to append to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// A row is complete: the buffer may be emptied.
    fn row_written(&mut self) {}
}

impl Output for Vec<u8> {
    fn buffer(&mut self) -> &mut Vec<u8> {
        self
    }
}

impl<O: Output + ?Sized> Output for &mut O {
    fn buffer(&mut self) -> &mut Vec<u8> {
        (**self).buffer()
    }

    fn row_written(&mut self) {
        (**self).row_written();
    }
}

/// Writes rows with commas between them, and the brackets of an array.
pub(crate) struct Rows<'o, O> {
    output: &'o mut O,
    in_array: bool,
    is_first: bool,
}

impl<'o, O: Output> Rows<'o, O> {
    pub(crate) fn array(output: &'o mut O) -> Self {
        output.buffer().push(b'[');
        Self { output, in_array: true, is_first: true }
    }

    /// For exactly one row, which stands alone.
    pub(crate) const fn lone(output: &'o mut O) -> Self {
        Self { output, in_array: false, is_first: true }
    }

    /// Writes one row through `write`, which may fail.
    #[inline]
    pub(crate) fn row(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let out = self.output.buffer();
        if !self.is_first {
            out.push(b',');
        }
        self.is_first = false;
        write(out)?;
        self.output.row_written();
        Ok(())
    }

    /// Writes one row through `write`, which cannot fail.
    #[inline]
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let out = self.output.buffer();
        if !self.is_first {
            out.push(b',');
        }
        self.is_first = false;
        write(out);
        self.output.row_written();
    }

    /// Copies a row as it stands.
    #[inline]
    pub(crate) fn copy(&mut self, row: &str) {
        self.write(|out| out.extend_from_slice(row.as_bytes()));
    }

    /// Turns one lone row into an array of as many as will come; only before the first.
    pub(crate) fn open_array(&mut self) {
        if !self.in_array {
            self.output.buffer().push(b'[');
            self.in_array = true;
        }
    }

    pub(crate) fn finish(self) {
        if self.in_array {
            self.output.buffer().push(b']');
        }
    }
}
