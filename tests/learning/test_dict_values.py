"""Values of dicts read from memory: what Python reads, or nothing at all."""

from collections import ChainMap, OrderedDict, UserDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError
from novikoff.learning.estimators.row_buffer.dict_values import FLOAT_TYPE, READABLE, place_floats

ONE, OTHER = 1.0, 2.0
NAMES = "a", "b", "c"


def read(place, row, names=NAMES):
    values = np.zeros(4)
    ids = np.array([*map(id, names)], np.int64)
    return bool(place(id(row), ids, values, FLOAT_TYPE)), values.tolist()


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.floats() | st.integers()))
def test_compiled_code_reads_what_python_does(row):
    compiled, plain = (read(each, row) for each in (place_floats, place_floats.py_func))
    assert str(compiled) == str(plain)
    are_floats = all(type(value) is float for value in row.values())
    assert compiled[0] is (tuple(row) == NAMES and are_floats)
    if compiled[0]:
        assert str(compiled[1][:3]) == str([*row.values()])


@pytest.mark.parametrize(
    "row",
    [
        {"a": 1, "b": True, "c": np.float32(2.0)},
        OrderedDict(a=1.0, b=1.0, c=2.0),
        {"".join(["a"]): 1.0, "b": 1.0, "c": 2.0},
        {"c": 2.0, "b": 1.0, "a": 1.0},
        {"a": 1.0, "b": 1.0, "c": 2.0, "d": 0.0},
        {"a": 1.0, "b": 1.0},
        {},
    ],
)
def test_rows_of_every_kind_are_learned_as_rows_of_floats(row):
    """After a row of floats, which the next one is expected to be like."""
    models = nk.Perceptron(), nk.Perceptron()
    for model in models:
        for label in (1, -1):
            model.learn_one({"a": 1.0, "b": -1.0, "c": 0.5}, label)
    models[0].learn_one(row, 1)
    models[1].learn_one({str(name): float(value) for name, value in row.items()}, 1)
    answers = [model.decide_one({"a": 1.0, "b": 2.0, "c": 4.0}) for model in models]
    assert answers[0] == answers[1]
    assert models[0].predict_one(row) == models[1].predict_one({**row})
    assert np.array_equal(models[0].coef_, models[1].coef_)


def test_a_refused_row_leaves_no_trace():
    model = nk.Perceptron()
    for label in (1, -1, 1):
        model.learn_one({"a": 1.0, "b": 2.0}, label)
        with pytest.raises(DataError, match="'b' is NaN"):
            model.learn_one({"a": 1.0, "b": float("nan")}, label)
        with pytest.raises(DataError, match="'new' is NaN"):
            model.learn_one({"a": 1.0, "new": float("nan")}, label)
    assert model.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.skipif(not READABLE, reason="an interpreter that keeps dicts in another way")
@pytest.mark.parametrize(
    "row",
    [
        dict.fromkeys(map(str, range(300)), 0.5),
        dict.fromkeys(range(5), 1.5),
        {("a", 1): 2.5, None: -0.0, "b": float("inf")},
    ],
)
def test_rows_are_read_whatever_their_keys_are(row):
    values, keys = np.zeros(len(row)), np.array([*map(id, row)], np.int64)
    assert place_floats(id(row), keys, values, FLOAT_TYPE)
    assert str(values.tolist()) == str([*row.values()])


def test_no_other_dict_is_mistaken_for_the_one_expected():
    """Items removed, and values kept apart from their keys, as those of attributes are."""

    class Point:
        def __init__(self):
            self.a, self.b, self.c = 1.0, 2.0, 3.0

    removed = {"z": 0.0, "a": 1.0, "b": 2.0, "c": 3.0}
    del removed["z"]
    again = {"a": 1.0, "b": 2.0, "c": 3.0}
    del again["a"]
    again["a"] = 4.0
    for row in (removed, vars(Point()), again):
        is_read, values = read(place_floats, row)
        assert not is_read or values[:3] == [row[name] for name in NAMES]
        assert not is_read or tuple(row) == NAMES


@pytest.mark.parametrize("make", [nk.Perceptron, nk.AveragedPerceptron, nk.PassiveAggressive])
def test_predictions_in_one_call_are_those_of_decide_one(make):
    """After rows of the same names, and where names, types, values and classes then differ."""
    rng, model = np.random.default_rng(3), make()
    rows = [dict(zip("abc", map(float, each), strict=True)) for each in rng.normal(size=(40, 3))]
    for k, row in enumerate(rows):
        model.learn_one(row, "yes" if row["a"] > 0.3 * row["b"] else "no", classes=["no", "yes"])
        for other in (rows[k - 1], row, {**row, "a": 1}, OrderedDict(row), {"b": 1.0}, {}):
            found = model.predict_one(other)
            assert found == model.decide_one(other)[0]
            assert type(found) is np.str_
    for kind in (UserDict, ChainMap, dict, UserDict):
        assert model.predict_one(kind(rows[0])) == model.decide_one(rows[0])[0]
    for bad in (float("nan"), float("inf"), 1e200, 1e308):
        row = {"a": bad, "b": bad, "c": bad}
        if bad == 1e200:
            assert model.predict_one(rows[1]) == model.decide_one(rows[1])[0]
        with pytest.raises(DataError):
            model.predict_one(row)
