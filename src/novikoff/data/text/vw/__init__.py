"""Vowpal Wabbit's text format: namespaces of named features."""
