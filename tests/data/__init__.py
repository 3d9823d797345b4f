"""Tests of novikoff.data."""
