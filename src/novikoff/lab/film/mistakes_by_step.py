"""The rows that would be mistakes for the weights of each step, by the loop's own scores."""

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.learning.learner import tie_of
from novikoff.learning.loop import compiled, row_steps
from novikoff.learning.rows import row_at
from novikoff.learning.rules import Perceptron, State, Winnow
from novikoff.learning.rules.protocol import Rule, mistaken, score
from novikoff.report.model import Numbers
from novikoff.verdict.signed import Signed

Bits = npt.NDArray[np.bool_]


def _make_mistakes(sources: str) -> Any:
    def mistakes(rule: Any, rows: Any, signs: Any, weights: Any, out: Any) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        for k in range(out.shape[0]):
            state = State(weights[k])
            for i in range(out.shape[1]):
                label = 1.0 if signs[i] > 0 else -1.0
                out[k, i] = mistaken(rule, score(rule, state, row_at(rows, i)), label)

    return mistakes


def _mistakes_work(rule: Any, rows: Any, signs: Any, weights: Numbers, out: Bits) -> float:
    return out.size * row_steps(rule, (), rows)


def mistakes_by_step(signed: Signed, rule: Rule, weights: Numbers) -> Bits:
    """Whether each row (column) would be a mistake for each weight vector (line)."""
    if not isinstance(rule, Winnow):  # all others score by row . weights while they learn
        rule = Perceptron(tie=tie_of(rule))
    rows = signed.rows._replace(unit_length=signed.unit_length)
    out = np.empty((len(weights), signed.count), np.bool_)
    kernel = compiled(_make_mistakes, (type(rule),), _mistakes_work, threads=True)
    kernel(rule, rows, signed.signs, weights, out)
    return out


def packed(bits: Bits) -> str:
    """Bits as text: each line in whole bytes, the lowest bit first."""
    return base64.b64encode(np.packbits(bits, axis=1, bitorder="little").tobytes()).decode()
