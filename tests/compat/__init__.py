"""Tests of novikoff.compat."""
