"""Verdicts and verification of rows in shards: to the byte what one machine says."""

import pickle
from fractions import Fraction

import dask.array as da
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.cli.shared.loaded_source import LoadedSource
from novikoff.cluster import distributed_check
from novikoff.cluster.distributed_check import signed_rows
from novikoff.cluster.signed_shards import ShardedSigned
from novikoff.cluster.workers.dataset import load_dataset
from novikoff.errors import ClusterError, DataError
from novikoff.verdict import certificate as certificates
from novikoff.verdict import coefficients as coefficients_module
from novikoff.verdict import judge, warm_start
from novikoff.verdict.certificate.build import certify_separator
from novikoff.verdict.exact import dot_products, margins
from novikoff.verdict.exact.margins import combination_sum
from novikoff.verdict.scan import Scan
from novikoff.verdict.search import (
    coordinate_descent,
    facial_reduction,
    margin_bracket,
    points,
)
from novikoff.verdict.sharded import rows as sharded_rows
from novikoff.verdict.sharded.rows import with_extra_rows
from novikoff.verdict.signed import IntegerRow, Signed, SignedRows
from tests.helpers.awkward_rows import KINDS
from tests.helpers.certificates import CASES, changed, leaves, seal, value_at, variants
from tests.helpers.examples import examples
from tests.helpers.lossy_shards import (
    as_counts,
    check_shards,
    in_shards,
    outcome,
    spread_out,
    svmlight,
    verdict_fields,
    verify_shards,
)

cuts = st.lists(st.integers(0, 700), max_size=7)
seeds = st.integers(0, 2**31)
forms = st.sampled_from(
    [
        {},
        {"fit_intercept": False},
        {"unit_length": True},
        {"unit_length": True, "fit_intercept": False},
        {"family": "poisson"},
        {"precision": 1.0},
        {"precision": 0.0},
    ]
)


def as_given(X, positive, options, sparse):
    X = scipy.sparse.csr_array(X) if sparse else X
    y = as_counts(positive) if options.get("family") else np.where(positive, 1, -1)
    return X, y


def same_verdict(X, y, where, *, losses=0.0, seed=0, coefficients=True, **options):
    labels = options.get("family") != "poisson"

    def alone():
        return verdict_fields(nk.check(X, y, **options), coefficients)

    def in_pieces():
        data = in_shards(X, y, where, labels=labels, losses=losses, seed=seed)
        return verdict_fields(check_shards(data, **options), coefficients)

    expected, found = outcome(alone), outcome(in_pieces)
    assert found == expected
    return expected


@given(st.sampled_from(KINDS), seeds, forms, st.booleans(), st.lists(st.integers(0, 12)), seeds)
def test_awkward_rows_in_any_shards_have_the_verdict_of_one_machine(
    kind, seed, options, sparse, where, moving
):
    X, positive = kind(np.random.default_rng(seed))
    X, y = as_given(X, positive, options, sparse)
    same_verdict(X, y, where, losses=0.2, seed=moving, **options)


# rows so rough that coordinate descent takes its time are judged by other means above
SMOOTH = [
    kind
    for kind in KINDS
    if kind.__name__ not in ("gaps", "mixed_units", "long_integers", "far_from_one", "rough_rows")
]


@given(st.sampled_from(SMOOTH), seeds, st.lists(st.integers(0, 40)), st.booleans(), st.booleans())
def test_very_wide_rows_go_from_window_to_window(kind, seed, where, sparse, unit_length):
    X, positive = kind(np.random.default_rng(seed))
    X, y = as_given(np.repeat(X, 3, axis=0), np.repeat(positive, 3), {}, sparse)
    with pytest.MonkeyPatch.context() as patch:
        for module in (
            points,
            judge,
            warm_start,
            facial_reduction,
            margin_bracket,
            coefficients_module,
        ):
            patch.setattr(module, "WIDE", 2)
        patch.setattr(coordinate_descent, "WINDOW", 4)
        patch.setattr(coordinate_descent, "ADJACENT", 2)
        # to the last digit, descent takes minutes for one such problem in a thousand
        options = {"precision": 1.0 if unit_length else 0.1, "coefficients": False}
        options["unit_length"] = unit_length
        same_verdict(X, y, where, losses=0.2, seed=seed, **options)


