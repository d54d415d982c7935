"""Which network a step is about: the lesson's own, or one that came from the builder in the link.

``network(step, default)`` is a control like those of ``ui/controls.py``. The link's parameter
``network`` belongs to the whole page; each step says for itself which one it uses. Where no network
came along, there is nothing to choose, and nothing is drawn::

    chosen = network(step, ask.DEFAULT)
    report = compute.run(ask.ReachParameter(network=chosen.to_json()))
"""

from enum import StrEnum
from functools import lru_cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.errors import InvalidSpecError
from playground.modules.spec import Network
from playground.modules.spec.link import from_link
from ui import address
from ui.lesson_header import page_of
from ui.step import Step
from ui.words import say

PARAMETER = "network"  # of the address; one for all steps of a page
FIELD = "network"
BUILDER = "blocks"
BUILDER_PARAMETER = "blocks_build_network"


class Use(StrEnum):
    """OWN: the lesson's network. YOURS: the one in the link."""

    OWN = "own"
    YOURS = "yours"


def network(step: Step, default: Network) -> Network:
    """The network of this step.

    Args:
        step: Asks with its other controls; ``network`` must not be another control's field.
        default: The lesson's own.
    """
    own = default.to_json()
    return Network.from_json(step.read(FIELD, own, lambda left: _draw(step, left, own)))


def _draw(step: Step, left: DeltaGenerator, own: str) -> str:
    link = _link(step)
    if not link:
        return own
    brought = _read(link)
    if isinstance(brought, InvalidSpecError):
        if _is_first(step, link):
            left.warning(say("network.broken-link"))
        return own
    key = step.key("network_use")
    if st.session_state.pop(step.key(FIELD), None) is not None:  # "Reset this step" was here
        st.session_state[key] = Use.OWN.value
    uses = tuple(use.value for use in Use)
    address.settle_choice(key, uses, Use.YOURS.value)
    with left.container(key=step.key("network_row"), gap="xsmall"):
        chosen = st.segmented_control(
            say("network.label"),
            uses,
            format_func=lambda use: say(f"network.{use}"),
            key=key,
            required=True,
            wrap=True,
            persist_state="session",
            on_change=step.touched,
        )
        st.page_link(
            page_of(catalog.lesson(BUILDER)),
            label=say("network.builder"),
            icon=":material/edit:",
            query_params={BUILDER_PARAMETER: link},
        )
    address.write(key, str(chosen or Use.YOURS.value), Use.YOURS.value)
    return own if chosen == Use.OWN else brought.to_json()


def _link(step: Step) -> str:
    """The link's network; it stays with the lesson for the visit, and is then in the link again."""
    kept = f"brought-{step.lesson.name}"
    link = st.query_params.get(PARAMETER, "")
    if link:
        st.session_state[kept] = link
        return link
    link = str(st.session_state.get(kept, ""))
    if link:
        st.query_params[PARAMETER] = link
    return link


def _is_first(step: Step, link: str) -> bool:
    """Whether it is for this step to tell about the link: once on a page is enough."""
    told = f"told-{step.lesson.name}-{link}"
    return bool(st.session_state.setdefault(told, step.catalog_step.id) == step.catalog_step.id)


@lru_cache(maxsize=64)
def _read(link: str) -> Network | InvalidSpecError:
    try:
        return from_link(link)
    except InvalidSpecError as error:
        return error
