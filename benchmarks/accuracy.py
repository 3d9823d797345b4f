"""Accuracy and time of default parameters, beside scikit-learn, river and Vowpal Wabbit.

Real data come inside scikit-learn: four tables, unscaled and scaled, dense and sparse, and a text
task, which of its packages a docstring is from. Text-like data are generated. Accuracy is the mean
over folds that all contenders share, and over several shuffles of the rows before they are cut into
folds: on a small table one shuffle says little. A contender of the same rule is held against
scikit-learn's, with the standard error of the difference over the shuffles; ours has a second line
with a budget of ten epochs, about as many as scikit-learn takes. River and Vowpal Wabbit read the
rows as often as their users would: river once, Vowpal Wabbit ten times.

A time ratio is that of all folds together: above 1, novikoff was faster.
"""

import importlib
import inspect
import json
import pkgutil
import platform
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn
from river import linear_model as river_linear
from river import multiclass as river_multiclass
from sklearn import datasets
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from vowpalwabbit import Workspace

import harness
import novikoff as nk

FOLDS, WITHIN, PASSES = 5, 0.01, 10
SMALL, SHUFFLES = 1_000, (10, 3)  # rows of a small table, and shuffles of small and other ones
AVERAGED = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}


def docstrings():
    """Which package of scikit-learn a public docstring is from, as tf-idf of its words."""
    texts, labels = {}, []
    for package in pkgutil.iter_modules(sklearn.__path__):
        if package.name.startswith("_") or not package.ispkg or package.name == "tests":
            continue
        module = importlib.import_module(f"sklearn.{package.name}")
        for name in sorted(getattr(module, "__all__", [])):
            try:
                thing = getattr(module, name, None)
            except ImportError:  # of something experimental
                continue
            members = vars(thing).values() if inspect.isclass(thing) else []
            for each in [thing, *members]:
                text = inspect.getdoc(each) if callable(each) else None
                if text and len(text) > 80:
                    texts.setdefault(text, package.name)
    counts = {label: list(texts.values()).count(label) for label in set(texts.values())}
    kept = [(text, label) for text, label in texts.items() if counts[label] >= 2 * FOLDS]
    labels = np.unique([label for _, label in kept], return_inverse=True)[1]
    return TfidfVectorizer().fit_transform([text for text, _ in kept]), labels


def text_like(rows=4_000, features=20_000, classes=20, words=40):
    """Sparse rows: most words by rank, some by the class, and a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    common = (features * rng.random((rows, words)) ** 3).astype(int)
    topical = (rng.integers(200, size=(rows, 8)) * classes + y[:, None]) % features
    columns = np.hstack([common, topical]).ravel()
    starts = np.arange(0, len(columns) + 1, words + 8)
    X = scipy.sparse.csr_array((np.ones(len(columns)), columns, starts), shape=(rows, features))
    X.sum_duplicates()
    y[rng.random(rows) < 0.1] = rng.integers(classes)
    return X, y


def tasks():
    loaders = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "wdbc": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }
    for name, load in loaders.items():
        X, y = load(return_X_y=True)
        yield name, X, y
        yield f"{name}, scaled", StandardScaler().fit_transform(X), y
    yield "digits, sparse", scipy.sparse.csr_array(X / 16.0), y
    yield "docstrings, sparse", *docstrings()
    yield "text-like, generated", *text_like()


class River:
    """River's perceptron, one against the rest, once over the rows."""

    def fit(self, X, y):
        self.model = river_multiclass.OneVsRestClassifier(river_linear.Perceptron())
        for row, label in zip(dicts(X), y.tolist(), strict=True):
            self.model.learn_one(row, label)
        return self

    def score(self, X, y):
        return np.mean(
            [self.model.predict_one(row) == k for row, k in zip(dicts(X), y, strict=True)]
        )


class VowpalWabbit:
    """Vowpal Wabbit's one against all, its defaults otherwise."""

    def fit(self, X, y):
        self.model = Workspace(f"--oaa {int(y.max()) + 1} --quiet")
        lines = [
            self.model.parse(f"{label + 1} | {line}")
            for label, line in zip(y.tolist(), words(X), strict=True)
        ]
        for _ in range(PASSES):
            for line in lines:
                self.model.learn(line)
        return self

    def score(self, X, y):
        return np.mean(
            [self.model.predict(f"| {x}") == k + 1 for x, k in zip(words(X), y, strict=True)]
        )


class LargestMargin:
    """The hyperplane that `check` proves to have the largest margin."""

    def fit(self, X, y):
        self.verdict = nk.check(X, y)
        assert self.verdict.outcome == "separable"
        return self

    def score(self, X, y):
        verdict = self.verdict
        scores = X @ np.array(verdict.weights, float) + float(verdict.intercept)
        return np.mean((scores > 0.0) == (y == y.max()))


def dicts(X):
    for row in scipy.sparse.csr_array(X):
        yield dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))


