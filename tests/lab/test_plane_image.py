"""The plane as a picture: what it draws is the scene, at the step asked for."""

import re

import numpy as np
import pytest

from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab.page_data import page_data
from novikoff.lab.plane_image import plane_figure, plane_file, wrong_rows
from novikoff.lab.state.presets import PRESETS
from novikoff.report.model import Line, Patch, PointSeries


def _named(picture, kind, part):
    return [mark for mark in picture.marks if isinstance(mark, kind) and part in mark.name]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_has_its_picture(name):
    found = page_data(f"preset={name}", charts=False)
    last = found["film"]["steps"]
    for step in (0, last // 2, last):
        picture = plane_figure(found, step)
        drawn = sum(len(mark.x) for mark in _named(picture, PointSeries, "class "))
        assert drawn == len(found["points"])
        assert found["verdict"]["sentence"] in picture.caption
        assert picture.alt
        assert f"after {step:,} of {last:,} update" in picture.title
        wrong = _named(picture, PointSeries, "mistake now")
        assert sum(len(mark.x) for mark in wrong) == len(wrong_rows(found["film"], step))


def test_the_line_is_that_of_the_step():
    found = page_data("preset=clouds", charts=False)
    for step in range(found["film"]["steps"] + 1):
        w1, w2, b = found["film"]["weights"][step]
        lines = _named(plane_figure(found, step), Line, "the line of these weights")
        if w1 == w2 == 0.0:
            assert lines == []
            continue
        (line,) = lines
        assert np.allclose(w1 * line.x + w2 * line.y + b, 0.0, atol=1e-9)
        (normal,) = _named(plane_figure(found, step), Line, "w, at right angles")
        assert (normal.x[1] - normal.x[0]) * w1 + (normal.y[1] - normal.y[0]) * w2 > 0.0
        assert np.isclose((normal.x[1] - normal.x[0]) * w2, (normal.y[1] - normal.y[0]) * w1)


def test_the_line_before_and_the_multipliers_are_drawn_too():
    found = page_data("preset=clouds", charts=False)
    assert not _named(plane_figure(found, 0), Line, "before")
    w1, w2, b = found["film"]["weights"][4]
    (before,) = _named(plane_figure(found, 5), Line, "before")
    assert np.allclose(w1 * before.x + w2 * before.y + b, 0.0, atol=1e-9)
    overlap = page_data("preset=overlap", charts=False)
    marked = _named(plane_figure(overlap, 5), PointSeries, "in the conflict")
    shown = {
        (x, y): number
        for mark in marked
        for x, y, number in zip(mark.x, mark.y, mark.numbers, strict=True)
    }
    conflict = overlap["verdict"]["conflict"]
    assert shown == {
        tuple(overlap["points"][each["row"]][:2]): each["multiplier"] for each in conflict
    }


def test_the_normal_stands_where_no_point_is():
    found = page_data("preset=clouds", charts=False)
    points = np.array(found["points"])[:, :2]
    (normal,) = _named(plane_figure(found, 5), Line, "w, at right angles")
    tip = np.array([normal.x[1], normal.y[1]])
    foot = np.array([normal.x[0], normal.y[0]])
    for share in np.linspace(0.0, 1.0, 9):
        at = foot + share * (tip - foot)
        assert np.linalg.norm(points - at, axis=1).min() > 0.3 * np.linalg.norm(tip - foot)


def test_rings_are_around_the_mistakes_of_the_weights():
    found = page_data("preset=clouds", charts=False)
    points = np.array(found["points"])
    for step, weights in enumerate(found["film"]["weights"]):
        scores = points[:, 2] * (points[:, :2] @ weights[:2] + weights[2])
        assert wrong_rows(found["film"], step).tolist() == np.flatnonzero(scores <= 0.0).tolist()


def test_the_band_is_as_wide_as_the_verdict_says():
    found = page_data("preset=wide", charts=False)
    (band,) = _named(plane_figure(found, 0), Patch, "the margin")
    w1, w2, b = found["verdict"]["line"]
    distances = np.abs(w1 * band.x + w2 * band.y + b) / np.hypot(w1, w2)
    assert np.allclose(distances, found["verdict"]["reach"])
    assert _named(plane_figure(found, 0), Line, "largest margin")


def test_a_conflict_shows_its_hulls():
    crossing = plane_figure(page_data("preset=xor", charts=False), 3)
    assert [mark.name[-2:] for mark in _named(crossing, Patch, "hull")] == ["−1", "+1"]
    assert len(_named(crossing, PointSeries, "in the conflict")) == 2
    assert _named(crossing, PointSeries, "in both hulls")[0].x.tolist() == [0.5]
    around = plane_figure(page_data("preset=overlap&bias=no", charts=False), 0)
    assert len(_named(around, Patch, "mirrored at the origin")) == 1
    held = plane_figure(page_data("preset=touching", charts=False), 0)
    assert _named(held, Line, "no point on the wrong side")
    assert not _named(held, Line, "largest")


def test_files_are_of_the_kind_asked_for():
    assert plane_file("preset=xor&step=2", "png").startswith(b"\x89PNG")
    svg = plane_file("preset=xor&step=2", "svg").decode()
    assert "<svg" in svg
    assert re.search("XOR, after 2 of", svg)
    assert b"<svg" in plane_file("points=", "svg")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("preset=clouds&step=10", "step: found 10, expected a whole number from 0 to 9"),
        ("preset=clouds&step=-1", "step: found '-1'"),
        ("points=&step=1", "from 0 to 0"),
        ("tab=winnow", "expected plane"),
        ("preset=nothing", "preset"),
    ],
)
def test_pictures_that_there_are_not(address, words):
    with pytest.raises((ParameterError, NovikoffError), match=words):
        plane_file(address, "svg")
