"""Two files beside each other as HTML: one headline, the counts, and each pair of tensors."""

import html
from collections.abc import Iterator

from playground.checkpoints.difference import Basis, Change, DifferenceReport, Pair
from playground.checkpoints.inspect import Inspection
from playground.checkpoints.load_results import Distance
from ui import html_markup
from ui.language import say
from ui.xray.modules import short, tensor_name
from ui.xray.text import sentence_html

MAX_LISTED = 200
MAX_VALUES = 8
TROUBLE = (Change.NOT_FINITE, Change.SHAPE, Change.ONLY_FIRST, Change.ONLY_SECOND)
ARROW = " → "


def difference(
    report: DifferenceReport, inspections: tuple[Inspection, Inspection], language: str
) -> str:
    """Format two files beside each other.

    Args:
        report: The comparison.
        inspections: Of both files.
        language: The language of the sentences about the sandbox.
    """
    kind, said = headline(report, inspections)
    markup = f'<div class="tp-outcome tp-beside {kind}">{said}</div>'
    if report.basis is Basis.MODELS:
        markup += html_markup.explanation(say("xray.diff-models"))
    if report.basis is Basis.PREFIX:
        markup += html_markup.explanation(say("xray.diff-prefix", prefix=report.prefix))
    if report.ending:
        sentences = report.ending.why, report.ending.instead
        said = " ".join(sentence_html(each, language) for each in sentences).replace("。 ", "。")
        markup += f'<div class="tp-why">{said}</div>'
    if report.common:
        named = {say(f"xray.change-{change}"): count for change, count in _counts(report)}
        counts = {f"{name[0].upper()}{name[1:]}": count for name, count in named.items()}
        markup += html_markup.facts({say("xray.diff-common"): report.common} | counts)
    if values := dict(_values(*inspections)):
        markup += html_markup.heading(say("xray.diff-values")) + html_markup.facts(values)
    return markup + rows(report)


def headline(
    report: DifferenceReport, inspections: tuple[Inspection, Inspection]
) -> tuple[str, str]:
    """Return the kind of the box that says it, and what matters most as HTML."""
    counts, pairs = report.counts, report.pairs
    if report.is_same_file:
        return "tp-ok", _bold(say("xray.diff-same"))
    if not report.common:
        kinds = (say(f"xray.kind-{each.structure.kind}") for each in inspections if each.structure)
        first, second = kinds
        return "tp-refused", _bold(say("xray.diff-nothing", first=first, second=second))
    if counts[Change.NOT_FINITE]:
        said = _bold(f"⚠ {say('xray.diff-broken', count=counts[Change.NOT_FINITE])}")
        return "tp-refused", f"{said} {_code(pairs[0])}"
    changed = [each for each in pairs if each.distance and each.distance.changed]
    unlisted = sum(each.change is Change.CHANGED and each.distance is None for each in pairs)
    if changed:
        most = max(changed, key=lambda each: (each.is_of_model, each.relative))
        count = len(changed) + unlisted
        said = _bold(say("xray.diff-changed", count=count, common=report.common))
        return "", f"{said}<div>{say('xray.diff-most')} {_code(most)} {_amount(most)}</div>"
    if counts[Change.EQUAL] == len(pairs):
        return "tp-ok", _bold(say("xray.diff-equal", count=len(pairs)))
    if unknown := sum(_is_unmeasured(each) for each in pairs):
        return "", _bold(say("xray.diff-unknown", count=unknown))
    return "", _bold(say("xray.diff-structure"))


def _is_unmeasured(pair: Pair) -> bool:
    return pair.change in (Change.UNKNOWN, Change.DTYPE) and pair.distance is None


def rows(report: DifferenceReport) -> str:
    """Format the pairs as a list, in their order; each opens to all that is known of it."""
    listed = report.pairs[:MAX_LISTED]
    if not listed:
        return ""
    more = len(report.pairs) - len(listed)
    rest = f'<p class="tp-muted">{say("xray.more-rows", count=more)}</p>' if more else ""
    is_measured = any(map(_amount, listed))
    scale = f'<p class="tp-muted">{say("xray.diff-scale")}</p>' if is_measured else ""
    return f'{scale}<div class="tp-tensors">{"".join(map(_row, listed))}</div>{rest}'


def _row(pair: Pair) -> str:
    word = say(f"xray.change-{pair.change}")
    kind = ' class="tp-miss"' if pair.change in TROUBLE else ""
    how = " · ".join(html.escape(each) for each in _summary(pair))
    said = f"<b{kind}>{word}</b>{f' <span>{how}</span>' if how else ''}"
    return f"<details><summary>{_code(pair)}{said}</summary>{_facts(pair)}</details>"


def _summary(pair: Pair) -> Iterator[str]:
    """Yield what a closed row says beside its change."""
    first, second, found = pair.first, pair.second, pair.distance
    if first and second and first.shape != second.shape:
        yield f"{first.shape}{ARROW}{second.shape}"
    if first and second and first.dtype != second.dtype:
        yield f"{first.dtype}{ARROW}{second.dtype}"
    if found and found.not_finite[0] != found.not_finite[1]:
        yield f"{say('xray.column-odd')}: {ARROW.join(map(str, found.not_finite))}"
    if amount := _amount(pair):
        yield amount


def _facts(pair: Pair) -> str:
    both = [each for each in (pair.first, pair.second) if each]
    shapes = dict.fromkeys(str(each.shape) for each in both)
    dtypes = dict.fromkeys(each.dtype for each in both)
    named: dict[str, str] = {
        say("xray.diff-shape"): ARROW.join(shapes),
        say("xray.diff-dtype"): ARROW.join(dtypes),
    }
    if pair.distance and pair.first:
        named |= _distance(pair.distance, pair.first.numel)
    return html_markup.facts(named)


def _distance(found: Distance, numel: int) -> dict[str, str]:
    said = {say("xray.diff-elements"): say("xray.diff-of", count=found.changed, most=numel)}
    sizes = {"maximum": found.maximum, "mean": found.mean, "relative": found.relative}
    for name, size in sizes.items():
        if found.maximum != 0:  # it is, where only NaN or infinities came or went
            said[say(f"xray.diff-{name}")] = "—" if size is None else short(float(size))
    if any(found.not_finite):
        said[say("xray.column-odd")] = ARROW.join(map(str, found.not_finite))
    return said


def _amount(pair: Pair) -> str:
    """Say how far the finite numbers have moved; empty where they have not."""
    found = pair.distance
    if found is None or not found.maximum:
        return ""
    if found.relative is None:
        return say("xray.diff-apart", size=short(found.maximum))
    percent = 100 * found.relative
    is_plain = 1_000 <= percent < 1_000_000
    return say("xray.diff-by", percent=f"{percent:,.0f}" if is_plain else f"{percent:.3g}")


def _counts(report: DifferenceReport) -> Iterator[tuple[Change, int]]:
    counts = report.counts
    return ((change, counts[change]) for change in Change if counts[change])


def _values(first: Inspection, second: Inspection) -> Iterator[tuple[str, str]]:
    """Yield the plain values that differ, such as an epoch."""
    mine, other = (
        {each.path: each for each in found.structure.values} if found.structure else {}
        for found in (first, second)
    )
    differ = [path for path in mine if path in other and mine[path].text != other[path].text]
    for path in differ[:MAX_VALUES]:
        yield mine[path].full_name, f"{mine[path].text}{ARROW}{other[path].text}"


def _bold(words: str) -> str:
    return f"<b>{html.escape(words, quote=False)}</b>"


def _code(pair: Pair) -> str:
    return f"<code>{html.escape(tensor_name(pair.name))}</code>"
