"""The inspection of a file on the page: first the verdict; only an accepted file is loaded."""

from playground.checkpoints.inspect import disassemble
from playground.checkpoints.inspect.results import Inspection, Path, display_path
from playground.checkpoints.load import parts_of
from playground.errors import CheckpointTooLargeError, InvalidSpecError
from playground.modules.spec import Network
from ui import error_page, html_markup
from ui.language import say
from ui.xray import compare, contents, difference, modules, text
from ui.xray.file import (
    Card,
    File,
    difference_report,
    inspection_of,
    load_report,
    uploaded,
)

STEPS_HEIGHT = 160


def look(card: Card, file: File, network: Network, *, is_strict: bool) -> None:
    """Draw the inspection of a file; if it is accepted, load it in the jail and into a network.

    Args:
        card: Shows it.
        file: The file.
        network: What it is loaded into.
        is_strict: The argument of ``load_state_dict``.
    """
    place = card.place
    seen = inspection_of(card, file)
    inspection = seen.inspection
    language = str(card.language)
    alarm = place.empty()  # above all else; what it says is known once the file is loaded
    markup = text.verdict(inspection, file.name, language)
    markup += text.remarks(inspection, language)
    if inspection.accepted:
        markup += modules.bars(inspection)
    elif seen.disassembly and seen.disassembly.forbidden:
        markup += text.pickle_steps(seen.disassembly, language)
    place.html(f'<div class="tp-answer">{markup}</div>')
    if not inspection.accepted:
        return
    tensors = contents.draw(place, inspection, card.key("contents"))
    part = _choose_part(card, inspection, file)
    try:
        report = load_report(card, file, inspection, network, part)
    except (InvalidSpecError, CheckpointTooLargeError) as error:
        place.html(html_markup.explanation(error_page.sentence(error, {}).replace("`", "")))
        return
    if markup := compare.alarm(report):
        alarm.html(f'<div class="tp-answer">{markup}</div>')
    if report.tensors:
        tensors.html(modules.rows(inspection, report.tensors))
    if markup := compare.failure(report, language):
        place.html(markup)
    if report.comparison:
        compare.draw_fit(place, report.comparison, is_strict=is_strict)


def look_beside(first: Card, file: File, card: Card) -> None:
    """Draw the field of a second file below an accepted first one, and compare the two.

    Args:
        first: The card of the first file, which was drawn already.
        file: The first file.
        card: Of the second file.

    Raises:
        UploadRefusedError: As of ``uploaded``; the first file stays.
    """
    inspection = inspection_of(first, file).inspection
    if not inspection.accepted:
        return
    place, language = card.place, str(card.language)
    second = uploaded(card, say("xray.second"))
    if second is None:
        place.html(f'<div class="tp-muted">{say("xray.second-empty")}</div>')
        return
    seen = inspection_of(card, second)
    markup = text.verdict(seen.inspection, second.name, language)
    if seen.inspection.accepted:
        inspections = inspection, seen.inspection
        report = difference_report(card, (file, second), inspections)
        markup += difference.difference(report, inspections, language)
    else:
        if seen.disassembly and seen.disassembly.forbidden:
            markup += text.pickle_steps(seen.disassembly, language)
        markup += html_markup.explanation(say("xray.second-refused"))
    place.html(f'<div class="tp-answer">{markup}</div>')


def explain(card: Card, file: File) -> None:
    """Draw the verdict on a file, and the steps of its pickle.

    Args:
        card: Shows it.
        file: The file.
    """
    seen = inspection_of(card, file)
    disassembly = seen.disassembly or disassemble(file.data)
    language = str(card.language)
    markup = text.heading("xray.inspector")
    markup += text.verdict(seen.inspection, file.name, language)
    markup += text.pickle_steps(disassembly, language)
    card.place.html(f'<div class="tp-answer">{markup}</div>')
    card.place.code(disassembly.text, language=None, wrap_lines=True, height=STEPS_HEIGHT)


def _choose_part(card: Card, inspection: Inspection, file: File) -> Path | None:
    """Return the dict that is loaded into the network; with several, draw a choice."""
    parts = parts_of(inspection)
    if len(parts) < 2:
        return None
    names = [display_path(each) or say("xray.whole") for each in parts]
    chosen = card.place.selectbox(
        say("xray.part"),
        range(len(parts)),
        format_func=lambda place: names[place],
        key=f"{card.key('part')}-{file.id}",
    )
    return parts[chosen or 0]
