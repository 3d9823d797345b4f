"""Tests of novikoff.lab."""
