//! Text envelopes: the forms in which hosts keep tool rounds in rows of plain text.

pub mod native;