def words(X):
    for row in dicts(X):
        yield " ".join(f"{column}:{value:.9g}" for column, value in row.items())


RULES = {
    "perceptron": (nk.Perceptron, lambda: Perceptron(random_state=0)),
    "averaged": (
        nk.AveragedPerceptron,
        lambda: SGDClassifier(**AVERAGED, average=True, random_state=0),
    ),
    "passive-aggressive": (
        nk.PassiveAggressive,
        lambda: PassiveAggressiveClassifier(random_state=0),
    ),
}
OTHERS = {"river": River, "Vowpal Wabbit": VowpalWabbit}


def measured(make, folds, X, y):
    """The mean accuracy over the folds, and the seconds of fitting."""
    scores, seconds = [], 0.0
    for learned, held in folds:
        part = X[learned], y[learned]
        began = time.perf_counter()
        model = make().fit(*part)
        seconds += time.perf_counter() - began
        scores.append(model.score(X[held], y[held]))
    return float(np.mean(scores)), seconds


def shuffled_folds(X, y):
    """Several times the rows in another order, with their folds."""
    for seed in range(SHUFFLES[len(y) > SMALL]):
        order = np.random.default_rng(seed).permutation(len(y))
        yield X[order], y[order], [*StratifiedKFold(FOLDS).split(np.zeros(len(y)), y[order])]


def lines_of(task, X, y):
    turns = [*shuffled_folds(X, y)]
    first_turn = turns[0][2], *turns[0][:2]
    others = {name: measured(make, *first_turn) for name, make in OTHERS.items()}
    for rule, (ours, theirs) in RULES.items():
        ours().fit(X, y)  # compiles
        contenders = {
            "novikoff": ours,
            "ten epochs": lambda ours=ours: ours(max_epochs=10),
            "scikit-learn": theirs,
        }
        found = {
            name: np.array([measured(make, folds, *rows) for *rows, folds in turns])
            for name, make in contenders.items()
        }
        means = {name: turn.mean(axis=0) for name, turn in found.items()} | others
        ahead = (found["novikoff"] - found["scikit-learn"])[:, 0]
        yield {
            "data": task,
            "rows": X.shape[0],
            "features": X.shape[1],
            "classes": len(np.unique(y)),
            "rule": rule,
            "shuffles": len(turns),
            "accuracy": {name: round(mean[0], 4) for name, mean in means.items()},
            "ahead": round(ahead.mean(), 4),
            "standard_error": round(ahead.std(ddof=1) / len(ahead) ** 0.5, 4),
            "time_ratio": {
                name: round(mean[1] / means["novikoff"][1], 3) for name, mean in means.items()
            },
            "holds": bool(ahead.mean() >= -WITHIN),
        }


def largest_margin_lines():
    """The separator of the largest margin, on rows that a few epochs do not separate: no learner
    that ends with a separator can be expected to do better by learning for longer.
    """
    X, y = datasets.load_breast_cancer(return_X_y=True)
    turns = [*shuffled_folds(StandardScaler().fit_transform(X), y)]
    found = np.array([measured(LargestMargin, folds, *rows)[0] for *rows, folds in turns])
    for rule in ("perceptron", "passive-aggressive"):
        theirs = [measured(RULES[rule][1], folds, *rows)[0] for *rows, folds in turns]
        ahead = found - np.array(theirs)
        yield {
            "data": "wdbc, scaled",
            "rule": f"largest margin, against {rule}",
            "accuracy": round(found.mean(), 4),
            "ahead": round(ahead.mean(), 4),
            "standard_error": round(ahead.std(ddof=1) / len(ahead) ** 0.5, 4),
        }


def main():
    warnings.simplefilter("ignore")
    lines = []
    names = ["novikoff", "ten epochs", "scikit-learn", *OTHERS]
    print(f"{'data':22}{'rule':20}" + "".join(f"{name:>22}" for name in names))
    for task, X, y in tasks():
        for line in lines_of(task, X, y):
            lines.append(line)
            cells = [f"{line['accuracy'][n]:.3f} ({line['time_ratio'][n]:.2f})" for n in names]
            mark = f"  {100 * line['ahead']:+.2f} ± {100 * line['standard_error']:.2f}"
            mark += "" if line["holds"] else "  BELOW"
            print(
                f"{task:22}{line['rule']:20}" + "".join(f"{c:>22}" for c in cells) + mark,
                flush=True,
            )
    for line in largest_margin_lines():
        lines.append(line)
        ahead = f"{100 * line['ahead']:+.2f} ± {100 * line['standard_error']:.2f}"
        print(f"{line['data']:22}{line['rule']}: {line['accuracy']:.3f}  {ahead}", flush=True)
    content = {
        "benchmark": "accuracy",
        "python": platform.python_version(),
        "folds": FOLDS,
        "lines": lines,
    }
    (harness.RESULTS / "accuracy.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
