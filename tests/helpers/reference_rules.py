"""The rules again, in plain Python on lists, written from the formulas and sharing no code.

Each function takes rows already lifted (the bias last) with their scales, labels of -1.0 and 1.0,
and goes through them once. It returns the places of the mistakes and the final weights. The only
thing agreed on with the package is the order of arithmetic, which its docstrings state.
"""

import math


def dot(x, w, bias):
    """Eight lanes by column, folded in halves; the bias is added last."""
    features = len(x) - 1 if bias else len(x)
    lanes = [0.0] * 8
    for j in range(features):
        lanes[j % 8] += x[j] * w[j]
    a, b, c, d = (lanes[k] + lanes[k + 4] for k in range(4))
    total = (a + c) + (b + d)
    return total + w[features] if bias else total


class Data:
    """Rows with what every rule asks of them."""

    def __init__(self, X, y, bias, unit_length):
        self.bias = bias
        self.rows = [[float(v) for v in row] + [1.0] * bias for row in X]
        self.labels = [float(label) for label in y]
        self.scales = []
        for row in self.rows:
            size = self.raw_square(row)
            self.scales.append(1.0 / math.sqrt(size) if unit_length and size > 0.0 else 1.0)

    def raw_square(self, row):
        if not self.bias:
            return dot(row, row, False)
        return dot(row[:-1], row[:-1], False) + 1.0

    def square(self, i):
        return self.raw_square(self.rows[i]) * self.scales[i] * self.scales[i]

    def score(self, i, w):
        return dot(self.rows[i], w, self.bias) * self.scales[i]

    def add(self, i, amount, w):
        amount = amount * self.scales[i]
        for j, x in enumerate(self.rows[i]):
            w[j] += amount * x

    def seen(self, i):
        return [self.scales[i] * x for x in self.rows[i]]

    def zeros(self):
        return [0.0] * len(self.rows[0])


def wrong(score, label, tie="mistake"):
    if score == 0.0:
        return {"mistake": True, "keep": False, "positive": label < 0, "negative": label > 0}[tie]
    return (score > 0.0) != (label > 0.0)


def additive(data, amount_for, tie="mistake", start=None):
    w, mistakes = list(start or data.zeros()), []
    for i, label in enumerate(data.labels):
        score = data.score(i, w)
        is_wrong = wrong(score, label, tie)
        if is_wrong:
            mistakes.append(i)
        amount = amount_for(i, score * label, is_wrong)
        if amount:
            data.add(i, amount * label, w)
    return mistakes, w


def perceptron(data, eta=1.0, tie="mistake", start=None):
    return additive(data, lambda i, margin, is_wrong: eta if is_wrong else 0.0, tie, start)


def margin_perceptron(data, eta=1.0, margin=1.0):
    return additive(data, lambda i, found, is_wrong: eta if found <= margin else 0.0)


def passive_aggressive(data, cap=math.inf, slack=0.0):
    def amount(i, margin, is_wrong):
        loss, size = 1.0 - margin, data.square(i) + slack
        return 0.0 if loss <= 0.0 or size == 0.0 else min(cap, loss / size)

    return additive(data, amount)


def averaged(data, eta=1.0):
    """The mean over all rows of the weights after each, added up one by one."""
    w, total = data.zeros(), data.zeros()
    for i, label in enumerate(data.labels):
        if wrong(data.score(i, w), label):
            data.add(i, eta * label, w)
        total = [a + b for a, b in zip(total, w, strict=True)]
    return [a / len(data.labels) for a in total]


def multiclass(data, codes, classes, amount_for):
    """Kesler's construction: the rows compared, the weights of each class, and their means over all
    rows of the weights after each. The lowest of several classes with one score is the rival.
    """
    lines = [data.zeros() for _ in range(classes)]
    totals = [data.zeros() for _ in range(classes)]
    mistakes = []
    for i, own in enumerate(codes):
        scores = [data.score(i, w) for w in lines]
        rival = max((k for k in range(classes) if k != own), key=lambda k: (scores[k], -k))
        lead = scores[own] - scores[rival]
        if lead <= 0.0:
            mistakes.append(i)
        amount = amount_for(i, lead)
        if amount:
            data.add(i, amount, lines[own])
            data.add(i, -amount, lines[rival])
        for total, w in zip(totals, lines, strict=True):
            total[:] = [a + b for a, b in zip(total, w, strict=True)]
    return mistakes, lines, [[a / len(codes) for a in total] for total in totals]


def voted(data, eta=1.0):
    """All weights with their votes."""
    w, history, votes = data.zeros(), [], 0
    for i, label in enumerate(data.labels):
        if wrong(data.score(i, w), label):
            history.append((list(w), votes))
            votes = 0
            data.add(i, eta * label, w)
        votes += 1
    return [*history, (list(w), votes)]


def winnow(X, y, alpha=2.0, theta=None, binarize=0.0):
    n = len(X[0])
    w, mistakes = [1.0] * n, []
    theta = float(n) if theta is None else theta
    for i, (row, label) in enumerate(zip(X, y, strict=True)):
        on = [j for j in range(n) if row[j] > binarize]
        total = 0.0
        for j in on:
            total += w[j]
        if (total - theta >= 0.0) != (label > 0):
            mistakes.append(i)
            for j in on:
                w[j] *= alpha if label > 0 else 1.0 / alpha
    return mistakes, w


def winnow_with_complements(X, y, alpha=2.0):
    """Winnow on rows that really have the complements as columns."""
    wide = [[float(v > 0) for v in row] + [float(v <= 0) for v in row] for row in X]
    return winnow(wide, y, alpha)


def balanced_winnow(data, eta=0.1):
    """Two weights for each feature, multiplied; and the score closest to 0 after the first move."""
    plus, minus = [1.0] * len(data.zeros()), [1.0] * len(data.zeros())
    mistakes, closest = [], math.inf
    for i, label in enumerate(data.labels):
        w = [p - m for p, m in zip(plus, minus, strict=True)]
        score = data.score(i, w)
        closest = min(closest, abs(score)) if mistakes else closest
        if wrong(score, label):
            mistakes.append(i)
            for j, x in enumerate(data.seen(i)):
                plus[j] *= math.exp(eta * label * x)
                minus[j] *= math.exp(-eta * label * x)
    return mistakes, [p - m for p, m in zip(plus, minus, strict=True)], closest
