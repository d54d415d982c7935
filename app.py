"""The server: routes, middleware and the router script; ``ui.startup`` starts everything else."""

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hosting import apply_settings, operator_api, settings
from hosting.framework_internals import streamlit_session
from ui import error_page, live_poll, startup
from ui.middleware import PageDocuments, SecurityHeaders


async def ready(_: Request) -> JSONResponse:
    """Answer 200 once experiments can run and every lesson is loaded, 503 before."""
    is_ready = startup.is_ready()
    return JSONResponse({"ready": is_ready}, status_code=200 if is_ready else 503)


hosting_middleware = apply_settings.middleware()  # exits where a setting cannot be meant
streamlit_session.patch_deferred_downloads()
streamlit_session.ignore_requests_of_left_pages()
streamlit_session.send_fragments_uncached()
streamlit_session.keep_unsent_messages()
app = st.App(
    "ui/router.py",
    lifespan=startup.lifespan,
    routes=[Route("/api/ready", ready), live_poll.route(), *operator_api.routes()],
    middleware=[
        Middleware(SecurityHeaders, embedded_by=settings.current().embedded_by),
        *hosting_middleware,
        Middleware(PageDocuments),
    ],
    secrets=apply_settings.streamlit_secrets(),
    on_script_error=error_page.show_unhandled,
)
