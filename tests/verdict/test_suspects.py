"""Suspects: flipped labels come first, in every layout, and each says why."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

import novikoff as nk
from novikoff.errors import DataError, ParameterError


def flipped_rows(seed, flips, rows=400, columns=8, classes=2):
    """Rows of clear labels, of which some are changed; X, y and the rows that were."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * np.eye(classes, columns)
    y = rng.integers(0, classes, rows)
    X = centres[y] + 0.4 * rng.standard_normal((rows, columns))
    changed = rng.choice(rows, flips, replace=False)
    wrong = y.copy()
    wrong[changed] = (y[changed] + 1 + rng.integers(0, classes - 1, flips)) % classes
    return X, y, wrong, changed


@pytest.mark.parametrize("flips", [1, 3, 10])
def test_flipped_labels_come_first(flips):
    X, y, wrong, changed = flipped_rows(flips, flips)
    found = nk.suspects(X, wrong, flips)
    assert {each.row for each in found} == set(changed.tolist())
    assert all(each.suggestion == y[each.row] and each.score > 0 for each in found)
    sparse = nk.suspects(scipy.sparse.csr_array(X), wrong, flips)
    assert {each.row for each in sparse} == set(changed.tolist())


def test_rows_of_many_columns_are_judged_by_fits_in_which_they_have_no_say():
    """A hyperplane of 3,000 columns fits the rows that it heard, wrong labels too."""
    rng = np.random.default_rng(0)
    rows, columns, own = 3000, 3000, 150
    y = rng.integers(0, 2, rows)
    words = (columns * rng.random((rows, 60)) ** 3).astype(np.int32)
    words[:, :20] = y[:, None] * own + rng.integers(0, own, (rows, 20))
    places = np.repeat(np.arange(rows), 60), words.ravel()
    X = scipy.sparse.csr_array((np.ones(words.size), places), (rows, columns))
    changed = rng.choice(rows, 10, replace=False)
    wrong = y.copy()
    wrong[changed] = 1 - y[changed]
    assert {each.row for each in nk.suspects(X, wrong, 10)} == set(changed.tolist())


def test_several_labels_say_which_one_it_looks_like():
    X, y, wrong, changed = flipped_rows(0, 5, classes=4)
    found = nk.suspects(X, wrong, 5)
    assert {each.row: each.suggestion for each in found} == {int(i): y[i] for i in changed}


def test_one_label_can_be_told_from_all_others():
    X, y, wrong, changed = flipped_rows(0, 5, classes=4)
    found = nk.suspects(X, wrong, 5, positive=0)
    concerned = {int(i) for i in changed if 0 in (y[i], wrong[i])}
    assert concerned
    assert {each.row for each in found if each.score > 0} >= concerned
    assert {(each.label, each.suggestion) for each in found} <= {(0, "other"), ("other", 0)}
    with pytest.raises(DataError, match="no row has the label 9"):
        nk.suspects(X, wrong, positive=9)


def test_neighbours_decide_between_rows_of_one_depth():
    """Of two labels on the border, as deep as each other, the contradicted one is worse."""
    X = [[s, 4.0 * g] for s in (-1.0, 1.0) for g in np.linspace(-1, 1, 9)]
    y = [int(s > 0) for s, _ in X]
    near = [[0.0, 4.0 + 0.01 * k] for k in range(5)]
    X, y = [*X, *near, [0.0, 4.05], [0.0, -4.05]], [*y, *[0] * 5, 1, 1]
    (first,) = nk.suspects(X, y, 1)
    assert (first.row, first.suggestion) == (len(X) - 2, 0)
    assert set(first.neighbours) == set(range(len(X) - 7, len(X) - 2))


def test_a_label_that_only_shrinks_the_margin_is_named_with_its_reason():
    X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], [0, 0, 1, 1, 1, 1]
    assert nk.check(X, y).outcome == "separable"
    (first,) = nk.suspects(X, y, 1)
    assert (first.row, first.label, first.suggestion) == (2, 1, 0)
    assert "without it the margin would be" in first.reason
    assert first.multiplier == dict(nk.check(X, y).support)[2]
    assert first.values == (("column 0", 2.0),)


def test_the_support_of_a_verdict_is_its_nearest_point():
    X, y = [[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 1]
    verdict = nk.check(X, y)
    assert sum(multiplier for _, multiplier in verdict.support) == 1
    assert dict(verdict.certificate.witness["support"]) == dict(verdict.certificate.support)
    lifted = [[Fraction(v) for v in (*row, 1)] for row in X]
    point = [Fraction(0)] * 3
    for row, multiplier in verdict.support:
        for j, value in enumerate(lifted[row]):
            point[j] += multiplier * (value if y[row] else -value)
    assert sum(v * v for v in point) == verdict.margin.squared
    assert nk.check([[0.0], [1.0], [0.0]], [0, 1, 1]).support == []


def test_lines_of_a_file_are_named(tmp_path):
    X, _, wrong, changed = flipped_rows(1, 1, rows=30)
    path = tmp_path / "rows.csv"
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X, wrong, strict=True)]
    path.write_text("\n".join(["a,b,c,d,e,f,g,h,y", *lines]) + "\n")
    (first,) = nk.suspects(nk.open(path), count=1)
    assert (first.row, first.line) == (changed[0], changed[0] + 2)
    assert first.values[0][0] == "a"
    assert "its 5 nearest rows are labelled otherwise: line " in first.reason
    assert len(first.neighbours) == 5


@pytest.mark.parametrize("count", [0, 1.5, True, "3"])
def test_a_bad_count_is_refused(count):
    with pytest.raises(ParameterError, match="count must be a whole number above 0, not"):
        nk.suspects([[0.0], [1.0]], [0, 1], count)


def test_one_label_alone_is_refused():
    with pytest.raises(DataError, match="all 2 rows have the label 1; there is nothing"):
        nk.suspects([[0.0], [1.0]], [1, 1])
