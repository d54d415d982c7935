import pytest
from streamlit.testing.v1 import AppTest

from hosting import settings
from hosting.settings import Gate, Settings


def page() -> None:
    from ui import navigation

    navigation.draw_logout_link()


@pytest.mark.parametrize(
    ("chosen", "links"),
    [(Settings(), 0), (Settings(gate=Gate.CODE, class_code="gradients"), 1)],
)
def test_the_way_out_is_there_where_there_is_a_gate(monkeypatch, chosen, links):
    monkeypatch.setattr(settings, "current", lambda: chosen)

    drawn = AppTest.from_function(page, default_timeout=300).run()

    assert not drawn.exception
    found = [each for each in drawn.get("html") if 'href="/door"' in each.proto.body]
    assert len(found) == links
