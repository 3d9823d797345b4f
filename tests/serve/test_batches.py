"""Rows of a batch are read, decided and written together, with what comes of them one by one."""

import json
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.journal import Journal
from novikoff.serve.journal.operations import (
    AddModel,
    KeepPrediction,
    Learn,
    Prediction,
    Refusal,
    Reveal,
)
from novikoff.serve.json_text import ServiceError, parse_row, parse_rows

#: Lines that are as usual, that almost are, and that would be rows only together with others.
LINES = [
    b'{"features": {"a": 1.5, "b": -2}, "id": "x"}',
    b'{"features":{"a":1e3},"keep":false}',
    b'{"features": [1, 2.50], "id": "y"}',
    b'{"id": "x", "label": 1}',
    b'{"id": "x:y", "label": "},{"}',
    '{"features": {"\u00e9": 1}, "label": -1}'.encode(),
    b'{"features": {"a": 1, "a": 2}}',
    b'{"features": {"a": 1}, "features": {"b": 2}}',
    b'{"features": {"a": NaN}}',
    b'{"features": {"a}": 1}}',
    b'{"features": {"\\u0061": 1}}',
    b'{"features": {"a": 1}}\r',
    b' {"features": {"a": 1}}',
    b'{"features": {"a": 1}},',
    b'{"features": {"a": 1}}, {"id": "x"}',
    b'{"features": ["a], "id": "}',
    b'{"features": [1',
    b'2], "id": "x"}',
    b'{"features": {"a": 1',
    b'"b": 2}}',
    b'{"id": [{}',
    b"{}]}",
    b"[" * 10_000,
    b'{"features": {"a": ' + b"1" * 500 + b"}}",
    b'{"features": {"a": 0.' + b"1" * 200 + b"}}",
    b'{"id": "\xff"}',
    b"{}",
    b"1",
    b"null",
]


def alone(line):
    try:
        return parse_row(line)
    except ServiceError as error:
        return error


def shown(found):
    return (found.status, str(found)) if isinstance(found, ServiceError) else repr(found)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6))
def test_a_batch_is_read_as_its_lines_are(lines):
    found = parse_rows(lines)
    assert [*map(shown, found)] == [shown(alone(line)) for line in lines]
    for row in found:
        if not isinstance(row, ServiceError) and row[1] is not None:
            assert json.loads(row[1]) == row[0]["features"]


def test_text_of_features_is_kept_as_it_came_unless_it_says_little():
    assert parse_row(b'{"features": {"a": 1.50}}')[1] == '{"a": 1.50}'
    assert parse_row(b'{"features": {"a": 1%s}}' % (b" " * 200))[1] is None


ids = st.sampled_from(["a", "b", "c", "d", "e", "f", "\0", "a\0"])
features = st.sampled_from(['{"a": 1.0}', '{"a":1.0}', '{"a":2.0}'])
models = st.sampled_from([1, 1, 1, 2])
labels, flags = st.sampled_from(["1", "-1"]), st.booleans()
kept = st.builds(
    lambda model, id, text: KeepPrediction(  # noqa: A006
        model, id, 1.0, Prediction(text, "1", "0.5"), 0, 0, 4, True
    ),
    models,
    ids,
    features,
)
told = st.builds(Reveal, models, ids, st.just(2.0), labels, st.just(1.0))
both = st.builds(
    lambda model, id, text, label: Learn(model, id, 3.0, text, label, 1.0, True),  # noqa: A006
    models,
    ids,
    features,
    labels,
)
runs = st.one_of(*(st.lists(each, min_size=1, max_size=4) for each in (kept, told, both)))
commits = st.lists(st.lists(runs, min_size=1, max_size=3).map(lambda found: [*chain(*found)]))


def contents(journal):
    return [
        journal.db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
        for table in ("counts", "pending", "labels")
    ]


@given(commits)
def test_a_journal_written_in_runs_is_the_one_written_one_by_one(tmp_path_factory, batches):
    folder = tmp_path_factory.mktemp("runs")
    runs, singles = (Journal(folder / name, durability="normal") for name in "ab")
    try:
        for journal in (runs, singles):
            journal.commit([AddModel(name, "{}", None, 0.0) for name in ("one", "two")])
        for batch in batches:
            expected = [singles.commit([each])[0] for each in batch]
            assert runs.commit(batch) == expected
        assert contents(runs) == contents(singles)
    finally:
        runs.close()
        singles.close()


def test_the_same_features_written_otherwise_are_the_same_prediction(tmp_path):
    journal = Journal(tmp_path)
    try:
        journal.commit([AddModel("one", "{}", None, 0.0)])
        (first,) = journal.commit([keep('{"a": 1.50, "b": 2}')])
        (again,) = journal.commit([keep('{"a":1.5,"b":2}')])
        (other,) = journal.commit([keep('{"a":1.5,"b":3}')])
        assert again.of == first
        assert isinstance(other, Refusal)
    finally:
        journal.close()


def keep(text):
    return KeepPrediction(1, "x", 1.0, Prediction(text, "1", "0.5"), 0, 0, 9, True)
