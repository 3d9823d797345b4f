"""Shared by several commands: options, text, progress."""