EXPECTED = {
    ("gap", None): "separable",
    ("noise", None): "inseparable",
    ("touching", None): "quasi-separable",
    ("half", "poisson"): "quasi-separable",
}


@pytest.mark.parametrize("kind", ["gap", "noise", "touching", "twins", "half", "close"])
@pytest.mark.parametrize("options", [{}, {"unit_length": True}, {"family": "poisson"}], ids=str)
@examples(4)
@given(seed=seeds, where=st.lists(st.integers(0, 4100), max_size=9), sparse=st.booleans())
def test_many_rows_in_any_shards_have_the_verdict_of_one_machine(
    kind, options, seed, where, sparse
):
    X, positive = spread_out(np.random.default_rng(seed), 4000, 28, kind)
    X, y = as_given(X, positive, options, sparse)
    options = options | {"precision": 1e-3 if kind in ("gap", "close") else None}
    some = [*where, *(cut + 1 for cut in where[:2])]  # shards of one row among them
    found = same_verdict(X, y, some, losses=0.02, seed=seed, coefficients=False, **options)
    assert found["outcome"] == EXPECTED.get((kind, options.get("family")), found["outcome"])
    assert found["certificate"]


def test_really_wide_rows_in_shards():
    rng = np.random.default_rng(3)
    X = scipy.sparse.random(300, 4000, density=0.01, format="csr", random_state=1)
    y = (X @ rng.standard_normal(4000) > 0).astype(int)
    for options in ({}, {"unit_length": True}, {"precision": 1.0}):
        found = same_verdict(X, y, [7, 8, 100, 299], losses=0.1, coefficients=False, **options)
        assert found["outcome"] == "separable"
    X = scipy.sparse.vstack([X, X[:5]]).tocsr()
    found = same_verdict(X, np.append(y, 1 - y[:5]), [150, 302], coefficients=False)
    assert found["outcome"] != "separable"


def test_windows_beyond_one_are_shuffled_each_by_itself(monkeypatch):
    """As many rows as make several windows, of which some lie in two shards or three."""
    monkeypatch.setattr(coordinate_descent, "WINDOW", 64)
    X = scipy.sparse.random(300, 3000, density=0.02, format="csr", random_state=4)
    y = (X @ np.random.default_rng(0).standard_normal(3000) > 0).astype(int)
    data = in_shards(X, y, [70, 100, 120, 290], losses=0.05)
    verdict = check_shards(data)
    assert verdict_fields(verdict, False) == verdict_fields(nk.check(X, y), False)
    assert verdict.outcome == "separable"


# The scan


odd = st.sampled_from([0.0, -0.0, 1.0, -1.0, 3.5, 1e200, -1e200, 1e308, 5e-324, 1e-300])


@given(
    seeds,
    st.integers(1, 700),
    st.lists(odd, min_size=3, max_size=3),
    cuts,
    st.booleans(),
    st.booleans(),
)
def test_every_pass_over_shards_says_what_one_pass_says(seed, rows, weights, where, sparse, big):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rows, 2)) * rng.choice([1.0, 1e150 if big else 0.5], (rows, 1))
    y = rng.integers(0, 2, rows)
    y[:1] = 1 - y[-1]
    if rows < 2 or (y == y[0]).all():
        return
    X, w = scipy.sparse.csr_array(X) if sparse else X, np.array(weights)
    alone = Signed.of(X, y)
    shards = signed_rows(in_shards(X, y, where, losses=0.05, seed=seed))
    a, b = alone.scan, shards.scan
    assert isinstance(a, Scan)
    mask = rng.random(rows) < 0.3
    with np.errstate(all="ignore"):
        pairs = [
            (each.squares, each.maxima, each.extremes, each.steps, each.radius, each.longest())
            for each in (a, b)
        ]
        pairs += [_lows(each, w, mask, signed) for each, signed in ((a, alone), (b, shards))]
    assert len(pairs) == 4
    for one, other in (pairs[:2], pairs[2:]):
        for x, z in zip(one, other, strict=True):
            assert np.array_equal(np.asarray(x), np.asarray(z), equal_nan=True)


