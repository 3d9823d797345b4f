"""Formulas: designs on frames and files, and what is refused because it would run code."""

import re
import shlex

import numpy as np
import pandas as pd
import polars as pl
import pytest

import novikoff as nk
from novikoff import checker
from novikoff.errors import DataError, ParameterError
from tests.helpers.shell import answer, novikoff

ROWS = 60


@pytest.fixture(scope="module")
def births():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": [f"b{k}" for k in range(ROWS)],
            "low": rng.choice(["no", "yes"], ROWS),
            "age": rng.normal(30, 5, ROWS).round(1),
            "race": rng.choice(["black", "other", "white"], ROWS),
            "smoke": rng.choice(["n", "y"], ROWS),
            "lwt": rng.integers(90, 180, ROWS).astype(float),
            "odd name": rng.integers(0, 5, ROWS),
            "weeks": rng.integers(20, 42, ROWS),
            "born": rng.integers(0, 2, ROWS),
        }
    )
    frame.loc[3, "age"] = np.nan
    frame.loc[[5, 6], "lwt"] = np.nan
    frame.loc[frame.race == "other", "low"] = "yes"
    return frame


def by_hand(frame, race=("other", "white")):
    """The columns of age + C(race)*smoke in treatment coding."""
    dummies = [(frame.race == each).to_numpy(float) for each in race]
    smoke = (frame.smoke == "y").to_numpy(float)
    columns = [frame.age.to_numpy(), *dummies, smoke, *(each * smoke for each in dummies)]
    return np.stack(columns, axis=1)


def test_a_formula_is_its_columns(births):
    found = nk.check("low ~ age + C(race)*smoke", data=births)
    rest = births.dropna(subset=["age"])
    expected = nk.check(by_hand(rest), rest.low.to_numpy())
    assert found.outcome == expected.outcome == "quasi-separable"
    assert found.rows == ROWS - 1  # lwt is not used, so its gaps do not count
    assert [c[1:] for c in found.coefficients] == [c[1:] for c in expected.coefficients]
    assert [c.name for c in found.coefficients] == [
        "age",
        "C(race)[T.other]",
        "C(race)[T.white]",
        "smoke[T.y]",
        "C(race)[T.other]:smoke[T.y]",
        "C(race)[T.white]:smoke[T.y]",
        "intercept",
    ]
    assert found.contrast({"C(race)[T.other]": 1}).sign == "+"
    assert "1 row of 60 left out, because a value is missing" in " ".join(str(found).split())


@pytest.mark.parametrize(
    "formula",
    [
        "low ~ age + C(race)*smoke + poly(lwt, 2)",
        "low ~ I(age**2) + log(lwt) + sqrt(lwt) + `odd name`",
        "low ~ bs(age, df=4) + C(race, contr.treatment('white')) + center(lwt)",
        "I(age > 30) ~ race + scale(lwt)",
        "low ~ 0 + age + C(race, Treatment('other'))",
        "low ~ . - id - age",
    ],
)
def test_pandas_and_polars_give_the_same_proof(births, formula):
    proofs = [
        nk.check(formula, data=each).certificate.text for each in (births, pl.from_pandas(births))
    ]
    assert proofs[0] == proofs[1]


