"""The builder below the program of its step: controls left, what PyTorch makes of it right."""

from typing import Any, Protocol

import streamlit as st

from playground import catalog, compute
from playground.errors import InvalidSpecError
from playground.modules.forward_trace import ForwardTrace
from playground.modules.spec import Network
from playground.modules.spec.link import to_link
from playground.modules.spec.starts import READY, STARTS
from playground.steps import Answer, Step
from ui import language
from ui.builder.answer import show_details, show_mend
from ui.builder.bench import Bench, Card
from ui.builder.controls import show_controls
from ui.network import BUILDER_PARAMETER

SIDES = (5, 7)
SKIPPED = "skipped"  # as the panel notes a program that was run without a prediction
FIELD, START = "network", "start"


class State(Protocol):
    """What a visit knows of the step; an edit gives it other settings."""

    step: Step
    said: dict[Step, str]


def follow_old_link() -> None:
    """Lead a link of before, in which the builder had a parameter of its own, to its step."""
    if link := st.query_params.get(BUILDER_PARAMETER):
        del st.query_params[BUILDER_PARAMETER]
        st.query_params["step"] = "build"
        st.query_params[FIELD] = link


def draw(name: str, state: State, words: catalog.StepWords, answer: Answer | None) -> None:
    """Draw the builder.

    Args:
        name: In front of the keys of its widgets.
        state: Of the step, whose fields are ``network`` and ``start``.
        words: The words of the step.
        answer: None before it is shown.
    """
    step: Any = state.step
    kind: Any = type(step)
    tongue = language.current()

    def run(network: Network) -> ForwardTrace:
        trace: ForwardTrace = compute.run(with_network(step, network)).data.trace
        return trace

    def adopt(network: Network) -> None:
        state.step = with_network(state.step, network)
        if state.said:  # the question was answered before: an edit does not ask it again
            state.said.setdefault(state.step, SKIPPED)

    left, right = st.columns(SIDES, gap="medium")
    card = Card(
        name,
        {each: text.said(tongue) for each, text in words.labels.items()},
        {each: text.said(tongue) for each, text in words.options[START].items()},
        left,
        right,
    )
    try:
        trace = run(step.spec)
    except InvalidSpecError as error:  # a link to what cannot be built
        state.step = default = kind()
        state.said.pop(step, None)
        if FIELD in st.query_params:
            del st.query_params[FIELD]
        bench = Bench(card, READY, default.spec, run, adopt)
        bench.refuse(error)
        st.rerun()
    bench = Bench(card, READY, step.spec, run, adopt)
    show_controls(bench, compute.run(kind.layers()), trace)
    if answer is not None:
        show_mend(bench, trace)
        show_details(bench, answer.data, step.program_as_class())


def with_network(step: Any, network: Network) -> Step:
    """The settings with a network; a ready-made one by its name.

    Raises:
        InvalidSpecError: It is too long for a link.
    """
    ready = next((name for name, each in READY.items() if each == network), None)
    values = (
        {START: ready, FIELD: ""} if ready else {FIELD: to_link(network), START: next(iter(STARTS))}
    )
    changed: Step = type(step).of(values)
    return changed
