"""Streams of one format in and out: what is right is copied, the rest written anew (DESIGN.md, section 8)."""
