"""Private parts of Streamlit that pages need: runs of the script, components, downloads.

``tests/hosting/test_streamlit_session.py`` names each part that a newer version no longer has. At
run time a missing part is logged once as a warning, and pages go on without the feature.
"""

import asyncio
import dataclasses
import functools
import hashlib
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from hosting.framework_internals import optional

if TYPE_CHECKING:
    from streamlit.runtime.media_file_manager import MediaFileManager
    from streamlit.runtime.scriptrunner import ScriptRunContext
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

_download_errors: ContextVar[list[str] | None] = ContextVar("download_errors", default=None)
_TEXT_SECONDS = 0.1  # the text of the field that a click left arrived 6 ms after the click
_RUN_SECONDS = 5.0  # a run that takes longer, e.g. one that trains, is not the answer to a text
Mount = Callable[..., object]


# -- script runs -------------------------------------------------------------------------------


def _context() -> "ScriptRunContext | None":
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    return get_script_run_ctx(suppress_warning=True)


@optional("")
def session_id() -> str:
    """Return Streamlit's id of the current session; empty outside of one."""
    context = _context()
    return context.session_id if context else ""


@optional(default=False)
def is_rerun_requested() -> bool:
    """Return whether the visitor has clicked since this run began, or has left.

    A fragment that only a timer runs again (``run_every``) is not the visitor. Without it, a click
    waits until a run in the lab or a watched experiment has ended.
    """
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

    context = _context()
    requests = context.script_requests if context else None
    if requests is None or requests._state is ScriptRequestType.CONTINUE:
        return False
    asked = requests._rerun_data  # with a click beside the timer there are two fragments, or none
    is_timer = asked.is_auto_rerun and len(asked.fragment_id_queue) == 1
    return requests._state is ScriptRequestType.STOP or not is_timer


@optional(None)
def join_requested_rerun() -> None:
    """Let the fragment that is being drawn be drawn again by the run that is waiting to begin.

    Without it, a wait that ended early for a run of other fragments would never go on.
    """
    from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

    context = _context()
    fragment = ThreadState.get().fragment_id
    if context is None or context.script_requests is None or fragment is None:
        return
    requests = context.script_requests
    with requests._lock:
        asked = requests._rerun_data
        if asked.fragment_id_queue and fragment not in asked.fragment_id_queue:
            queue = [*asked.fragment_id_queue, fragment]
            requests._rerun_data = dataclasses.replace(asked, fragment_id_queue=queue)


def rerun_fragment() -> None:
    """Rerun the current fragment; in a run of the whole page, rerun the page."""
    st.rerun(scope="fragment" if _is_in_fragment() else "app")


@optional(default=False)
def _is_in_fragment() -> bool:
    context = _context()
    return context is not None and bool(context.fragment_ids_this_run)


def rerun_fragments(*keys: str) -> None:
    """Rerun fragments by their keys; a run of the whole page, if it is one, draws them anyway.

    A callback of such a run that asked for fragments would end it, and the rest of the page were
    never drawn.
    """
    if _is_in_fragment():
        st.rerun(list(keys))


def switch_page(page: str, query: Mapping[str, str]) -> None:
    """Switch to another page with query parameters, also those bound to widgets of every page.

    ``st.switch_page`` drops a bound parameter that is not given, and refuses one that is given.
    """
    _unbind(query)
    try:
        st.switch_page(page, query_params=dict(query))
    except StreamlitAPIException:  # they are still bound
        st.switch_page(page)


@optional(None)
def _unbind(parameters: Mapping[str, str]) -> None:
    context = _context()
    if context is not None:
        with context.session_state.query_params() as known:
            for name in parameters:
                if binding := known.get_binding_for_param(name):
                    known.unbind_widget(binding.widget_id)


