"""A loaded file: statistics of every tensor, and the comparison with a network's keys."""

from streamlit.delta_generator import DeltaGenerator

from playground.checkpoints.keys import Fit, KeyRow, Shape, tolerated_missing
from playground.checkpoints.load import LoadReport
from playground.checkpoints.load_results import Attempt, Comparison, Element, LoadedTensor, Output
from ui import answer_html
from ui.language import say
from ui.xray import contents
from ui.xray.contents import Cell, tensor_name
from ui.xray.text import sentence_html

FIRST = 4


def load_verdict(report: LoadReport, language: str) -> str:
    """Format the result of loading as HTML, also if nothing was loaded."""
    said = sentence_html(report.why, language)
    if report.instead:
        said = f"{said} {sentence_html(report.instead, language)}"
    found = [each.statistics for each in report.tensors if each.statistics]
    if odd := sum(each.nans + each.infinities for each in found):
        said = f"{said} <b>{say('xray.odd', count=odd)}</b>"
    return answer_html.heading(say("xray.loaded")) + f'<div class="tp-why">{said}</div>'


def draw_values(place: DeltaGenerator, report: LoadReport) -> None:
    """Draw a row of statistics for each tensor."""
    with place.expander(say("xray.values")):
        names = ("name", "minimum", "maximum", "mean", "std", "zeros", "odd", "values")
        contents.table(names, report.tensors, _row)


def _row(each: LoadedTensor) -> tuple[Cell, ...]:
    found = each.statistics
    first = ", ".join(_short(value) for value in each.values[:FIRST])
    if found is None:
        return (tensor_name(each.name), *(None,) * 6, first)
    numbers = (found.minimum, found.maximum, found.mean, found.std)
    return (
        tensor_name(each.name),
        *("—" if value is None else _short(value) for value in numbers),
        found.zeros,
        found.nans + found.infinities,
        first,
    )


def _short(value: Element) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def attempt_of(comparison: Comparison, *, is_strict: bool) -> Attempt:
    """Return the attempt with the visitor's value of ``strict``."""
    return comparison.strict if is_strict else comparison.lenient


def draw_fit(place: DeltaGenerator, comparison: Comparison, *, is_strict: bool) -> None:
    """Draw PyTorch's answer, the keys, those that do not fit first, and both outputs."""
    attempt = attempt_of(comparison, is_strict=is_strict)
    counts = comparison.counts
    if not counts.fits and not counts.size_mismatch:
        load_verdict = say("xray.none-fits", count=counts.unexpected + counts.no_tensor)
        place.html(answer_html.heading(say("xray.fit")) + answer_html.explanation(load_verdict))
        _draw_keys(place, comparison)
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
        + answer_html.heading(say("xray.fit"))
        + answer_html.outcome(attempt.outcome, call, "", "")
        + answer_html.facts(named_facts)
        + _optional_keys_note(comparison)
        + _outputs(comparison.before, attempt)
        + "</div>"
    )
    _draw_keys(place, comparison)


def _draw_keys(place: DeltaGenerator, comparison: Comparison) -> None:
    is_open = not comparison.counts.all_fit
    with place.expander(say("xray.keys"), expanded=is_open):
        contents.table(("name", "in_network", "in_file", "fit"), comparison.rows, _key)


def _optional_keys_note(comparison: Comparison) -> str:
    """Explain why PyTorch's message has fewer missing keys than the table; empty if it has all."""
    names = tolerated_missing(comparison.rows, comparison.strict.outcome.message)
    listed = ", ".join(f"`{name}`" for name in names[:FIRST])
    return answer_html.explanation(say("xray.unasked", names=listed)) if names else ""


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
    note = answer_html.explanation(say(why)) if same else ""
    return answer_html.table(columns, rows) + note


def _first(output: Output) -> str:
    if not output.outcome.ok:
        return f"{output.outcome.error_type}: {output.outcome.message}"
    return f"{output.shape}: {', '.join(map(_short, output.values[:FIRST]))}, …"
