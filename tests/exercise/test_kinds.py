"""Each kind of exercise accepts exactly the right answers, by an oracle that shares no code."""

import math
import re
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import pytest

from novikoff.exercise import Answer, AnswerError
from novikoff.exercise.registry import kind_names, load_kind
from tests.helpers import exact_reference as exact

SEEDS = range(4)


def made(name, seed):
    kind = load_kind(name)
    return kind, kind.make(Random(f"{seed} {name}"))


def is_right(kind, task, **fields):
    return kind.grade(task, Answer(fields)) == []


def listed(values):
    return ", ".join(map(str, values))


def lifted(rows, bias=True):
    return exact.signed_rows([row[:2] for row in rows], [row[2] > 0 for row in rows], bias)


@pytest.mark.parametrize("name", kind_names())
def test_the_key_is_right_and_every_task_is_drawn_from_its_seed_alone(name):
    tasks = []
    for seed in SEEDS:
        kind, task = made(name, seed)
        assert task == made(name, seed)[1]
        assert kind.grade(task, Answer(kind.key(task))) == []
        assert set(kind.key(task)) == {each.name for each in kind.fields}
        tasks.append(task)
    assert len({task.rows for task in tasks}) == len(tasks)


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_separate_or_do_not(seed):
    kind, task = made("separator", seed)
    seen = set()
    scale = Fraction(1, 7)
    for w1, w2, b in product(range(-4, 5), repeat=3):
        right = all(exact.dot(z, (w1, w2, b)) > 0 for z in lifted(task.rows))
        given = listed([w1 * scale, w2 * scale])
        assert is_right(kind, task, weights=given, intercept=str(b * scale)) == right
        seen.add(right)
    assert seen == {True, False}


def test_weights_with_every_sign_wrong_are_told_so():
    kind, task = made("separator", 1)
    key = kind.key(task)
    turned = {name: listed(-Fraction(v) for v in text.split(",")) for name, text in key.items()}
    assert "its signs are not" in kind.grade(task, Answer(turned))[0]
    nothing = Answer({"weights": "0, 0", "intercept": "1"})
    assert "no line at all" in kind.grade(task, nothing)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_conflict_cancels_with_positive_multipliers(seed):
    kind, task = made("conflict", seed)
    z = lifted(task.rows)
    assert not any(exact.strict_sides(z)) or exact.strict_sides(z).count(False)
    rows = [int(each) for each in kind.key(task)["rows"].split(",")]
    multipliers = [Fraction(each) for each in kind.key(task)["multipliers"].split(",")]
    draw = Random(seed)
    for _ in range(60):
        some, factors = list(rows), [7 * each for each in multipliers]
        for change in draw.sample(("row", "factor", "sign", "nothing"), 1):
            at = draw.randrange(len(some))
            if change == "row":
                some[at] = draw.choice([k for k in range(1, 8) if k not in some])
            elif change == "factor":
                factors[at] += draw.choice((Fraction(1, 10**9), 1, -1))
            elif change == "sign":
                factors = [-each for each in factors]
        total = exact.combined(factors, [z[k - 1] for k in some])
        right = not any(total) and min(factors) > 0
        assert is_right(kind, task, rows=listed(some), multipliers=listed(factors)) == right


def test_a_conflict_of_too_many_rows_is_refused():
    kind, task = made("conflict", 0)
    given = Answer({"rows": "1 2 3 4 5", "multipliers": "1 1 1 1 1"})
    assert kind.grade(task, given) == ["rows: 5 rows; 4 are enough for points of a plane"]


@pytest.mark.parametrize("seed", SEEDS)
def test_radius_margin_and_bound_are_those_of_the_reference(seed):
    kind, task = made("margin", seed)
    margin = exact.nearest_square(lifted(task.rows, bias=False))
    radius = max(x * x + y * y for x, y, _ in task.rows)
    bound = math.floor(radius / margin)
    for r, m, b in product((radius, radius + 1), (margin, margin + 1, margin / 2), (0, bound)):
        right = (r, m, b) == (radius, margin, bound)
        fields = {"radius_squared": str(r), "margin_squared": str(m), "bound": str(b)}
        remarks = kind.grade(task, Answer(fields))
        assert (remarks == []) == right
        if m != margin:
            assert str(margin) not in re.findall(r"[\d/]+", " ".join(remarks))


