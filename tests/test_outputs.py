"""The bytes of models stay what they were: `tests/helpers/corpus.py` has more to compare by."""

import json
import subprocess
import sys
from pathlib import Path

from tests.helpers import corpus
from tests.helpers.environment import with_tests

RECORDED = Path(__file__).parent / "helpers" / "model_digests.json"


def test_models_have_the_bytes_that_they_had(tmp_path):
    """In a process of its own, with the same kernels of BLAS wherever it runs: the last bit of a
    ceiling in the model's header depends on them. To record them anew, redirect `python
    tests/helpers/corpus.py digests`, run in an empty folder, to model_digests.json; and say in the
    changelog why models differ.
    """
    command = [sys.executable, corpus.__file__, "digests"]
    kernels = with_tests(OPENBLAS_CORETYPE="Haswell")
    done = subprocess.run(
        command, env=kernels, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == json.loads(RECORDED.read_text())
