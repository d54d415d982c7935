"""The server: starts the workers and the jail, reads the lessons, adds the security headers."""

import asyncio
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
from ui import deferred, first_page, rerun, rest, unforeseen
from ui.middleware import SecurityHeaders


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, object]]:
    """Start workers and jail beside the server; load after them what the first page needs not."""
    start.begin()
    progress.start(settings.current())
    compute.start(settings.current().ray_address, after=first_page.wait)
    catalog.lessons()
    loading = asyncio.create_task(rest.load())
    try:
        yield {}
    finally:
        loading.cancel()
        progress.stop()
        jail.stop()
        compute.stop()
        start.end()


async def ready(_: Request) -> JSONResponse:
    """Answer 200 once an experiment could run and every lesson is loaded, 503 before."""
    is_ready = compute.status().is_ready and rest.is_loaded()
    return JSONResponse({"ready": is_ready}, status_code=200 if is_ready else 503)


deferred.install()
rerun.ignore_left_pages()
app = st.App(
    "ui/router.py",
    lifespan=lifespan,
    routes=[Route("/api/ready", ready), *start.routes()],
    middleware=[Middleware(SecurityHeaders), *start.middleware()],
    secrets=start.secrets_of_streamlit(),
    on_script_error=unforeseen.tell,
)
