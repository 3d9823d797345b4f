"""One file for each theorem that a trace checks: its constants, and what holds at every update."""
