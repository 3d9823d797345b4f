"""Which of the flipped labels are found: `nk.suspects` beside LinearSVC and cleanlab.

Labels of separable data are flipped, and as many rows are named as there were flips; recall is the
share of the flipped rows among them. LinearSVC names the rows with the lowest signed scores, at
the best of four C for each line of the table; cleanlab is its confident learning, with the
probabilities of a cross-validated logistic regression. Columns are scaled for both.
"""

import argparse
import json
import time
import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
from cleanlab.filter import find_label_issues
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC

import novikoff as nk
from harness import RESULTS

FLIPS = (1, 2, 3, 5, 10)
PENALTIES = (0.01, 0.1, 1.0, 10.0)


def generated(rows, features, margin=0.1):
    """Normal rows, none nearer than the margin to the plane that labels them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2 * rows, features))
    w = rng.standard_normal(features)
    scores = X @ w / np.linalg.norm(w)
    kept = np.flatnonzero(np.abs(scores) > margin)[:rows]
    return X[kept], (scores[kept] > 0).astype(int)


def sparse(rows, features, nonzeros=60, telling=20):
    """Rows like texts: words of any topic, the frequent ones often, and some of the class's own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    words = (features * rng.random((rows, nonzeros)) ** 3).astype(np.int32)
    own = features // 20
    words[:, :telling] = y[:, None] * own + rng.integers(0, own, (rows, telling))
    where = np.repeat(np.arange(rows, dtype=np.int32), nonzeros)
    X = sp.csr_matrix((np.ones(words.size), (where, words.ravel())), (rows, features))
    return X, y


def data_sets():
    iris, digits = load_iris(), load_digits()
    ones = digits.target < 2
    yield "iris, setosa", (iris.data, (iris.target == 0).astype(int))
    yield "wdbc", load_breast_cancer(return_X_y=True)
    yield "digits, 0 and 1", (digits.data[ones], digits.target[ones])
    for rows, features in ((500, 20), (5000, 20), (50_000, 20)):
        yield f"dense, {rows:,} x {features}", generated(rows, features)
    for rows, features in ((500, 2000), (3000, 3000), (5000, 20_000), (50_000, 50_000)):
        yield f"sparse, {rows:,} x {features:,}", sparse(rows, features)


def by_suspects(X, y, count):
    return [each.row for each in nk.suspects(X, y, count=count)]


def by_linear_svc(X, y, count, penalty):
    model = make_pipeline(_scaler(X), LinearSVC(C=penalty, dual=not _is_tall(X)))
    scores = model.fit(X, y).decision_function(X)
    return np.argsort(np.where(y == model.classes_[1], scores, -scores))[:count]


def by_cleanlab(X, y, count):
    model = make_pipeline(_scaler(X), LogisticRegression(max_iter=1000))
    chances = cross_val_predict(model, X, y, cv=5, method="predict_proba")
    return find_label_issues(y, chances, return_indices_ranked_by="self_confidence")[:count]


def _scaler(X):
    return MaxAbsScaler() if sp.issparse(X) else StandardScaler()


def _is_tall(X):
    return X.shape[0] > X.shape[1]


CONTENDERS = {
    "suspects": by_suspects,
    **{f"LinearSVC {c:g}": partial(by_linear_svc, penalty=c) for c in PENALTIES},
    "cleanlab": by_cleanlab,
}


def recalls(X, y, flips, seeds):
    """The mean recall of each contender."""
    found = {name: [] for name in CONTENDERS}
    for seed in range(seeds):
        rows = np.random.default_rng(seed).choice(len(y), flips, replace=False)
        labels = y.copy()
        labels[rows] = 1 - labels[rows]
        for name, rank in CONTENDERS.items():
            found[name].append(np.isin(rank(X, labels, flips), rows).sum() / flips)
    return {name: float(np.mean(each)) for name, each in found.items()}


def checks_needed(X, y):
    """How many times as much processor time suspects take as a verdict on the same rows."""
    labels = y.copy()
    labels[:3] = 1 - labels[:3]
    taken = []
    for _ in range(7):
        began = time.process_time()
        nk.check(X, labels)
        middle = time.process_time()
        nk.suspects(X, labels)
        taken.append((middle - began, time.process_time() - middle))
    checks, rankings = np.min(taken[1:], axis=0)  # the first is to warm up
    return float(rankings / checks)


def main(seeds) -> None:
    print(f"recall of flipped labels, mean over {seeds} seeds; last: time in verdicts\n")
    print(f"  {'data':<24} flips  suspects  LinearSVC  cleanlab")
    lines = []
    for title, (X, y) in data_sets():
        for flips in FLIPS:
            found = recalls(X, y, flips, seeds)
            best = max(found[f"LinearSVC {c:g}"] for c in PENALTIES)
            line = {"suspects": found["suspects"], "LinearSVC": best, "cleanlab": found["cleanlab"]}
            lines.append({"data": title, "flips": flips} | line)
            print(f"  {title:<24} {flips:5} " + "".join(f"{each:10.2f}" for each in line.values()))
        lines.append({"data": title, "verdicts": checks_needed(X, y)})
        print(f"  {title:<24} time  {lines[-1]['verdicts']:10.2f} verdicts", flush=True)
    content = {"benchmark": "suspects", "seeds": seeds, "lines": lines}
    (RESULTS / "suspects.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the peers' solvers warn of budgets that run out
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    main(parser.parse_args().seeds)