@optional(None)
def ignore_requests_of_left_pages() -> None:
    """Patch Streamlit to drop reruns of fragments whose page the visitor has left.

    Between the click on another page and that page's first message, the browser still asks for
    reruns of the old page, e.g. of a fragment with ``run_every``. Streamlit would forget the click,
    or run the fragment after the new page as a run of the old one; the browser then clears the
    screen, and nothing fills it again.
    """
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

    run, request = ScriptRunner._run_script, ScriptRequests._request_rerun_locked

    def run_current(runner: ScriptRunner, asked: "RerunData") -> None:
        if not _is_of_other_page(runner, asked):
            run(runner, asked)

    def request_current(requests: ScriptRequests, asked: "RerunData") -> bool:
        return _is_behind_page_switch(requests, asked) or request(requests, asked)

    ScriptRunner._run_script = run_current  # type: ignore[method-assign, assignment]
    ScriptRequests._request_rerun_locked = request_current  # type: ignore[method-assign, assignment]


@optional(default=False)
def _is_of_other_page(runner: "ScriptRunner", asked: "RerunData") -> bool:
    page = runner._pages_manager.current_page_script_hash
    return bool(asked.fragment_id_queue) and asked.page_script_hash != page


@optional(default=False)
def _is_behind_page_switch(requests: "ScriptRequests", asked: "RerunData") -> bool:
    """Return whether a fragment is asked for while a run of another page is waiting."""
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

    waiting = requests._rerun_data
    is_page = requests._state is ScriptRequestType.RERUN and not waiting.fragment_id_queue
    is_switch = is_page and asked.page_script_hash != waiting.page_script_hash
    return is_switch and bool(asked.fragment_id)


