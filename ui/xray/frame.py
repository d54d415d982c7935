"""The look into a file from the verdict to the network: judged first, loaded only then."""

from playground.checkpoints.fingerprint import Path
from playground.checkpoints.inspect import Inspection, disassemble
from playground.checkpoints.inspect.shown import dotted
from playground.checkpoints.parts import parts_of
from playground.errors import CheckpointTooLargeError, InvalidSpecError
from playground.modules.spec import Network
from ui import answer_view, failures
from ui.words import say
from ui.xray import contents, fitting, opcodes, verdict
from ui.xray.card import Card
from ui.xray.file import File
from ui.xray.inspecting import inspected
from ui.xray.loading import loaded
from ui.xray.strip import strip

STEPS_HEIGHT = 160


def look(card: Card, file: File, network: Network, *, is_strict: bool) -> None:
    """Show what is in a file; where it is accepted, load it in the jail and into a network.

    Args:
        card: Shows it.
        file: The file.
        network: What it is loaded into.
        is_strict: The argument of ``load_state_dict``.
    """
    place = card.place
    seen = inspected(card, file)
    inspection = seen.inspection
    language = str(card.language)
    markup = verdict.verdict(inspection, file.name, language)
    markup += verdict.remarks(inspection, language)
    if inspection.accepted:
        markup += contents.summary(inspection) + strip(inspection)
    elif seen.disassembly and seen.disassembly.forbidden:
        markup += opcodes.asked_for(seen.disassembly, language)
    place.html(f'<div class="tp-answer">{markup}</div>')
    if not inspection.accepted:
        return
    contents.draw(place, inspection, card.key("contents"))
    part = _part(card, inspection, file)
    try:
        report = loaded(card, file, inspection, network, part)
    except (InvalidSpecError, CheckpointTooLargeError) as error:
        place.html(answer_view.why(failures.sentence(error, {}).replace("`", "")))
        return
    place.html(f'<div class="tp-answer">{fitting.told(report, language)}</div>')
    if report.accepted and report.tensors:
        fitting.draw_values(place, report)
    if report.comparison:
        fitting.draw_fit(place, report.comparison, is_strict=is_strict)


def explain(card: Card, file: File) -> None:
    """Show the verdict on a file, and what its pickle would do.

    Args:
        card: Shows it.
        file: The file.
    """
    seen = inspected(card, file)
    disassembly = seen.disassembly or disassemble(file.data)
    language = str(card.language)
    markup = verdict.heading("xray.inspector")
    markup += verdict.verdict(seen.inspection, file.name, language)
    markup += opcodes.asked_for(disassembly, language)
    card.place.html(f'<div class="tp-answer">{markup}</div>')
    card.place.code(disassembly.text, language=None, wrap_lines=True, height=STEPS_HEIGHT)


def _part(card: Card, inspection: Inspection, file: File) -> Path | None:
    """Which dict of the file is put into the network, where there are several."""
    parts = parts_of(inspection)
    if len(parts) < 2:
        return None
    names = [dotted(each) or say("xray.whole") for each in parts]
    chosen = card.place.selectbox(
        say("xray.part"),
        range(len(parts)),
        format_func=lambda place: names[place],
        key=f"{card.key('part')}-{file.id}",
    )
    return parts[chosen or 0]
