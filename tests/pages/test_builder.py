"""The page of the builder: it opens in both languages, from links, and refuses bad ones."""

import pytest

from playground.modules.spec.link import to_link
from playground.modules.spec.starts import STARTS
from tests.pages import app
from ui.builder import page
from ui.builder.page import STATE

pytestmark = pytest.mark.usefixtures("inline")


def visit(where="builder", **query):
    at = app.visit(where, **{"lang": "en", "machine": "simulated", **query})
    assert not at.exception
    return at


def state_of(**query):
    return visit(**query).session_state[STATE]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_opens_with_a_network(language):
    at = visit(lang=language)
    assert at.session_state[STATE].network == STARTS["lenet"]
    assert not at.warning


def test_a_link_and_a_start_bring_their_network_and_undo_brings_the_old_one_back():
    state = state_of(network=to_link(STARTS["gpt"]))
    assert state.network == STARTS["gpt"]
    assert state_of(start="unet").network == STARTS["unet"]
    state.go(-1)
    assert state.network == STARTS["lenet"]


@pytest.mark.parametrize("event", ["show", "run"])
def test_a_link_without_the_answer_holds_it_back_until_it_is_asked_for(monkeypatch, event):
    state = state_of(network=to_link(STARTS["mlp"]), answer="hidden")
    assert state.is_held_back
    assert not state_of(start="unet").is_held_back

    monkeypatch.setattr(page.panel, "events", lambda *_: [{"type": event, "serial": 1}])
    page.handle_events(state)
    assert not state.is_held_back


@pytest.mark.parametrize("link", ["☃", "eJy", "A" * 5000, to_link(STARTS["gpt"])[:-9]])
def test_a_damaged_link_is_refused_and_the_network_stays(link):
    state = state_of(network=link)
    assert state.network == STARTS["lenet"]
    assert state.notice is not None


def test_the_step_of_the_lesson_opens_the_builder_with_its_tasks():
    at = visit("blocks", step="build", network=to_link(STARTS["unet"]))
    links = [each.proto.query_string for each in at.get("page_link")]
    assert any("task=fits_at_last" in each and "start=broken" in each for each in links)
    assert any(to_link(STARTS["unet"]) in each for each in links)
