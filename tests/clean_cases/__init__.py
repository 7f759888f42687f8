"""Streams of one format and what they become, written by hand."""
