"""Shards: their addresses, their layout, and how a worker reads and keeps them."""
