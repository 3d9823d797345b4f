"""Tests of novikoff.theory."""
