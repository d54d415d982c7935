"""The inspector's sentences, verdict and pickle steps as HTML."""

import html
from collections.abc import Sequence
from dataclasses import replace

from playground.checkpoints.inspect.disassembly import Disassembly
from playground.checkpoints.inspect.results import Inspection, Sentence, Tensor, display_text
from ui import html_markup
from ui.html_markup import inline_to_html
from ui.language import say, size

FIRST_PLACEHOLDER = 0xE000  # of Unicode's private area; no sentence of ours has one
MAX_NAME_LENGTH = 80
MAX_STEPS = 12
MAX_VALUES = 4
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")


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
    file_size = size(inspection.file_bytes)
    said = [sentence_html(inspection.why, language)]
    if inspection.instead:
        said.append(sentence_html(inspection.instead, language))
    about = f"<div><b>{headline(inspection)}</b></div>" if inspection.accepted else ""
    paragraphs = "".join(f'<div class="tp-plain">{each}</div>' for each in said)
    code = "" if inspection.accepted else f" · <code>{inspection.verdict}</code>"
    file = f'<span class="tp-muted">{name} · {file_size}{code}</span>'
    head = f'<div class="tp-head"><span><b>{sign} {word}</b> {file}</span></div>'
    return f'<div class="tp-outcome {kind}">{head}{about}{paragraphs}</div>'


def headline(inspection: Inspection) -> str:
    """Format the kind of an accepted file, how much it holds, and of what; then its values."""
    structure = inspection.structure
    model = structure.model if structure else None
    at = model or ()
    tensors = [each for each in inspection.tensors if each.path[: len(at)] == at]
    parts = [say(f"xray.kind-{structure.kind}")] if structure else []
    buffers = [each for each in tensors if is_buffer(each)]
    counts = _count(tensors) - _count(buffers), _count(buffers)
    noun = "parameters" if model is not None else "numbers"
    parts.append(say(f"xray.count-{noun}", count=f"{counts[0]:,}"))
    if counts[1]:
        parts.append(say("xray.count-buffers", count=f"{counts[1]:,}"))
    dtypes = dict.fromkeys(each.dtype for each in tensors)
    parts.append(", ".join(dtypes) or "—")
    parts.append(say(f"xray.producer-{inspection.format}"))
    values = structure.values[:MAX_VALUES] if structure else ()
    parts += [f"{each.full_name} {each.text}" for each in values if each.path]
    return " · ".join(html.escape(each, quote=False) for each in parts)


def is_buffer(tensor: Tensor) -> bool:
    """Return whether a tensor is a buffer of batch normalization, by its name."""
    return bool(tensor.path) and str(tensor.path[-1]).rpartition(".")[2] in BUFFERS


def _count(tensors: Sequence[Tensor]) -> int:
    """Count the elements; tensors of the same memory count once."""
    views = {(each.storage, each.offset, each.shape, each.stride): each.numel for each in tensors}
    return sum(views.values())


def remarks(inspection: Inspection, language: str) -> str:
    """Format the remarks on an accepted file; empty if there are none."""
    said = [sentence_html(each, language) for each in inspection.remarks]
    return "".join(f'<div class="tp-why">{each}</div>' for each in said)


def heading(words: str) -> str:
    """Format a small heading."""
    return html_markup.heading(say(words))


def pickle_steps(found: Disassembly, language: str) -> str:
    """Format the pickle steps that name or call something; forbidden ones first."""
    remarked = sorted(
        (line for line in found.lines if line.remark), key=lambda line: not line.is_forbidden
    )
    rows = [
        f"<tr><td>{line.instruction.name}</td><td>{_mark(line.is_forbidden)}</td>"
        f"<td>{sentence_html(line.remark, language)}</td></tr>"
        for line in remarked[:MAX_STEPS]
        if line.remark
    ]
    names = ("opcode", "verdict", "does")
    heads = "".join(f'<th scope="col">{say(f"xray.column-{name}")}</th>' for name in names)
    table = (
        f'<div class="tp-table" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    left_out = len(remarked) - len(rows)
    more = say("xray.more-rows", count=left_out) if left_out else ""
    return html_markup.heading(say("xray.pickle")) + table + _muted(more)


def _mark(is_forbidden: bool) -> str:
    word = say("xray.forbidden") if is_forbidden else say("xray.allowed")
    return f'<span class="{"tp-miss" if is_forbidden else "tp-hit"}">{word}</span>'


def _muted(text: str) -> str:
    return f'<div class="tp-muted">{text}</div>' if text else ""
