"""The error clinic on the lab's page: the error of the day, and whose line it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import streamlit as st

from playground import catalog
from playground.lab.clinic import Case, cases, number_of
from ui import page_script
from ui.html_markup import inline_to_html, text_to_html
from ui.lab import editor
from ui.lab.session import LabSession
from ui.language import current_language, say
from ui.navigation import page_of
from ui.panel import component, plain, view
from ui.panel.component import Event

KEY, STATE = "lab-clinic", "lab-clinic-state"
NOT_HERE = ("edit", "reset", "again")  # texts of buttons


@dataclass(slots=True)
class ClinicState:
    """The state of the clinic in a visit.

    Attributes:
        day: The day of the visit, in UTC; a case does not change at midnight.
        further: How many cases after that of the day this one is.
        said: The line that was chosen, ``view.SKIPPED``, or empty.
        acknowledged: The serial number of the last event that was handled.
    """

    day: date = field(default_factory=lambda: datetime.now(UTC).date())
    further: int = 0
    said: str = ""
    acknowledged: int = 0

    @property
    def case(self) -> Case:
        """The case that is shown."""
        return cases()[number_of(self.day, self.further)]


def draw(lab: LabSession) -> None:
    """Draw one case; the body of a fragment."""
    state = st.session_state.setdefault(STATE, ClinicState())
    data = case_data(state)
    if editor.is_plain() or plain.is_chosen():
        plain.draw(str(data["key"]), data, lambda event: take(state, lab, event))
    else:
        component.draw(KEY, data, lambda: _handle(state, lab))
    if state.said:
        lesson = catalog.lesson(state.case.lesson)
        title = lesson.title.said(current_language())
        st.page_link(page_of(lesson), label=say("clinic.lesson", title=title), icon=lesson.icon)


def case_data(state: ClinicState) -> view.Data:
    """Return a case as the data of the panel; the fix and the reason only once it is answered."""
    case, language = state.case, current_language()
    error = {
        "tone": "refused",
        "title_html": f"<code>{case.error}</code>",
        "text_html": text_to_html(case.message.strip()),
    }
    lines: list[view.Data] = [
        {"number": number, "parts": ({"text": text},)}
        for number, text in enumerate(case.program.splitlines(), start=1)
    ]
    lines[case.raised - 1] |= {"mark": "failed", "answer": error}
    for line in lines[case.raised :]:
        line["mark"] = "after"
    data: view.Data = {
        "key": f"{KEY}-{case.id}",
        "acknowledged": state.acknowledged,
        "level": 3,
        "overline": say("clinic.today" if not state.further else "clinic.another-case"),
        "title": say("clinic.title"),
        "words": _words(),
        "lines": tuple(lines),
        "question": {
            "html": inline_to_html(say("clinic.question")),
            "answers": tuple(
                {"id": str(line["number"]), "html": say("lab.line", line=line["number"])}
                for line in lines
            ),
            "said": state.said if state.said != view.SKIPPED else "",
            "truth": str(case.line) if state.said else "",
            "is_open": not state.said,
        },
        "next": {"id": "next", "label": say("clinic.next"), "is_primary": bool(state.said)},
    }
    if state.said:
        lines[case.line - 1]["fix"] = {"text": case.fix}
        data["reason_html"] = f"<p>{inline_to_html(case.why.said(language))}</p>"
    return data


def _words() -> view.Data:
    texts = view.interface_words(current_language())
    kept = {name: text for name, text in texts.items() if name not in NOT_HERE}
    return {**kept, "run": say("clinic.show"), "program": say("clinic.program")}


def _handle(state: ClinicState, lab: LabSession) -> None:
    for event in component.events(KEY, state.acknowledged):
        state.acknowledged = int(event["serial"])
        take(state, lab, event)


def take(state: ClinicState, lab: LabSession, event: Event) -> None:
    """Handle one event; the first answer to a case is final."""
    match event:
        case {"type": "answer", "id": str(line)} if not state.said:
            state.said = line
        case {"type": "run"} if not state.said:
            state.said = view.SKIPPED
        case {"type": "step"}:
            state.further, state.said = state.further + 1, ""
        case {"type": "lab"}:
            _open(lab, lambda: lab.open(state.case.program))
        case {"type": "apply"} if state.said:
            _open(lab, lambda: lab.open(state.case.fixed))


def _open(lab: LabSession, do: Callable[[], None]) -> None:
    editor.sync_text(lab)
    do()
    page_script.scroll_to("lab")
    st.rerun()  # all of it: the editor is above
