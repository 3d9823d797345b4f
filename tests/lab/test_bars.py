"""Bars of weights."""

import pytest

pytest.importorskip("bokeh")


def test_powers_of_two_are_named_as_numbers_or_as_short_powers():
    from novikoff.lab.plane.bokeh_figures import bars

    names = bars(powers=True).yaxis[0].major_label_overrides
    shown = {power: names[2.0**power] for power in (-20, -10, -1, 0, 8, 14, 40)}
    assert list(shown.values()) == ["2⁻²⁰", "1/1024", "1/2", "1", "256", "16,384", "2⁴⁰"]
    assert max(map(len, names.values())) <= 7  # beside the bars there is room for so much
