"""Tests of novikoff.report."""
