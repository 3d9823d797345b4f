"""The bytes of models stay what they were: `tests/helpers/corpus.py` has more to compare by."""

import json
from pathlib import Path

from tests.helpers.corpus import digests

RECORDED = Path(__file__).parent / "helpers" / "model_digests.json"


def test_models_have_the_bytes_that_they_had(tmp_path, monkeypatch):
    """To record them anew, redirect `python tests/helpers/corpus.py digests`, run in an empty
    folder, to model_digests.json; and say in the changelog why models differ.
    """
    monkeypatch.chdir(tmp_path)
    assert digests() == json.loads(RECORDED.read_text())