def _lows(scan, w, mask, signed):
    yield from scan.lowest(w)
    low = scan.lowest(w, mask)
    yield from low
    for limit in (0.0, float(low.score), np.inf):
        yield scan.rows_below(limit, low, w, mask)
        yield scan.smallest(w, limit, signed.inverse_lengths, 5).rows
    yield from scan.lowest(w, mask, signed.inverse_lengths)
    yield scan.rows_below(
        1.0, scan.lowest(w, mask, signed.inverse_lengths), w, mask, signed.inverse_lengths
    )
    yield scan.rows_near_zero(w, 1.0, mask)
    yield scan.scores(w)
    yield from scan.rough_minimum(w)
    yield scan.radius


def test_of_scores_that_are_no_numbers_the_first_counts_wherever_rows_are_cut():
    X = np.full((600, 2), 1e200)
    X[::7, 1] = -1e200
    y = np.arange(600) % 2
    w = np.array([1e200, 1e200, 0.0])  # inf - inf is no number
    with np.errstate(all="ignore"):
        low = Signed.of(X, y).scan.lowest(w)
        for where in ([1], [299, 300, 301], [2, 3, 5, 598]):
            found = signed_rows(in_shards(X, y, where)).scan.lowest(w)
            assert found.row == low.row == 0
            assert np.array_equal(found.rows, low.rows)
            assert np.isnan(found.score)


# Exact products


@given(seeds, st.lists(st.integers(0, 90), max_size=6), st.booleans(), st.booleans())
def test_exact_products_are_the_same_wherever_the_rows_are(seed, where, sparse, rational):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (90, 3)) * 2.0 ** rng.integers(-60, 60, (90, 1))
    y = np.arange(90) % 2
    X = scipy.sparse.csr_array(X) if sparse else X
    alone, shards = Signed.of(X, y), signed_rows(in_shards(X, y, where, losses=0.1))
    for signed in (alone, shards):
        assert signed.as_rational(rational)
        assert signed.rational == rational
    assert certificates.digest(alone) == certificates.digest(shards)
    rows = np.flatnonzero(rng.random(90) < rng.choice([0.1, 0.9]))
    vectors = rng.integers(-3, 4, (2, 4)).tolist()
    bottoms = rng.choice([7, 7, 2**61 - 1], len(rows)).tolist()  # short ones, and some long
    terms = [(i, Fraction(i % 8 + 1, each)) for i, each in zip(rows.tolist(), bottoms, strict=True)]
    for one in (dot_products.not_orthogonal, dot_products.first_not_orthogonal):
        assert np.array_equal(one(alone, rows, vectors), one(shards, rows, vectors))
    assert np.array_equal(
        margins.score_signs(alone, vectors[0]), margins.score_signs(shards, vectors[0])
    )
    total = [Fraction(0)] * alone.dim
    for i, multiplier in terms:
        for column, value in zip(*(row := alone.row(i))[:2], strict=True):
            total[column] += multiplier * Fraction(value, row.denominator)
    assert combination_sum(alone, terms).fractions() == total
    assert combination_sum(shards, terms).fractions() == total
    if len(rows):
        for many in (dot_products.smallest, dot_products.lowest_row):
            assert many(alone, rows, vectors[0]) == many(shards, rows, vectors[0])
        assert dot_products.largest_square(alone, rows) == dot_products.largest_square(shards, rows)
        assert alone.integers(rows.tolist()) == shards.integers(rows.tolist())
        assert np.array_equal(alone.dense(rows), shards.dense(rows))
        assert (alone.sparse(rows) != shards.sparse(rows)).nnz == 0


def test_rows_that_were_let_go_are_brought_again(monkeypatch):
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    alone, shards = Signed.of(X, y), signed_rows(in_shards(X, y, [5, 11]))
    monkeypatch.setattr(sharded_rows, "CACHED_ENTRIES", 8)
    for some in ([0, 1], [1, 12, 19, 1], [19, 3], [0, 5, 6, 11, 19]):
        assert shards.integers(some) == alone.integers(some)
        assert np.array_equal(shards.dense(np.array(some)), alone.dense(np.array(some)))


