"""Figures and progress bars of a run as HTML; all they hold is untrusted."""

import base64
import html
from collections.abc import Iterable

from playground.sandbox.live import Bar
from playground.sandbox.picture import Picture
from ui.language import say


def picture_html(picture: Picture) -> str:
    """Format a figure as an image on white, as a notebook shows it on any page."""
    caption = picture.caption
    alt = say(
        "lab.figure-alt",
        title=caption.title or say("lab.untitled"),
        labels=", ".join(caption.labels) or say("lab.untitled"),
    )
    encoded = base64.b64encode(picture.png).decode()
    under = "" if caption.line is None else say("lab.line", line=caption.line)
    return (
        f'<figure class="tp-figure"><img src="data:image/png;base64,{encoded}"'
        f' width="{picture.width}" height="{picture.height}" alt="{html.escape(alt)}">'
        f"<figcaption>{html.escape(under)}</figcaption></figure>"
    )


def bars_html(bars: Iterable[Bar]) -> str:
    """Format progress bars, each with its count."""
    return "".join(map(_bar_html, bars))


def _bar_html(bar: Bar) -> str:
    done = f"{bar.done:,}" if bar.total is None else f"{bar.done:,} / {bar.total:,}"
    label = html.escape(bar.label)
    fraction = bar.fraction
    value = "" if fraction is None else f' value="{fraction:.4f}"'
    part = "" if fraction is None else f"{fraction:.0%} · "
    name = html.escape(bar.label or say("lab.bar"))
    return (
        f'<div class="tp-bar"><span>{label}</span>'
        f'<progress max="1"{value} aria-label="{name}"></progress><span>{part}{done}</span></div>'
    )
