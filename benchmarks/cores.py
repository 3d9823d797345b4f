"""Two threads against one, and a model of what more cores would give.

Rows near convergence: a learner begins at a long separating vector, so that exactly the flipped
labels are mistakes, epoch after epoch. An epoch of n rows, of which a share q is mistakes, takes

    one thread:    n * (score + q * update)
    p threads:     n * (score / (p * efficiency) + q * (update + restart))

as long as that is less than one thread takes; else the leader learns alone. `score` and `update`
are fitted on one thread, `efficiency` and `restart` on two; docs/cores.md says what they are.
"""

import concurrent.futures
import json
import statistics
import time

import numpy as np

import novikoff as nk
from epochs import dense_data, sparse_data
from harness import RESULTS, Line, faster, report, take_turns
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Perceptron

REPEATS = 11
SHARES = 0.0, 0.0001, 0.001, 0.004
MANY = 0.3
CORES = 2, 8, 32, 128
TABLE_SHARES = 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.0


def epoch(X, u, share: float, threads: int):
    """One more pass of a learner that is wrong on this share of the rows, and stays so."""
    flipped = np.random.default_rng(1).random(X.shape[0]) < share
    codes = ((X @ u > 0) ^ flipped).astype(np.uint16)
    far = np.append(1e9 * u, 0.0)[None]
    learner = Learner(Perceptron(), X.shape[1], initial=far)
    learner.threads = threads
    rows = make_rows(X, True, False)
    learner.read(rows, codes)
    return lambda: learner.read(rows, codes, measure=False)


def epochs(X, shares, seed: int):
    u = np.random.default_rng(seed).standard_normal(X.shape[1])
    return {(q, p): epoch(X, u, q, p) for q in shares for p in (1, 2)}


def read_by_two(X):
    """The matrix merely summed up, a half by each of two threads."""
    pool, half = concurrent.futures.ThreadPoolExecutor(2), len(X) // 2
    return lambda: list(pool.map(np.sum, (X[:half], X[half:])))


def processor_time(work) -> float:
    """Seconds of processor time that one thread takes: the least of a few turns."""
    found = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def fit_model(one: dict[float, float], seconds, rows: int) -> dict[str, float]:
    """The constants, in nanoseconds a row, a mistake, a mistake; and a share.

    one: the processor time of one thread, by the share of mistakes. What two threads take is that,
    times the ratio of the two within a turn.
    """
    score = 1e9 * one[0.0] / rows
    update = 1e9 * (one[MANY] - one[0.0]) / rows / MANY
    two = [
        (score + q * update) * statistics.median(faster(seconds, (q, 1), (q, 2))) for q in SHARES
    ]
    slope, start = np.polyfit(SHARES, two, 1)
    restart, efficiency = max(slope - update, 0.0), min(1.0, score / (2 * start))
    found = {"score": score, "update": update, "restart": restart, "efficiency": efficiency}
    return {name: float(value) for name, value in found.items()}


def speed_up(model: dict[str, float], share: float, cores: int) -> float:
    """How many times as fast as one thread so many cores are."""
    one = model["score"] + share * model["update"]
    ahead = model["score"] / (cores * model["efficiency"])
    return max(1.0, one / (ahead + share * (model["update"] + model["restart"])))


def table(model: dict[str, float]) -> list[str]:
    """The model's predictions, as Markdown."""
    heads = ["mistakes", *(f"{cores} cores" for cores in CORES)]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for share in TABLE_SHARES:
        found = [f"{speed_up(model, share, cores):.1f}" for cores in CORES]
        lines.append(f"| {100 * share:g} % | {' | '.join(found)} |")
    return lines


def sparse_lines() -> tuple[list[Line], dict[str, float]]:
    X, _ = sparse_data()
    contenders = epochs(X, (*SHARES, MANY), 2)
    one = {q: processor_time(contenders[q, 1]) for q in (0.0, MANY)}
    seconds = take_turns(contenders, REPEATS)
    model = fit_model(one, seconds, X.shape[0])
    wanted = {0.001: 1.6, 0.004: 1.6, MANY: 0.95}
    lines = [
        Line(
            f"CSR epoch of two threads, {100 * q:g} % mistakes",
            "of one",
            wanted.get(q),
            faster(seconds, (q, 2), (q, 1)),
        )
        for q in (*SHARES, MANY)
    ]
    return lines, model


def dense_lines() -> list[Line]:
    X, _ = dense_data()
    contenders = epochs(X, (0.0, 0.001, MANY), 3) | {"read": read_by_two(X)}
    seconds = take_turns(contenders, REPEATS)
    title = "dense epoch of two threads, {:g} % mistakes"
    lines = [
        Line(title.format(100 * q), "of one", wanted, faster(seconds, (q, 2), (q, 1)))
        for q, wanted in ((0.0, None), (0.001, None), (MANY, 0.95))
    ]
    reading = faster(seconds, (0.001, 2), "read")
    return [*lines, Line(title.format(0.1), "two threads that merely read", 0.9, reading)]


def other_lines() -> list[Line]:
    """Predictions, and one class against the rest."""
    X, _ = sparse_data(200_000)
    y = np.random.default_rng(4).integers(0, 4, X.shape[0])
    models = {p: nk.Perceptron(max_epochs=2, n_jobs=p).fit(X, y) for p in (1, 2)}
    contenders = {
        **{("fit", p): lambda m=m: m.fit(X, y) for p, m in models.items()},
        **{("scores", p): lambda m=m: m.decision_function(X) for p, m in models.items()},
    }
    seconds = take_turns(contenders, REPEATS)
    return [
        Line(f"{what}, four classes, two threads", "one", wanted, faster(seconds, (k, 2), (k, 1)))
        for what, k, wanted in (("fit", "fit", None), ("decision_function", "scores", None))
    ]


def main() -> None:
    sparse, model = sparse_lines()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "cores-model.json").write_text(json.dumps(model, indent=1) + "\n")
    print({name: f"{value:.3g}" for name, value in model.items()})
    print("\n".join(table(model)))
    report("cores", [*sparse, *dense_lines(), *other_lines()])


if __name__ == "__main__":
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    main()
