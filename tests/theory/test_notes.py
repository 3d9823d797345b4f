"""What the lecture notes remark beside their theorems, as the guide tells it."""

import numpy as np
import pytest

import novikoff as nk

SEEDS = range(5)


def separable(seed, features=3, rows=30):
    source = nk.open(
        f"example:separable?rows={rows}&features={features}&margin=0.1&seed={seed + 1}"
    )
    X, y, _ = source.read()
    return X, np.where(y > 0, 1, -1)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_normalised_form_differs_from_the_sign_at_zero_only(seed):
    """Snapp: sgn(0) = -1 makes a mistake of a positive row at 0, w . z < 0 of no row at 0."""
    X, y = separable(seed)
    start = np.array([*np.linspace(-1, 1, X.shape[1]), 0.25])
    runs = [nk.Perceptron(init=start, tie=tie).fit(X, y) for tie in ("negative", "keep")]
    assert runs[0].mistakes_per_epoch_ == runs[1].mistakes_per_epoch_  # no score is 0 here
    at_zero = np.array([[1.0, -1.0]])
    for label, updates in ((1, (1, 0)), (-1, (0, 0))):
        for tie, expected in zip(("negative", "keep"), updates, strict=True):
            learner = nk.Perceptron(init=[1.0, 1.0], tie=tie, fit_intercept=False)
            learner.partial_fit(at_zero, [label], classes=[-1, 1])
            assert learner.mistakes_ == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_from_the_first_update_on_the_cosine_has_its_floor(seed):
    """COMS 172: the account begins at 0/√1; update 1 is at the gap or above."""
    X, y = separable(seed)
    run = nk.trace(X * y[:, None], rule="one-sided")
    assert run.table["update"][0] == 1
    assert run.table["cosine_floor"][0] == pytest.approx(run.margin)
    assert (run.table["cosine"] >= run.table["cosine_floor"] - 1e-12).all()


def test_at_a_tie_a_mistake_adds_the_whole_square():
    """Notes on mistake bounds, claim 2: at most 1, and exactly 1 where the score was 0."""
    rows = nk.open("example:tight?features=6")
    tied = nk.trace(rows, rule=nk.Perceptron(fit_intercept=False, unit_length=True))
    assert np.diff(tied.table["squared_norm"], prepend=0.0) == pytest.approx(np.ones(6))
    X, y = separable(0)
    run = nk.trace(X, y, rule=nk.Perceptron(unit_length=True))
    grown = np.diff(run.table["squared_norm"], prepend=0.0)
    assert grown[0] == pytest.approx(1.0)
    assert (grown <= 1.0 + 1e-12).all()
    assert (grown < 1.0 - 1e-9).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_that_makes_a_mistake_takes_more_steps_than_rows(seed):
    X, y = separable(seed)
    learner = nk.Perceptron().fit(X, y)
    assert learner.mistakes_ > 0
    assert learner.n_iter_ * len(X) > len(X)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_walk_drifts_by_the_margin_and_spreads_no_faster_than_a_root(seed):
    X, y = separable(seed)
    run = nk.trace(X, y)
    along = run.table["target_product"] / np.linalg.norm(run.target)
    k = run.table["update"]
    assert (np.diff(along, prepend=0.0) >= run.margin - 1e-9).all()
    assert (run.table["squared_norm"] <= k * run.radius**2 + 1e-9).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_points_of_a_density_are_in_general_position(seed):
    draws = np.random.default_rng(seed)
    for _ in range(20):
        assert nk.cover.in_general_position(draws.standard_normal((8, 3))).holds
    flat = draws.integers(0, 2, (8, 3))  # eight points of the cube's corners, the origin or a pair
    assert not nk.cover.in_general_position(flat).holds
