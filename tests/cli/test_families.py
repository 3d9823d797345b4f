"""Models of every family from the shell: roles by columns, proofs that are checked as printed."""

import json
import shlex

import pytest

import novikoff as nk
from novikoff import checker
from tests.helpers.shell import answer, novikoff

LUNG = """id,days,died,treatment,age,site,start
a,5,1,no,60,x,0
b,8,1,no,55,y,1
c,9,0,yes,61,x,0
d,12,1,no,70,x,2
e,15,0,yes,50,y,0
f,15,0,yes,66,y,7
"""
PAIN = "dose,age,pain\n0,30,no\n1,41,mild\n0,52,no\n2,33,severe\n1,44,mild\n2,60,severe\n"
BEETLES = "dose,dead,n,kind\n1,0,10,a\n2,3,10,a\n3,7,9,a\n1,0,8,b\n2,0,9,b\n3,9,9,b\n"
PAIRS = "pair,case,smokes\n1,1,1\n1,0,0\n2,1,1\n2,0,1\n3,1,1\n3,0,0\n"
TABLES = {"lung.csv": LUNG, "pain.csv": PAIN, "beetles.csv": BEETLES, "pairs.csv": PAIRS}
COX = "--family cox --time days --event died --drop id,start"
MODELS = {
    f"lung.csv {COX}": "separable",
    f"lung.csv {COX} --strata site": "separable",
    "lung.csv --family cox --time days --event died --columns treatment --entry start":
        "quasi-separable",
    "lung.csv --target died --weights age --columns days,site": "inseparable",
    "pain.csv --family multinomial": "separable",
    "pain.csv --family cumulative --levels no,mild,severe": "separable",
    "pain.csv --family poisson --target dose --columns pain": "quasi-separable",
    "pain.csv --family poisson --target dose --columns pain --exposure age --delimiter ,":
        "quasi-separable",
    "beetles.csv --family binomial --target dead --trials n --header": "inseparable",
    "beetles.csv --family log-binomial --target dead --trials n --categorical dose":
        "quasi-separable",
    "pairs.csv --family conditional --target case --strata pair": "quasi-separable",
    "pairs.csv --target case --drop pair": "quasi-separable",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in TABLES.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", MODELS)
def test_the_printed_command_verifies_alone(folder, words, capsys):
    data = words.split()[0]
    code, out, err = novikoff("check", *shlex.split(words), "--certificate", "c.json")
    assert (code, err) == (0 if MODELS[words] == "separable" else 1, "")
    assert f"\n{MODELS[words].upper()}: " in out
    printed = out.splitlines()[-1].partition("to check it: novikoff ")[2]
    assert printed == f"verify c.json {data}"
    code, out, err = novikoff(*printed.split())
    assert (code, err) == (0, "")
    assert out.startswith("VALID")
    assert checker.main(["c.json", data]) == 0
    # The last row twice, the same options: the proof is of other rows.
    (folder / data).write_text(TABLES[data] + TABLES[data].splitlines()[-1] + "\n")
    assert novikoff(*printed.split())[0] == 1
    assert checker.main(["c.json", data]) == 1
    capsys.readouterr()


def test_the_reading_is_sealed_and_options_come_before_it(folder):
    assert novikoff("check", "lung.csv", *COX.split(), "--certificate", "c.json")[0] == 0
    fields = json.loads((folder / "c.json").read_text())
    reading = {"drop": "id,start", "time": "days", "event": "died"}
    assert (fields["version"], fields["reading"]) == (3, reading)
    assert novikoff("verify", "c.json", "lung.csv", "--drop", "id,age,start")[0] == 1
    (folder / "lung.csv").write_text(LUNG.replace("start", "began"))
    assert novikoff("verify", "c.json", "lung.csv")[0] == 2
    assert novikoff("verify", "c.json", "lung.csv", "--drop", "id,began")[0] == 0


def test_a_source_takes_roles_by_names(folder):
    source = nk.open("lung.csv", columns=["treatment", "age"])
    found = nk.check(source, family="cox", time="days", event="died", strata="site")
    assert found.outcome == "separable"
    assert [each.name for each in found.coefficients] == ["age", "treatment=no", "treatment=yes"]
    same = nk.open("lung.csv", columns=["treatment", "age"])
    roles = {"time": "days", "event": "died"}
    assert nk.verify(found.certificate, same, strata="site", **roles).valid
    assert not nk.verify(found.certificate, same, **roles).valid
    decimal = nk.open("beetles.csv", target="dead", drop=["kind"], decimal=True)
    proof = nk.check(decimal, family="binomial", trials="n").certificate
    assert proof.fields["numbers"] == "rational"
    assert nk.verify(proof, decimal, trials="n").valid


def test_the_text_speaks_of_the_model(folder):
    words = "--family conditional --target case --strata pair"
    _, out, _ = novikoff("check", "pairs.csv", *words.split())
    assert "Conditional logistic regression of label 1: the likelihood has no maximum." in out
    assert "to +∞        smokes" in out
    words = "--family", "multinomial", "--contrast", "no: dose=1"
    assert "contrast     no: dose=1: to -∞" in novikoff("check", "pain.csv", *words)[1]
    words = "--family binomial --target dead --trials n"
    found = answer("check", "beetles.csv", *words.split(), code=1)
    assert found["outcome"] == "inseparable"
    assert {each["status"] for each in found["coefficients"]} == {"finite", "reference"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("beetles.csv --family binomial --target dead --trials m", "no column 'm': there are"),
        ("lung.csv --family cox --time day --event died", "no column 'day': did you mean 'days'?"),
        ("beetles.csv --family binomial --target dead --trials dead", "is the column of labels"),
        ("beetles.csv --family binomial --target dead --trials kind", "has words such as 'a'"),
        ("beetles.csv --family binomial --target dead --trials dose", "line 3 has 3 successes in"),
        ("lung.csv --family cox --time age --event days", "event has 5 in line 2: expected 1, or"),
        ("lung.csv --family cox --event died", "family='cox' needs time"),
        ("pain.csv --event dose", "no use for event"),
        ("pain.csv --strata dose --positive no", "family='binary' has no use for strata"),
        ("pain.csv --family cumulative", "--levels a,b,c"),
        ("pain.csv --family cumulative --levels no,mild", "line 5 has the label 'severe'"),
        ("pairs.csv --family multinomial --target smokes --levels a,b", "--levels a: the labels"),
        ("pairs.csv --family conditional --target case --strata smokes", "has no case"),
        ("pain.csv --family poisson --target dose --exposure dose", "is the column of labels"),
        ("pain.csv --family multinomial --report r.html", "--report and --plot draw all rows"),
        ("pain.csv --family multinomial --contrast dose=1", "there is no column 'dose'"),
        ("lung.csv --family cox --time days --event died --cluster local", "leave either out"),
        ("pain.csv --family multinomial --cluster local", "on one machine"),
    ],
)
def test_bad_roles_are_refused(folder, words, problem):
    code, out, err = novikoff("check", *shlex.split(words))
    assert (code, out) == (2, "")
    assert problem in err


