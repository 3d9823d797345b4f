"""Iterative parameter mixing: epochs of shards, and the mixing of their weights."""
