//! Byte framing: server-sent events and whole bodies.
