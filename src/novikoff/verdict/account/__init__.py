"""A verdict in words."""
