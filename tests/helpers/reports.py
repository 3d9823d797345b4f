"""Pages to look at, and how to find a mark in a picture."""

import numpy as np

import novikoff as nk
from novikoff import report
from novikoff.data.matrices import as_matrix, encode
from novikoff.learning.epochs import learn

ASKED = report.PageQuestion("novikoff check data.csv", "data.csv", [("rows", "4")])
ANSWER = report.ReportAnswer("It is so.", [("margin", "1")], "In many\nwords.")
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
QUASI = "age,dose,died\n1,0,no\n2,0,yes\n3,1,yes\n4,0,no\n5,1,yes\n2,0,no\n"
HOSTILE = "<img src=x onerror=alert(1)>", "</script><b>&\"'", "$$x^2$$ $y$ @told0", "日本語 é"
TWO = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.5], [4.0, 0.5], [0.5, 5.0]], [1, 0, 1, 0, 1]


def of_kind(picture, kind):
    return [mark for mark in picture.marks if isinstance(mark, kind)]


def named(picture, words):
    """The one mark of that name, or whose name has these words."""
    exactly = [mark for mark in picture.marks if mark.name == words]
    (found,) = exactly or [mark for mark in picture.marks if words in mark.name]
    return found


def check_page(*words, **options):
    verdict = nk.check(*words, **options)
    return verdict, report.check_page(verdict, ASKED, ANSWER)


def run_of(rule, X, y, epochs=20, parameters=None, **options):
    """What `fit` hands to its page."""
    from novikoff.cli.shared.spec_options import spec_from_options
    from novikoff.learning.epochs import found_margin
    from novikoff.learning.rules.protocol import mistake_bound

    spec = spec_from_options(rule, parameters or {}, [], "zeros", None, False, 0)
    spec = spec._replace(**options)
    matrix = as_matrix(X)
    classes, codes = encode(y)
    if rule == "one-sided":
        classes, codes, y = np.array([-1, 1]), np.ones(len(y), np.uint16), None
    rows = spec.rows(matrix)
    learner = spec.learner_for(matrix.shape[1], classes)
    ceilings = []

    def watch(learner, stop):
        if stop == matrix.shape[0]:
            ceilings.append(float(learner.ceilings().min()))

    outcome = learn(learner, rows, codes, max_epochs=epochs, watch=watch)
    margin = found_margin(learner, rows, codes) if outcome.converged else None
    bound = None if margin is None else mistake_bound(learner.rule, learner.radius, margin)
    return report.FitRun(
        rule, learner, outcome, classes, codes, rows, matrix, y, None, None, bound, margin, ceilings
    )
