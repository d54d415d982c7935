"""What a browser may send through its websocket; longer messages end it.

The server itself takes no message above ``server.maxMessageSize``. An address is split into its
parameters anew with every run of a page, so it may not fill a message.
"""

from google.protobuf.message import DecodeError
from starlette.types import Message
from streamlit.proto.BackMsg_pb2 import BackMsg

LONGEST_QUERY = 32 * 1024  # characters; our own longest links have 4,000
TOO_BIG, NOT_BINARY = 1009, 1003  # close codes


def close_code(message: Message) -> int:
    """The code with which a message ends its websocket; 0 where it is passed on.

    >>> close_code({"type": "websocket.receive", "text": "x"})
    1003
    """
    data = message.get("bytes")
    if data is None:
        return NOT_BINARY  # Streamlit would fail with a traceback
    return TOO_BIG if is_too_long(data) else 0


def is_too_long(data: bytes) -> bool:
    """Whether a message brings an address that is longer than any of ours.

    >>> is_too_long(b"")
    False
    """
    if len(data) <= LONGEST_QUERY:
        return False
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return False  # Streamlit ends such a websocket
    return len(message.rerun_script.query_string) > LONGEST_QUERY
