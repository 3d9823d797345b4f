"""Sparse matrices whose arrays contradict each other, and masked arrays, at every door."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.data.matrices import as_matrix
from novikoff.errors import DataError

y = np.array([0, 1, 0, 1])


def sound(layout="csr"):
    X = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0], [3.0, 1.0, 1.0]])
    return scipy.sparse.csr_array(X).asformat(layout)


def integers(layout="csr"):
    """Values that are no doubles, so that exact entries are made of them."""
    matrix = sound(layout)
    return matrix.astype(np.int64) * (2**60 + 1)


def damage(matrix, part, change):
    array = getattr(matrix, part)
    setattr(matrix, part, change(array.copy()))
    return matrix


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


DAMAGES = {
    "short data": ("data", lambda a: a[:-3]),
    "long data": ("data", lambda a: np.concatenate([a, a])),
    "short indices": ("indices", lambda a: a[:-2]),
    "short indptr": ("indptr", lambda a: a[:-1]),
    "long indptr": ("indptr", lambda a: np.append(a, [a[-1]] * 3)),
    "no indptr": ("indptr", lambda a: a[:0]),
    "far indptr": ("indptr", put(-1, 10**6)),
    "descending indptr": ("indptr", put(2, 10**6)),
    "negative indptr": ("indptr", put(1, -5)),
    "late indptr": ("indptr", put(0, 1)),
    "large index": ("indices", put(-1, 10**6)),
    "negative index": ("indices", put(0, -(10**6))),
    "fractional indices": ("indices", lambda a: a.astype(np.float64)),
}

fitted = nk.Perceptron().partial_fit(np.eye(3), [0, 1, 1], classes=[0, 1])
certificate = nk.check(sound(), [0, 1, 1, 1]).certificate
DOORS = {
    "fit": lambda X: nk.Perceptron().fit(X, y),
    "one-sided": lambda X: nk.OneSidedPerceptron().fit(X),
    "partial_fit": lambda X: nk.VotedPerceptron().partial_fit(X, y, classes=[0, 1]),
    "predict": lambda X: fitted.predict(X),
    "decision_function": lambda X: fitted.decision_function(X),
    "score": lambda X: fitted.score(X, y),
    "check": lambda X: nk.check(X, y),
    "trace": lambda X: nk.trace(X, y),
    "verify": lambda X: nk.verify(certificate, X, y),
    "cover": lambda X: nk.cover.in_general_position(X),
    "dichotomies": lambda X: list(nk.cover.dichotomies(X)),
    "bounds": lambda X: nk.bounds.on(X, y),
    "winnow": lambda X: nk.bounds.winnow_on(X, y),
}


@pytest.mark.parametrize("layout", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("door", DOORS)
def test_a_damaged_matrix_is_refused(layout, kind, door):
    for make in (sound, integers):
        with pytest.raises(DataError, match=f"X is a damaged {layout.upper()} matrix: "):
            DOORS[door](damage(make(layout), *DAMAGES[kind]))


@pytest.mark.parametrize("door", DOORS)
def test_a_damaged_coordinate_matrix_is_refused(door):
    for part, change in (
        ("data", lambda a: a[:-1]),
        ("row", put(0, 99)),
        ("col", put(0, -1)),
        ("col", put(0, 3)),
    ):
        matrix = sound("coo")
        if part == "data":
            matrix.data = change(matrix.data)
        else:
            coords = dict(zip(("row", "col"), (c.copy() for c in matrix.coords), strict=True))
            change(coords[part])
            matrix.coords = coords["row"], coords["col"]
        with pytest.raises(DataError, match="X is a damaged COO matrix: "):
            DOORS[door](matrix)


@pytest.mark.parametrize("door", DOORS)
def test_masked_values_are_refused(door):
    X = np.ma.array(sound().toarray())
    X[2, 1] = np.ma.masked
    with pytest.raises(DataError, match="X is masked in row 2, column 1"):
        DOORS[door](X)


def test_a_row_with_a_masked_value_is_refused():
    masked, whole = np.ma.array([1.0, 9.0], mask=[0, 1]), np.ma.array([1.0, 2.0])
    for before in ([], [[1.0, 2.0]], [whole]):
        model = nk.Perceptron()
        for row in before:
            model.learn_one(row, 1)
        with pytest.raises(DataError, match="the row is masked in column 1"):
            model.learn_one(masked, 0)
        with pytest.raises(DataError, match="the row is masked in column 1"):
            model.predict_one(masked)
    assert model.learn_one(whole, 0).n_samples_seen_ == 2


def test_masked_labels_are_refused_and_arrays_without_masked_values_are_taken():
    X, labels = np.ma.array(np.eye(3)), np.ma.array([0, 1, 1], mask=[0, 0, 1])
    assert nk.Perceptron().fit(X, [0, 1, 1]).converged_
    assert nk.check(X, np.ma.array([0, 1, 1])).outcome == "separable"
    for call in (nk.Perceptron().fit, nk.check, nk.trace):
        with pytest.raises(DataError, match="y is masked in row 2"):
            call(X, labels)


def test_narrow_indices_are_widened():
    matrix = sound()
    wide = as_matrix(sound())
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int16), matrix.indptr.astype(np.int16)
    assert (nk.Perceptron().fit(matrix, y).coef_ == nk.Perceptron().fit(wide, y).coef_).all()


def test_one_dimension_is_refused():
    with pytest.raises(DataError, match="1 dimension"):
        as_matrix(scipy.sparse.coo_array(np.ones(3)))


def test_strided_arrays_of_a_sparse_matrix_are_read():
    """Every other entry of longer arrays, as slicing them gives."""
    X = scipy.sparse.random_array((40, 6), density=0.5, format="csr", rng=0)
    labels = np.arange(40) % 2
    strided = X.copy()
    strided.data, strided.indices = (np.repeat(each, 2)[::2] for each in (X.data, X.indices))
    for found, wanted in zip(
        (nk.trace(strided, labels, max_epochs=3).table, nk.check(strided, labels).margin),
        (nk.trace(X, labels, max_epochs=3).table, nk.check(X, labels).margin),
        strict=True,
    ):
        assert str(found) == str(wanted)
    model = nk.PassiveAggressive(max_epochs=3)
    with pytest.warns(ConvergenceWarning):
        coefficients = model.fit(X, labels).coef_
    with pytest.warns(ConvergenceWarning):
        assert (model.fit(strided, labels).coef_ == coefficients).all()


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_complex_entries_are_refused(form):
    X = scipy.sparse.random_array((8, 3), density=0.9, format=form, rng=0).astype(complex)
    labels = np.arange(8) % 2
    for call in (nk.check, nk.trace, nk.Perceptron().fit):
        with pytest.raises(ValueError, match="complex"):
            call(X, labels)