def test_rows_after_a_piece_are_read_by_it_once_and_again_if_it_was_lost():
    X, y = np.arange(30.0).reshape(10, 3), np.arange(10) % 2
    data = in_shards(X, y, [5])
    alone, shards = Signed.of(X, y), signed_rows(data)
    tasks = [(slice(0, 4), 1.0), (slice(4, 8), 2.0), (slice(8, 10), 3.0)]
    expected, sums = alone.fold_windows(_weighed, np.zeros(4), tasks)
    questions = []
    for lost in (False, False, True):
        if lost:
            data.shard_client.lose(0)
        before = data.shard_client.asked
        total, found = shards.fold_windows(_weighed, np.zeros(4), tasks)
        questions.append(data.shard_client.asked - before)
        assert np.array_equal(total, expected)
        assert found == sums
    # each shard is asked, and the first once more, told where rows 5 to 7 are; then it has them;
    # then it is made again before all that. The second is not asked for them.
    assert questions == [3, 2, 5]


def _weighed(signed, total, task):
    rows = signed.dense(np.arange(signed.count))
    return total + task * rows.sum(axis=0), rows.sum()


@given(st.sampled_from(KINDS), seeds, st.booleans())
def test_one_more_row_is_as_if_it_had_been_written_below(kind, seed, sparse):
    X, positive = kind(np.random.default_rng(seed))
    X, y = as_given(X, positive, {}, sparse)
    if positive.all() or not positive.any():
        return
    signed = Signed.of(X, y)
    row = IntegerRow(
        [0, signed.dim - 1], [-(2**53), 3], 1
    )  # what is asked has so many bits at most
    stacked = with_extra_rows(signed, [row])
    assert stacked.count == len(y) + 1
    assert stacked.dim == signed.dim
    whole = stacked.integers(range(stacked.count))
    assert whole[:-1] == signed.integers(range(signed.count))
    assert stacked.dense(np.arange(stacked.count))[:-1].tolist() == (
        signed.dense(np.arange(signed.count)).tolist()
    )
    assert whole[-1][:2] == row[:2]


# Verification


def verified_alike(case, text, where, losses=0.1):
    def in_pieces():
        labels = case.certificate.fields["family"] == "binary"
        data = in_shards(case.X, case.y, where, labels=labels, losses=losses)
        return verify_shards(text, data)

    expected = outcome(nk.verify, text, case.X, case.y)
    assert outcome(in_pieces) == expected
    return expected


DOUBLES = {name: case for name, case in CASES.items() if case.X.dtype != object}


@pytest.mark.parametrize("name", DOUBLES)
@given(st.data(), st.lists(st.integers(0, 8), max_size=4))
@examples(10)
def test_certificates_valid_or_not_are_judged_as_on_one_machine(name, data, where):
    case = DOUBLES[name]
    fields = case.certificate.fields
    assert verified_alike(case, case.certificate.text, where).valid
    place = data.draw(st.sampled_from([each for each in leaves(fields) if each]))
    other = data.draw(st.sampled_from(variants(value_at(fields, place))))
    corrupted = changed(fields, place, other)
    verified_alike(case, seal(corrupted) if place[0] != "seal" else corrupted, where)


def test_rational_certificates_of_doubles():
    case = CASES["separable"]
    signed = Signed.of(case.X, case.y)
    assert signed.as_rational(True)
    found = certify_separator(signed, [0.75, 0.5, -0.125], [(0, 0.5), (2, Fraction(1, 3)), (3, 1)])
    assert found.fields["numbers"] == "rational"
    assert verified_alike(case._replace(certificate=found), found.text, [1, 2, 4]).valid


def test_many_rows_are_verified_in_shards():
    for kind in ("gap", "touching"):
        X, positive = spread_out(np.random.default_rng(1), 3000, 5, kind)
        proof = nk.check(X, positive, precision=1.0).certificate
        data = in_shards(X, positive.astype(int), [1, 2, 1500], losses=0.1)
        wrong = nk.verify(proof, X, positive.astype(int))  # the labels are numbers in either
        assert wrong == verify_shards(proof, data)
        assert wrong.valid
        X[1700, 1] += 1.0
        data = in_shards(X, positive.astype(int), [1, 2, 1500])
        assert verify_shards(proof, data) == nk.verify(proof, X, positive.astype(int))


def test_labels_that_a_certificate_does_not_name_are_named_by_their_row():
    case = CASES["inseparable"]
    y = case.y + 0.5 * (np.arange(4) == 2)
    data = in_shards(case.X, y, [1, 3])
    found = verify_shards(case.certificate, data)
    assert found == nk.verify(case.certificate, case.X, y)
    assert "row 2" in found.reason


