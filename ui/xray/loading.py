"""The file loaded in the jail, once for each file and network; what came of it is kept."""

from dataclasses import dataclass

import streamlit as st

from playground.checkpoints.fingerprint import Path
from playground.checkpoints.inspect import Inspection
from playground.checkpoints.load import LoadReport, load
from playground.modules.spec import Network
from ui.words import say
from ui.xray.card import Card
from ui.xray.file import File


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of loading, and of what; never the file itself."""

    of: tuple[object, ...]
    report: LoadReport


def loaded(
    card: Card, file: File, inspection: Inspection, network: Network, part: Path | None
) -> LoadReport:
    """Load it, or recall what came of it.

    Raises:
        PlaygroundError: The network cannot be built, or is larger than any file here.
    """
    text = network.to_json()
    of = (file.id, text, part)
    key = card.key("looked")
    kept = st.session_state.get(key)
    if isinstance(kept, Looked) and kept.of == of:
        return kept.report
    st.session_state.pop(key, None)
    place = card.place.empty()
    try:
        with place, st.spinner(say("xray.loading"), show_time=False):
            report = load(
                file.data,
                file.name,
                inspection=inspection,
                network=text,
                part=part,
                on_wait=card.wait,
            )
    finally:
        card.stop_waiting()
        place.empty()
    st.session_state[key] = Looked(of, report)
    return report
