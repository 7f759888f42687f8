"""Rows, envelopes, replay, pairing and wire messages: docs/envelopes.md, sentence by sentence."""
