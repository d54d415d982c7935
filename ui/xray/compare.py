"""A loaded file: the warning about NaN, and the comparison with a network's keys."""

import html

from streamlit.delta_generator import DeltaGenerator

from playground.checkpoints.keys import Fit, KeyRow, Shape, extra_prefix, tolerated_missing
from playground.checkpoints.load import LoadReport
from playground.checkpoints.load_results import Attempt, Cast, Comparison, Output
from ui import html_markup
from ui.language import say, size
from ui.xray import contents, modules
from ui.xray.contents import Cell
from ui.xray.text import sentence_html

FIRST = 4


def alarm(report: LoadReport) -> str:
    """Format a warning about NaN and infinities, with the first tensors that hold them."""
    odd = [each for each in report.tensors if modules.is_odd(each)]
    missed = sum(each.statistics is None for each in report.tensors)
    said = []
    if odd:
        found = [each.statistics for each in odd if each.statistics]
        count = sum(each.nans + each.infinities for each in found)
        names = ", ".join(modules.tensor_name(each.name) for each in odd[:FIRST])
        more = f" + {len(odd) - FIRST}" if len(odd) > FIRST else ""
        said.append(f"<b>⚠ {say('xray.odd', count=f'{count:,}')}</b>")
        said.append(f"<code>{html.escape(names)}</code>{more}")
    if report.accepted and missed:
        said.append(say("xray.unmeasured", count=missed))
    kind = "tp-outcome tp-refused" if odd else "tp-why"
    lines = "".join(f"<div>{each}</div>" for each in said)
    return f'<div class="{kind}" role="alert">{lines}</div>' if said else ""


def failure(report: LoadReport, language: str) -> str:
    """Format why a file was not loaded; empty if it was."""
    if report.accepted:
        return ""
    said = sentence_html(report.why, language)
    if report.instead:
        said = f"{said} {sentence_html(report.instead, language)}"
    return f'<div class="tp-answer"><div class="tp-why">{said}</div></div>'


def attempt_of(comparison: Comparison, *, is_strict: bool) -> Attempt:
    """Return the attempt with the visitor's value of ``strict``."""
    return comparison.strict if is_strict else comparison.lenient


def draw_fit(place: DeltaGenerator, comparison: Comparison, *, is_strict: bool) -> None:
    """Draw PyTorch's answer, the keys, those that do not fit first, and both outputs."""
    attempt = attempt_of(comparison, is_strict=is_strict)
    counts = comparison.counts
    if not counts.fits and not counts.size_mismatch:
        none = say("xray.none-fits", count=counts.unexpected + counts.no_tensor)
        said = html_markup.explanation(f"{none}{_prefix_note(comparison)}")
        place.html(f'<div class="tp-answer">{html_markup.heading(say("xray.fit"))}{said}</div>')
        return
    call = f"load_state_dict(…, strict={is_strict})"
    facts = {
        "fits": counts.fits,
        "missing": counts.missing,
        "unexpected": counts.unexpected,
        "size_mismatch": counts.size_mismatch,
        "no_tensor": counts.no_tensor,
    }
    named_facts = {say(f"xray.fact-{name}"): count for name, count in facts.items() if count}
    named_facts[say("xray.fact-loaded")] = attempt.loaded
    place.html(
        '<div class="tp-answer tp-tall">'
        + html_markup.heading(say("xray.fit"))
        + html_markup.outcome(attempt.outcome, call, "", "")
        + html_markup.facts(named_facts)
        + (html_markup.explanation(note) if (note := _prefix_note(comparison)) else "")
        + "".join(map(_cast_note, comparison.casts))
        + _optional_keys_note(comparison)
        + _outputs(comparison.before, attempt)
        + "</div>"
    )
    _draw_keys(place, comparison)


def _draw_keys(place: DeltaGenerator, comparison: Comparison) -> None:
    is_open = not comparison.counts.all_fit
    with place.expander(say("xray.keys"), expanded=is_open):
        contents.table(("name", "in_network", "in_file", "fit"), comparison.rows, _key)


def _prefix_note(comparison: Comparison) -> str:
    """Say that names fit without a prefix, and how to strip it; empty where that does not help."""
    found = extra_prefix(comparison.rows)
    if not found:
        return ""
    prefix, count = found
    line = f'{{name.removeprefix("{prefix}"): each for name, each in state.items()}}'
    return " " + say("xray.prefix", prefix=prefix, count=count, line=line)


def _cast_note(cast: Cast) -> str:
    """Say what loading converts to another data type, and what that changes."""
    names = {"file": cast.file_dtype, "network": cast.network_dtype}
    sizes = {"before": size(cast.file_bytes), "after": size(cast.network_bytes)}
    said = [say("xray.cast", tensors=cast.tensors, **names, **sizes)]
    if cast.rounded:
        error = modules.short(cast.largest_error)
        counts = {"rounded": f"{cast.rounded:,}", "numbers": f"{cast.numbers:,}"}
        said.append(say("xray.cast-rounded", error=error, **counts))
    else:
        is_wider = cast.network_bytes > cast.file_bytes
        said.append(say("xray.cast-wider" if is_wider else "xray.cast-exact", **names))
    if cast.infinite:
        said.append(say("xray.cast-infinite", count=f"{cast.infinite:,}", **names))
    return html_markup.explanation(" ".join(said).replace("。 ", "。"))


def _optional_keys_note(comparison: Comparison) -> str:
    """Explain why PyTorch's message has fewer missing keys than the table; empty if it has all."""
    names = tolerated_missing(comparison.rows, comparison.strict.outcome.message)
    listed = ", ".join(f"`{name}`" for name in names[:FIRST])
    return html_markup.explanation(say("xray.unasked", names=listed)) if names else ""


def _key(row: KeyRow) -> tuple[Cell, ...]:
    mark = "✓" if row.fit is Fit.FITS else "✗"
    said = f"{mark} {say(f'xray.fit-{row.fit}')}"
    return row.name, _shape(row.in_network), _shape(row.in_file), said


def _shape(shape: Shape | None) -> str:
    return "—" if shape is None else str(shape)


def _outputs(before: Output, attempt: Attempt) -> str:
    """Format the first numbers of both outputs, and whether they differ."""
    after = attempt.output
    rows = ((say("xray.before"), _first(before)), (say("xray.after"), _first(after)))
    columns = (say("xray.output"), say("xray.column-values"))
    same = before.outcome.ok and after.outcome.ok and before.values == after.values
    why = "xray.same-numbers" if attempt.loaded else "xray.same-outputs"
    note = html_markup.explanation(say(why)) if same else ""
    return html_markup.table(columns, rows) + note


def _first(output: Output) -> str:
    if not output.outcome.ok:
        return f"{output.outcome.error_type}: {output.outcome.message}"
    return f"{output.shape}: {', '.join(map(modules.short, output.values[:FIRST]))}, …"
