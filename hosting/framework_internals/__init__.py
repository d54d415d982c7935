"""Every use of a private part of Streamlit, Starlette, uvicorn or websockets.

Those of the server are here, those of a page's session in ``streamlit_session``. Written against
Streamlit 1.67, Starlette 1.10, uvicorn 0.54 and websockets 17. tests/hosting or tests/deploy has a
test for each function, so that an upgrade which removes a private part names what it breaks. If a
feature may be lost without harm, ``optional`` logs one warning in place of an error, and the
function imports the private part itself.

``uvicorn app:app --timeout-graceful-shutdown … --h11-max-incomplete-event-size …`` would not make
the server's part unnecessary: it ignores Streamlit's settings of the server (address, TLS,
``maxMessageSize``), and the check of a lab without a jail needs the address that the running server
listens on in any case.
"""

import asyncio
import functools
import json
import logging
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import streamlit.logger
from google.protobuf.message import DecodeError
from streamlit import auth_util, config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.web.server import server_util
from streamlit.web.server.starlette import starlette_app_utils, starlette_server_config
from uvicorn import Server

if TYPE_CHECKING:
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

EVERY_ADDRESS = ("", "0.0.0.0", "::")
SHUTDOWN_TIMEOUT_SECONDS = 3
MAX_HEADER_BYTES = 65_536  # of all headers of a request; nginx takes 32 KiB a line
TRY_AGAIN_LATER = 1013  # WebSocket close code
MAX_RUN_END_BYTES = 256  # the message that ends a run is smaller, and no other one is parsed
RUN_ENDS = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)
P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger(__name__)
_streamlit_setup = getattr(streamlit.logger, "setup_formatter", None)


