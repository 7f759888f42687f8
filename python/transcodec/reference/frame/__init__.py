"""Framing: from bytes to payloads and back."""