def test_families_take_formulas(births):
    cox = nk.check("~ age + race", data=births, family="cox", time="weeks", event="born")
    assert cox.rows == ROWS - 1
    ordered = births.assign(size=pd.cut(births.age, [0, 27, 33, 90], labels=["s", "m", "l"]))
    graded = nk.check("size ~ lwt + smoke", data=ordered, family="cumulative")
    assert graded.certificate.fields["labels"]["classes"] == ["s", "m", "l"]
    weighted = nk.check("low ~ age", data=births, weights="odd name")
    for found, table in ((cox, births), (graded, ordered), (weighted, births)):
        assert nk.verify(found.certificate, table).valid
    assert weighted.left_out == (births["odd name"][births.age.notna()] == 0).sum()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_design_of_a_file_is_what_its_proof_is_about(births, suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = f"births.{suffix}"
    births.to_csv(data, index=False) if suffix == "csv" else births.to_parquet(data)
    words = "low ~ age + C(race)*smoke", "--weights", "weeks"
    code, out, err = novikoff("check", data, "--formula", *words, "--certificate", "c.json")
    assert (code, err) == (1, "")
    assert out.splitlines()[-2:] == [
        f"Proof: c.json; to check it: novikoff verify c.json {data}",
        f"For checker.py, which knows no formulas: novikoff design {data} --formula"
        " 'low ~ age + C(race)*smoke'"
        " --weights weeks --output design.csv",
    ]
    code, out, err = novikoff("design", data, "--formula", *words, "--output", "design.csv")
    assert (code, err) == (0, "")
    assert out.startswith("design.csv: 59 rows, 6 columns and the outcome\nNote: 1 row of 60 left")
    assert answer("verify", "c.json", "design.csv")["valid"]
    assert answer("verify", "c.json", data)["valid"]
    changed = births.assign(age=births.age[::-1].to_numpy())
    changed.to_csv(data, index=False) if suffix == "csv" else changed.to_parquet(data)
    assert "digest" in answer("verify", "c.json", data, code=1)["reason"]
    assert checker.main(["c.json", "design.csv"]) == 0
    found = answer("check", data, "--formula", words[0], code=1)
    assert found["coefficients"][1] == {
        "name": "C(race)[T.other]", "status": "diverges", "sign": "+",
    }  # fmt: skip


HOSTILE = [
    "__import__('os').mkdir('{}')",
    "I(__import__('os').mkdir('{}'))",
    "I((lambda: open('{}', 'w'))())",
    "I([open('{}', 'w') for x in age])",
    "C(race, contr.treatment(open('{}', 'w')))",
    "C(race, contr.__class__)",
    "I(age.to_csv('{}'))",
    "np.save('{}', age)",
    "eval('1')",
    "I(exec)",
    "I(f'{age}')",
    "I(age if 1 else 2)",
    "I(age := 3)",
    "log(*age)",
    "C(race, **age)",
    "poly(age, b'x')",
    "I(9**9**9)",
    "I(age**100)",
    "I(age**age)",
    "Q(open('{}', 'w'))",
    "Ｑ (open('{}', 'w'))",
    "C(Q(open('{}', 'w')))",
    "`__import__('os')`",
    "{{age.__class__}}",
]


@pytest.mark.parametrize("term", HOSTILE)
def test_a_formula_runs_no_code(births, term, tmp_path):
    target = tmp_path / "proof-of-execution"
    for formula in (f"low ~ age + {term}", f"{term} ~ age"):
        with pytest.raises(ParameterError, match="formula"):
            nk.check(formula.replace("{}", str(target)), data=births)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("low ~ agee", "no column 'agee'; did you mean 'age'?"),
        ("low ~ C(nope)", "there is no column 'nope'; there are id, low"),
        ("~ age", "no outcome"),
        ("low + born ~ age", "2 outcomes"),
        ("low ~ age | race", "several parts"),
        ("low ~ ((", "cannot be read"),
        ("low ~ 1", "no term but the intercept"),
        ("low ~ age ** 99999999", "a power of terms, 99999999, that stands for too many products"),
        ("low ~ (age + race) ^ 30", "too many products"),
        ("low ~ ((age * race) ** 9 + id) ** 10", "too many products"),
        ("low ~ log(age - age)", "infinity in row 0"),
        ("low ~ center(race)", "cannot be evaluated"),
    ],
)
def test_formulas_that_make_no_sense_are_refused(births, formula, words):
    with pytest.raises((ParameterError, DataError), match=words.replace("(", r"\(")):
        nk.check(formula, data=births)


