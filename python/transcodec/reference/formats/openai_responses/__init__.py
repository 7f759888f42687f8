"""OpenAI Responses: docs/formats/openai_responses.md."""