def test_slips_with_the_margin_are_recognised():
    kind, task = made("margin", 2)
    nearest = min(x * x + y * y for x, y, _ in task.rows)
    key = kind.key(task)
    corner = kind.grade(task, Answer({**key, "margin_squared": str(nearest)}))
    assert "nearer to the origin than its nearest corner" in corner[0]
    assert "γ² is above 0" in kind.grade(task, Answer({**key, "margin_squared": "0"}))[0]
    assert "your own figures" in kind.grade(task, Answer({**key, "bound": "1/2"}))[0]
    assert "no row has it" in kind.grade(task, Answer({**key, "radius_squared": "1000"}))[0]


def perceptron(rows, order):
    """Mistakes until a whole pass has none, from the definition."""
    w, made, clean = [0, 0, 0], 0, False
    z = lifted(rows)
    while not clean:
        clean = True
        for k in order:
            if exact.dot(z[k], w) <= 0:
                w, made, clean = [a + b for a, b in zip(w, z[k], strict=True)], made + 1, False
    return made


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_makes_enough_mistakes_or_does_not(seed):
    kind, task = made("order", seed)
    wanted, right = task.given["mistakes"], 0
    for order in permutations(range(5)):
        enough = perceptron(task.rows, order) >= wanted
        assert is_right(kind, task, order=listed(k + 1 for k in order)) == enough
        right += enough
    assert 1 <= right <= 60  # it takes some thought, and can be done


@pytest.mark.parametrize("seed", SEEDS)
def test_placed_points_have_a_small_bound_or_have_not(seed):
    kind, task = made("placement", seed)
    (x, y, _), (u, v, _) = task.rows
    draw, seen = Random(seed), set()
    for _ in range(60):
        shift = draw.choice((1, 2, 6))
        near = [
            [(a + draw.randint(-shift, shift), b + draw.randint(-shift, shift)) for _ in range(2)]
            for a, b in ((x, y), (u, v))
        ]
        points = [[(x, y), *near[0]], [(u, v), *near[1]]]
        rows = [(*p, sign) for each, sign in zip(points, (1, -1), strict=True) for p in each]
        margin = exact.nearest_square(lifted(rows))
        radius = max(a * a + b * b + 1 for a, b, _ in rows)
        right = (
            len({p[:2] for p in rows}) == 6
            and max(abs(c) for p in rows for c in p) <= 9
            and margin > 0
            and radius < 11 * margin  # at most 10 mistakes
        )
        given = [" ".join(f"({a}, {b})" for a, b in each) for each in points]
        assert is_right(kind, task, positives=given[0], negatives=given[1]) == right
        seen.add(right)
    assert seen == {True, False}


def test_placed_points_must_be_those_asked_for():
    kind, task = made("placement", 0)
    key = kind.key(task)

    def said(**fields):
        return " ".join(kind.grade(task, Answer({**key, **fields})))

    assert "3 points" not in said()
    assert "2 points, expected 3" in said(positives="1 2; 3 4")
    assert "the given point" in said(negatives="(8, 8) (8, 7) (8, 6)")
    first = key["positives"].split(")")[0] + ")"
    assert "a point is there twice" in said(positives=f"{first} {first} (9, 9)")
    assert "a coordinate is beyond 9" in said(positives=f"{first} (10, 9) (9, 9)")


@pytest.mark.parametrize("seed", SEEDS)
def test_one_choice_of_variables_agrees_with_all_rows(seed):
    kind, task = made("relevant", seed)
    r, bound = task.given["relevant"], {2: "32", 3: "47"}  # 2 + 3r(1 + 4)
    right = []
    for chosen in combinations(range(16), r):
        agrees = all(row[16] == max(row[j] for j in chosen) for row in task.rows)
        names = listed(f"x{j + 1}" for j in chosen)
        assert is_right(kind, task, variables=names, bound=bound[r]) == agrees
        right += [names] if agrees else []
    assert len(right) == 1
    assert not is_right(kind, task, variables=right[0], bound="33")
    more = kind.grade(task, Answer({"variables": "x1, x2, x3, x4", "bound": bound[r]}))
    assert f"variables: 4 named, {r} are relevant" in more
    assert not any(right[0] in each for each in more)


