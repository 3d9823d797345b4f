"""Verdicts on fixed effects, certificate included, against one linear program of HiGHS.

The peer is one program that finds the same rows: maximise sum t with z . w >= t, 0 <= t <= 1, and
z . w = 0 for the rows with counts. It answers in floating point and proves nothing. A verdict may
take five times as long, or two seconds, whichever is more; so may the coefficients of all
covariates after it. `--picture FILE` draws the cost against rows and levels over two decades, in
seconds of the processor, which another program that uses it changes least.
"""

import argparse
import statistics
import time
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import novikoff as nk
from harness import Line, report, take_turns

TIMES, SECONDS = 5.0, 2.0


def dummies(codes, levels):
    return sp.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), (len(codes), levels))


def design(rows, levels, family="binary", low=0.0):
    """Factors with so many levels, a covariate, and labels or counts by a logit or Poisson law."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, each, rows) for each in levels]
    effects = [1.5 * rng.standard_normal(n)[c] for n, c in zip(levels, codes, strict=True)]
    covariate = rng.standard_normal(rows)
    score = sum(effects) + 0.5 * covariate + low
    parts = [dummies(c, n) for n, c in zip(levels, codes, strict=True)]
    X = sp.hstack([*parts, covariate[:, None]], format="csr")
    if family == "poisson":
        return X, rng.poisson(np.exp(score)), family
    return X, (rng.random(rows) < 1.0 / (1.0 + np.exp(-score))).astype(int), family


def mixed(levels=200, each=10):
    """One factor, all of whose levels have both labels, and a covariate."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(levels), each)
    X = sp.hstack([dummies(codes, levels)[:, 1:], rng.standard_normal((len(codes), 1))])
    return X.tocsr(), rng.integers(0, 2, len(codes)), "binary"


def highs(X, y, family):
    """One program, for the rows as they are."""
    Z = sp.diags_array(np.where(y > 0, 1.0, -1.0)) @ sp.hstack([X, np.ones((len(y), 1))])
    Z, held = Z.tocsr(), (y > 0) & (family == "poisson")
    rows, fixed, dim = Z[~held], Z[held], Z.shape[1]
    count = rows.shape[0]
    return linprog(
        np.concatenate([np.zeros(dim), -np.ones(count)]),
        sp.hstack([-rows, sp.eye_array(count)], format="csr"),
        np.zeros(count),
        sp.hstack([fixed, sp.csr_array((fixed.shape[0], count))]) if held.any() else None,
        np.zeros(int(held.sum())) if held.any() else None,
        [(None, None)] * dim + [(0.0, 1.0)] * count,
    )


def covariates(verdict):
    """The coefficient of the last column, which is the covariate."""
    return verdict.contrast([0] * (verdict.features - 1) + [1, 0])


def lines(title, data, turns=5, peer=True) -> list[Line]:
    X, y, family = data
    contenders = {"check": partial(nk.check, X, y, family=family)}
    if peer:
        contenders["highs"] = partial(highs, X, y, family)
    contenders["both"] = lambda: covariates(nk.check(X, y, family=family))
    certificate = nk.check(X, y, family=family).certificate
    contenders["verify"] = partial(nk.verify, certificate, X, y)
    seconds = take_turns(contenders, turns)
    than = "five programs of HiGHS, or 2 s" if peer else "2 s"
    limits = [max(TIMES * s, SECONDS) for s in seconds.get("highs", [0.0] * turns)]
    found = [Line(f"check, {title}", than, 1.0, ratios(limits, seconds["check"]))]
    if peer:
        found.append(
            Line(f"check, {title}", "HiGHS", None, ratios(seconds["highs"], seconds["check"]))
        )
    twice = [2.0 * limit for limit in limits]
    both = ratios(twice, seconds["both"])
    found.append(Line(f"check and covariates, {title}", f"twice {than}", 1.0, both))
    found.append(
        Line(f"verify, {title}", "check", None, ratios(seconds["check"], seconds["verify"]))
    )
    return found


def ratios(tops, bottoms):
    return [top / bottom for top, bottom in zip(tops, bottoms, strict=True)]


def processor_seconds(call, turns):
    """The median over the turns, after one to warm up."""
    call()
    seconds = []
    for _ in range(turns):
        began = time.process_time()
        call()
        seconds.append(time.process_time() - began)
    return statistics.median(seconds)


def draw(path, turns=3) -> None:
    """The seconds of both, by rows (100 levels in each of two factors) and by levels."""
    from matplotlib.figure import Figure

    figure = Figure((9.0, 3.6), layout="constrained")
    by_rows = [(n, design(n, (100, 100))) for n in (500, 1500, 5000, 15_000, 50_000)]
    by_levels = [(2 * k, design(20 * k, (k, k))) for k in (10, 30, 100, 300, 1000)]
    axes = figure.subplots(1, 2, sharey=True)
    titles = ("rows, of 200 levels", "levels, with 10 rows for each")
    for ax, title, cases in zip(axes, titles, (by_rows, by_levels), strict=True):
        sizes = [size for size, _ in cases]
        ax.set_title(f"by {title.partition(',')[0]}", fontsize="medium")
        for name, call in (("novikoff, with its proof", nk.check), ("HiGHS, one program", highs)):
            works = [partial(call, X, y, family=family) for _, (X, y, family) in cases]
            seconds = [processor_seconds(work, turns) for work in works]
            print(ax.get_title(), name, *(f"{each:.3g}" for each in seconds), flush=True)
            ax.loglog(sizes, seconds, marker="o", label=name)
        ax.set_xlabel(title)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds of the processor")
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="draw the cost against rows and levels, and stop")
    options = parser.parse_args()
    if options.picture:
        draw(options.picture)
    else:
        counts = {"family": "poisson", "low": -3.0}
        two = design(20_000, (1000, 1000), **counts)
        three = design(100_000, (3000, 1500, 500), **counts)
        report(
            "fixed_effects",
            [
                *lines("logit, 2 factors, 3,000 x 301", design(3000, (150, 150))),
                *lines("logit, 2 factors, 5,000 x 501", design(5000, (250, 250))),
                *lines("one factor, 2,000 x 200", mixed()),
                *lines(
                    "Poisson, 2 factors, 20,000 x 2,001", design(20_000, (1000, 1000), **counts)
                ),
                # HiGHS did not end within four minutes on this one
                *lines("Poisson, 3 factors, 100,000 x 5,001", three, turns=3, peer=False),
            ],
        )
