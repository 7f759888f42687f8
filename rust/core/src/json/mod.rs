//! Strict JSON: validated tokens, a cursor over them, and a writer.
