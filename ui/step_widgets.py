"""Widgets below the program of a step: the visitor's own points, a chart, files and downloads.

Points are a table or a CSV file, beside the clicks into the picture. The chart is drawn by plotly;
the panel keeps a place for it in its card, and the style sheet puts it there. A browser loads
plotly.js with the first chart. A lesson is exported as a Python file or a notebook.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hosting.framework_internals import streamlit_session
from playground import catalog, compute, export
from playground.compute.settings import Settings
from playground.errors import InvalidSettingError, PlaygroundError
from playground.lessons.training import own_points
from playground.machines import Machine
from playground.modules.spec import Network
from playground.steps import Answer, Files, Step, WriteFile, load_step
from ui import error_page, machine_picker, step_state, theme
from ui.html_markup import inline_to_html
from ui.language import current_language, say, translate_uploader
from ui.navigation import PAGES
from ui.page_state import PageState, handle_event
from ui.panel import controls, view
from ui.url_state import NETWORK

MIME_OF_FILES = "application/octet-stream"
MAX_POINTS_MEBIBYTES = 1  # what the field takes; the text itself is bounded by its characters
CHART_SLOT = "slot-chart"
CHART_CONFIG = {"displayModeBar": False, "scrollZoom": False}


class FileReport(Protocol):
    """The report of settings that make a file."""

    @property
    def data(self) -> bytes:
        """The file's bytes."""


@dataclass(slots=True)
class DownloadStatus:
    """The error of the last download, which the next drawing shows as a sentence."""

    error: PlaygroundError | None = None


def draw_points(page: PageState) -> None:
    """Draw the table and the field for a file, where the step takes points."""
    step = page.steps[page.current].step
    name = controls.points_field(step)
    if not name:
        return
    key, text = f"{page.key}-{page.current}-points", getattr(step, name)
    table = own_points.to_table(own_points.parse(text))
    with st.expander(say("panel.points_table"), key=key):
        st.caption(say("panel.points_note"))
        with st.form(f"{key}-form", border=False):
            given = st.text_area(
                say("panel.points_rows", most=own_points.MAX_POINTS),
                table,
                key=f"{key}-{hash(text)}",
                max_chars=own_points.MAX_CHARACTERS,
            )
            is_sent = st.form_submit_button(say("panel.points_use"))
        file = st.file_uploader(
            say("panel.points_csv"),
            ["csv", "txt"],
            max_upload_size=MAX_POINTS_MEBIBYTES,
            key=f"{key}-file",
        )
        translate_uploader(st.container(), MAX_POINTS_MEBIBYTES)
        try:
            if is_sent:
                use_points(page, name, given)
            elif file is not None and st.session_state.get(f"{key}-taken") != file.file_id:
                st.session_state[f"{key}-taken"] = file.file_id
                use_points(page, name, read_points_file(name, file.name, file.getvalue()))
        except InvalidSettingError as error:
            labels = view.labels_of(page.lesson.step(page.current), current_language())
            st.warning(error_page.sentence(error, labels))


def read_points_file(field: str, name: str, content: bytes) -> str:
    """Return the text of a file.

    Raises:
        InvalidSettingError: It is no text, or too long.
    """
    try:
        text = content[: 4 * own_points.MAX_CHARACTERS + 1].decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text or len(text) > own_points.MAX_CHARACTERS:
        most = own_points.MAX_CHARACTERS
        raise InvalidSettingError("points_file", field=field, given=name, most=most)
    return text


def use_points(page: PageState, name: str, text: str) -> None:
    """Use points, and draw the step with them.

    Raises:
        InvalidSettingError: The text has a row that is no point.
    """
    value = own_points.to_text(own_points.parse(text, name))
    handle_event(page, {"type": "change", "field": name, "value": value})
    st.rerun(scope="fragment")


def has_chart(page: PageState) -> bool:
    """Return whether the current answer has a chart."""
    is_drawn = type(page.steps[page.current].step).chart is not Step.chart
    return is_drawn and page.answer is not None and not page.is_home


def draw_chart(page: PageState) -> None:
    """Draw the chart of the current answer, with the answer before it in this visit."""
    answer = page.answer
    if answer is None or not has_chart(page):
        return
    from plotly.graph_objects import Figure  # no page needs it before

    state, words = page.steps[page.current], page.lesson.step(page.current)
    language = current_language()
    earlier = state.shown[0][1] if len(state.shown) > 1 else None
    labels, said = view.labels_of(words, language), state.said.get(state.step, "")
    spec = state.step.chart(answer.data, earlier, labels, theme.palette(), said)
    if spec is None:
        return
    st.container(key=CHART_SLOT).plotly_chart(
        Figure(spec),
        theme=None,
        config=CHART_CONFIG,
        key=f"{page.key}-{page.current}-chart",
        alt=words.words.alts["chart"].filled(language, **answer.values),
    )


