"""The look into a file from the verdict to the network: judged first, loaded only then."""

from playground.checkpoints.fingerprint import Path
from playground.checkpoints.inspect import Disassembly, Inspection
from playground.checkpoints.inspect.shown import dotted
from playground.checkpoints.parts import parts_of
from playground.errors import CheckpointTooLargeError, InvalidSpecError
from playground.modules.spec import Network
from ui import answer_view, failures
from ui.step import Step
from ui.words import say
from ui.xray import contents, fitting, opcodes, verdict
from ui.xray.file import File
from ui.xray.inspecting import inspected
from ui.xray.loading import loaded
from ui.xray.strip import strip

STEPS_HEIGHT = 160


def look(step: Step, file: File, network: Network, *, is_strict: bool) -> None:
    """Show what is in a file; where it is accepted, load it in the jail and into a network.

    Args:
        step: Shows it.
        file: The file.
        network: What it is loaded into.
        is_strict: The argument of ``load_state_dict``.
    """
    place = step.place()
    if place is None:
        return
    seen = inspected(step, file)
    inspection = seen.inspection
    language = str(step.language)
    markup = verdict.verdict(inspection, file.name, language)
    markup += verdict.remarks(inspection, language)
    if inspection.accepted:
        markup += strip(inspection)
    elif seen.disassembly and seen.disassembly.forbidden:
        markup += opcodes.asked_for(seen.disassembly, language)
    place.html(f'<div class="tp-answer">{markup}</div>')
    if not inspection.accepted:
        return
    contents.draw(place, inspection, step.key("contents"))
    part = _part(step, inspection, file)
    try:
        report = loaded(step, file, inspection, network, part)
    except (InvalidSpecError, CheckpointTooLargeError) as error:
        place.html(answer_view.why(failures.sentence(error, step.words).replace("`", "")))
        return
    place.html(f'<div class="tp-answer">{fitting.told(report, language)}</div>')
    if report.accepted and report.tensors:
        fitting.draw_values(place, report)
    if report.comparison:
        fitting.draw_fit(place, report.comparison, is_strict=is_strict)


def explain(step: Step, inspection: Inspection, found: Disassembly) -> None:
    """Show the verdict on a file, and what its pickle would do.

    Args:
        step: Shows it.
        inspection: The verdict.
        found: The steps of the pickle.
    """
    place = step.place()
    if place is None:
        return
    language = str(step.language)
    markup = verdict.heading("xray.inspector")
    markup += verdict.verdict(inspection, "weights.pt", language)
    markup += opcodes.asked_for(found, language)
    place.html(f'<div class="tp-answer">{markup}</div>')
    step.printed(found.text, height=STEPS_HEIGHT)


def _part(step: Step, inspection: Inspection, file: File) -> Path | None:
    """Which dict of the file is put into the network, where there are several."""
    parts = parts_of(inspection)
    if len(parts) < 2 or step.left is None:
        return None
    names = [dotted(each) or say("xray.whole") for each in parts]
    chosen = step.left.selectbox(
        say("xray.part"),
        range(len(parts)),
        format_func=lambda place: names[place],
        key=f"{step.key('part')}-{file.id}",
    )
    return parts[chosen or 0]
