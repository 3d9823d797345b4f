"""Rules, dialects and their settings."""

from tests.helpers.lab_page import keys, redrawn


def test_a_dialect_leaves_step_and_order_as_they_are(lab):
    page = lab("preset=wide&eta=0.5&order=sorted")
    with redrawn(page):
        page.select_option("#dialect", "001")
    assert keys(page) == {
        "preset": "wide",
        "eta": "0.5",
        "order": "sorted",
        "tie": "negative",
        "unit": "yes",
    }
    assert page.input_value("#dialect") == "001"
    assert page.locator("#dialect option[value='']").is_hidden()
    with redrawn(page):
        page.select_option("#dialect", "000")
    assert keys(page) == {"preset": "wide", "rule": "one-sided", "order": "sorted"}


def test_only_settings_that_a_rule_uses_can_be_set(lab):
    page = lab("preset=wide")
    assert page.is_hidden("#margin")
    with redrawn(page):
        page.select_option("#rule", "margin")
    assert page.is_enabled("#margin")
    with redrawn(page):
        page.select_option("#rule", "passive-aggressive")
    assert page.is_hidden("#margin")
    assert page.is_enabled("#C")
    assert page.is_disabled("#eta")
    with redrawn(page):
        page.select_option("#dialect", "003")
    assert page.input_value("#start") == "random"
    assert page.input_value("#tie") == "negative"
    assert page.is_enabled("#seed")
    assert keys(page) == {"preset": "wide", "start": "random", "tie": "negative"}
