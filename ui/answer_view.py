"""PyTorch's side of a step as HTML: outcome, verdict, facts, tables, reasons."""

import base64
import html
from collections.abc import Mapping

from playground.compute.outcome import Outcome
from ui.quoting import quote, quote_markdown
from ui.words import say

Value = str | int | float | bool


def written(value: Value | None) -> str:
    """A value as HTML: words for true, false and absent; a device as a chip."""
    if value is None:
        return f'<span class="tp-muted">{say("step.not-available")}</span>'
    if isinstance(value, bool):
        return say("step.yes") if value else say("step.no")
    if isinstance(value, float):
        return f"{value:.4g}"
    return quote(str(value))


def outcome(answer: Outcome, value: str, verdict: str, simulated: str) -> str:
    """Torch's own words in a panel: the result where it worked, the error where it refused."""
    kind, title, said = "tp-refused", f"✗ {html.escape(answer.error_type)}", answer.message
    if answer.ok:
        kind, title, said = "tp-ok", f"✓ {say('step.it-works')}", value
    judged = f"<b>{title}</b>{f' — {verdict}' if verdict else ''}"
    words = f'<div class="tp-said">{quote(said)}</div>' if said else ""
    return f'<div class="tp-outcome {kind}" role="status">{head(judged, simulated)}{words}</div>'


def head(verdict: str, simulated: str) -> str:
    """The first line of an answer: the verdict left, the badge right."""
    if not verdict and not simulated:
        return ""
    return (
        f'<div class="tp-head"><span>{verdict}</span>{badge(simulated) if simulated else ""}</div>'
    )


def badge(text: str) -> str:
    """A dotted badge: what follows is simulated."""
    return f'<span class="tp-badge">{html.escape(text)}</span>'


def heading(text: str) -> str:
    """A small heading inside the answer side."""
    return f'<div class="tp-heading">{html.escape(text)}</div>'


def why(text: str) -> str:
    """A short explanation."""
    return f'<div class="tp-why">{quote_markdown(text)}</div>'


def facts(named: Mapping[str, Value | None]) -> str:
    """A list of names and values."""
    rows = "".join(
        f"<dt>{quote_markdown(name)}</dt><dd>{written(value)}</dd>" for name, value in named.items()
    )
    return f'<dl class="tp-facts">{rows}</dl>'


def table(columns: tuple[str, ...], rows: tuple[tuple[Value | None, ...], ...]) -> str:
    """A table in a box that scrolls sideways on its own."""
    head = "".join(f'<th scope="col">{quote_markdown(name)}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{written(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="tp-table" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def picture(svg: str, alt: str) -> str:
    """A drawing as an image: Streamlit takes SVG out of what is shown as HTML."""
    if "xmlns=" not in svg:  # an image needs it, markup in a page does not
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    drawn = base64.b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{drawn}" alt="{html.escape(alt)}"'
        ' style="width:100%;max-width:560px">'
    )
