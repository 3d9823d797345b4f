"""One page for each command that has a report."""
