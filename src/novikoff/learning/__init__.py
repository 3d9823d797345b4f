"""The engine: rules, rows, the one loop, training from memory, cache or stream, and model files."""
