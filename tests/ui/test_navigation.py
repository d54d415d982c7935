import base64
import hashlib

import pytest
from starlette.responses import HTMLResponse, JSONResponse
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from hosting import settings
from hosting.settings import Gate, Settings
from ui.middleware import PageDocuments, content_security_policy


def page() -> None:
    from ui import navigation

    navigation.draw_logout_link()


@pytest.mark.parametrize(
    ("chosen", "links"), [(Settings(), 0), (Settings(gate=Gate.CODE, class_code="gradients"), 1)]
)
def test_the_way_out_is_there_where_there_is_a_gate(monkeypatch, chosen, links):
    monkeypatch.setattr(settings, "current", lambda: chosen)
    drawn = AppTest.from_function(page, default_timeout=300).run()
    assert not drawn.exception
    found = [each for each in drawn.get("html") if 'href="/door"' in each.proto.body]
    assert len(found) == links


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/", 200, '<html lang="en">'),
        ("/tensors?step=fix&lang=zh", 200, '<html lang="zh-CN">'),
        ("/lab", 200, "location.origin"),
        ("/Tensors?lang=zh", 307, "/tensors?lang=zh"),
        ("/tensors/extra", 307, "/tensors"),
        ("/home", 307, "/"),
        ("/nosuch?lang=zh", 404, "这个地址没有页面"),
        ("/nosuch/extra", 404, "There is no page at this address"),
        ("/static/index.js", 200, "frontend"),
        ("/other.json", 200, "frontend"),
    ],
)
def test_an_address_without_a_page_leads_to_one(path: str, status: int, told: str) -> None:
    frontend = HTMLResponse("frontend")  # Streamlit answers every path with it
    answer = TestClient(PageDocuments(frontend)).get(path, follow_redirects=False)
    assert answer.status_code == status
    assert told in answer.headers.get("location", answer.text)


def test_the_document_names_the_server_in_the_script_that_the_policy_allows() -> None:
    answer = TestClient(PageDocuments(HTMLResponse("frontend"))).get("/tensors")
    script = answer.text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "BACKEND_BASE_URL" in script
    assert f"'sha256-{digest}'" in content_security_policy()


def test_what_is_no_page_is_left_as_it_is() -> None:
    answer = TestClient(PageDocuments(JSONResponse({"ready": True}))).get("/api/ready")
    assert answer.json() == {"ready": True}
