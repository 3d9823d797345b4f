"""Tests of the lab's page, in a browser."""
