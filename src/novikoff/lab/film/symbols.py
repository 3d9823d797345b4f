"""What the letters and words of a film mean, for its legend and for whoever points at one."""

from novikoff.lab.film.run import FilmRun
from novikoff.lab.plane.number_text import digits
from novikoff.report.model import number

SEEN = {(False, False): "x", (True, False): "(x, 1)", (False, True): "x/‖x‖"}
WORDS = {
    "lifted": "a row x with a 1 appended, (x, 1): the bias is then one more weight",
    "ceiling": "a number that no separator's margin exceeds, proven by the run so far",
}


def symbols_of(run: FilmRun) -> dict[str, str]:
    """Each symbol of the film with what it means."""
    trace = run.trace
    if trace.rule == "winnow":
        return _of_winnow(run)
    if trace.rule == "one-sided":
        return _of_note(run)
    seen = SEEN.get((trace.bias, trace.unit_length), "(x, 1)/‖(x, 1)‖")
    found = {
        "k": "the number of updates so far",
        "w": "the weights: w_0 at the start, w_k after update k",
        "x̂": f"a row as the learner sees it: {seen}",
        "y": "the label of a row, +1 or −1",
        "z": "the signed row y·x̂: right weights have z·w > 0",
        "D": f"the radius: the length of the longest row x̂, {digits(trace.radius)}",
    }
    if trace.rule == "passive-aggressive":
        found |= {
            "ℓ": "the loss of a row, 1 − z·w, or 0 where that is negative",
            "τ": "how far an update moves the weights along z",
        }
    else:
        found["η"] = "the step: how far an update moves the weights along z"
    if trace.rule == "margin":
        found["β"] = "the margin that the rule seeks: it moves wherever z·w ≤ β"
    return found | _of_separator(run) | WORDS


def _of_separator(run: FilmRun) -> dict[str, str]:
    trace = run.trace
    if trace.target is None or trace.margin is None:
        return {"γ": "the margin of these rows: there is none, for they are not separable"}
    found = {
        "w*": "the separator w* as given"
        if trace.target_from == "given"
        else "the separator of largest margin",
        "γ": f"the margin: the least z·w*/‖w*‖ of any row, {digits(trace.margin)}",
        "a": "the least z·w* of any row: γ = a/‖w*‖",
    }
    if trace.rule == "passive-aggressive":
        return found | {
            "u": "w*/a, which has z·u ≥ 1 for every row",
            "m": "the number of mistakes so far",
            "d": "how much an update takes off ‖w − u‖²",
            "c": "the least that a mistake takes off ‖w − u‖²",
        }
    return found | {
        "A": f"(ηγ)² = {number(trace.A or 0.0)}: ‖w_k − w_0‖² is at least A·k²",
        "B": f"{number(trace.B or 0.0)}: ‖w_k − w_0‖² is at most B·k",
        "u": "any separator of length 1",
    }


def _of_note(run: FilmRun) -> dict[str, str]:
    found = {
        "t": "the number of updates so far",
        "k": "the number of an update",
        "γ": "the margin of a separator of length 1; the largest is the gap g",
        "w": "the weights: w_0 = 0 at the start, w_k after update k",
        "x": "a row, of length 1; all are positive",
        "g": "the gap: the least w*·x of any row",
        "N": "the numerator of the cosine, w_k·w*",
        "D": "the denominator of the cosine, ‖w_k‖",
    }
    gap = {} if run.trace.margin is None else {"w*": "the best weights of length 1"}
    return found | gap | WORDS


def _of_winnow(run: FilmRun) -> dict[str, str]:
    trace, rule = run.trace, run.rule
    found = {
        "w": "the weights, one for each variable; all are 1 at the start",
        "Σw": "the sum of all weights",
        "n": f"the number of variables, {trace.features}",
        "θ": f"the threshold, {number(rule.theta)}: the label is predicted +1 where the weights of"
        " the variables that are 1 in the row sum to θ or more",
        "α": f"the factor of an update, {number(rule.alpha)}",
        "u": "promotions so far: mistakes on rows of label +1, which multiply weights by α",
        "v": "demotions so far: mistakes on rows of label −1, which divide weights by α",
        "lg": "the logarithm to base 2",
    }
    if trace.target is not None:
        found["r"] = f"the number of relevant variables, {int(trace.target.sum())}"
    return found
