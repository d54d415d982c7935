import contextlib
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from playground.modules.trace_types import ForwardTrace
from playground.sandbox.module_report import GradientVerdict, Missing, ModuleReport, ParameterRow
from tests.sandbox.worst_input import ROW, TRACE
from ui.lab import modules
from ui.lab.examples import seen_html
from ui.lab.modules import module_tree, nodes
from ui.language import say


def trace(*paths: str) -> ForwardTrace:
    return replace(TRACE, rows=tuple(replace(ROW, path=path) for path in paths))


def test_a_module_list_that_is_never_called_still_holds_its_layers():
    found = [node.path for node in nodes(trace("", "layers.0", "layers.1", "layers.0"))]
    assert found == ["", "layers", "layers.0", "layers.1"]
    assert module_tree(nodes(trace("", "layers.0"))).count("-->") == 2


def test_a_name_that_means_something_elsewhere_is_only_a_name_here():
    chart = module_tree(nodes(trace("", 'a"] --> x; click x "javascript:1', "b`<i>&lt;")))
    assert "javascript:1" not in chart.replace("javascript·1", "")
    assert not set("<>`;") & set(chart.replace("<br/>", "").replace("-->", "").replace("#", ""))


@pytest.mark.parametrize(("left_out", "notes"), [(0, []), (141, ["141 more calls are not shown."])])
def test_calls_that_the_report_leaves_out_are_counted(left_out, notes, monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(modules, "st", SimpleNamespace(html=said.append))

    modules.draw_trace(trace("", "layers.0"), left_out)

    assert [re.sub("<.*?>", "", each) for each in said[1:]] == notes


@pytest.mark.parametrize("missing", Missing)
@pytest.mark.parametrize("verdict", GradientVerdict)
def test_whatever_is_not_known_of_a_module_is_said(missing, verdict, monkeypatch):
    said: list[str] = []
    tab = contextlib.nullcontext()
    streamlit = SimpleNamespace(html=said.append, caption=said.append, tabs=lambda *_, **__: [tab])
    monkeypatch.setattr(modules, "st", streamlit)
    row = ParameterRow(name="w", shape=(3,), dtype="float32", device="cpu", verdict=verdict)

    missed = {"missing": missing, "gradient_missing": missing}
    modules.draw(ModuleReport(name="net", type_name="Net", parameters=(row,), **missed), 0)

    assert "<td>w</td><td>(3,)</td>" in "".join(said)
    assert len(said) == 5  # the heading, the sum, both reasons, the parameters


@pytest.mark.parametrize(
    ("finding", "rows"),
    [
        ("add: 1 ≠ 2", [("case", "add"), ("seen", "1"), ("expected", "2")]),
        ("[1, 2] ≠ [3]", [("seen", "[1, 2]"), ("expected", "[3]")]),
        ("net: <b> ≠ 2", [("case", "net"), ("seen", "&lt;b&gt;"), ("expected", "2")]),
    ],
)
def test_a_comparison_has_a_row_for_each_side(finding, rows):
    made = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", seen_html(finding))
    assert made == [(say(f"lab.{key}"), text) for key, text in rows]


def test_another_finding_is_shown_as_it_is_and_none_not_at_all():
    shown = seen_html("load(net): no RuntimeError")
    assert "no RuntimeError" in shown
    assert "<dl" not in shown
    assert seen_html("") == ""
