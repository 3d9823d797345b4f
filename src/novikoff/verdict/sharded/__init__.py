"""Signed rows that lie in several pieces, in this process or on other machines."""
