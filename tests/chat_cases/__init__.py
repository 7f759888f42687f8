"""Vectors of `openai_chat` streams, case by case; `make_chat_vectors.py` spells them out as files."""
