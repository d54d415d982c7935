"""An answer of PyTorch as HTML: outcome, verdict, facts, tables, explanation."""

import base64
import html
from collections.abc import Mapping

from playground.compute.outcome import Outcome
from ui.html_escape import inline_to_html, text_to_html
from ui.language import say

Value = str | int | float | bool


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
    return f'<div class="tp-outcome {kind}">{head(judged, simulated)}{words}</div>'


def head(verdict: str, simulated: str) -> str:
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
