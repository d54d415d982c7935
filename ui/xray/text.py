"""The inspector's sentences, verdict and pickle steps as HTML."""

import html
from dataclasses import replace

from playground.checkpoints.inspect import Disassembly, Inspection, Sentence
from playground.checkpoints.inspect.verdicts import display_text
from playground.units import format_bytes
from ui import answer_html
from ui.html_escape import inline_to_html
from ui.language import say

FIRST_PLACEHOLDER = 0xE000  # of Unicode's private area; no sentence of ours has one
MAX_NAME_LENGTH = 80
MAX_STEPS = 12


def sentence_html(sentence: Sentence, language: str) -> str:
    """Format a sentence as HTML; the values in it are escaped.

    >>> sentence_html(Sentence("reasons", "encrypted", (("name", "`<b>`"),)), "en")
    'The entry “`&lt;b&gt;`” is encrypted.'
    """
    texts = {
        chr(FIRST_PLACEHOLDER + place): (name, value)
        for place, (name, value) in enumerate(sentence.values)
        if isinstance(value, str) and value
    }
    placeholders = {name: mark for mark, (name, _) in texts.items()}
    values = tuple((name, placeholders.get(name, value)) for name, value in sentence.values)
    said = inline_to_html(replace(sentence, values=values).text(language))
    return "".join(
        html.escape(texts[letter][1], quote=False) if letter in texts else letter for letter in said
    )


def verdict(inspection: Inspection, file_name: str, language: str) -> str:
    """Format the verdict: accepted or refused, why, and what to do instead."""
    kind, sign, word = (
        ("tp-ok", "✓", say("xray.accepted"))
        if inspection.accepted
        else ("tp-refused", "✗", say("xray.refused"))
    )
    fit = display_text(file_name)
    name = html.escape(
        fit if len(fit) <= MAX_NAME_LENGTH else f"{fit[: MAX_NAME_LENGTH - 1]}…", quote=False
    )
    size = format_bytes(inspection.file_bytes)
    said = [sentence_html(inspection.why, language)]
    if inspection.instead:
        said.append(sentence_html(inspection.instead, language))
    paragraphs = "".join(f'<div class="tp-plain">{each}</div>' for each in said)
    code = "" if inspection.accepted else f" · <code>{inspection.verdict}</code>"
    file = f'<span class="tp-muted">{name} · {size}{code}</span>'
    head = f'<div class="tp-head"><span><b>{sign} {word}</b> {file}</span></div>'
    return f'<div class="tp-outcome {kind}" role="status">{head}{paragraphs}</div>'


def remarks(inspection: Inspection, language: str) -> str:
    """Format the remarks on an accepted file; empty if there are none."""
    said = [sentence_html(each, language) for each in inspection.remarks]
    return "".join(f'<div class="tp-why">{each}</div>' for each in said)


def heading(words: str) -> str:
    """Format a small heading."""
    return answer_html.heading(say(words))


def pickle_steps(found: Disassembly, language: str) -> str:
    """Format the pickle steps that name or call something; forbidden ones first."""
    telling = sorted(
        (line for line in found.lines if line.remark), key=lambda line: not line.is_forbidden
    )
    rows = [
        f"<tr><td>{line.instruction.name}</td><td>{_mark(line.is_forbidden)}</td>"
        f"<td>{sentence_html(line.remark, language)}</td></tr>"
        for line in telling[:MAX_STEPS]
        if line.remark
    ]
    names = ("opcode", "verdict", "does")
    heads = "".join(f'<th scope="col">{say(f"xray.column-{name}")}</th>' for name in names)
    table = (
        f'<div class="tp-table" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    left_out = len(telling) - len(rows)
    more = say("xray.more-rows", count=left_out) if left_out else ""
    return answer_html.heading(say("xray.pickle")) + table + _muted(more)


def _mark(is_forbidden: bool) -> str:
    word = say("xray.forbidden") if is_forbidden else say("xray.allowed")
    return f'<span class="{"tp-miss" if is_forbidden else "tp-hit"}">{word}</span>'


def _muted(text: str) -> str:
    return f'<div class="tp-muted">{text}</div>' if text else ""
