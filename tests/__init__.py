"""The tests of novikoff, laid out as its packages are."""
