"""Results in a notebook: their tables say what the results say, and their charts draw it."""

import re

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from novikoff.errors import ParameterError
from novikoff.notebook import facts_html
from novikoff.report import result_charts
from novikoff.report.render.chart import Chart

AND = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def results():
    return {
        "separable": nk.check(*AND),
        "inseparable": nk.check(*XOR),
        "trace": nk.trace(*AND),
        "still": nk.trace(*AND, init=[1.0, 1.0, -1.5]),
        "repair": nk.repair(*XOR),
        "bounds": nk.bounds.on(*AND),
        "bound": nk.bounds.on(*AND)[0],
        "increment": nk.bounds.fixed_increment(1, [0, 0], [1, 1], [[1, 0], [0, 1]], [1, 1]),
        "curve": nk.cover.capacity_curve(3, [1, 2], 10),
        "capacity": nk.cover.capacity_curve(3, [1], 10)[0],
    }


@pytest.mark.parametrize("name", results())
def test_every_result_has_a_table_and_both_charts(name):
    result = results()[name]
    page = result._repr_html_()
    assert page.startswith("<p>")
    assert page.count("<td>") == page.count("</td>") > 0
    assert isinstance(result.plot(), matplotlib.figure.Figure)
    bundle = result.plot(backend="bokeh")._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/png"}
    assert "embed_item" in bundle["text/html"]
    assert not re.search(r"""(src|href)=["']?https?:""", bundle["text/html"].split("<script>")[0])


def cells(result):
    found = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', result._repr_html_())
    return dict(found)


def test_the_numbers_in_the_tables_are_those_of_the_results():
    verdict, run = nk.check(*AND), nk.trace(*AND)
    shown = cells(verdict)
    assert shown["mistakes at most"] == f"{verdict.mistake_bound:,}"
    assert shown["margin γ"] == f"{verdict.margin.lower:.6g}"
    assert verdict._repr_html_().startswith("<p>SEPARABLE: ")
    assert cells(run)["updates"] == str(run.updates)
    assert cells(run)["bound"] == str(run.bound)
    assert cells(nk.check(*XOR))["conflict: rows"] == "0, 1, 2, 3"
    table = nk.bounds.on(*AND)._repr_html_()
    assert f"<td>novikoff</td><td>{verdict.mistake_bound}</td>" in table
    assert "not applicable: " in table


def test_the_frame_of_a_trace_is_its_table():
    run = nk.trace(*AND)
    frame = run.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == run.table["update"].tolist()
    for name in frame:
        assert np.array_equal(frame[name], run.table[name])


def test_the_charts_of_a_trace_by_name():
    run = nk.trace(*AND)
    proof, envelopes = run.plot(backend="bokeh"), run.plot(chart="envelopes", backend="bokeh")
    assert proof.figure.title != envelopes.figure.title
    with pytest.raises(ParameterError, match="no chart 'map' here; there are proof, envelopes"):
        run.plot(chart="map")


def test_an_estimator_draws_its_mistakes_and_its_hyperplane():
    model = nk.Perceptron().fit(*AND)
    line = model.plot(backend="bokeh").figure.marks[-2]
    assert line.y[-1] == model.mistakes_
    title = model.plot(*AND, backend="bokeh").figure.title
    assert title == "The data and the separator"
    corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], [0, 1, 2]
    several = nk.Perceptron().fit(*corners)
    with pytest.raises(ParameterError, match="3 classes apart, each by a hyperplane of its own"):
        several.plot(*corners)
    with pytest.raises(ParameterError, match="before fit"):
        nk.Perceptron().plot()


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(ParameterError, match="'bokeh' or 'matplotlib', not 'plotly'"):
        nk.check(*AND).plot(backend="plotly")
    with pytest.raises(ParameterError, match="no chart of a int"):
        result_charts.plot(3, None)
    with pytest.raises(ParameterError, match="none of these bounds holds"):
        nk.bounds.on(*XOR, only=["novikoff"]).plot()
    three = nk.check([[0.0], [1.0], [2.0]], [0, 1, 2], family="multinomial")
    with pytest.raises(ParameterError, match="has no picture in the plane"):
        three.plot()


def test_a_notebook_gets_bokeh_and_its_script_once(monkeypatch):
    monkeypatch.setattr(result_charts, "in_notebook", lambda: True)
    monkeypatch.setattr(Chart, "script_sent", False)
    first, second = (nk.check(*AND).plot()._repr_mimebundle_()["text/html"] for _ in range(2))
    assert len(first) > 500_000 > len(second)


def test_names_from_data_are_escaped():
    assert "&lt;b&gt;" in facts_html("<b>", [("<b>", "<script>")])
    assert "<script>" not in facts_html("", [("", "<script>")])