def optional(default: T, feature: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Log one warning, and return ``default``, if a private part that a function needs is gone.

    Args:
        default: What the function returns in this case.
        feature: The feature that is lost; the function's name if it is not given.
    """

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return function(*args, **kwargs)
            except (ImportError, AttributeError, TypeError) as error:
                warn_once(feature or function.__name__.strip("_"), str(error))
                return default

        return guarded

    return wrap


@functools.cache
def warn_once(feature: str, reason: str) -> None:
    """Log that a feature is not available."""
    _log.warning("not available: %s (%s)", feature, reason)


def _replace(owner: object, name: str, value: object) -> None:
    """Replace an attribute; raise AttributeError if there is none."""
    getattr(owner, name)
    setattr(owner, name, value)


# -- Streamlit's cookie ------------------------------------------------------------------------


@optional("", "one vote per browser in an open playground")
def browser_id(cookies: Mapping[str, str]) -> str:
    """Return the random id in Streamlit's own cookie, which tells browsers apart; empty without it.

    The cookie guards uploads. Its text changes with each response, the id in it does not.
    """
    given = cookies.get(starlette_server_config.XSRF_COOKIE_NAME, "")
    token, _ = starlette_app_utils.decode_xsrf_token_string(given)
    return token.hex() if token else ""


# -- uvicorn, websockets, Starlette ----------------------------------------------------------------


def running_server() -> Server | None:
    """Return the uvicorn server of this process, which handles SIGTERM; None in other programs."""
    handler = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return handler if isinstance(handler, Server) else None


def listening_host() -> str:
    """Return the host that the server listens on, e.g. ``127.0.0.1``; empty for every host."""
    server = running_server()
    return server.config.host if server else str(config.get_option("server.address") or "")


def base_path() -> str:
    """Return the path below which the server is to answer; empty if it is the root."""
    server = running_server()
    given = server.config.root_path if server else ""
    return (given or str(config.get_option("server.baseUrlPath"))).strip("/")


def server_url() -> str:
    """Return the URL of the server for a browser on this computer; empty if it is not known."""
    server = running_server()
    if server is None:
        return ""
    chosen = server.config
    name = "localhost" if chosen.host in EVERY_ADDRESS else chosen.host
    name = f"[{name}]" if ":" in name else name
    return f"{'https' if chosen.is_ssl else 'http'}://{name}:{chosen.port}"


def limit_shutdown_time() -> None:
    """Set uvicorn's graceful-shutdown timeout, which Streamlit leaves unlimited.

    Without it, one upload that never ends would delay the last writes until the process is killed.
    """
    server = running_server()
    if server is None:
        _log.warning("no shutdown timeout: the server may wait for every open connection")
    elif server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = SHUTDOWN_TIMEOUT_SECONDS


@optional(None, "requests with headers above 8 KiB, as the cookies of OIDC may be")
def raise_header_limit() -> None:
    """Accept requests with headers up to ``MAX_HEADER_BYTES``.

    All cookies travel in one line. websockets accepts no line above 8 KiB and gives no answer, so
    the page of a student who belongs to many groups would stay empty; uvicorn's h11 accepts 16 KiB
    in total.
    """
    from websockets import http11

    server = running_server()
    if server is None:
        _log.warning("no header limit set: visitors with long OIDC cookies may be rejected")
    else:
        server.config.h11_max_incomplete_event_size = MAX_HEADER_BYTES
    _replace(http11, "MAX_LINE_LENGTH", MAX_HEADER_BYTES)


@optional(None, "uploads that never touch the disk")
def keep_uploads_in_memory(max_bytes: int) -> None:
    """Parse uploads without a temporary file: the disk may be full, and must not hold them."""
    from starlette.formparsers import MultiPartParser

    _replace(MultiPartParser, "spool_max_size", max_bytes)


# -- Streamlit: memory and connections -------------------------------------------------------------


def uploaded_bytes() -> dict[str, int]:
    """Return the bytes of uploaded files in memory, by session."""
    if not Runtime.exists():
        return {}
    return {
        session: sum(len(file.data) for file in tuple(files.values()))
        for session, files in tuple(_upload_manager().file_storage.items())
    }


@optional(None, "deletion of uploaded files when their page is left")
def delete_uploaded_files(session: str) -> None:
    """Delete the files of a session; Streamlit would keep them until the session ends."""
    if Runtime.exists():
        _upload_manager().remove_session_files(session)


def _upload_manager() -> "MemoryUploadedFileManager":
    return cast("MemoryUploadedFileManager", Runtime.instance().uploaded_file_mgr)


@optional(None, "deletion of widgets of earlier pages")
def drop_left_widgets() -> None:
    """Drop the callbacks that this session keeps for widgets of earlier pages; values stay.

    Streamlit keeps a widget's callback with all its arguments until the session ends: the answer of
    a step, its figures, and the containers it was drawn in.
    """
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    if context is None:
        return
    safe = cast("Any", context.session_state)
    with safe._lock:
        state = safe._state._new_widget_state
        living = {*state.states, *context.shared.widget_ids_this_run.snapshot()}
        for widget in state.widget_metadata.keys() - living:
            del state.widget_metadata[widget]


@functools.cache
@optional(None, "closing the connections of browsers that read too slowly")
def close_slow_connections() -> None:
    """Close the connection of a browser that Streamlit has given up.

    Streamlit queues 500 messages for a browser. If they do not suffice, it disconnects the session
    but leaves the connection open: the page would stay as it is, and clicks would have no effect.
    Once the connection is closed, the browser reconnects to the same session.
    """
    from streamlit.runtime.session_manager import SessionClientDisconnectedError
    from streamlit.web.server.starlette import starlette_websocket
    from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

    class ClosingClient(StarletteSessionClient):
        _closing: asyncio.Task[None] | None = None

        def write_forward_msg(self, msg: ForwardMsg) -> None:
            try:
                super().write_forward_msg(msg)
            except SessionClientDisconnectedError:
                if self._closing is None and not self._sender_task.done():
                    self._closing = asyncio.get_running_loop().create_task(self._close())
                raise

        async def _close(self) -> None:
            await self.aclose()
            with suppress(RuntimeError, OSError):  # closed in the meantime
                await self._websocket.close(TRY_AGAIN_LATER)

    _replace(starlette_websocket, "StarletteSessionClient", ClosingClient)


# -- Streamlit: messages of the WebSocket ----------------------------------------------------------


def query_length(data: bytes) -> int:
    """Return the length of the query string that a browser's message asks a run with.

    >>> query_length(b""), query_length(bytes([255, 255]))
    (0, 0)
    """
    message = _browser_message(data)
    return len(message.rerun_script.query_string) if message else 0


def is_rerun_request(data: bytes) -> bool:
    """Return whether a browser's message asks for a run of the script."""
    message = _browser_message(data)
    return message is not None and message.WhichOneof("type") == "rerun_script"


def is_run_end(data: bytes) -> bool:
    """Return whether a message to the browser ends a run that was not interrupted."""
    if not 0 < len(data) <= MAX_RUN_END_BYTES:
        return False
    message = ForwardMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return False
    return message.WhichOneof("type") == "script_finished" and message.script_finished in RUN_ENDS


def _browser_message(data: bytes) -> BackMsg | None:
    """Parse a message; None if it is malformed, for which Streamlit closes the WebSocket."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return None
    return message


# -- Streamlit: sign-in and log --------------------------------------------------------------------


def set_cookie_secret(secret: str) -> None:
    """Set the secret with which Streamlit signs the session of a sign-in in progress."""
    config.set_option("server.cookieSecret", secret)


def provider_token(provider: str) -> str:
    """Return the token with which ``/auth/login`` accepts a provider; it is valid for 2 minutes."""
    return auth_util.encode_provider_token(provider)


def is_user_cookie(cookie: str) -> bool:
    """Return whether a ``Set-Cookie`` line is one of ``st.login``, tokens included."""
    return cookie.startswith(starlette_server_config.USER_COOKIE_NAME)


def read_user_claims(cookies: Mapping[str, str], max_age_days: float) -> dict[str, Any]:
    """Return the provider's claims from the cookie of ``st.login``; empty without a valid one.

    Args:
        cookies: Of the request.
        max_age_days: After so many days a signature is no longer valid.
    """
    secret = server_util.get_cookie_secret()

    def read(name: str) -> bytes | None:
        signed = cookies.get(name)
        if not signed:
            return None
        return starlette_app_utils.decode_signed_value(secret, name, signed, max_age_days)

    try:
        decoded = auth_util.get_cookie_with_chunks(read, starlette_server_config.USER_COOKIE_NAME)
        claims = json.loads(decoded) if decoded else {}
    except (ValueError, KeyError, TypeError):  # an odd number of chunks, or no JSON
        return {}
    return claims if isinstance(claims, dict) else {}


@optional(None, "one format for all logs: loggers that Streamlit makes later keep their own")
def set_up_streamlit_loggers(setup: Callable[[logging.Logger], None] | None) -> None:
    """Replace the function that sets up each new logger of Streamlit; None restores it."""
    _replace(streamlit.logger, "setup_formatter", setup or _streamlit_setup)