# What cannot be judged


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_first_value_that_is_no_number_is_named_by_its_row_among_all(bad):
    X, y = np.ones((40, 3)), np.arange(40) % 2
    X[33, 2] = X[37, 0] = bad
    data = in_shards(X, y, [10, 20, 35])
    expected = outcome(nk.check, X, y)
    assert outcome(check_shards, data) == expected
    assert "row 33, column 2" in expected[1]
    fields = CASES["separable"].certificate.fields
    witness = fields["witness"] | {"weights": ["1", "1", "1", "1"]}
    other = seal(fields | {"rows": 40, "features": 3, "witness": witness})
    assert outcome(verify_shards, other, data) == outcome(nk.verify, other, X, y) == expected


@pytest.mark.parametrize(
    ("y", "options"),
    [
        ([0, 1, -2, 3], {"family": "poisson"}),
        ([0, 0, 0, 0], {"family": "poisson"}),
        (["a", "b", "a", "b"], {"family": "poisson"}),
        ([0, 1, 2, 1], {"positive": 5}),
        ([1, 1, 1, 1], {}),
    ],
    ids=str,
)
def test_what_one_machine_refuses_is_refused_in_the_same_words(y, options):
    X, y = np.arange(8.0).reshape(4, 2), np.array(y)
    labels = "family" not in options
    expected = outcome(nk.check, X, y, **options)
    assert expected[0] == "DataError"
    assert (
        outcome(lambda: check_shards(in_shards(X, y, [1, 2], labels=labels), **options)) == expected
    )


def test_one_label_is_told_from_all_others():
    X, y = np.array([[0.0], [1], [2], [3]]), np.array(["a", "b", "a", "c"])
    for positive in ("a", "b", "c"):
        expected = verdict_fields(nk.check(X, y, positive=positive))
        assert (
            verdict_fields(check_shards(in_shards(X, y, [1, 2, 3]), positive=positive)) == expected
        )


def test_without_time_the_verdict_is_undecided():
    X, positive = spread_out(np.random.default_rng(0), 4000, 28, "noise")
    data = in_shards(X, as_counts(positive), [100, 2000])
    verdict = check_shards(data, time_limit=0.0)
    assert verdict_fields(verdict) == verdict_fields(
        nk.check(X, as_counts(positive), time_limit=0.0)
    )
    assert verdict.outcome == "undecided"


def test_rows_that_changed_while_their_worker_was_lost_are_refused():
    X, positive = spread_out(np.random.default_rng(2), 4000, 28, "noise")
    data = in_shards(X, as_counts(positive), [1000, 2000])

    def change(stage):
        part = data.shard_client.shards[1]
        data.shard_client.shards[1] = part._replace(
            address=part.address._replace(X=part.address.X + 1.0)
        )
        data.shard_client.lose(1)

    with pytest.raises(DataError, match="shard 2 of 3 are not the ones that they were"):
        check_shards(data, watch=change)


def test_shards_that_are_lost_again_and_again_end_in_an_error_and_not_in_a_verdict():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    data = in_shards(X, y, [5])
    signed = signed_rows(data)
    data.shard_client.losses = 1.0
    with pytest.raises(ClusterError, match="not stable enough"):
        signed.scan.lowest(np.ones(3))


def test_what_interrupts_goes_through():
    X, positive = spread_out(np.random.default_rng(2), 4000, 28, "noise")

    def interrupt(stage):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_shards(in_shards(X, as_counts(positive), [1000]), watch=interrupt)


def test_rows_in_shards_are_nowhere_as_a_whole():
    signed = signed_rows(in_shards(np.eye(4), np.array([0, 1, 0, 1]), [2]))
    assert isinstance(signed, SignedRows)
    assert not isinstance(signed, Signed)
    assert not hasattr(signed, "rows")


# With Dask


