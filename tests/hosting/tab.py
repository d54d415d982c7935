"""A browser tab that only clicks: it sends what a browser sends, and waits for the run's end."""

from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection

SOON = 60.0  # seconds; a limit for what hangs, no expectation


def request(query: str = "", page: str = "") -> bytes:
    """What a browser sends for a page and what follows its question mark."""
    message = BackMsg()
    message.rerun_script.query_string = query
    message.rerun_script.page_name = page
    data: bytes = message.SerializeToString()
    return data


def receive(tab: ClientConnection) -> ForwardMsg:
    message = ForwardMsg()
    data = tab.recv(timeout=SOON)
    assert isinstance(data, bytes)
    message.ParseFromString(data)
    return message


def session_of(tab: ClientConnection) -> str:
    """The id that Streamlit gives a tab, once its first run is over: that run drops files."""
    tab.send(request())
    session = ""
    while True:
        message = receive(tab)
        if message.WhichOneof("type") == "new_session":
            session = str(message.new_session.initialize.session_id)
        if message.WhichOneof("type") == "script_finished" and session:
            return session


def click(tab: ClientConnection, query: str = "", page: str = "") -> Any:
    """Ask for a run, and say how it ended."""
    tab.send(request(query, page))
    while True:
        message = receive(tab)
        if message.WhichOneof("type") == "script_finished":
            return message.script_finished
