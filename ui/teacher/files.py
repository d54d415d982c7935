"""The class as files to take away, made when they are asked for."""

from collections.abc import Callable

import streamlit as st

from hosting.progress.export import answers_csv, done_csv
from hosting.progress.keeper import Keeper
from hosting.progress.records import now
from hosting.progress.store import Store
from ui.words import say

MIME = "text/csv"
FILES: dict[str, Callable[[Store], bytes]] = {"answers": answers_csv, "done": done_csv}


def draw(keeper: Keeper) -> None:
    """Draw a button for each file."""
    st.subheader(say("teacher.files"), anchor=False)
    with st.container(horizontal=True, key="teacher-files"):
        for name, make in FILES.items():
            st.download_button(
                say(f"teacher.{name}-file"),
                maker(make, keeper.store),
                f"{name}-{now():%Y-%m-%d}.csv",
                MIME,
                on_click="ignore",
                key=f"teacher-{name}-file",
                icon=":material/download:",
            )


def maker(make: Callable[[Store], bytes], store: Store) -> Callable[[], bytes]:
    """What is called on a click, in another thread; Streamlit says so where there is no file."""
    return lambda: make(store)
