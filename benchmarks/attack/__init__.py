"""An attack on everything that takes input from outside: files, arrays, text, requests, kills.

    python -m benchmarks.attack [SECTION ...] [--scale 1.0] [--seed 0]

Every case follows from its section, the seed and its number, so that whatever is found can be run
again by that number. What may crash runs in processes of its own, which are counted when they die.
"""

import os

# Small inputs may run as plain Python; what can crash is compiled code, so compile for all of them.
os.environ.setdefault("NOVIKOFF_PLAIN_STEPS", "0")
