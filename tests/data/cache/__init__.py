"""Tests of novikoff.data.cache."""
