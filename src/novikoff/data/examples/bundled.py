"""Built-in data measured by people: the files that come inside scikit-learn.

They are read straight from its folder. Importing scikit-learn takes a second, and a command that
only wants four numbers a row should not wait for it.
"""

import importlib.util
from pathlib import Path

import numpy as np

from novikoff.data.examples.synthetic import SyntheticRows
from novikoff.errors import DataError

_IRIS_FEATURES = [
    "sepal length (cm)",
    "sepal width (cm)",
    "petal length (cm)",
    "petal width (cm)",
]
_IRIS_SPECIES = ["setosa", "versicolor", "virginica"]
_CELL_MEASURES = [
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
]
_EIGHT = 8


def iris(species: str) -> SyntheticRows:
    """Fisher's irises: one species against the other two."""
    table = _table("iris.csv", skip=1)
    chosen = table[:, -1] == _IRIS_SPECIES.index(species)
    y = np.where(chosen, species, "other")
    return SyntheticRows(table[:, :-1].copy(), y, list(_IRIS_FEATURES), "species")


def wdbc() -> SyntheticRows:
    """Wisconsin diagnostic breast cancer: cell nuclei of malignant and benign tumours."""
    table = _table("breast_cancer.csv", skip=1)
    y = np.where(table[:, -1] == 0, "malignant", "benign")
    names = [f"mean {measure}" for measure in _CELL_MEASURES]
    names += [f"{measure} error" for measure in _CELL_MEASURES]
    names += [f"worst {measure}" for measure in _CELL_MEASURES]
    return SyntheticRows(table[:, :-1].copy(), y, names, "diagnosis")


def digits_8() -> SyntheticRows:
    """Handwritten digits of 8 by 8 pixels: the eights against all others."""
    table = _table("digits.csv.gz", skip=0)
    # Labels are mapped in sorted order, so that "another" is the negative class.
    y = np.where(table[:, -1] == _EIGHT, "eight", "another")
    names = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    return SyntheticRows(table[:, :-1].copy(), y, names, "digit")


def _table(file: str, *, skip: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The numbers in one of scikit-learn's files, after `skip` lines."""
    found = importlib.util.find_spec("sklearn")
    if found is None or found.origin is None:
        raise DataError(
            "this example is a file of scikit-learn, which is not installed: run "
            "pip install scikit-learn, or choose another example"
        )
    path = Path(found.origin).parent / "datasets" / "data" / file
    return np.loadtxt(path, delimiter=",", skiprows=skip)
