"""The server: starts the workers and the jail, freezes the imports, adds the security headers."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hosting import progress, settings, start
from playground import catalog, compute
from playground.sandbox import jail
from ui import unforeseen
from ui.middleware import SecurityHeaders


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, object]]:
    """Boot workers and jail beside the server; load what pages need before the first visit."""
    start.begin()
    progress.start(settings.current())
    compute.start(settings.current().ray_address)
    jail.start()
    catalog.lessons()
    import plotly.graph_objects  # noqa: F401 - figures need it; loaded here it is frozen below

    from ui import lesson_frame  # noqa: F401 - the same
    from ui.lab import frame  # noqa: F401 - the same

    gc.collect()
    gc.freeze()  # the garbage collector then skips what never dies: docs/decisions/0007
    try:
        yield {}
    finally:
        progress.stop()
        jail.stop()
        compute.stop()
        start.end()


async def ready(_: Request) -> JSONResponse:
    """Answer 200 once an experiment could run, 503 before."""
    is_ready = compute.status().is_ready
    return JSONResponse({"ready": is_ready}, status_code=200 if is_ready else 503)


app = st.App(
    "ui/router.py",
    lifespan=lifespan,
    routes=[Route("/api/ready", ready), *start.routes()],
    middleware=[Middleware(SecurityHeaders), *start.middleware()],
    secrets=start.secrets_of_streamlit(),
    on_script_error=unforeseen.tell,
)
