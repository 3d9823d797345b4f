"""Tests of novikoff.verdict."""
