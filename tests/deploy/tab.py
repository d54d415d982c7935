"""A browser's tab behind the proxy: keeps its cookies, and comes back when its line is cut."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Self

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.session import Session
from tests.deploy.nginx import NAME, Proxy
from tests.hosting.asgi import ASKS_FOR_A_PAGE
from tests.hosting.server import HOST, STREAM, Reply

FORM = {"content-type": "multipart/form-data; boundary=b"}
HEAD = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
TAIL = b"\r\n--b--\r\n"
COMING_BACK_SECONDS, AGAIN_SECONDS = 120.0, 0.2
CUT = (OSError, ConnectionClosed, InvalidStatus)  # how a tab learns that its replica is gone


@dataclass
class Browser:
    """One visitor's cookies."""

    proxy: Proxy
    source: str = HOST
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        pairs = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        return {"cookie": pairs} if pairs else {}

    @property
    def replica(self) -> str:
        return self.cookies.get("playground_replica", "")

    @property
    def token(self) -> list[str]:
        """What the front end shows so that Streamlit believes it who has signed in."""
        return [text for name, text in self.cookies.items() if name == "_streamlit_xsrf"]

    def take(self, given: str) -> None:
        """Keep what ``Set-Cookie`` lines hand out, and drop what they take back."""
        for line in given.splitlines():
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
                if morsel["max-age"] == "0" or " 1970 " in morsel["expires"]:
                    del self.cookies[name]

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        sent = {**self.headers, **(headers or {})}
        reply = self.proxy.ask(method, path, body=body, headers=sent, source=self.source)
        self.take(reply.headers.get("set-cookie", ""))
        return reply

    def open(self, path: str) -> Reply:
        return self.ask("GET", path, headers=ASKS_FOR_A_PAGE)

    def enter(self, code: str) -> Reply:
        return self.ask("POST", "/door", f"code={code}".encode())

    def upload(self, session: str, file: str, content: bytes) -> Reply:
        """As the front end sends a file: its token first, then the file itself."""
        self.ask("GET", "/_stcore/health")
        token = {"x-xsrftoken": self.cookies["_streamlit_xsrf"]}
        path = f"/_stcore/upload_file/{session}/{file}"
        return self.ask("PUT", path, HEAD + content + TAIL, {**token, **FORM})


class Tab(Session):
    """One page of a browser."""

    run_seconds = 300.0  # a limit for what hangs

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser.proxy.port)
        self.browser = browser
        self.session = ""

    async def __aenter__(self) -> Self:
        proxy = self.browser.proxy
        self._socket = await connect(
            f"wss://{NAME}:{proxy.port}{STREAM}",
            host=HOST,
            ssl=proxy.trust,
            server_hostname=NAME,
            origin=f"https://{NAME}:{proxy.port}",  # type: ignore[arg-type]
            subprotocols=["streamlit", *self.browser.token],  # type: ignore[list-item]
            additional_headers=self.browser.headers,
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=self.run_seconds,
            close_timeout=2,
            proxy=None,
        )
        assert self._socket.response is not None
        for given in self._socket.response.headers.get_all("set-cookie"):
            self.browser.take(given)
        return self

    def heard(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "new_session":
            self.session = str(message.new_session.initialize.session_id)

    @property
    def query(self) -> str:
        """What stands after the question mark in the address bar."""
        return self._query

    @property
    def choices(self) -> dict[str, object]:
        """The value of each control, by its key."""
        return {self.widgets[name].key: value for name, value in self.values.items()}


async def come_back(browser: Browser, address: str, query: str) -> Tab:
    """Do what the front end does once its line is cut: try until a replica answers."""
    async with asyncio.timeout(COMING_BACK_SECONDS):
        while True:
            with contextlib.suppress(*CUT):
                tab = await Tab(browser).__aenter__()
                run = await tab.visit(address, query)
                assert not run.errors, run.errors
                return tab
            await asyncio.sleep(AGAIN_SECONDS)
