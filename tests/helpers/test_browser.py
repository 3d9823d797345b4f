"""Tests of the browser's absence."""

import pytest

from tests.helpers.browser import chromium


def test_without_a_browser_tests_are_skipped_with_what_to_do_about_it(monkeypatch, tmp_path):
    monkeypatch.delenv("NOVIKOFF_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        chromium()
