import contextlib
import re
from types import SimpleNamespace

import pytest

from playground.compute.outcome import Outcome
from playground.modules.trace_types import ForwardTrace, Group, TraceRow
from playground.sandbox.module_report import GradientVerdict, Missing, ModuleReport, ParameterRow
from ui.lab import modules
from ui.lab.examples import seen_html
from ui.lab.modules import nodes
from ui.language import say
from ui.trace_view import module_tree


def trace(*paths: str) -> ForwardTrace:
    rows = tuple(
        TraceRow(
            path=path,
            type_name="Linear",
            depth=path.count(".") + 1,
            inputs=Group("call", ()),
            output=(2, 3),
            own_parameters=6,
            total_parameters=6,
            trainable_parameters=6,
            buffers=0,
            size_bytes=24,
            output_bytes=24,
            device="cpu",
            dtype="float32",
            multiply_adds=None,
            call=1,
            calls=1,
        )
        for path in paths
    )
    return ForwardTrace(
        rows=rows,
        total_parameters=6,
        trainable_parameters=6,
        buffers=0,
        size_bytes=24,
        multiply_adds=None,
        outcome=Outcome(ok=True),
    )


def test_a_module_list_that_is_never_called_still_holds_its_layers():
    found = [node.path for node in nodes(trace("", "layers.0", "layers.1", "layers.0"))]

    assert found == ["", "layers", "layers.0", "layers.1"]
    assert module_tree(tuple(nodes(trace("", "layers.0")))).count("-->") == 2


def test_a_name_that_means_something_elsewhere_is_only_a_name_here():
    chart = module_tree(tuple(nodes(trace("", 'a"] --> x; click x "javascript:1', "b`<i>&lt;"))))

    assert "javascript:1" not in chart.replace("javascript·1", "")
    assert not set("<>`;") & set(chart.replace("<br/>", "").replace("-->", "").replace("#", ""))


@pytest.mark.parametrize("missing", Missing)
@pytest.mark.parametrize("verdict", GradientVerdict)
def test_whatever_is_not_known_of_a_module_is_said(missing, verdict, monkeypatch):
    said: list[str] = []
    tab = contextlib.nullcontext()
    streamlit = SimpleNamespace(html=said.append, caption=said.append, tabs=lambda *_, **__: [tab])
    monkeypatch.setattr(modules, "st", streamlit)
    row = ParameterRow(name="w", shape=(3,), dtype="float32", device="cpu", verdict=verdict)

    modules.draw(
        ModuleReport(
            name="net",
            type_name="Net",
            parameters=(row,),
            missing=missing,
            gradient_missing=missing,
        ),
        0,
    )

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
    assert "no RuntimeError" in seen_html("load(net): no RuntimeError")
    assert "<dl" not in seen_html("load(net): no RuntimeError")
    assert seen_html("") == ""
