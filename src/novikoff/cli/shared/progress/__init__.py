"""The status line and the progress of commands, and what ends them early."""
