"""Figures as plain data, one file for each kind."""
