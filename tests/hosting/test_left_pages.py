"""A click on another page counts, whatever a card of the page before asks for in that moment."""

from collections.abc import Iterator

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.hosting.browser import messages_until, request
from tests.hosting.server import Server, serving

WHOLE = ForwardMsg.FINISHED_SUCCESSFULLY  # of a run of a whole page


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("left") / "log", without=["jail"]) as running:
        yield running


@pytest.mark.parametrize("cards_ask", [1, 3])
def test_a_card_of_the_page_before_neither_empties_the_new_page_nor_keeps_it_away(
    server: Server, cards_ask: int
) -> None:
    with server.connect() as tab:
        tab.send(request())
        first = messages_until(tab, WHOLE)
        here = next(each.navigation for each in first if each.HasField("navigation"))
        hashes = {page.url_pathname: page.page_script_hash for page in here.app_pages}
        lesson = hashes["tensors"]
        card = next(each.delta.fragment_id for each in first if each.delta.fragment_id)

        tab.send(request(page_hash=lesson))
        for _ in range(cards_ask):
            tab.send(request(page_hash=here.page_script_hash, fragment=card))
        messages_until(tab, WHOLE)
        tab.send(request(page_hash=lesson))  # what the card has set off comes before this run's end
        after = messages_until(tab, WHOLE)

    begun = [each.new_session.page_script_hash for each in after if each.HasField("new_session")]
    assert set(begun) == {lesson}
