"""Text formats: blocks parsed by several threads, put together in order."""
