"""Tests of novikoff.learning."""
