"""Values of dicts read from memory: what Python reads, or nothing at all."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError
from novikoff.learning.estimators.row_buffer.dict_values import new_scratch, place_floats

ONE, OTHER = 1.0, 2.0
NAMES = "a", "b", "c"


def read(place, row, names=NAMES):
    values = np.zeros(4)
    ids = np.array([*map(id, names)], np.int64)
    return bool(place(id(row), ids, values, new_scratch())), values.tolist()


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
