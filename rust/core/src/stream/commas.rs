//! Lists and objects written value by value.

/// Values with commas between them.
pub(super) struct Commas<'o> {
    pub(super) out: &'o mut Vec<u8>,
    is_first: bool,
}

impl<'o> Commas<'o> {
    pub(super) fn begin(out: &'o mut Vec<u8>, bracket: u8) -> Self {
        out.push(bracket);
        Self { out, is_first: true }
    }

    pub(super) fn next(&mut self) -> &mut Vec<u8> {
        if !core::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.out
    }

    pub(super) fn end(self, bracket: u8) {
        self.out.push(bracket);
    }
}
