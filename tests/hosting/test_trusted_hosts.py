import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from hosting.settings import Settings
from hosting.trusted_hosts import TrustedHosts
from tests.fresh import run_fresh
from tests.hosting.asgi import ASKS_FOR_A_PAGE, CONNECT, Inside, ask, websocket
from tests.hosting.browser import click
from tests.hosting.server import HOST, STREAM, environment, serving

PUBLIC = "https://playground.example.edu"
TUNNEL = "localhost:8501"  # what Codespaces puts into Host
FOREIGN_ORIGINS = (
    *("https://evil.example", "http://localhost:9999", "null", "", f"://{TUNNEL}"),
    *(f"https://evil.example/{TUNNEL}", "http://playground.example.edu", f"{PUBLIC}.evil.example"),
)
FOREIGN_HOSTS = (
    *("evil.example:8501", "playground.example.edu.evil.example", "127.0.0.1.evil.example"),
    *("evil.example@localhost", "localhost:8501/..", "localhost:x", "2130706433", "", None),
)
AUDIT = """
import os, sys

def write(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        where = str(arguments[1])
    elif event.startswith("socket.get"):
        where = str(arguments[0])
    else:
        return
    if "127.0.0." not in where and "::1" not in where and "localhost" not in where:
        with open(os.environ["AUDIT_FILE"], "a") as out:
            out.write(f"{event} {where}\\n")

sys.addaudithook(write)
"""
CONFIGURE = """
from streamlit.web import bootstrap
bootstrap.load_config_options({{"{option}": "{value}"}})
"""
BANNER = "bootstrap._print_url(False)"
CHECK = "from hosting import apply_settings; apply_settings.middleware()"


def handshake(host: str | None, origin: str | None, public: str = PUBLIC) -> tuple[str, str]:
    """Return the outcome of a websocket, and the host that the next application sees."""
    inside = Inside()
    given = {"host": host, "origin": origin}
    headers = [(name.encode(), text.encode()) for name, text in given.items() if text is not None]
    app = TrustedHosts(inside, Settings(public_address=public))
    (sent,) = websocket(app, CONNECT, headers=headers)
    seen = [dict(each["headers"]).get(b"host", b"").decode() for each in inside.scopes]
    return sent["type"].partition(".")[2], "".join(seen)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("playground.example.edu", PUBLIC),
        ("playground.example.edu", None),  # no browser
        ("playground.example.edu.", None),  # the same name, written with the dot of the DNS root
        ("playground.example.edu:8443", "https://playground.example.edu:8443"),
        *((f"{name}:8501", f"http://{name}:8501") for name in ("localhost", "127.0.0.1", "[::1]")),
        ("192.168.1.20:8501", "http://192.168.1.20:8501"),  # a class in a local network
        ("[fd00::20]:8501", "http://[fd00::20]:8501"),
    ],
)
def test_a_page_of_this_server_opens_its_websocket(host, origin):
    assert handshake(host, origin) == ("accept", host)


@pytest.mark.parametrize("host", [TUNNEL, "127.0.0.1:8501", "10.0.0.7"])
def test_behind_a_tunnel_the_public_address_is_the_host(host):
    assert handshake(host, PUBLIC) == ("accept", "playground.example.edu")
    assert handshake(host, PUBLIC, public="")[0] == "close"
    assert handshake(host, "https://x.dev:444", "https://X.dev:444/") == ("accept", "x.dev:444")


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        *((TUNNEL, origin) for origin in FOREIGN_ORIGINS),
        ("evil.example:8501", "http://evil.example:8501"),  # DNS rebinding
        ("evil.example:8501", PUBLIC),
        *((host, None) for host in FOREIGN_HOSTS),
    ],
)
def test_a_foreign_name_or_page_opens_no_websocket(host, origin):
    assert handshake(host, origin) == ("close", "")
    assert handshake(host, origin, public="") == ("close", "")


def test_a_page_by_a_foreign_name_is_one_sentence_and_health_is_polled_by_any():
    inside = Inside()
    app = TrustedHosts(inside, Settings(public_address=PUBLIC))

    def visit(path: str, host: str) -> Any:
        return ask(app, "GET", path, headers={**ASKS_FOR_A_PAGE, "host": host})

    refused = visit("/tensors?lang=zh", "evil.example:8501")
    assert refused.status == 400
    assert "PLAYGROUND_PUBLIC_ADDRESS" in refused.text
    assert "服务器" in refused.text
    assert inside.scopes == []
    for path, host in (("/", "playground.example.edu"), ("/", "10.0.0.7"), ("/api/health", "app")):
        assert visit(path, host).status == 200


def start_at(option: str, value: str, env: dict[str, str] | None = None) -> None:
    """Read the settings as at the start; nothing listens yet."""
    run_fresh(CONFIGURE.format(option=option, value=value) + CHECK, env)


@pytest.mark.parametrize(
    ("settings", "address"), [({"public_address": PUBLIC}, HOST), ({}, "10.0.0.7")]
)
def test_a_lab_without_a_jail_is_refused_where_others_reach_the_server(settings, address):
    consent = {"lab_without_jail": "code-can-read-and-change-my-files"}
    with pytest.raises(AssertionError, match="PLAYGROUND_LAB_WITHOUT_JAIL is for a server that"):
        start_at("server_address", address, environment(**settings, **consent))
    start_at("server_address", address, environment(**settings))
    start_at("server_address", HOST, environment(**consent))


def test_a_base_path_which_would_lead_past_the_limits_is_refused():
    with pytest.raises(AssertionError, match="server.baseUrlPath .* must be empty"):
        start_at("server_baseUrlPath", "torch")
    start_at("server_baseUrlPath", "/")


def test_the_banner_of_streamlit_asks_nobody(tmp_path):
    everywhere = CONFIGURE.format(option="server_address", value="0.0.0.0")
    run_fresh(everywhere + BANNER, {**environment(), **audit(tmp_path)})
    assert asked(tmp_path) == []


def audit(folder: Path) -> dict[str, str]:
    """The environment in which Python notes each name and address that it asks, except its own."""
    (folder / "sitecustomize.py").write_text(AUDIT)
    return {"PYTHONPATH": str(folder), "AUDIT_FILE": str(folder / "audit")}


def asked(folder: Path) -> list[str]:
    file = folder / "audit"
    return file.read_text().splitlines() if file.exists() else []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trusted")


@pytest.fixture(scope="module")
def server(folder):
    with pytest.MonkeyPatch.context() as patch:
        for name, text in audit(folder).items():
            patch.setenv(name, text)
        with serving(folder, ("jail", "workers"), public_address=PUBLIC) as running:
            yield running


def test_a_real_server_refuses_them_without_asking_anybody(server, folder):
    for origin in ("https://evil.example", f"http://evil.example:{server.port}", "null"):
        assert server.refusal({"origin": origin}) == 403
    with server.connect({"origin": PUBLIC}) as tab:  # its Host is 127.0.0.1, as behind a tunnel
        assert click(tab, page="tensors") == ForwardMsg.FINISHED_SUCCESSFULLY
    assert server.refusal({"origin": server.url}) == 0
    for path in ("/", STREAM):
        assert server.ask("GET", path, headers={"host": "evil.example"}).status == 400
    health = server.ask("GET", "/api/health", headers={"host": "evil.example"})
    assert set(json.loads(health.body)) == {"status"}  # polled by any name; its parts are not
    assert asked(folder) == []
