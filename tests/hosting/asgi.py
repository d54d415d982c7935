"""A client without a network: drives an ASGI app by hand, one request at a time."""

import asyncio
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

ASKS_FOR_A_PAGE = {"accept": "text/html,application/xhtml+xml"}


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def cookie(self) -> str:
        """What the browser would send back."""
        jar = SimpleCookie(self.headers.get("set-cookie", ""))
        return "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())


def scope_of(method: str, target: str, headers: dict[str, str], **more: Any) -> dict[str, Any]:
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


async def call(app: Any, scope: dict[str, Any], body: bytes = b"") -> Answer:
    answer = Answer()
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
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
    headers = {**more.pop("headers", {})}
    if cookie:
        headers["cookie"] = cookie
    return asyncio.run(call(app, scope_of(method, target, headers, **more), body))


class Inside:
    """Stands behind a gate and writes down what reached it."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, Any]] = []

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})