@optional(None)
def keep_unsent_messages() -> None:
    """Patch Streamlit to send what was drawn of a fragment also if the fragment is to run again.

    It would discard what it has not sent, the block around the fragment included. Where the whole
    page had been drawn, the browser then misses a block before the next one and fails with "Bad
    delta path", and the page is dead.
    """
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    clear = ForwardMsgQueue.clear

    def clear_for_page(
        queue: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        clear(queue, retain_lifecycle_msgs, None if fragment_ids_this_run is None else [])

    ForwardMsgQueue.clear = clear_for_page  # type: ignore[method-assign, assignment]


@optional(None)
def send_fragments_uncached() -> None:
    """Patch Streamlit to send what a fragment draws in full, also what the browser has cached.

    Streamlit replaces a message by its hash where the browser had it cached at the click. A run
    that ends between the click and its answer lets the browser forget messages: it then fails with
    "Cached ForwardMsg MISS", and the page is dead. A click in a fragment that is being drawn also
    makes Streamlit discard its unsent messages. One that is sent as a hash does not say to which
    fragment it belongs, so it survives; the browser then misses the block around it and fails with
    "Cannot set a node at a delta path".
    """
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

    run = ScriptRunner._run_script

    def run_uncached(runner: ScriptRunner, asked: "RerunData") -> None:
        if asked.fragment_id_queue:
            asked = dataclasses.replace(asked, cached_message_hashes=frozenset())
        run(runner, asked)

    ScriptRunner._run_script = run_uncached  # type: ignore[method-assign, assignment]


# -- components --------------------------------------------------------------------------------


def _draw_nothing(**_: object) -> None:
    """Stand in for a component that cannot be registered."""


NO_COMPONENT: Mount = _draw_nothing


@optional(NO_COMPONENT)
def register_component(
    package: str,
    name: str,
    folder: Path,
    *,
    js: str,
    css: str | None = None,
) -> Mount:
    """Return the function that mounts a component whose script is a file of this server.

    A component brings its script as text, which the browser loads from a ``blob:`` URL, or as a
    file of this server. The content security policy allows this host alone, so it is a file.
    Streamlit finds such files in installed packages; this registers a folder of ours.

    Args:
        package: Groups components that share a folder.
        name: The component.
        folder: Its subfolder ``assets`` holds the files.
        js: The script.
        css: The style sheet.
    """
    from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
    from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

    full_name = f"{package}.{name}"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(full_name) is None:
        parts = [ComponentConfig(name=name, asset_dir="assets")]
        manifest = ComponentManifest(name=package, version="1", components=parts)
        manager.register_from_manifest(manifest, folder)
    return _mounted(full_name, js, css)


@functools.cache
def _mounted(full_name: str, js: str, css: str | None) -> Mount:
    """Cache the mounting function: making it resolves the paths of its files."""
    return st.components.v2.component(full_name, js=js, css=css, isolate_styles=False)


# -- files made when their download button is pressed ------------------------------------------


def set_download_error(sentence: str) -> None:
    """Set the sentence that the browser shows if the function that makes a file raises now."""
    if (errors := _download_errors.get()) is not None:
        errors.append(sentence)


@functools.cache
@optional(None)
def patch_deferred_downloads() -> None:
    """Patch Streamlit to make the file that the visitor sees, keep it, and show our error sentence.

    A click on the button also ends the writing in a field, whose text comes just before the click
    or after it, and each run draws the button with another id: Streamlit makes the file of the
    text before, or knows no such button. Here that run ends first, and the button keeps its id.

    Streamlit deletes a file at the end of the second run of any visitor, in a class often before
    the browser has fetched it; here it stays until its own page is drawn again. The error that
    Streamlit shows is an English text that names neither a reason nor a remedy.
    """
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.backend_operation_handler import DeferredFileHandler
    from streamlit.runtime.media_file_manager import MediaFileManager

    answer, handle = AppSession._handle_backend_operation_request, DeferredFileHandler.handle
    add, make = MediaFileManager.add_deferred, MediaFileManager.execute_deferred

    async def answer_after_run(self: AppSession, request: Any) -> None:
        if request.WhichOneof("payload") == "deferred_file":
            latest = time.monotonic() + _RUN_SECONDS
            await asyncio.sleep(_TEXT_SECONDS)
            while self._scriptrunner is not None and time.monotonic() < latest:
                await asyncio.sleep(0.01)
        await answer(self, request)

    async def handle_with_sentence(self: DeferredFileHandler, request: Any, session: str) -> Any:
        errors: list[str] = []
        _download_errors.set(errors)  # in this task, whose context the thread with the file copies
        response = await handle(self, request, session)
        if response.error_msg and errors:
            response.error_msg = errors[-1]
        return response

    def add_under_lasting_id(self: MediaFileManager, *args: Any, **kwargs: Any) -> str:
        return _rename(self, file_id := add(self, *args, **kwargs)) or file_id

    def make_and_keep(self: MediaFileManager, file_id: str) -> str:
        url = make(self, file_id)
        _keep(self, file_id, url)
        return url

    AppSession._handle_backend_operation_request = answer_after_run  # type: ignore[method-assign]
    DeferredFileHandler.handle = handle_with_sentence  # type: ignore[method-assign, assignment]
    MediaFileManager.add_deferred = add_under_lasting_id  # type: ignore[method-assign]
    MediaFileManager.execute_deferred = make_and_keep  # type: ignore[method-assign]


@optional("")
def _rename(manager: "MediaFileManager", file_id: str) -> str:
    """Give a button the same id in all runs. Only who knows the id of its session can tell it."""
    with manager._lock:
        entry = manager._deferred_callables[file_id]
        session, button = entry["session_id"], entry["element_id"] or file_id
        lasting = hashlib.sha256(f"{session} {button}".encode()).hexdigest()
        manager._drop_deferred_id(file_id)
        manager._deferred_callables[lasting] = entry
        manager._deferred_ids_by_session[session].add(lasting)
        manager._files_by_session_and_coord[session][entry["coordinates"]] = lasting
    return lasting


@optional(None)
def _keep(manager: "MediaFileManager", file_id: str, url: str) -> None:
    """Note that the page with the button uses the file."""
    with manager._lock:
        entry = manager._deferred_callables.get(file_id)
        if entry and (used := manager._files_by_session_and_coord.get(entry["session_id"])):
            used[f"made by {file_id}"] = PurePosixPath(url).stem
