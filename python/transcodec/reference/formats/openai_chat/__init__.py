"""OpenAI Chat Completions: docs/formats/openai_chat.md."""
