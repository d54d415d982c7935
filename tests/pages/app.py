"""Open a page by the router, press, and read what it shows: what tests of pages have in common."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from playground.catalog import Language
from ui.language import table
from ui.panel import plain

ROOT = Path(__file__).resolve().parents[2]
EVIL = "<img src=x onerror=alert(1)> **bold** [link](https://example.org) `x` $x$ :red[x]"
SHOWN = EVIL.replace("<", "&lt;").replace(">", "&gt;")  # as it stands in HTML


def visit(page: str = "", session: dict[str, object] | None = None, **address: str) -> AppTest:
    """Open a page, or the one without a path, with ordinary controls."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=300)
    for name, value in {plain.CHOICE: "true", **address}.items():
        at.query_params[name] = value
    for name, held in (session or {}).items():
        at.session_state[name] = held
    return go(at, page) if page else at.run()


def go(at: AppTest, page: str) -> AppTest:
    return at.switch_page(str(ROOT / f"pages/{page}.py")).run()


def press(at: AppTest, name: str) -> AppTest:
    """Press the one button whose key has this end."""
    [button] = [each for each in at.button if each.key and each.key.endswith(f"-{name}")]
    return button.click().run()


def keys(at: AppTest) -> set[str]:
    """The buttons that there are."""
    return {each.key for each in at.button if each.key}


def said(at: AppTest) -> str:
    return "".join(each.proto.body for each in at.get("html"))


def text(at: AppTest) -> str:
    """Return the text of a page without its style, and its programs."""
    bodies = [each.proto.body for each in at.get("html")]
    markup = [each for each in bodies if not each.startswith("<style>")]
    return "\n".join([*markup, *(each.value for each in at.code)])


def warnings(at: AppTest) -> list[str]:
    return [each.value for each in at.warning]


def sentence(key: str, language: str = "en", **values: object) -> str:
    return table()[key].filled(Language(language), **values)
