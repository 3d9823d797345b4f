"""Tests of novikoff.theory.bounds."""
