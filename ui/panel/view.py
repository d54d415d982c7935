"""A step as the plain data that the panel's script draws."""

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from playground import catalog
from playground.catalog import Language
from playground.steps import Answer, Labels, Line, Note, Picture, Progress, Step, gpu_recording
from ui import html_markup
from ui.html_markup import inline_to_html, markdown_to_html, text_to_html
from ui.language import COLONS, localize_sizes, say, table
from ui.panel import controls

SKIPPED = "skipped"  # the program was run without a prediction
Data = dict[str, object]
PLAIN = ("int", "float", "bool", "str", "NoneType", "device", "dtype", "Size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A step with everything that is drawn of it.

    Attributes:
        words: Its words.
        devices: The devices of the visitor's machine.
        answer: None before it is revealed.
        said: The id of the prediction for these settings, ``SKIPPED``, or empty.
        is_asked_lightly: The question was answered before, for other settings.
        question: The question of the round; None for the step's own.
        met: Ids of the challenges that are met.
        brought: The visitor's network from the builder, as in a link.
        progress: The state that is drawn before the answer; None where none is known.
    """

    step: Step
    words: catalog.Step
    devices: tuple[str, ...]
    language: Language
    answer: Answer | None = None
    said: str = ""
    is_asked_lightly: bool = False
    question: catalog.Text | None = None
    met: frozenset[str] = frozenset()
    brought: str = ""
    progress: Progress | None = None

    @property
    def own(self) -> catalog.StepWords:
        """Those without title, prose and question."""
        return self.words.words

    @property
    def answers(self) -> tuple[str, ...]:
        """The ids of the answers to choose from."""
        asked = self.words.prediction
        return self.step.choices(self.devices) or (asked.answers if asked else ())

    @property
    def is_fair(self) -> bool:
        """One of the choices is right; else the machine lacks what the program asks for."""
        return self.answer is None or self.answer.prediction in self.answers

    @property
    def values(self) -> Mapping[str, object]:
        """Values for the placeholders of texts."""
        known = self.answer.values if self.answer else {}
        shown = {name: "—" if value is None else value for name, value in known.items()}
        return {"line": self.step.asked_line() or "", **shown}

    def fill(self, text: catalog.Text, **more: object) -> str:
        """Return a text in the visitor's language, as HTML."""
        return inline_to_html(self.localize(text.filled(self.language, **{**self.values, **more})))

    def localize(self, text: str) -> str:
        """Return a text of the answer with sizes in bytes in the visitor's language."""
        return localize_sizes(text, self.language)

    def answer_words(self, answer: str) -> str:
        """Return an answer of the question as HTML."""
        return answer_words(self.own, answer, self.language)


def step_data(shown: Shown) -> Data:
    """Return the data of a step, its settings and its answer."""
    data: Data = {
        "lang": "zh-CN" if shown.language is Language.ZH else "en",
        "words": interface_words(shown.language),
        "title": shown.words.title.said(shown.language),
        "prose_html": shown.fill(shown.words.prose),
        "row": tuple(
            controls.row(shown.step, shown.words, shown.devices, shown.language, shown.brought)
        ),
        "lines": _lines(shown),
    }
    if folded := shown.step.folded_lines():
        data["folded"] = (1, folded)
    labels = labels_of(shown.words, shown.language)
    if shown.answer is None and shown.progress:
        picture: Picture | None = shown.step.live_picture(shown.progress, labels)
    else:
        picture = shown.step.picture(shown.answer, labels)
    if picture:
        svg = shown.localize(picture.svg)
        if shown.said:  # what belongs to the visitor's prediction is drawn thick
            own = f'data-answer="{html.escape(shown.said)}"'
            svg = svg.replace(own, f'{own} class="is-said"')
        data["picture"] = {"svg": svg, "alt": _alt(shown, picture)}
    if name := controls.points_field(shown.step):
        data["points"] = {"field": name, "value": getattr(shown.step, name)}
    if shown.words.prediction:
        data["question"] = _question(shown, shown.words.prediction)
    if shown.own.idea:
        data["idea"] = shown.own.idea.said(shown.language)
    data["challenges"] = tuple(
        {
            "id": each.id,
            "html": shown.fill(each.task),
            "is_met": each.id in shown.met,
            "hint_html": shown.fill(each.hint),
        }
        for each in shown.own.challenges
    )
    if shown.answer is None:
        return data
    return data | _revealed(shown, shown.answer) | {"recorded_html": recorded_html(shown)}


def _alt(shown: Shown, picture: Picture) -> str:
    """Return the alternative text of a picture."""
    alt = shown.own.alts["after" if shown.answer else "before"]
    text = alt.filled(shown.language, **{**shown.values, **picture.values}).replace("`", "")
    return shown.localize(text)


def idea_html(text: str) -> str:
    """Format the part that is closed at first."""
    return f"<details><summary>{say('panel.idea')}</summary>{markdown_to_html(text)}</details>"


def labels_of(words: catalog.Step, language: Language) -> Labels:
    """Return the labels of a step as plain text, since pictures cannot show code."""
    return {name: text.said(language).replace("`", "") for name, text in words.words.labels.items()}


def summary_html(
    lesson: catalog.Lesson, predictions: Mapping[str, tuple[str, str]], language: Language
) -> str:
    """Format the summary of a lesson: what to remember, and the visitor's predictions."""
    sentences = "".join(
        f"<li><p>{inline_to_html(text.said(language))}</p><pre><code>{html.escape(code)}</code></pre></li>"
        for text, code in lesson.remember
    )
    remember = f"<h2>{say('panel.remember')}</h2><ol class='pp-remember'>{sentences}</ol>"
    if not predictions:
        return remember
    rows = "".join(
        _prediction_html(step, *predictions[step.id], language)
        for step in lesson.steps
        if step.id in predictions
    )
    hits = sum(said == truth for said, truth in predictions.values())
    score = say("panel.score", hits=hits, count=len(predictions))
    return f"{remember}<h2>{score}</h2><ul class='pp-predictions'>{rows}</ul>"


def _prediction_html(step: catalog.Step, said: str, truth: str, language: Language) -> str:
    shown = answer_words(step.words, truth, language)
    if said != truth:
        words = answer_words(step.words, said, language)
        shown += f" ({say('step.not-as-predicted', said='')}{words})"
    kind, sign = ("hit", "✓") if said == truth else ("miss", "✗")
    title = inline_to_html(step.title.said(language))
    return f'<li class="is-{kind}">{sign} {title}{COLONS[language]}{shown}</li>'


def answer_words(words: catalog.StepWords, answer: str, language: Language) -> str:
    """Format an answer of a question as HTML; one without words is code."""
    text = words.answers.get(answer)
    return inline_to_html(text.said(language) if text else f"`{answer}`")


@cache
def interface_words(language: Language) -> Mapping[str, str]:
    """Return the texts of the panel itself."""
    names = (
        *("run", "apply", "again", "another_round", "next", "previous", "edit", "copy_link"),
        *("copied", "hint", "reset", "steps", "settings", "program", "done", "challenges"),
        *("copy", "lab", "same_again", "play", "pause", "step_back", "step_on", "scrub"),
        *("point_class", "point_undo", "point_clear"),
    )
    return {name: table()[f"panel.{name}"].said(language) for name in names}


def _question(shown: Shown, asked: catalog.Prediction) -> Data:
    is_open = shown.answer is None
    truth = shown.answer.prediction if shown.answer else ""
    answers = shown.answers
    if truth and truth not in answers:  # also an answer without words
        answers = (*answers, truth)
    return {
        "html": shown.fill(shown.question or asked.question),
        "answers": tuple({"id": each, "html": shown.answer_words(each)} for each in answers),
        "said": shown.said if shown.said != SKIPPED else "",
        "truth": truth,
        "is_fair": shown.is_fair,
        "is_open": is_open,
        "lightly": is_open and shown.is_asked_lightly,
    }


def _revealed(shown: Shown, answer: Answer) -> Data:
    """Return facts, table and explanation."""
    labels = {name: text.said(shown.language) for name, text in shown.own.labels.items()}
    facts = {
        labels[name]: shown.localize(value) if isinstance(value, str) else value
        for name, value in answer.facts.items()
        if value not in (None, "")
    }
    data: Data = {"facts_html": html_markup.facts(facts)} if facts else {}
    if answer.table:
        head, *rows = answer.table
        columns = tuple(labels[str(name)] for name in head)
        said = tuple(tuple(labels.get(str(cell), cell) for cell in row) for row in rows)
        data["table_html"] = html_markup.table(columns, said)
    reason = shown.fill(shown.own.explanations[answer.explanation])
    is_wrong = shown.is_fair and not answer.is_right(shown.said)
    wrong = shown.own.if_wrong.get(shown.said) if is_wrong else None
    first = f'<p class="pp-if-wrong">{shown.fill(wrong)}</p>' if wrong else ""
    data["reason_html"] = f"{first}<p>{reason}</p>"
    return data


def recorded_html(shown: Shown) -> str:
    """Format a GPU's recorded answer for the same settings; empty if there is none."""
    found = gpu_recording.find(shown.step)
    if found is None:
        return ""
    theirs = replace(shown, answer=found.answer, said="")
    on = {name: getattr(found, name) for name in ("gpu", "driver", "torch", "date")}
    parts = [f"<p><strong>{html.escape(say('panel.recorded', **on))}</strong></p>"]
    if picture := shown.step.picture(found.answer, labels_of(shown.words, shown.language)):
        alt = html.escape(_alt(theirs, picture))
        parts.append(f'<div role="img" aria-label="{alt}">{picture.svg}</div>')
    if found.answer.explanation:
        parts += map(str, _revealed(theirs, found.answer).values())
    else:
        parts.append(f'<pre class="pp-printed">{html.escape(found.answer.printed)}</pre>')
    return "".join(parts)


def _lines(shown: Shown) -> tuple[Data, ...]:
    answer = shown.answer
    asked = shown.step.asked_line()
    parts = controls.program_lines(shown.step, shown.words, shown.devices, shown.language)
    lines: list[Data] = [
        {"number": number, "parts": tuple(each)} for number, each in enumerate(parts, start=1)
    ]
    if answer is None:
        if asked:
            lines[asked - 1]["mark"] = "asked"
        return tuple(lines)
    ran = {line.number: line for line in answer.lines}
    failed = next((line.number for line in answer.lines if line.error), None)
    for line in lines:
        number = int(str(line["number"]))
        line |= recorded(ran.get(number))
        if answer.stopped_at and number > max(answer.stopped_at, failed or 0):
            line["mark"] = "after"
    at = failed or asked or len(lines)
    if shown.words.prediction or failed:
        lines[at - 1] |= _answer_box(shown, answer)
    if answer.fix:
        before, after = answer.fix
        lines[_line_of(before, shown.step, at) - 1]["fix"] = {"text": after}
    return tuple(lines)


def _line_of(code: str, step: Step, otherwise: int) -> int:
    """Return the number of the first line of ``code`` in the program, if it is visible."""
    program, first = step.program().splitlines(), code.partition("\n")[0]
    number = program.index(first) + 1 if first and first in program else 0
    return number if number > step.folded_lines() else otherwise


def recorded(line: Line | None) -> Data:
    """Return a line's values, output and warnings."""
    if line is None:
        return {}
    data: Data = {}
    if line.notes:
        data["notes"] = tuple(
            {"text": note_text(each), "devices": each.devices} for each in line.notes
        )
    if line.printed:
        data["printed"] = line.printed.rstrip("\n")
    if line.warnings:
        data["warnings"] = line.warnings
    return data


def note_text(note: Note) -> str:
    """Describe a value in a few words: shape and dtype, parameters, or the value itself."""
    if note.size.startswith("("):
        return f"{note.name} {note.size} {note.kind}"
    if note.devices:
        return f"{note.name} {note.kind} · {say('panel.parameters', count=note.size)}"
    return f"{note.name} = {note.size}" if note.kind in PLAIN else f"{note.name}: {note.kind}"


def _answer_box(shown: Shown, answer: Answer) -> Data:
    """Return the answer box of the line that decided: the result or PyTorch's error."""
    truth = shown.answer_words(answer.prediction)
    data: Data = {"tone": "ok", "title_html": truth}
    if answer.is_silent_failure:
        data["tone"] = "silent"
    if not answer.outcome.ok:
        error = f"<code>{answer.outcome.error_type}</code>"
        is_said = answer.prediction == answer.outcome.error_type
        data |= {"tone": "refused", "title_html": error if is_said else f"{error} · {truth}"}
        data["text_html"] = text_to_html(answer.outcome.message)
    if shown.words.prediction and shown.said not in ("", SKIPPED):
        said = f"{say('step.not-as-predicted', said='')}{shown.answer_words(shown.said)}"
        if answer.is_right(shown.said):
            said = say("step.as-predicted")
        elif not shown.is_fair:
            said = f"{said} · {say('step.none-right')}"
        data["said_html"] = said
    box: Data = {"answer": data}
    box["mark"] = "" if answer.outcome.ok else "failed"
    return box
