"""The address that Prometheus reads."""

import functools

import anyio.to_thread
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from hosting import settings
from hosting.entitled import is_operator
from hosting.metrics.states import States
from hosting.metrics.times import REGISTRY

NOT_KEPT = {"cache-control": "no-store"}


async def answer(request: Request) -> Response:
    """All metrics as text, for the operator; 401 for anybody else."""
    if not is_operator(request.scope, settings.current()):
        return PlainTextResponse("", 401, {**NOT_KEPT, "www-authenticate": "Bearer"})
    text = await anyio.to_thread.run_sync(_read)  # the driver takes its time
    return Response(text, headers={**NOT_KEPT, "content-type": CONTENT_TYPE_LATEST})


def _read() -> bytes:
    _watch()
    return generate_latest(REGISTRY)


@functools.cache
def _watch() -> None:
    REGISTRY.register(States())
