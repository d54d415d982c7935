"""PyTorch's words as HTML: escaped, each device in its colour, the argument they name marked.

Everything that is written into a page as HTML passes through here, and so do strangers' texts in
Markdown.
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


def device(name: str) -> str:
    """A device's name as a chip in its colour."""
    return f'<span class="tp-device {device_class(name)}">{html.escape(name)}</span>'


def quote(text: str) -> str:
    """Any text as HTML, with devices as chips and line breaks kept.

    >>> quote("on cuda:0 & <cpu>").count("tp-device")
    2
    """
    escaped = html.escape(text, quote=False)
    marked = NAMED_ARGUMENT.sub(r"<mark>\1</mark>", escaped)
    return DEVICE.sub(lambda found: device(found.group(1)), marked).replace("\n", "<br>")


def as_code(text: str) -> str:
    """A text as inline code of Markdown: nothing in it is a link or has another meaning.

    Backslashes would not do: a bare address becomes a link even where its signs are escaped.

    >>> as_code("[x](https://evil.example)"), as_code("`")
    ('`[x](https://evil.example)`', "`'`")
    """
    return f"`{' '.join(text.split()).replace('`', chr(39)) or ' '}`"


def quote_markdown(text: str) -> str:
    """A short text in which only `code` and **bold** mean something, as HTML.

    >>> quote_markdown("`a < b` is **so**")
    '<code>a &lt; b</code> is <strong>so</strong>'
    """
    parts = html.escape(text, quote=False).split("`")
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = f"<code>{part}</code>"
        else:
            bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", part)
            parts[index] = DEVICE.sub(lambda found: device(found.group(1)), bold)
    return "".join(parts)


@lru_cache(maxsize=512)
def quote_long(text: str) -> str:
    """Paragraphs in which `code`, **bold**, [links](https://…) and $LaTeX$ mean something, as HTML.

    >>> quote_long("So **it** is.")
    '<p>So <strong>it</strong> is.</p>'
    """
    return "".join(f"<p>{_rich(each)}</p>" for each in text.strip().split("\n\n"))


def _rich(text: str) -> str:
    parts, at = [], 0
    for found in RICH.finditer(text):
        parts += [quote_markdown(text[at : found.start()]), _special(found)]
        at = found.end()
    return "".join([*parts, quote_markdown(text[at:])])


def _special(found: re.Match[str]) -> str:
    if latex := found["block"] or found["formula"]:
        from latex2mathml.converter import convert  # the first page needs no formula

        return convert(latex, display="block" if found["block"] else "inline")
    if url := found["url"]:
        label = quote_markdown(found["label"])
        return f'<a href="{html.escape(url)}" target="_blank" rel="noopener">{label}</a>'
    return quote_markdown(found[0])
