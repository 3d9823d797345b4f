"""`python -m novikoff` is the command line."""

from novikoff.cli import main

main()
