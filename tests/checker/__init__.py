"""Tests of novikoff.checker."""
