"""The yardstick: an empty Streamlit page, served and tuned as the playground is."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, object]]:
    """Freeze what was imported, as the playground does."""
    gc.collect()
    gc.freeze()
    yield {}


app = st.App(str(Path(__file__).with_name("page.py")), lifespan=lifespan)
