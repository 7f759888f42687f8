"""LLM transcript codecs."""