def draw_files(name: str, step: Step, answer: Answer | None) -> None:
    """Draw the files of a step and its link to the builder.

    Args:
        name: Prefix of the widgets' keys, made of the lesson and the step.
        step: The settings.
        answer: None before it is shown.
    """
    field = controls.network_field(step)
    if link := getattr(step, field) if field else "":
        st.page_link(
            PAGES / "builder.py",
            label=say("network.builder"),
            icon=":material/edit:",
            query_params={NETWORK: link},
        )
    files = step.files()
    if files is None:
        return
    if files.inspected and (answer or files.takes_upload):
        try:
            _inspect(name, files, answer)
        except PlaygroundError as error:
            st.warning(error_page.sentence(error, {}))
    if answer is None:
        return
    made = (*(WriteFile(of=step, file_name=each) for each in files.downloads), *files.more)
    if made:
        draw_downloads(st.container(), name, made)


def file_maker(
    settings: Settings[FileReport], status: DownloadStatus, sentence: str
) -> Callable[[], bytes]:
    """Return a function that makes a file; Streamlit calls it in another thread, without a run.

    Args:
        settings: They make the file.
        status: Gets the error if there is none.
        sentence: Shown beside the button then.
    """

    def make() -> bytes:
        status.error = None
        try:
            return compute.run(settings).data
        except PlaygroundError as error:
            status.error = error
            streamlit_session.set_download_error(sentence)
            raise

    return make


def draw_downloads(place: DeltaGenerator, name: str, files: Iterable[Settings[Any]]) -> None:
    """Draw a download button for each file; a file is made on the click.

    Args:
        place: The container of the buttons.
        name: Prefix of their keys.
        files: Settings, each with the ``file_name`` of the file that it makes.
    """
    statuses: list[DownloadStatus] = []
    with place.container(horizontal=True, gap="small", key=f"{name}_downloads"):
        for number, settings in enumerate(files):
            key = f"{name}_download-file{number}"
            status = st.session_state.setdefault(f"{key}-note", DownloadStatus())
            statuses.append(status)
            file_name = str(cast("Any", settings).file_name).rpartition("/")[2]
            st.download_button(
                say("download.file", name=file_name),
                file_maker(settings, status, say("download.not-made")),
                file_name,
                MIME_OF_FILES,
                on_click="ignore",
                key=key,
                icon=":material/download:",
            )
    for status in statuses:
        if status.error:
            failed = say("download.failed", why=error_page.sentence(status.error, {}))
            place.html(f'<div class="tp-muted">{inline_to_html(failed)}</div>')


def draw_export(page: PageState) -> None:
    """Draw the buttons of a lesson's export, whose files are made on a click.

    They hold the lesson's programs with the settings on the screen.
    """
    machine, language = machine_picker.current(), current_language()
    name, title = page.lesson.name, page.lesson.title.said(language)
    note = say(
        "app.export-simulated" if machine.is_simulated else "app.export-real",
        gpus=machine.gpus,
        memory=f"{machine.memory_gib:g}",
    )
    restart, cuda = say("app.export-restart"), say("app.export-cuda")

    def script() -> str:  # called on a click, in another thread, without a Streamlit run
        steps = shown_steps(page, machine, language)
        notes = f"{note} {cuda}" if any(step.needs_cuda for step in steps) else note
        return export.as_script(title, steps, note=notes)

    def notebook() -> str:
        steps = shown_steps(page, machine, language)
        return export.as_notebook(title, steps, note=note, restart_note=restart, cuda_note=cuda)

    with st.popover(say("app.export"), key="take-away"):
        st.caption(say("app.export-note"))
        with st.container(horizontal=True):
            st.download_button(
                say("app.as-script"),
                script,
                f"{name}.py",
                "text/x-python",
                on_click="ignore",
                key="take-away-script",
            )
            st.download_button(
                say("app.as-notebook"),
                notebook,
                f"{name}.ipynb",
                "application/x-ipynb+json",
                on_click="ignore",
                key="take-away-notebook",
            )


def shown_steps(
    page: PageState, machine: Machine, language: catalog.Language
) -> list[export.ShownStep]:
    """Return every step with its program and, where it was run, its answer."""
    shown = []
    for words in page.lesson.steps:
        state = page.steps.get(words.id)
        default = load_step(page.lesson.name, words.id)()
        step = step_state.on_machine(state.step if state else default, machine)
        is_known = state is not None and step in state.said
        try:
            lines = compute.run(step).lines if is_known else ()
        except PlaygroundError:  # then the program is exported without its answer
            lines = ()
        shown.append(
            export.ShownStep(
                id=words.id,
                title=words.title.said(language),
                prose=export.without_line_numbers(words.prose.said(language)),
                program=step.program(),
                lines=lines,
            )
        )
    return shown


def _inspect(name: str, files: Files, answer: Answer | None) -> None:
    """Inspect the uploaded file, or else the one that the program wrote."""
    from ui import xray  # one step shows it; the first page does without

    card = xray.Card(name, current_language(), st.container(key=f"{name}_inspected"))
    file = xray.uploaded(card) if files.takes_upload else None
    if file is None:
        if answer is None:
            return
        file = xray.File(files.inspected, answer.file, f"{hash(answer.file)}")
    if files.network:
        network = Network.from_json(files.network)
        xray.look(card, file, network, is_strict=files.is_strict)
        if files.takes_upload:
            second = f"{name}_second"
            place = st.container(key=f"{second}_inspected")  # a refused file hides its own card
            xray.look_beside(card, file, xray.Card(second, card.language, place))
    else:
        xray.explain(card, file)
