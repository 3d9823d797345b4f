"""Settings for all the tests."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips some of its checks
sys.path.insert(0, str(Path(__file__).parent))  # support and reference are plain modules

# Compiling takes seconds, once; Hypothesis must not count it against an example.
settings.register_profile(
    "novikoff", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "novikoff"))
