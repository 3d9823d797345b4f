"""Tests of novikoff.exercise."""