def test_a_limit_fit_is_in_text_and_json(folder):
    pytest.importorskip("statsmodels")
    rows = zip("lhlhlllhll", range(10), "0101100100", strict=True)
    lines = [f"{dose},{age},{died}" for dose, age, died in rows]
    (folder / "deaths.csv").write_text("\n".join(["dose,age,died", *lines]))
    words = "deaths.csv", "--limit-fit", "--contrast", "age=2"
    _, out, _ = novikoff("check", *words)
    assert "from 7 rows on the boundary of 10" in out
    assert "\n  dose=l < " in out
    sentence = " ".join(out[out.index("For the methods") :].split())
    assert "estimates of dose=l and intercept do not exist (quasi-complete" in sentence
    assert "separation of 3 of 10 observations" in sentence
    fit = answer("check", *words, code=1)["limit_fit"]
    values = {each["name"]: each["value"] for each in fit["coefficients"]}
    assert (values["dose=h"], values["dose=l"], values["intercept"]) == (None, "-inf", "inf")
    tested = {each["name"]: each for each in fit["tests"]}
    assert tested["dose=l"]["lower"] == "-inf"
    assert tested["age=2"]["lower"] < values["age=2"] < tested["age=2"]["upper"]
    assert values["age=2"] == pytest.approx(2 * values["age"])


def test_separated_rows_are_listed_and_explained(folder):
    low = "0,1,5\n0,2,5\n1,1,5\n2,2,5"
    (folder / "beetles.csv").write_text("dead,dose,n\n" + low)
    words = "beetles.csv --family binomial --target dead --trials n --categorical dose"
    assert "separated" not in novikoff("check", *words.split())[1]
    (folder / "beetles.csv").write_text("dead,dose,n\n" + low + "\n0,3,5\n0,3,5\n0,4,5\n0,4,9")
    _, out, _ = novikoff("check", *words.split(), "--separated-to", "rows.csv")
    assert "  separated    dose=3: 2 of 2 have no success\n" in out
    assert "               dose=4: 2 of 2 have no success\n" in out
    assert out.endswith("Separated: 4 rows, in rows.csv\n")
    lines = (folder / "rows.csv").read_text().splitlines()
    assert lines[:2] == ["row,place,label,because", "4,line 6,0,dose=3: 2 of 2 have no success"]
    found = answer("check", *words.split(), code=1)
    assert found["separated"] == [4, 5, 6, 7]
    assert [each["columns"] for each in found["explanations"]] == [["dose=3"], ["dose=4"]]
    _, _, err = novikoff("check", *words.split(), "--separated-to", "no/rows.csv")
    assert "--separated-to no/rows.csv: there is no folder" in err
