"""Texts, values and PyTorch's answers as HTML: escaped, each device in its colour.

Texts with code, devices or links pass through here, and so does untrusted text in Markdown. A text
without them is escaped by ``html.escape`` where it is written. The argument that an error names is
marked. An answer has an outcome, facts, tables and an explanation.
"""

import base64
import html
import re
from collections.abc import Mapping
from functools import lru_cache

from playground.errors import Outcome
from ui.language import say
from ui.theme import device_class

DEVICE = re.compile(r"(?<![\w.+-])(cuda:[0-7]|cpu)(?!\w|\.\w|\()")
NAMED_ARGUMENT = re.compile(r"(?<=\bgot )(\w+)(?= is on )")
RICH = re.compile(
    r"`[^`]*`|\$\$(?P<block>[^$]+)\$\$|\$(?P<formula>[^$]+)\$"
    r"|\[(?P<label>[^\]]+)\]\((?P<url>https://[^\s)]+)\)"
)
Value = str | int | float | bool


def device_chip(name: str) -> str:
    """Format a device's name as a chip in its colour."""
    return f'<span class="tp-device {device_class(name)}">{html.escape(name)}</span>'


def text_to_html(text: str) -> str:
    """Escape any text as HTML, with devices as chips; line breaks are kept.

    >>> text_to_html("on cuda:0 & <cpu>").count("tp-device")
    2
    """
    escaped = html.escape(text, quote=False)
    marked = NAMED_ARGUMENT.sub(r"<mark>\1</mark>", escaped)
    return DEVICE.sub(lambda found: device_chip(found.group(1)), marked).replace("\n", "<br>")


def as_code(text: str) -> str:
    """Format a text as inline code of Markdown, so that nothing in it is markup or a link.

    Backslashes would not do: a bare address becomes a link even where its signs are escaped.

    >>> as_code("[x](https://evil.example)"), as_code("`")
    ('`[x](https://evil.example)`', "`'`")
    """
    return f"`{' '.join(text.split()).replace('`', chr(39)) or ' '}`"


def inline_to_html(text: str) -> str:
    """Convert a short text with `code` and **bold** to HTML; anything else is escaped.

    >>> inline_to_html("`a < b` is **so**")
    '<code>a &lt; b</code> is <strong>so</strong>'
    """
    parts = html.escape(text, quote=False).split("`")
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = f"<code>{part}</code>"
        else:
            bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", part)
            parts[index] = DEVICE.sub(lambda found: device_chip(found.group(1)), bold)
    return "".join(parts)


@lru_cache(maxsize=512)
def markdown_to_html(text: str) -> str:
    """Convert paragraphs with `code`, **bold**, [links](https://…) and $LaTeX$ to HTML.

    >>> markdown_to_html("So **it** is.")
    '<p>So <strong>it</strong> is.</p>'
    """
    return "".join(f"<p>{_line_to_html(each)}</p>" for each in text.strip().split("\n\n"))


def value_html(value: Value | None) -> str:
    """Format a value as HTML: words for true, false and absent; a device as a chip."""
    if value is None:
        return f'<span class="tp-muted">{say("step.not-available")}</span>'
    if isinstance(value, bool):
        return say("step.yes") if value else say("step.no")
    if isinstance(value, float):
        return f"{value:.4g}"
    return text_to_html(str(value))


def outcome(answer: Outcome, value: str, verdict: str, simulated: str) -> str:
    """Format PyTorch's result, or its error, as a box."""
    kind, title, said = "tp-refused", f"✗ {html.escape(answer.error_type)}", answer.message
    if answer.ok:
        kind, title, said = "tp-ok", f"✓ {say('step.it-works')}", value
    judged = f"<b>{title}</b>{f' — {verdict}' if verdict else ''}"
    words = f'<div class="tp-said">{text_to_html(said)}</div>' if said else ""
    return f'<div class="tp-outcome {kind}">{answer_head(judged, simulated)}{words}</div>'


def answer_head(verdict: str, simulated: str) -> str:
    """Format the first line of an answer: the verdict left, the badge right."""
    if not verdict and not simulated:
        return ""
    return (
        f'<div class="tp-head"><span>{verdict}</span>{badge(simulated) if simulated else ""}</div>'
    )


def badge(text: str, *, is_simulated: bool = True) -> str:
    """Format the badge of a machine; a dotted border marks a simulated one."""
    kind = "tp-badge tp-simulated" if is_simulated else "tp-badge"
    return f'<span class="{kind}">{html.escape(text)}</span>'


def heading(text: str) -> str:
    """Format a small heading."""
    return f'<div class="tp-heading">{html.escape(text)}</div>'


def explanation(text: str) -> str:
    """Format a short explanation."""
    return f'<div class="tp-why">{inline_to_html(text)}</div>'


def facts(named: Mapping[str, Value | None]) -> str:
    """Format names and values as a list."""
    rows = "".join(
        f"<dt>{inline_to_html(name)}</dt><dd>{value_html(value)}</dd>"
        for name, value in named.items()
    )
    return f'<dl class="tp-facts">{rows}</dl>'


def table(columns: tuple[str, ...], rows: tuple[tuple[Value | None, ...], ...]) -> str:
    """Format a table in a box that scrolls sideways."""
    head = "".join(f'<th scope="col">{inline_to_html(name)}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{value_html(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="tp-table" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def picture(svg: str, alt: str) -> str:
    """Format a drawing as an image; Streamlit removes SVG from HTML."""
    if "xmlns=" not in svg:  # an image needs it, markup in a page does not
        root = '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"'
        svg = svg.replace("<svg", root, 1)
    drawn = base64.b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{drawn}" alt="{html.escape(alt)}"'
        ' style="width:100%;max-width:560px">'
    )


def _line_to_html(text: str) -> str:
    parts, at = [], 0
    for found in RICH.finditer(text):
        parts += [inline_to_html(text[at : found.start()]), _special_to_html(found)]
        at = found.end()
    return "".join([*parts, inline_to_html(text[at:])])


def _special_to_html(found: re.Match[str]) -> str:
    if latex := found["block"] or found["formula"]:
        from latex2mathml.converter import convert  # the first page needs no formula

        return convert(latex, display="block" if found["block"] else "inline")
    if url := found["url"]:
        label = inline_to_html(found["label"])
        return f'<a href="{html.escape(url)}" target="_blank" rel="noopener">{label}</a>'
    return inline_to_html(found[0])
