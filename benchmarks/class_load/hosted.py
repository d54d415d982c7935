"""The server as a class has it: behind a class code, with a database, limits for one address."""

import asyncio
import http.client
import json
import time
from http.cookies import SimpleCookie
from pathlib import Path

from benchmarks.server import HOST, PLAYGROUND, Server

CODE, TEACHER_CODE = "gradients", "optimizers"
TOKEN = "m" * 40
VISITOR, GUARD = "playground_visitor", "_streamlit_xsrf"
BOUNDARY = "file-of-weights"
READY_SECONDS = 300.0  # torch, twice, on a busy computer
HTTP_SECONDS = 60.0


def settings(folder: Path, sessions: int) -> dict[str, str]:
    """The operator's settings for so many students, all of whom come from this computer.

    Args:
        folder: For its database.
        sessions: The most that are there at once.
    """
    return {
        "PLAYGROUND_GATE": "code",
        "PLAYGROUND_CLASS_CODE": CODE,
        "PLAYGROUND_TEACHER_CODE": TEACHER_CODE,
        "PLAYGROUND_DATA_FOLDER": str(folder),
        "PLAYGROUND_METRICS_TOKEN": TOKEN,
        "PLAYGROUND_MOST_SESSIONS_PER_ADDRESS": str(sessions + 10),
        "PLAYGROUND_VISITORS_PER_MINUTE": str(sessions + 10),
    }


def server(folder: Path, sessions: int) -> Server:
    """A server with these settings."""
    return Server(PLAYGROUND, settings(folder, sessions))


def wait_until_ready(port: int) -> None:
    """Wait until experiments and cells can run.

    Raises:
        TimeoutError: They cannot.
    """
    parts: dict[str, str] = {}
    latest = time.monotonic() + READY_SECONDS
    while time.monotonic() < latest:
        connection = http.client.HTTPConnection(HOST, port, timeout=HTTP_SECONDS)
        connection.request("GET", "/api/health", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        parts = json.loads(answer.read()).get("parts", {})
        connection.close()
        if parts.get("workers") == parts.get("sandbox") == "ok":
            return
        time.sleep(0.2)
    raise TimeoutError(f"the server does not get ready: {parts}")


class Browser:
    """The part of a student's browser without the websocket: login, cookies, file uploads."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: dict[str, str] = {}

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"Cookie": "; ".join(f"{name}={text}" for name, text in self._cookies.items())}

    async def enter(self, code: str = CODE) -> None:
        """Type the class code, or the teacher's.

        Raises:
            ConnectionError: The class code was refused.
        """
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        status = await asyncio.to_thread(self._ask, "POST", "/door", f"code={code}".encode(), form)
        if status != 303 or VISITOR not in self._cookies:
            raise ConnectionError(f"the login answers {status}")
        await asyncio.to_thread(self._ask, "GET", "/_stcore/health", None, {})

    async def put(self, address: str, name: str, data: bytes) -> int:
        """Send a file as the uploader does; returns the status."""
        head = (
            f"--{BOUNDARY}\r\nContent-Disposition: form-data; name={name}; filename={name}\r\n"
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        form = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **self._guard}
        return await asyncio.to_thread(self._ask, "PUT", address, body, form)

    async def delete(self, address: str) -> int:
        """Take a file back, as the uploader does with one that is replaced."""
        return await asyncio.to_thread(self._ask, "DELETE", address, None, self._guard)

    @property
    def _guard(self) -> dict[str, str]:
        return {"X-Xsrftoken": self._cookies.get(GUARD, "")}

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> int:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=HTTP_SECONDS)
        try:
            connection.request(method, path, body, {**self.headers, **headers})
            answer = connection.getresponse()
            answer.read()
            for given in answer.headers.get_all("Set-Cookie", []):
                for name, cookie in SimpleCookie(given).items():
                    self._cookies[name] = cookie.value
            return answer.status
        finally:
            connection.close()
