"""`learn_one`, `learn_many` and `predict_one` against river's Perceptron.

Both see the same rows in the same order; river takes dicts only, so arrays are compared with its
dicts too. Rows have 100 features, as in the epochs benchmark. They are few enough to stay in the
cache, where the rows of a stream are too when they have just been made.
"""

import numpy as np
from river import linear_model

import novikoff as nk
from harness import Line, faster, report, take_turns

ROWS, PASSES, FEATURES, REPEATS = 500, 40, 100, 11


def examples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES))
    y = X @ rng.standard_normal(FEATURES) > 0
    names = [f"f{j}" for j in range(FEATURES)]  # a reader of files uses the same names for all rows
    dicts = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    return list(X), dicts, [bool(label) for label in y]


def learn_all(make, rows, labels):
    def run() -> None:
        model = make()
        for _ in range(PASSES):
            for row, label in zip(rows, labels, strict=True):
                model.learn_one(row, label)

    return run


def learn_batches(make, rows, labels):
    def run() -> None:
        model = make()
        for _ in range(PASSES):
            model.learn_many(rows, labels)

    return run


def predict_all(model, rows, labels):
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)

    def run() -> None:
        for _ in range(PASSES):
            for row in rows:
                model.predict_one(row)

    return run


def main() -> None:
    arrays, dicts, labels = examples()
    seconds = take_turns(
        {
            "arrays": learn_all(nk.Perceptron, arrays, labels),
            "dicts": learn_all(nk.Perceptron, dicts, labels),
            "batches": learn_batches(nk.Perceptron, dicts, labels),
            "river": learn_all(linear_model.Perceptron, dicts, labels),
            "predict": predict_all(nk.Perceptron(), dicts, labels),
            "river's predict": predict_all(linear_model.Perceptron(), dicts, labels),
        },
        REPEATS,
    )
    report(
        "online",
        [
            Line("learn_one on arrays", "river", 20.0, faster(seconds, "arrays", "river")),
            Line("learn_one on dicts", "river", 10.0, faster(seconds, "dicts", "river")),
            Line("learn_many on dicts", "river", 10.0, faster(seconds, "batches", "river")),
            Line(
                "predict_one on dicts",
                "river",
                10.0,
                faster(seconds, "predict", "river's predict"),
            ),
        ],
    )


if __name__ == "__main__":
    main()
