"""The verdict on a file: the first thing that is shown, whatever the file is."""

import html

from playground.checkpoints.inspect import Inspection
from playground.checkpoints.inspect.shown import shown
from playground.units import format_bytes
from ui import answer_view
from ui.words import say
from ui.xray.saying import say_sentence

MOST_NAME = 80


def verdict(inspection: Inspection, file_name: str, language: str) -> str:
    """Accepted or refused, why, and what to do instead, as HTML."""
    kind, sign, word = (
        ("tp-ok", "✓", say("xray.accepted"))
        if inspection.accepted
        else ("tp-refused", "✗", say("xray.refused"))
    )
    fit = shown(file_name)
    name = html.escape(fit if len(fit) <= MOST_NAME else f"{fit[: MOST_NAME - 1]}…", quote=False)
    size = format_bytes(inspection.file_bytes)
    said = [say_sentence(inspection.why, language)]
    if inspection.instead:
        said.append(say_sentence(inspection.instead, language))
    paragraphs = "".join(f'<div class="tp-plain">{each}</div>' for each in said)
    code = "" if inspection.accepted else f" · <code>{inspection.verdict}</code>"
    file = f'<span class="tp-muted">{name} · {size}{code}</span>'
    head = f'<div class="tp-head"><span><b>{sign} {word}</b> {file}</span></div>'
    return f'<div class="tp-outcome {kind}" role="status">{head}{paragraphs}</div>'


def remarks(inspection: Inspection, language: str) -> str:
    """What is worth knowing about an accepted file, as HTML; empty where there is nothing."""
    said = [say_sentence(each, language) for each in inspection.remarks]
    return "".join(f'<div class="tp-why">{each}</div>' for each in said)


def heading(words: str) -> str:
    """A small heading inside the answer side."""
    return answer_view.heading(say(words))
