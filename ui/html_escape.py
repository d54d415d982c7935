"""Text as HTML: escaped, each device in its colour, the argument an error names marked.

Texts with code, devices or links pass through here, and so does untrusted text in Markdown. A text
without them is escaped by ``html.escape`` where it is written.
"""

import html
import re
from functools import lru_cache

from ui.theme import device_class

DEVICE = re.compile(r"(?<![\w.+-])(cuda:[0-7]|cpu)(?!\w|\.\w|\()")
NAMED_ARGUMENT = re.compile(r"(?<=\bgot )(\w+)(?= is on )")
RICH = re.compile(
    r"`[^`]*`|\$\$(?P<block>[^$]+)\$\$|\$(?P<formula>[^$]+)\$"
    r"|\[(?P<label>[^\]]+)\]\((?P<url>https://[^\s)]+)\)"
)


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
