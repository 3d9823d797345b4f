"""Hints for parameters that an estimator does not have: scikit-learn's own, and misspelt ones."""

import difflib
from collections.abc import Collection

#: What takes the place of parameters of scikit-learn's linear classifiers.
SCIKIT_LEARN = {
    "max_iter": "max_epochs is the budget of epochs",
    "tol": "learning ends after an epoch without a mistake, or after max_epochs",
    "shuffle": 'order="shuffle" or order="given" says how rows are read',
    "alpha": "there is no penalty, whose strength it would be",
    "penalty": "there is no penalty",
    "l1_ratio": "there is no penalty",
    "eta0": "eta is the step",
    "learning_rate": "eta is the step, which stays as it is",
    "average": "AveragedPerceptron predicts with the mean, and so does averaged=True of"
    " PassiveAggressive and MulticlassPerceptron",
    "early_stopping": "validation_fraction holds rows out, and n_iter_no_change is the patience",
    "loss": 'of PassiveAggressive, variant="PA-I" is for "hinge", "PA-II" for "squared_hinge"',
}


def parameter_hint(estimator: str, name: str, known: Collection[str]) -> str:
    """What to say of a parameter that an estimator does not have.

    >>> parameter_hint("Perceptron", "max_epoch", ["eta", "max_epochs"])
    "Perceptron has no parameter 'max_epoch'; did you mean max_epochs?"
    """
    said = f"{estimator} has no parameter {name!r}"
    if name in SCIKIT_LEARN:
        return f"{said}: {SCIKIT_LEARN[name]}"
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"{said}; did you mean {close[0]}?"
    return f"{said}; it has {', '.join(sorted(known))}"
