"""The fewest mistakes of any hyperplane: brackets of `nk.repair` beside one mixed-integer program.

The peer is the textbook program with a large constant: minimise sum m with z . w + M m >= 1 and m
of 0 and 1, in floating point, by HiGHS, within the same time. It proves nothing that a checker
could read, and M is a guess: too small, and the answer is wrong; too large, and the bound is void.
"""

import argparse
import json
import math
import time

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_breast_cancer, load_iris

import novikoff as nk
from harness import RESULTS
from suspects import generated

BIG = 1000.0


def flipped(X, y, flips, seed):
    labels = y.copy()
    rows = np.random.default_rng(seed).choice(len(y), flips, replace=False)
    labels[rows] = 1 - labels[rows]
    return X, labels


def cases():
    """Titles, data, seconds, and the most that the bracket may be open: 0 if it is to be closed."""
    tumours = load_breast_cancer(return_X_y=True)
    for flips in (1, 3, 5):
        yield f"wdbc, {flips} flipped", flipped(*tumours, flips, 0), 30.0, 0.0
    yield "20,000 x 30, 20 flipped", flipped(*generated(20_000, 30, 0.05), 20, 0), 60.0, 0.2
    iris = load_iris()
    yield "iris, versicolor", (iris.data, (iris.target == 1).astype(int)), 60.0, None


def by_repair(X, y, seconds):
    found = nk.repair(X, y, time_limit=seconds)
    assert nk.verify(found.certificate, X, y).valid
    return int(found.lower), int(found.upper)


def by_program(X, y, seconds):
    Z = np.where(y > 0, 1.0, -1.0)[:, None] * np.hstack([_scaled(X), np.ones((len(y), 1))])
    rows, dim = Z.shape
    found = milp(
        np.concatenate([np.zeros(dim), np.ones(rows)]),
        integrality=np.concatenate([np.zeros(dim), np.ones(rows)]),
        bounds=Bounds(
            np.concatenate([np.full(dim, -np.inf), np.zeros(rows)]),
            np.concatenate([np.full(dim, np.inf), np.ones(rows)]),
        ),
        constraints=LinearConstraint(
            sp.hstack([sp.csr_array(Z), BIG * sp.eye_array(rows)], format="csr"), lb=1.0
        ),
        options={"time_limit": seconds},
    )
    bound = getattr(found, "mip_dual_bound", None)
    lower = 0 if bound is None or not math.isfinite(bound) else max(0, math.ceil(bound - 1e-6))
    if found.x is None:
        return lower, rows
    return lower, int((Z @ found.x[:dim] <= 0).sum())


def _scaled(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _told(found):
    return f"{found['lower']}-{found['upper']} in {found['took']:.1f} s"


def main(share) -> None:
    print("the fewest mistakes: proven bracket of nk.repair, and what a big-M program says\n")
    lines, missed = [], False
    by_repair(*flipped(*load_breast_cancer(return_X_y=True), 1, 1), 30.0)  # compiles
    for title, (X, y), seconds, gap in cases():
        line = {"data": title, "seconds": seconds * share}
        for name, solve in (("repair", by_repair), ("program", by_program)):
            began = time.perf_counter()
            lower, upper = solve(X, y, seconds * share)
            line[name] = {"lower": lower, "upper": upper, "took": time.perf_counter() - began}
        ours = line["repair"]
        line["holds"] = gap is None or ours["upper"] - ours["lower"] <= gap * ours["upper"]
        missed |= not line["holds"]
        lines.append(line)
        told = [_told(line[name]) for name in ("repair", "program")]
        print(f"  {title:<26} {told[0]:<20} {told[1]:<20}{'' if line['holds'] else '  MISSED'}")
    content = {"benchmark": "repair", "lines": lines}
    (RESULTS / "repair.json").write_text(json.dumps(content, indent=1) + "\n")
    raise SystemExit(missed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the time, to try it")
    main(parser.parse_args().share)
