"""A visitor's browser without drawing: cookies, files, signing in, messages of a tab."""

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection

from tests.hosting.asgi import ASKS_FOR_A_PAGE, Answer
from tests.hosting.server import HOST, QUIET, Address, free_port, wait
from tests.waiting import MAX_SECONDS

FORM = {"content-type": "multipart/form-data; boundary=b"}
HEAD = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
TAIL = b"\r\n--b--\r\n"
SOON = 60.0  # seconds; a limit for what hangs, no expectation


@dataclass
class Browser:
    """One visitor's cookies."""

    server: Address
    source: str = HOST  # the visitor's address
    cookies: dict[str, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)  # every ``Set-Cookie`` line so far

    @property
    def headers(self) -> dict[str, str]:
        pairs = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        return {"cookie": pairs} if pairs else {}

    @property
    def replica(self) -> str:
        return self.cookies.get("playground_replica", "")

    @property
    def token(self) -> list[str]:
        """The token by which Streamlit believes the front end who has signed in."""
        return [text for name, text in self.cookies.items() if name == "_streamlit_xsrf"]

    def take(self, given: str) -> None:
        self.given += given.splitlines()
        for line in given.splitlines():
            known = line.replace("; Partitioned", "")  # which SimpleCookie knows from 3.14 on
            for name, morsel in SimpleCookie(known).items():
                self.cookies[name] = morsel.value
                if morsel["max-age"] == "0" or " 1970 " in morsel["expires"]:
                    del self.cookies[name]

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Answer:
        sent = {**self.headers, **(headers or {})}
        reply = self.server.ask(method, path, body=body, headers=sent, source=self.source)
        self.take(reply.headers.get("set-cookie", ""))
        return reply

    def open(self, path: str) -> Answer:
        return self.ask("GET", path, headers=ASKS_FOR_A_PAGE)

    def is_refused(self) -> bool:
        """Return whether the websocket of a page stays closed."""
        return self.server.refusal(self.headers) == 403

    def enter(self, code: str) -> Answer:
        return self.ask("POST", "/door", f"code={code}".encode())

    def token_headers(self) -> dict[str, str]:
        """By which Streamlit knows that its own page asks."""
        self.ask("GET", "/_stcore/health")
        return {"x-xsrftoken": self.cookies["_streamlit_xsrf"]}

    def upload(self, session: str, file: object, content: bytes) -> Answer:
        """As the front end sends a file: its token first, then the file itself."""
        path = f"/_stcore/upload_file/{session}/{file}"
        return self.ask("PUT", path, HEAD + content + TAIL, {**self.token_headers(), **FORM})

    # -- OpenID Connect ----------------------------------------------------------------------

    def follow(self, path: str) -> str:
        """The address of the provider to which a path of the playground leads."""
        for _ in range(4):
            leads_to = self.open(path).headers["location"]
            if not leads_to.startswith("/"):
                return leads_to
            path = leads_to
        raise AssertionError(path)

    def begin(self, link: str) -> str:
        """Open a link, follow the login page's; where the provider asks for a name."""
        login_page = self.open(link)
        assert (login_page.status, "<script" in login_page.text) == (401, False)
        (link,) = re.findall(r'class="button" href="([^"]+)"', login_page.text)
        return self.follow(html.unescape(link))

    def end(self, address: str, name: str) -> Answer:
        """Say a name to the provider, and go where it sends the browser."""
        back = urlsplit(say_to_the_provider(address, name))
        assert f"{back.scheme}://{back.netloc}" == self.server.url
        came_back = self.open(f"{back.path}?{back.query}")
        self.ask("GET", "/_stcore/health")  # gives out the token that a tab shows
        return came_back

    def sign_in(self, name: str, link: str) -> Answer:
        came_back = self.end(self.begin(link), name)
        assert (came_back.status, came_back.headers["location"]) == (302, link)
        return self.open(link)


def say_to_the_provider(address: str, name: str) -> str:
    """Sign in at the provider under a name; return the redirect's address."""
    answer = httpx2.post(address, data={"sub": name}, timeout=MAX_SECONDS, trust_env=False)
    assert answer.status_code == 302
    return answer.headers["location"]


@contextmanager
def provider(people: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(port)]
    for name, claims in people.items():
        command += ["--user-claims", json.dumps({"sub": name, **claims})]
    process = subprocess.Popen(command, **QUIET)
    try:
        wait(process, port)
        yield {
            "gate": "oidc",
            "oidc_metadata": f"http://{HOST}:{port}/.well-known/openid-configuration",
            "oidc_client_id": "playground",
            "oidc_client_secret": "a secret of the provider",
            "oidc_allowed": "@class.example",
        }
    finally:
        process.terminate()
        process.wait(MAX_SECONDS)


# -- messages of a tab -----------------------------------------------------------------------------


def request(query: str = "", page: str = "", page_hash: str = "", fragment: str = "") -> bytes:
    """Return a browser's request of a page with a query."""
    asked = {"query_string": query, "page_name": page, "page_script_hash": page_hash}
    return BackMsg(rerun_script={**asked, "fragment_id": fragment}).SerializeToString()


def messages_until(tab: ClientConnection, *ends: Any) -> list[ForwardMsg]:
    messages = []
    while True:
        data = tab.recv(timeout=SOON)
        assert isinstance(data, bytes)
        messages.append(ForwardMsg.FromString(data))
        is_end = messages[-1].WhichOneof("type") == "script_finished"
        if is_end and (not ends or messages[-1].script_finished in ends):
            return messages


def session_of(tab: ClientConnection) -> str:
    """The id that Streamlit gives a tab, once its first run is over: that run drops files."""
    tab.send(request())
    new = next(each.new_session for each in messages_until(tab) if each.HasField("new_session"))
    return str(new.initialize.session_id)


def click(tab: ClientConnection, query: str = "", page: str = "") -> Any:
    """Ask for a run, and say how it ended."""
    tab.send(request(query, page))
    return messages_until(tab)[-1].script_finished
