"""The page's state: all of it is in the address."""
