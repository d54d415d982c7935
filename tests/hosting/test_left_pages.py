"""A click on another page counts, whatever a card of the page before asks for in that moment."""

from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection

from tests.hosting.server import Server, serving
from tests.hosting.tab import receive, request


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("left") / "log", without=["jail"]) as running:
        yield running


def messages_until(tab: ClientConnection, runs: int) -> list[ForwardMsg]:
    """What a tab is reported until so many runs of whole pages are over."""
    messages = []
    while runs:
        messages.append(receive(tab))
        runs -= messages[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and (
            messages[-1].WhichOneof("type") == "script_finished"
        )
    return messages


def asks(page_hash: str, card: str = "") -> bytes:
    message = BackMsg()
    message.rerun_script.page_script_hash = page_hash
    message.rerun_script.fragment_id = card
    data: bytes = message.SerializeToString()
    return data


@pytest.mark.parametrize("cards_ask", [1, 3])
def test_a_card_of_the_page_before_neither_empties_the_new_page_nor_keeps_it_away(
    server: Server, cards_ask: int
) -> None:
    with server.connect() as tab:
        tab.send(request())
        first = messages_until(tab, runs=1)
        here = next(each.navigation for each in first if each.HasField("navigation"))
        home = here.page_script_hash
        lesson = next(
            page.page_script_hash for page in here.app_pages if page.url_pathname == "tensors"
        )
        card = next(each.delta.fragment_id for each in first if each.delta.fragment_id)

        tab.send(asks(lesson))
        for _ in range(cards_ask):
            tab.send(asks(home, card))
        messages_until(tab, runs=1)
        tab.send(asks(lesson))  # whatever the card has set off comes before this run's end
        after = messages_until(tab, runs=1)

    begun = [each.new_session.page_script_hash for each in after if each.HasField("new_session")]
    assert set(begun) == {lesson}
