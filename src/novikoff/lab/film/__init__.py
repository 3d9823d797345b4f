"""A traced run, step by step, as the page plays it."""
