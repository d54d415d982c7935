"""A client without a network: drives an ASGI app by hand, one request or websocket at a time."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

from hosting.logs_and_metrics import REGISTRY, Rejected
from hosting.settings import Gate, Settings

ASKS_FOR_A_PAGE = {"accept": "text/html,application/xhtml+xml"}
CONNECT = {"type": "websocket.connect"}
DISCONNECT = {"type": "websocket.disconnect"}
Message = dict[str, Any]
OIDC = Settings(
    gate=Gate.OIDC,
    oidc_metadata="https://id.example/x",
    oidc_client_id="playground",
    oidc_client_secret="a secret",
    public_address="https://playground.example",
    teachers=("grace@class.example",),
    cookie_hours=2,
)


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def cookie(self) -> str:
        """The cookies that the browser would send back."""
        jar = SimpleCookie(self.headers.get("set-cookie", ""))
        return "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())


def scope_of(method: str, target: str, headers: dict[str, str], **more: Any) -> Message:
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), text.encode()) for name, text in headers.items()],
        "client": ("192.0.2.1", 5000),
        "scheme": "http",
        **more,
    }


async def call(app: Any, scope: Message, body: bytes = b"") -> Answer:
    answer = Answer()
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): text.decode() for name, text in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    await app(scope, receive, send)
    return answer


def ask(
    app: Any, method: str, target: str, *, cookie: str = "", body: bytes = b"", **more: Any
) -> Answer:
    headers = {**more.pop("headers", {}), **({"cookie": cookie} if cookie else {})}
    return asyncio.run(call(app, scope_of(method, target, headers, **more), body))


def socket_scope(**more: Any) -> Message:
    return {"type": "websocket", "path": "/_stcore/stream", "headers": [], **more}


def websocket(app: Any, *messages: Message, **scope: Any) -> list[Message]:
    """Return an app's messages to a browser that sends these, the last one again and again."""
    coming, sent = list(messages), []

    async def receive() -> Message:
        return coming.pop(0) if len(coming) > 1 else coming[0]

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(socket_scope(**scope), receive, send))
    return sent


class Inside:
    """Stands behind a gate and writes down what reached it."""

    def __init__(self) -> None:
        self.scopes: list[Message] = []

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})


def metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@contextmanager
def counted(kind: Rejected, times: int = 1) -> Iterator[None]:
    """Fail unless so many requests are rejected meanwhile."""
    before = metric("playground_refusals_total", kind=kind)
    yield
    assert metric("playground_refusals_total", kind=kind) - before == times
