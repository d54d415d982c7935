from datetime import date

import pytest
import streamlit as st

from playground.lab.clinic import cases
from ui.lab import clinic
from ui.lab.session import LabSession
from ui.panel import view

DAY = date(2026, 11, 24)


@pytest.fixture(autouse=True)
def outside_a_page(monkeypatch):
    monkeypatch.setattr(st, "rerun", lambda: None)
    monkeypatch.setattr(clinic.editor, "sync_text", lambda _: None)
    monkeypatch.setattr(clinic.page_script, "scroll_to", lambda _: None)


def test_the_fix_and_the_reason_appear_with_the_answer_only():
    state, lab = clinic.ClinicState(DAY), LabSession()
    open_text = str(clinic.case_data(state))

    clinic.take(state, lab, {"type": "answer", "id": "1"})
    clinic.take(state, lab, {"type": "answer", "id": str(state.case.line)})  # too late
    data = clinic.case_data(state)

    assert state.case.message in open_text
    assert state.case.fix not in open_text
    assert "reason_html" not in open_text
    assert data["question"]["said"] == "1"
    assert data["question"]["truth"] == str(state.case.line)
    assert data["lines"][state.case.line - 1]["fix"] == {"text": state.case.fix}


def test_the_program_and_its_fix_open_in_the_editor_and_the_next_case_is_asked():
    state, lab = clinic.ClinicState(DAY), LabSession()
    first = state.case

    clinic.take(state, lab, {"type": "apply"})  # nothing is applied before the answer
    assert lab.text == ""
    clinic.take(state, lab, {"type": "lab"})
    assert lab.text == first.program
    clinic.take(state, lab, {"type": "run"})
    clinic.take(state, lab, {"type": "apply"})
    assert (state.said, lab.text) == (view.SKIPPED, first.fixed)
    clinic.take(state, lab, {"type": "step", "id": "next"})
    assert state.said == ""
    assert state.case != first
    assert state.case in cases()