@pytest.mark.parametrize("files", [1, 2])
def test_rows_on_a_cluster_are_named_as_those_of_one_machine(files, tmp_path, cluster_of_two):
    lines = ["1 1:1\n", "-1 1:2\n", "1 2:3\n", "-1 2:4\n"]
    paths = [tmp_path / f"part-{k}.svm" for k in range(files)]
    for path, some in zip(paths, np.array_split(lines, files), strict=True):
        path.write_text("".join(some))
    names = [str(path) for path in paths]
    here, there = LoadedSource(nk.open(names)), load_dataset(cluster_of_two, names, shards=2)
    for row in range(4):
        assert (there.where(row), there.label(row)) == (here.where(row), here.label(row))
    assert there.by_number is here.by_number is (files > 1)
    assert distributed_check.check(there, cluster_of_two).outcome == nk.check(here).outcome


@pytest.mark.parametrize("kind", ["gap", "noise", "touching"])
def test_a_cluster_writes_the_certificate_of_one_machine(kind, tmp_path, cluster_of_two):
    X, positive = spread_out(np.random.default_rng(8), 3000, 40, kind)
    path = svmlight(tmp_path / "rows.svm", X, as_counts(positive))
    alone = nk.check(nk.open(path), precision=1e-3)
    for shards in (1, 5):
        found = distributed_check.check(str(path), cluster_of_two, shards=shards, precision=1e-3)
        assert verdict_fields(found, False) == verdict_fields(alone, False)
        assert [found.signed.lines[i] for i in (0, 7, 2999)] == [1, 8, 3000]
        verified = distributed_check.verify(
            alone.certificate, nk.open(path), cluster_of_two, shards=shards
        )
        assert verified == nk.verify(alone.certificate, nk.open(path))
        assert verified.valid
    other = seal(alone.certificate.fields | {"digest": "0" * 64})
    found = distributed_check.verify(other, str(path), cluster_of_two, shards=3)
    assert found == nk.verify(other, nk.open(path))
    assert not found.valid


@pytest.mark.parametrize("kind", ["file", "partitions"])
def test_no_rows_of_a_window_pass_through_the_client(kind, tmp_path, monkeypatch, cluster_of_two):
    rng = np.random.default_rng(5)
    X = scipy.sparse.random(90, 2600, density=0.02, format="csr", random_state=5).toarray()
    y = (X @ rng.standard_normal(2600) > 0).astype(int)
    beyond, sizes = ShardedSigned._rows_after, []

    def spied(self, k, stop):
        found = beyond(self, k, stop)
        sizes.append(len(pickle.dumps(found)))
        return found

    monkeypatch.setattr(ShardedSigned, "_rows_after", spied)
    if kind == "file":
        path = svmlight(tmp_path / "wide.svm", X, y)
        found = distributed_check.check(str(path), cluster_of_two, shards=4)
        alone = nk.check(nk.open(path))
    else:
        arrays = da.from_array(X, (25, 2600)), da.from_array(y, 25)
        found, alone = distributed_check.check(arrays, cluster_of_two), nk.check(X, y)
    assert verdict_fields(found, False) == verdict_fields(alone, False)
    assert 0 < sum(sizes) < 8192  # addresses and signs; a row alone has some hundred bytes


def test_counts_coefficients_and_words_on_a_cluster(tmp_path, cluster_of_two):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n0,1,0\n1,1,3\n1,0,0\n2,2,0\n0,0,1\n")
    alone = nk.check(nk.open(path), family="poisson")
    found = distributed_check.check(nk.open(path), cluster_of_two, shards=3, family="poisson")
    assert verdict_fields(found) == verdict_fields(alone)
    assert distributed_check.verify(alone.certificate, path, cluster_of_two, shards=2).valid
    path.write_text("a,b,y\n0,1,up\n1,1,down\n1,0,up\n2,2,down\n0,0,aside\n")
    alone = nk.check(nk.open(path), positive="up")
    assert verdict_fields(
        distributed_check.check(path, cluster_of_two, shards=2, positive="up")
    ) == verdict_fields(alone)
    found = distributed_check.verify(alone.certificate, path, cluster_of_two, shards=3)
    assert found == nk.verify(alone.certificate, nk.open(path))


def test_decimals_are_refused_on_a_cluster(tmp_path, cluster_of_two):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n0.1,0\n0.2,1\n")
    for ask in (distributed_check.check, lambda *some: distributed_check.verify("{}", *some)):
        with pytest.raises(DataError, match="exact decimals"):
            ask(nk.open(path, decimal=True), cluster_of_two)