@pytest.mark.parametrize("seed", SEEDS)
def test_labellings_are_counted_one_by_one(seed):
    kind, task = made("labellings", seed)
    P = len(task.rows)
    realised = 0
    for labels in product((True, False), repeat=P - 1):  # and the opposite of each
        realised += 2 * all(exact.strict_sides(exact.signed_rows(task.rows, (*labels, True), True)))
    general = all(
        (b[0] - a[0]) * (c[1] - a[1]) != (b[1] - a[1]) * (c[0] - a[0])
        for a, b, c in combinations(task.rows, 3)
    )
    formula = 2 * sum(math.comb(P - 1, k) for k in range(3))
    for number in range(2**P + 1):
        fields = {"formula": str(formula), "general": "yes" if general else "no"}
        remarks = kind.grade(task, Answer({**fields, "labellings": str(number)}))
        assert (remarks == []) == (number == realised)
        assert str(realised) not in " ".join(remarks).replace(str(number), "")
    fields = {"formula": str(formula + 2), "general": "no" if general else "yes"}
    said = kind.grade(task, Answer({**fields, "labellings": str(realised)}))
    assert [each.split(":")[0] for each in said] == ["formula", "general"]


UNREADABLE = {  # what is written, and words of the refusal
    " ": "nothing is written",
    "one": "is not a number",
    "1e5": "is not a number",
    "nan": "is not a number",
    "0x10": "is not a number",
    "1_000": "is not a number",
    "\N{ARABIC-INDIC DIGIT THREE}": "is not a number",
    "1/0": "divides by zero",
    "1//2": "is not a number",
    "--1": "is not a number",
    "9" * 10**6: "a number of 1,000,000 characters is too long",
    "1/" + "9" * 5000: "is too long",
    "1 " * 2000: "",  # too many, or not one number
}


@pytest.mark.parametrize("name", kind_names())
@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: text[:8])
def test_what_is_not_a_number_is_refused_wherever_it_stands(name, text):
    kind, task = made(name, 0)
    for field in kind.fields:
        with pytest.raises(AnswerError) as error:
            kind.grade(task, Answer({**kind.key(task), field.name: text}))
        said = str(error.value)
        assert said.startswith(f"{field.name}: ")
        assert len(said) < 150
        if field.name not in ("variables", "general", "positives", "negatives"):
            assert UNREADABLE[text] in said


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("separator", {"weights": "1"}, "weights: 1 number, expected 2"),
        ("separator", {"weights": "1, 2, 3"}, "weights: 3 numbers, expected 2"),
        ("separator", {"intercept": "1, 2"}, "is not a number"),
        ("conflict", {"rows": "1, 1"}, "row 1 is named more than once"),
        ("conflict", {"rows": "0, 1"}, "there is no row 0: rows are 1 to 7"),
        ("conflict", {"rows": "1, 99"}, "there is no row 99"),
        ("conflict", {"rows": "1/2"}, "1/2 is not a whole number"),
        ("conflict", {"rows": "1, 2", "multipliers": "1"}, "multipliers: 1 number, expected 2"),
        ("order", {"order": "1, 2, 3"}, "order: 3 rows, expected all 5"),
        ("placement", {"positives": "1 2 3"}, "a point is two numbers"),
        ("placement", {"positives": "(1.5, 2)"}, "3/2 is not a whole number"),
        ("relevant", {"variables": "x17"}, "'x17' is none of x1 to x16"),
        ("relevant", {"variables": "x1, x1"}, "x1 is named more than once"),
        ("labellings", {"general": "perhaps"}, "expected yes or no, not 'perhaps'"),
    ],
)
def test_an_answer_of_another_shape_is_refused(name, fields, words):
    kind, task = made(name, 0)
    with pytest.raises(AnswerError, match=words):
        kind.grade(task, Answer({**kind.key(task), **fields}))


def test_numbers_are_exact():
    answer = Answer({"a": "0.1", "b": "\N{MINUS SIGN}2/6", "c": "[1, 2.50]"})
    assert answer.number("a") == Fraction(1, 10)
    assert answer.number("b") == Fraction(-1, 3)
    assert answer.numbers("c") == [1, Fraction(5, 2)]
