"""Tests of novikoff.cluster."""