def test_roles_and_frames_of_a_formula_are_refused(births, tmp_path):
    with pytest.raises(ParameterError, match="weights: there is no column 'w'"):
        nk.check("low ~ age", data=births, weights="w")
    with pytest.raises(ParameterError, match="weights must be the name of a column"):
        nk.check("low ~ age", data=births, weights=np.ones(ROWS))
    with pytest.raises(ParameterError, match="pass a frame as data="):
        nk.check("low ~ age")
    with pytest.raises(DataError, match="every one of the 60 rows"):
        nk.check("low ~ age", data=births.assign(age=np.nan))
    path = tmp_path / "births.csv"
    births.to_csv(path, index=False)
    for words, problem in [
        ((path, "--columns", "agee"), "--columns: there is no column 'agee'; did you mean 'age'?"),
        ((path, "--drop", "nope"), "--drop: there is no column 'nope'"),
        ((path, "--categorical", "age"), "--categorical is not for --formula"),
        ((path, path), "one table, in one file"),
        ((tmp_path / "none.csv",), "cannot be read: No such file"),
        ((tmp_path / "rows.svm",), ".csv, .tsv or .parquet"),
    ]:
        code, out, err = novikoff("check", *words, "--formula", "low ~ age")
        assert (code, out) == (2, "")
        assert problem in err


def test_a_dot_stands_for_what_is_neither_dropped_nor_a_role(births, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    births.to_csv("births.csv", index=False)
    words = "check", "births.csv", "--formula", "low ~ .", "--weights", "weeks"
    _, out, _ = novikoff(*words)
    assert "id is different in every row, or nearly so: is it an identifier? --drop id" in out
    _, out, _ = novikoff(*words, "--drop", "id", "--certificate", "c.json")
    assert "identifier" not in out
    *_, proof, design = out.splitlines()
    found = answer(*words, "--drop", "id", code=1)
    names = [each["name"] for each in found["coefficients"]]
    expected = nk.check("low ~ . - id - weeks", data=births, weights="weeks")
    assert names == [each.name for each in expected.coefficients]
    assert novikoff(*proof.partition("novikoff ")[2].split())[0] == 0
    assert novikoff(*shlex.split(design.partition(": novikoff ")[2]))[0] == 0
    assert checker.main(["c.json", "design.csv"]) == 0
    _, out, _ = novikoff(*words, "--columns", "age,race")
    assert "57 rows" not in out  # gaps of lwt do not count
    with pytest.raises(ParameterError, match="stands for no column"):
        nk.check("low ~ .", data=births[["low", "age"]], weights="age")
    cox = {"family": "cox", "time": "weeks", "event": "born"}
    table = births[["age", "weeks", "born"]]
    assert nk.check("~ .", data=table, **cox).features == 1


def test_words_are_labels_and_rows_have_lines(births, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    births.to_csv("births.csv", index=False, sep=";")
    words = "--formula", "race ~ age", "--certificate", "c.json"
    code, out, err = novikoff("check", "births.csv", *words, "--positive", "other")
    assert (code, err) == (1, "")
    assert "other against the rest" in out
    assert novikoff("verify", "c.json", "births.csv")[0] == 0
    levels = "--family", "cumulative", "--levels", "white,other,black"
    _, out, _ = novikoff("check", "births.csv", *words, *levels)
    first = births.race[births.age.notna()]
    lines = [int(each) for each in re.findall(r"line (\d+) \(", out)]
    assert lines
    assert all(f"line {each} ({first[each - 2]})" in out for each in lines)  # below the header
    births.to_csv("births.csv", index=False, sep="|")
    mark = "--delimiter", "|"
    _, out, _ = novikoff("check", "births.csv", *words, *mark)
    *_, proof, design = out.splitlines()
    assert novikoff(*shlex.split(proof.partition("novikoff ")[2]))[0] == 0
    assert novikoff(*shlex.split(design.partition(": novikoff ")[2]))[0] == 0
    text = births.assign(id="two\nlines").to_csv(index=False)
    (tmp_path / "births.csv").write_text(text)
    out = novikoff("check", "births.csv", "--formula", "born ~ age + lwt")[1]
    assert "57 rows (0 to 56)" in out  # no line can be told
