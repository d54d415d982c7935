"""What a check has found is shown as what was expected and what was seen."""

import re

import pytest

from ui.lab.examples import seen_html
from ui.language import say


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
