"""A page that was left takes with it what its widgets' callbacks were given; values stay."""

import gc
import weakref

from streamlit.testing.v1 import AppTest

given = weakref.WeakSet()  # what callbacks were given, while somebody holds it


class Thing:
    """As large as a report may be."""

    def __init__(self, page: str) -> None:
        self.page = page
        given.add(self)


def script() -> None:
    import streamlit as st

    from hosting.limits import left_widgets
    from tests.hosting.test_left_widgets import Thing

    page = st.query_params.get("page", "first")
    if st.session_state.get("here") != page:
        st.session_state["here"] = page
        left_widgets.forget()
    st.number_input("kept", key=f"{page}-kept", persist_state="session")
    st.button("press", key=f"{page}-press", on_click=print, args=(Thing(page),))


def held() -> set[str]:
    gc.collect()
    return {thing.page for thing in given}


def visit(at: AppTest, page: str) -> None:
    at.query_params["page"] = page
    at.run()
    assert not at.exception


def test_only_the_last_two_pages_hold_anything_and_no_value_is_lost():
    at = AppTest.from_function(script, default_timeout=300)
    visit(at, "first")
    at.number_input(key="first-kept").set_value(7)
    at.run()

    visit(at, "second")
    at.button(key="second-press").click()
    at.run()
    assert "second" in held()

    visit(at, "third")
    assert held() <= {"second", "third"}  # a browser may send a page's values once more

    visit(at, "first")
    assert at.number_input(key="first-kept").value == 7
    assert held() <= {"third", "first"}
